#!/usr/bin/env python3
"""Compares results of dma_bench; exits with 1 where something is missed.

  compare.py RESULTS.json             ours against the other subjects of the same run, by targets.json
  compare.py BEFORE.json AFTER.json   every subject of both, after against before
"""

import argparse
import itertools
import json
import os
import statistics
import sys

import result_files


def matches(subject, wanted):
    return all(
        subject.axes.get(axis) in (value if isinstance(value, list) else [value]) for axis, value in wanted.items()
    )


def named(subject):
    return f"{subject.name} ({subject.label})" if subject.label else subject.name


def quantity(subject):
    return f"{subject.rate / 1e9:8.0f} GB/s" if subject.rate else f"{subject.seconds * 1e9:8.1f} ns  "


def points_of(target, subjects):
    """The values of the axes at which a target compares: those listed in `at`, or all of ours for `each`."""
    if "each" in target:
        ours = [s for s in subjects if matches(s, {**target.get("at", {}), **target["ours"]})]
        points = {tuple((axis, s.axes.get(axis)) for axis in target["each"]) for s in ours}
        return [{**target.get("at", {}), **dict(point)} for point in sorted(points, key=str)]
    at = target.get("at", {})
    return [dict(zip(at, values)) for values in itertools.product(*(v if isinstance(v, list) else [v] for v in at.values()))]


def check_counter(target, subjects):
    """A counter of each of ours that has a limit; returns how many are above it."""
    ours = sorted((s for s in subjects if matches(s, target["ours"])), key=lambda s: s.name)
    if ours:
        print(f"{target['says']} (at most {target['at_most']})")
    missed = 0
    for subject in ours:
        value = subject.counters.get(target["counter"])
        is_within = value is not None and value <= target["at_most"]
        missed += not is_within
        print(f"  {'ok    ' if is_within else 'MISSED'} {value}  {subject.name}")
    return missed


def check_targets(path, targets_path):
    context, by_name, failed = result_files.read(path)
    with open(targets_path, encoding="utf-8") as file:
        targets = json.load(file)
    missed = len(failed)
    for name, error in failed.items():
        print(f"FAILED  {name}: {error}")
    everything = list(by_name.values())
    if ceilings := result_files.ceilings(context, everything):
        print(ceilings)
    for target in targets:
        subjects = [s for s in everything if s.sweep == target["sweep"]]
        if "counter" in target:
            missed += check_counter(target, subjects)
            continue
        lines, ratios = [], []
        for point in points_of(target, subjects):

            def best_of(wanted):
                here = [s for s in subjects if matches(s, {**point, **wanted})]
                return max(here, key=lambda s: s.goodness, default=None)

            ours = best_of(target["ours"])
            theirs, theirs_name = None, ""
            if target["theirs"] == "read ceiling":
                theirs, theirs_name = result_files.read_ceiling(everything), "read ceiling"
            elif target["theirs"] == "roofline":
                theirs, theirs_name = result_files.roofline(context, everything, point["K"]), "roofline"
            elif "microseconds" in target["theirs"]:  # of a program that is not a part of the run
                theirs_name = f"{target['theirs']['microseconds']} us"
                theirs = ours and ours.goodness * ours.seconds / (target["theirs"]["microseconds"] * 1e-6)
            else:
                best = best_of(target["theirs"])
                if best is not None:
                    theirs, theirs_name = best.goodness, named(best)
            if ours is None or not theirs:
                continue
            ratio = ours.goodness / theirs
            ratios.append(ratio)
            wanted = target.get("ratio")
            verdict = "      " if wanted is None else "ok    " if ratio >= wanted else "MISSED"
            missed += verdict == "MISSED"
            lines.append(f"  {verdict} {ratio:6.3f}  {quantity(ours)}  {named(ours)}  against  {theirs_name}")
        if lines and "mean_ratio" in target:
            mean = statistics.geometric_mean(ratios)
            is_whole = len(ratios) == target["points"]
            verdict = "MISSED" if mean < target["mean_ratio"] or not is_whole else "ok    "
            missed += verdict == "MISSED"
            print(f"{target['says']} (at least {target['mean_ratio']} in the geometric mean)", *lines, sep="\n")
            print(f"  {verdict} {mean:6.3f}  in the mean of {len(ratios)} of {target['points']}")
        elif lines:
            wanted = f"at least {target['ratio']}" if target.get("ratio") is not None else "for the record"
            print(f"{target['says']} ({wanted})", *lines, sep="\n")
    return missed


def compare_files(before_path, after_path, tolerance):
    _, before, failed_before = result_files.read(before_path)
    _, after, failed_after = result_files.read(after_path)
    missed = 0
    for name in sorted(before.keys() & after.keys()):
        ratio = after[name].goodness / before[name].goodness
        is_slower = ratio < 1 - tolerance
        missed += is_slower
        print(f"{'SLOWER' if is_slower else '      '} {ratio:6.3f}  {quantity(before[name])} -> {quantity(after[name])}  {name}")
    for name in sorted(before.keys() ^ after.keys()):
        print(f"only {'before' if name in before else 'after'}: {name}")
    for name, error in failed_after.items():
        print(f"FAILED  {name}: {error}")
        missed += name not in failed_before
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--targets", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "targets.json"))
    parser.add_argument("--tolerance", type=float, default=0.02, help="of two files: what still counts as equal")
    arguments = parser.parse_args()
    if len(arguments.files) > 2:
        parser.error("one file or two")
    if len(arguments.files) == 2:
        missed = compare_files(*arguments.files, arguments.tolerance)
    else:
        missed = check_targets(arguments.files[0], arguments.targets)
    print(f"{missed} missed" if missed else "nothing missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
