#!/usr/bin/env python3
"""Draws one SVG a sweep from a result file of dma_bench: plot.py RESULTS.json [FOLDER, docs/plots by default].

The background is transparent and every colour stands out on white and on black. A point is the best subject of its
series at its place, by the median; a bar through it spans the repetitions.
"""

import dataclasses
import os
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

import result_files  # noqa: E402

INK = "#7a7a7a"
COLOURS = ["#d95f02", "#1f83c4", "#1b9e77", "#a06cd5", "#c2973a", "#e0529c", "#6f9a2b", "#8c8c8c", "#c0504d", "#3fa7b5"]
MARKERS = "osD^vP*XhdpH<>8+x1234|_,"
NAMES = {
    "dma": "dma",
    "dma_all_warps": "dma, no DMA warps",
    "hand": "by hand",
    "hand_wide": "by hand, 16-byte reads",
    "naive": "load, sync, compute",
    "scheme_of_2011": "the scheme of 2011",
    "pipeline": "cuda::pipeline",
    "roles": "cuda::pipeline, producer warps",
    "plain": "no shared memory",
    "ceiling": "the same bytes in one run",
    "padded": "tile of 32 x 33",
    "memcpy": "cudaMemcpy",
    "reference": "the scheme of 2009",
    "cached": "no shared memory, a point a thread",
    "cublas": "cuBLAS",
    "dma_alone": "dma, no early start",
    "vec-single": "vec-single",
    "vec-double": "vec-double",
    "vec-manual": "vec-manual",
    "both-single": "both-single",
    "both-double": "both-double",
    "both-manual": "both-manual",
}

# sweep: (title, axis, its label, axes that make a series beside "by")
LINES = {
    "staging": ("Staging: 512 compute threads a CTA, 2 CTAs an SM", "K", "multiply-adds an element", ()),
    "saturation": (
        "Saturation: one CTA an SM, 8 compute warps",
        "warps",
        "DMA warps an SM (all warps, where none is one)",
        ("engine", "barrier"),
    ),
    "strided": ("Strided tiles of 16 KB, 4 DMA warps", "row", "bytes a row", ("engine", "barrier")),
    "gather": ("Rows by a list, tiles of 16 KB, 4 DMA warps", "row", "bytes a row", ("engine", "barrier")),
    "transpose": ("Transpose of n x n floats", "n", "n", ("engine", "barrier")),
    "latency": ("A slot there and back, one DMA warp", "warps", "compute warps", ("barrier",)),
    "sgemv-N": ("SGEMV, y = A x, square, cold", "n", "n", ()),
    "sgemv-T": ("SGEMV, y = A^T x, square, cold", "n", "n", ()),
}
BARS = {
    "store": "Copy, global to global",
    "halo": "Sum over a star of radius 4, 8192 x 8192 floats",
    "stencil": "Star of radius 4 in three dimensions, best tiles",
}
# sweep: axes that bars are for, beside "by": of subjects that differ in others, the best is drawn
BEST_OF = {"stencil": ("size",)}


def series_name(subject, extra):
    by = NAMES.get(subject.axes["by"], subject.axes["by"])
    rest = [str(subject.axes[axis]) for axis in extra if subject.axes.get(axis, "none") != "none"]
    return ", ".join([by, *rest])


def point(subject):
    """Value, and how far the repetitions went below and above it."""
    if subject.rate:
        value, low, high = (v / 1e9 for v in (subject.rate, subject.rate_low, subject.rate_high))
    else:
        value, low, high = (v * 1e9 for v in (subject.seconds, subject.seconds_low, subject.seconds_high))
    return value, max(value - low, 0), max(high - value, 0)


def new_figure(title, device, height=4.6):
    figure, axes = plt.subplots(figsize=(8.4, height))
    axes.set_title(f"{title} ({device})", fontsize=11, color=INK)
    for spine in axes.spines.values():
        spine.set_color(INK)
    axes.tick_params(colors=INK, which="both")
    axes.grid(True, color=INK, alpha=0.25, linewidth=0.6)
    return figure, axes


def unit_label(subjects):
    return "GB/s" if subjects[0].rate else "nanoseconds a round trip"


def save(figure, folder, sweep):
    path = os.path.join(folder, f"{sweep}.svg")
    figure.tight_layout()
    figure.savefig(path, transparent=True, metadata={"Date": None})
    plt.close(figure)
    print(path)


