#!/usr/bin/env python3
"""Compares results of dma_bench; exits with 1 where something is missed.

  compare.py RESULTS.json             ours against the other subjects of the same run, by targets.json. A miss whose reason
                                      known_misses.json has for this GPU is printed with it and does not count
  compare.py BEFORE.json AFTER.json   every subject of both, after against before
"""

import argparse
import dataclasses
import fnmatch
import itertools
import json
import os
import statistics
import sys
from dataclasses import dataclass

import result_files

BENCH = os.path.dirname(os.path.abspath(__file__))
TARGETS = os.path.join(BENCH, "targets.json")
KNOWN = os.path.join(BENCH, "known_misses.json")
TOLERANCE = 0.02  # what still counts as equal


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


@dataclass
class Ratio:
    """Of one of ours to what a target puts beside it, or a counter of ours to its limit."""

    target: dict
    ours: object  # the subject; None for a mean
    says: str  # what was compared
    value: float
    wanted: float | None  # None for the record
    is_missed: bool
    is_whole: bool = True  # false for a mean of too few points, and a counter that is not there
    limit: str = ""  # why it is missed, where that is known


def counters_of(target, subjects):
    for subject in sorted((s for s in subjects if matches(s, target["ours"])), key=lambda s: s.name):
        value = subject.counters.get(target["counter"])
        is_within = value is not None and value <= target["at_most"]
        yield Ratio(target, subject, subject.name, value, target["at_most"], not is_within, is_whole=False)


def ratios_of(target, context, everything):
    """Of a target at all its points that the run has, and their mean where the target is one."""
    subjects = [s for s in everything if s.sweep == target["sweep"]]
    if "counter" in target:
        yield from counters_of(target, subjects)
        return
    wanted = target.get("ratio") if target.get("of", context.get("device")) == context.get("device") else None
    ratios = []
    for point in points_of(target, subjects):

        def best_of(wanted_axes):
            here = [s for s in subjects if matches(s, {**point, **wanted_axes})]
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
        ratios.append(ours.goodness / theirs)
        says = f"{quantity(ours)}  {named(ours)}  against  {theirs_name}"
        yield Ratio(target, ours, says, ratios[-1], wanted, wanted is not None and ratios[-1] < wanted)
    if ratios and "mean_ratio" in target:
        mean = statistics.geometric_mean(ratios)
        is_whole = len(ratios) == target["points"]
        is_missed = mean < target["mean_ratio"] or not is_whole
        says = f"in the mean of {len(ratios)} of {target['points']}"
        yield Ratio(target, None, says, mean, target["mean_ratio"], is_missed, is_whole)


def with_limit(ratio, context, known):
    """A missed one, with the reason that is known for this GPU: of what was reached then, and of nothing worse."""
    name = ratio.ours.name if ratio.ours else ratio.target["says"]
    for entry in known:
        is_its = entry["device"] == context.get("device") and entry["says"] == ratio.target["says"]
        if is_its and ratio.is_whole and fnmatch.fnmatchcase(name, entry["ours"]) and ratio.value >= entry["reached"] - TOLERANCE:
            return dataclasses.replace(ratio, limit=entry["limit"])
    return ratio


def read_lists(targets_path, known_path):
    with open(targets_path, encoding="utf-8") as file:
        targets = json.load(file)
    with open(known_path, encoding="utf-8") as file:
        return targets, json.load(file)


def check_targets(path, targets_path=TARGETS, known_path=KNOWN):
    """Prints every ratio; returns how many are missed without a known reason, or failed."""
    context, by_name, failed = result_files.read(path)
    targets, known = read_lists(targets_path, known_path)
    missed = len(failed)
    for name, error in failed.items():
        print(f"FAILED  {name}: {error}")
    everything = list(by_name.values())
    if ceilings := result_files.ceilings(context, everything):
        print(ceilings)
    for target in targets:
        ratios = [with_limit(r, context, known) if r.is_missed else r for r in ratios_of(target, context, everything)]
        if not ratios:
            continue
        if "counter" in target:
            wanted = f"at most {target['at_most']}"
        elif "mean_ratio" in target:
            wanted = f"at least {target['mean_ratio']} in the geometric mean"
        elif ratios[0].wanted is not None:
            wanted = f"at least {ratios[0].wanted}"
        else:
            wanted = f"of an {target['of']}; for the record" if "of" in target else "for the record"
        print(f"{target['says']} ({wanted})")
        for ratio in ratios:
            missed += ratio.is_missed and not ratio.limit
            verdict = "      " if ratio.wanted is None else "ok    "
            if ratio.is_missed:
                verdict = "known " if ratio.limit else "MISSED"
            value = ratio.value if "counter" in target else f"{ratio.value:6.3f}"
            print(f"  {verdict} {value}  {ratio.says}" + (f": {ratio.limit}" if ratio.limit else ""))
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
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--known", default=KNOWN, help="misses with a reason")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="of two files: what still counts as equal")
    arguments = parser.parse_args()
    if len(arguments.files) > 2:
        parser.error("one file or two")
    if len(arguments.files) == 2:
        missed = compare_files(*arguments.files, arguments.tolerance)
    else:
        missed = check_targets(arguments.files[0], arguments.targets, arguments.known)
    print(f"{missed} missed" if missed else "nothing missed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