def draw_lines(sweep, subjects, everything, context, folder):
    title, axis, label, extra = LINES[sweep]
    figure, axes = new_figure(title, context.get("device", "unknown device"))
    best = {}
    for s in subjects:
        places = best.setdefault(series_name(s, extra), {})
        x = s.axes[axis]
        if x not in places or places[x].goodness < s.goodness:
            places[x] = s
    # With engines and barriers in a series' name they have the colour and the subject has the line; else colour says all.
    kinds = {name: next(iter(places.values())) for name, places in best.items()}
    order = sorted(best, key=lambda name: (list(NAMES).index(kinds[name].axes["by"]), name))
    how = {name: tuple(kinds[name].axes.get(axis, "none") for axis in extra) for name in order}
    colours = sorted(set(how.values()), key=str) if extra else order
    for name in order:
        by = kinds[name].axes["by"]
        xs = sorted(best[name])
        values = [point(best[name][x]) for x in xs]
        axes.errorbar(
            xs,
            [v[0] for v in values],
            yerr=[[v[1] for v in values], [v[2] for v in values]],
            label=name,
            color=COLOURS[colours.index(how[name] if extra else name) % len(COLOURS)],
            marker=MARKERS[list(NAMES).index(by)],
            markersize=6 if by == "dma" else 5,
            linewidth=2.2 if by == "dma" else 1.3,
            linestyle={"dma": "-", "dma_all_warps": ":"}.get(by, (0, (5, 2))),
            capsize=2,
        )
    if sweep == "staging":
        xs = sorted({s.axes["K"] for s in subjects})
        roof = [result_files.roofline(context, everything, x) / 1e9 for x in xs]
        if all(roof):
            axes.plot(xs, roof, color=INK, linewidth=1.2, linestyle=":", label="roofline")
    axes.set_xscale("log", base=2)
    ticks = sorted({s.axes[axis] for s in subjects})
    axes.set_xticks(ticks, [str(t) for t in ticks])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label, color=INK)
    axes.set_ylabel(unit_label(subjects), color=INK)
    axes.legend(fontsize=8, labelcolor=INK, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, folder, sweep)


def best_of(subjects, axes):
    """The best subject of each name at each place, with the other axes left out of its name."""
    best = {}
    for s in subjects:
        key = tuple((axis, s.axes[axis]) for axis in (*axes, "by"))
        if key not in best or best[key].goodness < s.goodness:
            best[key] = dataclasses.replace(s, axes=dict(key))
    return list(best.values())


def draw_bars(sweep, subjects, context, folder):
    figure, axes = new_figure(BARS[sweep], context.get("device", "unknown device"), 1.4 + 0.35 * len(subjects))
    subjects = sorted(subjects, key=lambda s: s.goodness)
    kinds = sorted({s.axes["by"] for s in subjects}, key=lambda by: (by != "dma", by))
    values = [point(s) for s in subjects]
    axes.barh(
        [", ".join([NAMES.get(s.axes["by"], s.axes["by"])] + [f"{k} {v}" for k, v in s.axes.items() if k != "by"]) for s in subjects],
        [v[0] for v in values],
        xerr=[[v[1] for v in values], [v[2] for v in values]],
        color=[COLOURS[kinds.index(s.axes["by"]) % len(COLOURS)] for s in subjects],
        ecolor=INK,
        capsize=2,
    )
    for row, (value, _, high) in enumerate(values):
        axes.text(value + high, row, f" {value:.0f}", va="center", color=INK, fontsize=8)
    axes.set_xlabel(f"{unit_label(subjects)}, read and written", color=INK)
    axes.margins(x=0.12)
    save(figure, folder, sweep)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.join(here, "..", "docs", "plots")
    os.makedirs(folder, exist_ok=True)
    matplotlib.rcParams["svg.hashsalt"] = "dma"
    context, by_name, _ = result_files.read(sys.argv[1])
    everything = list(by_name.values())
    for sweep in sorted({s.sweep for s in everything}):
        subjects = [s for s in everything if s.sweep == sweep]
        if sweep == "sgemv":  # a plot for each op, as figure 10 has it, of the square shapes
            for op in ("N", "T"):
                squares = [s for s in subjects if s.axes["op"] == op and s.axes["m"] == s.axes["n"]]
                if squares:
                    draw_lines(f"sgemv-{op}", squares, everything, context, folder)
        if sweep in LINES:
            draw_lines(sweep, subjects, everything, context, folder)
        elif sweep in BARS:
            draw_bars(sweep, best_of(subjects, BEST_OF[sweep]) if sweep in BEST_OF else subjects, context, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
