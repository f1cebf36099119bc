#!/usr/bin/env python3
"""Draws one SVG a sweep from a result file of dma_bench: plot.py RESULTS.json [FOLDER, docs/results/plots by default].

The background is transparent and every colour can be seen on white and on black. A point is the best subject of its
series at its place, by the median; a bar through it spans the repetitions where they span more than the marker.
"""

import math
import os
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import LinearSegmentedColormap  # noqa: E402
from matplotlib.ticker import MultipleLocator  # noqa: E402
from matplotlib.transforms import offset_copy  # noqa: E402

import paper  # noqa: E402
import result_files  # noqa: E402
import tables  # noqa: E402

WIDTH = 8.4  # inches, of every picture
FONT_SIZE = 9  # points

INK, CYAN, GREY = "#7a7a7a", "#3fa7b5", "#9c9c9c"
ORANGE, BLUE, GREEN, PURPLE, GOLD = "#d95f02", "#1f83c4", "#1b9e77", "#a06cd5", "#c2973a"
RED, PINK, OLIVE = "#c0504d", "#e0529c", "#6f9a2b"
SHARES = LinearSegmentedColormap.from_list("shares", ["#e58f7b", "#f2d492", "#a3d9a5"])
DASHED, DOTTED, DASH_DOTTED = (0, (5, 2)), (0, (1.2, 1.6)), (0, (5, 1.6, 1.2, 1.6))

# Who a subject is by: name, colour, marker and line; in the order of the legends.
BY = {
    "dma": ("dma", ORANGE, "o", "-"),
    "dma_alone": ("dma, no early start", GREEN, "s", DASHED),
    "dma_all_warps": ("dma, no DMA warps", BLUE, "s", DOTTED),
    "paper": ("dma, as in the paper", GOLD, "s", DASHED),
    "hand": ("by hand", RED, "D", DASHED),
    "hand_wide": ("by hand, 16-byte reads", PURPLE, "^", DASHED),
    "cublas": ("cuBLAS", BLUE, "D", DASHED),
    "geam": ("cuBLAS geam", BLUE, "D", DASHED),
    "memcpy": ("cudaMemcpy", GREY, "H", DASHED),
    "ceiling": ("the same bytes in one run", INK, "d", DOTTED),
    "plain": ("no shared memory", CYAN, "h", DASHED),
    "cached": ("no shared memory", CYAN, "h", DASHED),
    "padded": ("padded tile, whole tiles", PINK, "p", DASHED),
    "padded_any_shape": ("padded tile, any shape", GOLD, "p", DOTTED),
    "roles": ("cuda::pipeline, producer warps", CYAN, "X", DASHED),
    "thread_pipeline": ("cuda::pipeline, thread scope", GREEN, "*", DASH_DOTTED),
    "pipeline": ("cuda::pipeline, block scope", GREEN, "*", DASHED),
    "scheme_of_2011": ("the scheme of 2011", PINK, "P", DASHED),
    "reference": ("the scheme of 2009", GOLD, "P", DASHED),
    "naive": ("load, sync, compute", OLIVE, "v", DASHED),
    "both-single": ("both-single", GOLD, "<", DOTTED),
    "both-double": ("both-double", GOLD, "^", DASHED),
    "both-manual": ("both-manual", GOLD, "v", DASH_DOTTED),
    "vec-single": ("vec-single", PURPLE, "<", DOTTED),
    "vec-double": ("vec-double", PURPLE, "^", DASHED),
    "vec-manual": ("vec-manual", PURPLE, "v", DASH_DOTTED),
    "halo-only-single": ("halo-only-single", PURPLE, "<", DOTTED),
    "halo-only-double": ("halo-only-double", PURPLE, "^", DASHED),
    "halo-only-manual": ("halo-only-manual", PURPLE, "v", DASH_DOTTED),
    "block-halo-single": ("block-halo-single", PURPLE, "s", DASHED),
}
BARRIERS = {
    "named": "named barrier",
    "syncthreads": "__syncthreads",
    "transaction": "mbarrier, bytes expected",
    "bulk_16_bytes": "bulk copy of 16 bytes",
}
CTAS = {"tiles": "a CTA a tile", "tiles_without_dma_warps": "a CTA a tile, no DMA warps"}
# The other axes that a subject's name may say, in words.
WORDS = {
    "engine": lambda value: "" if value == "none" else value,
    "barrier": lambda value: BARRIERS.get(value, value),
    "kb": lambda value: f"{value} KB",
    "stages": lambda value: f"{value} stage{'' if value == 1 else 's'}",
    "ctas": lambda value: CTAS.get(value, f"{value} CTA{'' if value == 1 else 's'} an SM"),
    "threads": lambda value: f"{value} threads",
    "words": lambda value: f"{16 * value} bytes a thread",
}
# What a series has its colour from where it says more than who it is by.
DETAIL_COLOURS = {
    "bulk": ORANGE,
    "cp.async": BLUE,
    "tensor": GREEN,
    "registers, mbarrier": PURPLE,
    "registers, named barrier": GOLD,
    "mbarrier": ORANGE,
    "named barrier": GOLD,
    "__syncthreads": BLUE,
    "mbarrier, bytes expected": PINK,
    "bulk copy of 16 bytes": PURPLE,
}

# The same of the panels of figure 9: marker and line.
LINES_OF_DETAILS = {
    "bulk": ("o", "-"),
    "cp.async": ("D", DASHED),
    "registers, mbarrier": ("^", DASH_DOTTED),
    "registers, named barrier": ("v", DOTTED),
}
# There, series that lie on one another are so many points beside their places.
BESIDE = {"bulk": -4, "cp.async": 4, "registers, mbarrier": -4, "registers, named barrier": 4}
MOST_WARPS_WITHOUT = 48  # DMA warps, in that figure

# The series of section 5, named as in the table of docs/results/paper.md: colour, marker, line and width.
OF_SECTION_5 = {
    "dma": (ORANGE, "o", "-", 2.6),
    "several_elements_a_warp": (PURPLE, "^", DASHED, 1.1),
    "warp_an_element": (GOLD, "v", DOTTED, 1.3),
    "several_warps_an_element": (GREEN, "s", DASH_DOTTED, 1.1),
    "dma_default": (BLUE, "D", DASHED, 1.3),
    "sequential": (INK, "", DOTTED, 1.3),
}
# Its panels: (axis, its label, the others, which stay as they are, title).
PANELS_OF_SECTION_5 = (
    ("size", "bytes an element", {}, f"stride of 4 elements, {paper.TILE_OF_SECTION_5 // 1024} KB a tile"),
    ("stride", "stride in bytes", {"size": 256, "count": 32}, "256 B, 32 a tile"),
    ("count", "elements a tile", {"size": 256, "stride": 1024}, "256 B, 1024 B apart"),
)

# The forms of the article on memory access tuning, named as in the tables: colour, marker and line.
OF_TUNING = {
    "scalar": (INK, "v", DOTTED),
    "wide_small": (PURPLE, "<", DASHED),
    "wide": (RED, ">", DASHED),
    "bounds": (BLUE, "s", DASHED),
    "bounds_2x512": (CYAN, "x", DOTTED),
    "wide_small_bounds": (GOLD, "^", DASH_DOTTED),
    "wide_bounds": (PINK, "p", DASHED),
    "tiles": (GREEN, "D", DASHED),
    "registers": (ORANGE, "o", "-"),
}

# sweep: (title, axis, its label, axes that make a series beside "by")
LINES = {
    "staging": ("Staging: 512 compute threads a CTA, 2 CTAs an SM", "K", "multiply-adds an element", ()),
    "saturation": (
        "Saturation: one CTA an SM, 8 compute warps",
        "warps",
        "loading warps an SM",
        ("engine", "barrier"),
    ),
    "figure-8": ("Figure 8: 512 compute threads a CTA, 2 CTAs an SM", "K", "multiply-adds an element", ()),
    "strided": ("Strided tiles of 16 KB, 4 DMA warps", "row", "bytes a row", ("engine", "barrier")),
    "gather": ("Rows by a list, tiles of 16 KB, 4 DMA warps", "row", "bytes a row", ("engine", "barrier")),
    "transpose": ("Transpose of n x n floats", "n", "n", ("engine", "barrier")),
    "latency": ("A slot there and back, one DMA warp", "warps", "compute warps", ("barrier",)),
    "sgemv-N": ("SGEMV, y = A x, square, cold", "n", "n", ()),
    "sgemv-T": ("SGEMV, y = Aᵀ x, square, cold", "n", "n", ()),
}
# Of those, the ones with a panel for each engine, since engines hide one another.
ENGINE_PANELS = ("saturation", "strided", "gather")
# Of those, the ones with a second panel, in which the fastest are apart: (the reference, its name, lowest share, highest)
SHARE_PANELS = {
    "staging": ("dma", "dma", 0.6, 1.03),
    "transpose": ("memcpy", "cudaMemcpy", 0.75, 1.06),
}
# Of those, the ones that are drawn as a ratio to a reference alone.
RATIOS = {"sgemv-N": ("cublas", "cuBLAS"), "sgemv-T": ("cublas", "cuBLAS")}
OF_FIGURE_8 = ("naive", "paper", "dma_all_warps", "dma")
# sweep: (title, axes that a bar's name says, the axis with a panel for each of its values)
# Of subjects that differ in other axes the best is drawn.
BARS = {
    "store": ("Copy, global to global", tuple(WORDS), None),
    "halo": ("Sum over a star of radius 4, 8192 x 8192 floats", ("engine", "barrier"), None),
    "stencil": ("Star of radius 4 in three dimensions, best tiles", (), "size"),
}


def who(subject):
    """Its entry in BY: that of its kernel where kernels of one author are series of their own."""
    kernel = subject.axes.get("kernel")
    return kernel if kernel in BY else subject.axes["by"]


def details_of(subject, axes):
    """What a subject's name says of these axes. Every engine but registers has an mbarrier, which goes without saying."""
    is_plain = lambda axis: axis == "barrier" and subject.axes.get("engine", "registers") != "registers"
    said = [
        WORDS[axis](subject.axes[axis])
        for axis in axes
        if axis in subject.axes and not (is_plain(axis) and subject.axes[axis] == "mbarrier")
    ]
    return ", ".join(text for text in said if text)


def name_of(subject, axes):
    details = details_of(subject, axes)
    name = BY[who(subject)][0]
    return f"{name}, {details}" if details else name


def best_of(subjects, key):
    """The best subject for each value of `key`."""
    best = {}
    for s in subjects:
        if key(s) not in best or best[key(s)].goodness < s.goodness:
            best[key(s)] = s
    return best


def point(subject):
    """Value, and how far the repetitions went below and above it."""
    if subject.rate:
        value, low, high = (v / 1e9 for v in (subject.rate, subject.rate_low, subject.rate_high))
    else:
        value, low, high = (v * 1e9 for v in (subject.seconds, subject.seconds_low, subject.seconds_high))
    return value, max(value - low, 0), max(high - value, 0)


def new_figure(title, context, height, panels=1, rows=1, widths=None):
    """Panels side by side, with one axis of values; or in rows, each with its own."""
    figure, axes = plt.subplots(
        rows, panels, figsize=(WIDTH, height), sharey=rows == 1, squeeze=False, layout="constrained", width_ratios=widths
    )
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    figure.suptitle(f"{title} ({context.get('device', 'unknown device')})", fontsize=11, color=INK)
    for panel in axes.flat:
        for spine in panel.spines.values():
            spine.set_color(INK)
        panel.tick_params(colors=INK, which="both", labelsize=FONT_SIZE)
        panel.grid(True, color=INK, alpha=0.25, linewidth=0.6)
        panel.set_axisbelow(True)
    return figure, list(axes.flat)


def unit_label(subjects):
    return "GB/s" if subjects[0].rate else "nanoseconds a round trip"


def save(figure, folder, sweep):
    path = os.path.join(folder, f"{sweep}.svg")
    figure.savefig(path, transparent=True, metadata={"Date": None})
    plt.close(figure)
    print(path)


def with_room(ticks, points):
    """Those ticks of a logarithmic axis, so many points long, whose labels have room: powers of two come first."""
    place = lambda tick: points * math.log2(tick / ticks[0]) / max(math.log2(ticks[-1] / ticks[0]), 1)
    half_width = lambda tick: 0.32 * FONT_SIZE * len(str(tick)) + 2
    kept = []
    for tick in sorted(ticks, key=lambda tick: (tick & (tick - 1) != 0, tick)):
        if all(abs(place(tick) - place(other)) > half_width(tick) + half_width(other) for other in kept):
            kept.append(tick)
    return kept


def series_of(subjects, name, axis):
    """The best subject at each place, by the series' names, in the order of BY."""
    series = {}
    for (text, _), s in sorted(best_of(subjects, lambda s: (name(s), s.axes[axis])).items()):
        series.setdefault(text, []).append(s)
    return sorted(series.items(), key=lambda item: (list(BY).index(who(item[1][0])), item[0]))


def draw_series(panel, name, places, axis, colour, scale=lambda place: 1.0):
    """One line, with bars where repetitions differ by more than a marker, each value times `scale` of its place."""
    by = who(places[0])
    _, _, marker, line = BY[by]
    is_ours = by == "dma"
    across = [s.axes[axis] for s in places]
    values = [[scale(s.axes[axis]) * value for value in point(s)] for s in places]
    (drawn,) = panel.plot(
        across,
        [value for value, _, _ in values],
        label=name,
        color=colour,
        marker=marker,
        markersize=6 if is_ours else 5,
        linewidth=2.2 if is_ours else 1.3,
        linestyle=line,
        zorder=2 if is_ours else 3,  # a thin line on a wide one leaves both to be seen
    )
    for place, (value, below, above) in zip(across, values):
        if below + above > 0.02 * value:
            panel.vlines(place, value - below, value + above, color=colour, linewidth=1.3)
    return drawn


def name_places(panel, ticks, inches):
    """The ticks of a logarithmic axis, which is so long, with names where they have room."""
    panel.set_xscale("log", base=2)
    labelled = with_room(ticks, inches * 72)
    panel.set_xticks(ticks, [str(tick) if tick in labelled else "" for tick in ticks])
    panel.minorticks_off()


def draw_engine_panels(sweep, subjects, context, folder):
    """A panel for each engine; what has none is in all of them."""
    title, axis, label, extra = LINES[sweep]
    engine_of = lambda s: details_of(s, extra)
    engines = sorted({engine_of(s) for s in subjects} - {""}, key=list(DETAIL_COLOURS).index)
    figure, panels = new_figure(title, context, 4.0, len(engines))
    lines = {}
    for panel, engine in zip(panels, engines):
        here = [s for s in subjects if engine_of(s) in (engine, "")]
        for name, places in series_of(here, lambda s: BY[who(s)][0], axis):
            lines[name] = draw_series(panel, name, places, axis, BY[who(places[0])][1])
        name_places(panel, sorted({s.axes[axis] for s in here}), 0.7 * WIDTH / len(engines))
        panel.set_title(engine, fontsize=FONT_SIZE, color=INK)
        panel.set_xlabel(label, fontsize=FONT_SIZE, color=INK)
    panels[0].set_ylabel(unit_label(subjects), color=INK)
    panels[0].set_ylim(0, 1.06 * max(point(s)[0] for s in subjects))
    legend_below(figure, lines, 0.08)
    save(figure, folder, sweep)


def legend_below(figure, lines, share=0.14, columns=4):
    """The legend of several panels, in so much of the height below them."""
    figure.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    figure.legend(
        lines.values(), lines.keys(), fontsize=8, labelcolor=INK, frameon=False, loc="lower center", ncols=columns, handlelength=3
    )


def draw_lines(sweep, subjects, everything, context, folder):
    title, axis, label, extra = LINES[sweep]
    subjects = [s for s in subjects if s.axes.get("barrier") != "libcuxx"]  # one point or two of each engine: no line
    if sweep in ENGINE_PANELS:
        draw_engine_panels(sweep, subjects, context, folder)
        return
    series = series_of(subjects, lambda s: name_of(s, extra), axis)
    colours = {name: DETAIL_COLOURS.get(details_of(places[0], extra), BY[who(places[0])][1]) for name, places in series}
    ticks = sorted({s.axes[axis] for s in subjects})
    shares = SHARE_PANELS.get(sweep)
    figure, panels = new_figure(title, context, 6.4 if shares else 4.4, rows=2 if shares else 1)
    of_reference = lambda by: {s.axes[axis]: 1 / point(s)[0] for _, places in series for s in places if who(s) == by}
    if sweep in RATIOS:
        by, text = RATIOS[sweep]
        scales = of_reference(by)
        for name, places in series:
            draw_series(panels[0], name, places, axis, colours[name], scales.__getitem__)
        panels[0].set_yscale("log", base=2)
        heights = [2 ** (step / 2) for step in range(-2, 5)]
        panels[0].set_yticks(heights, [f"{height:.2g}" for height in heights])
        panels[0].set_ylabel(f"speed, {text} is 1", color=INK)
    else:
        for name, places in series:
            draw_series(panels[0], name, places, axis, colours[name])
        if axis == "K":
            roof = [result_files.roofline(context, everything, x) / 1e9 for x in ticks]
            if all(roof):
                panels[0].plot(ticks, roof, color=INK, linewidth=1.2, linestyle=DOTTED, label="roofline")
        panels[0].set_ylim(0, 1.06 * max(point(s)[0] for s in subjects))
        panels[0].set_ylabel(unit_label(subjects), color=INK)
    if shares:
        by, text, low, high = shares
        scales = of_reference(by)
        for name, places in series:
            draw_series(panels[1], name, places, axis, colours[name], scales.__getitem__)
        panels[1].set_ylim(low, high)
        panels[1].set_ylabel(f"speed, {text} is 1, from {low}", color=INK)
    for panel in panels:
        name_places(panel, ticks, 0.65 * WIDTH)
    panels[-1].set_xlabel(label, color=INK)
    panels[0].legend(
        fontsize=8, labelcolor=INK, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3
    )
    save(figure, folder, sweep)


def draw_figure_9(subjects, context, folder):
    """A panel for each number of compute warps, over DMA warps, and one for the kernels that have none."""
    with_dma = [s for s in subjects if "compute" in s.axes]
    counts = sorted({s.axes["compute"] for s in with_dma})
    figure, panels = new_figure("Figure 9: saxpy, 6 bytes an operation", context, 4.0, len(counts) + 1)
    drawn = [[s for s in with_dma if s.axes["compute"] == count] for count in counts]
    drawn.append([s for s in subjects if s.axes["by"] in ("naive", "plain") and s.axes["warps"] <= MOST_WARPS_WITHOUT])
    lines = {}
    for panel, here in zip(panels, drawn):
        for by, detail in dict.fromkeys((s.axes["by"], details_of(s, ("engine", "barrier"))) for s in here):
            series = [s for s in here if s.axes["by"] == by and details_of(s, ("engine", "barrier")) == detail]
            places = [s for _, s in sorted(best_of(series, lambda s: s.axes["warps"]).items())]
            name, colour, marker, line = BY[by]
            if by == "dma":
                name, colour, (marker, line) = f"{name}, {detail}", DETAIL_COLOURS[detail], LINES_OF_DETAILS[detail]
            elif by == "paper":
                colour = PINK  # its own is that of named barriers
            values = [point(s)[0] for s in places]
            (lines[name],) = panel.plot(
                [s.axes["warps"] for s in places], values, color=colour, marker=marker, markersize=5, linewidth=1.5,
                linestyle=line,
            )  # fmt: skip
            if by == "dma":
                lines[name].set_transform(offset_copy(panel.transData, figure, BESIDE[detail], units="points"))
    for panel, count, here in zip(panels, counts, drawn):
        ticks = sorted({s.axes["warps"] for s in here})
        panel.set_xscale("log", base=2)
        panel.set_xticks(ticks, ticks)
        panel.minorticks_off()
        panel.margins(x=0.12)
        panel.set_title(f"{count} compute warps", fontsize=FONT_SIZE, color=INK)
        panel.set_xlabel("DMA warps an SM", fontsize=FONT_SIZE, color=INK)
    panels[-1].set_title("no DMA warps", fontsize=FONT_SIZE, color=INK)
    panels[-1].set_xticks(range(0, MOST_WARPS_WITHOUT + 1, 16))
    panels[-1].set_xlabel("warps an SM", fontsize=FONT_SIZE, color=INK)
    panels[0].set_ylabel("GB/s, read and written", color=INK)
    panels[0].set_ylim(bottom=0)
    legend_below(figure, lines)
    save(figure, folder, "saxpy")


def draw_bars(sweep, subjects, context, folder):
    title, named, panel_axis = BARS[sweep]
    best = best_of(subjects, lambda s: (s.axes.get(panel_axis), name_of(s, named)))
    panels = sorted({panel for panel, _ in best}, key=str)
    total = lambda name: sum(best[panel, name].goodness for panel in panels if (panel, name) in best)
    names = sorted({name for _, name in best}, key=total)
    longest = max(point(s)[0] for s in best.values())
    figure, axes = new_figure(title, context, 1.1 + 0.27 * len(names), len(panels))
    for panel, at in zip(panels, axes):
        here = [(row, best[panel, name]) for row, name in enumerate(names) if (panel, name) in best]
        values = [point(s) for _, s in here]
        at.barh(
            [row for row, _ in here],
            [value for value, _, _ in values],
            xerr=[[below for _, below, _ in values], [above for _, _, above in values]],
            color=[BY[who(s)][1] for _, s in here],
            error_kw={"ecolor": INK, "elinewidth": 1.2},
            height=0.72,
        )
        for (row, _), (value, _, above) in zip(here, values):
            at.annotate(
                f"{value:.0f}", (value + above, row), (4, 0), textcoords="offset points", va="center", color=INK, fontsize=8
            )
        at.set_yticks(range(len(names)), names)
        at.tick_params(axis="y", length=0)
        at.grid(False, axis="y")
        at.set_xlim(0, (1.1 if len(panels) == 1 else 1.3) * longest)
        if panel is not None:
            at.set_title(str(panel).replace("x", " x "), fontsize=FONT_SIZE, color=INK)
    figure.supxlabel(f"{unit_label(subjects)}, read and written", color=INK, fontsize=10)
    save(figure, folder, sweep)


def rows_of_defaults(found, warps, places):
    """Shares of the best at each place, by row: the default, then each engine by its number of stages."""
    rows = {(0, "", 0, "the default"): {}}
    for place in places:
        best = found["best", warps, *place]
        rows[0, "", 0, "the default"][place] = found["default", warps, *place].rate / best.rate
        for variant, rate in best.counters.items():
            engine, _, stages = variant.removeprefix("dma::").rpartition(", ")
            count = stages.split()[0]
            is_named = count in ("1", "2", "4")
            name = f"{engine}, {stages if is_named else 'automatic'}"
            rows.setdefault((1, engine, int(count) if is_named else 9, name), {})[place] = rate / best.rate
    return [(name, shares) for (*_, name), shares in sorted(rows.items())]


def draw_defaults(subjects, context, folder):
    """A table for each number of compute warps: variants down, tiles and CTAs an SM across."""
    found = {tuple(s.axes[axis] for axis in ("by", "warps", "bytes", "ctas")): s for s in subjects}
    places = sorted({(s.axes["bytes"], s.axes["ctas"]) for s in subjects})
    sizes = sorted({size for size, _ in places})
    tables = {warps: rows_of_defaults(found, warps, places) for warps in sorted({s.axes["warps"] for s in subjects})}
    height = 0.6 + 0.16 * sum(len(rows) + 5 for rows in tables.values())
    figure, panels = plt.subplots(len(tables), 1, figsize=(WIDTH, height), squeeze=False, layout="constrained")
    figure.suptitle(f"Default and variants, % of the best ({context.get('device', 'unknown device')})", fontsize=11, color=INK)
    for panel, (warps, rows) in zip(panels[:, 0], tables.items()):
        shares = [[100 * min(at.get(place, math.nan), 1) for place in places] for _, at in rows]
        panel.imshow(shares, cmap=SHARES, vmin=40, vmax=100, aspect="auto")
        for y, line in enumerate(shares):
            for x, share in enumerate(line):
                if not math.isnan(share):
                    panel.text(x, y, f"{share:.0f}", ha="center", va="center", fontsize=7, color="#202020")
        panel.set_yticks(range(len(rows)), [name for name, _ in rows])
        panel.set_xticks(range(len(places)), [str(ctas) for _, ctas in places])
        panel.tick_params(colors=INK, labelsize=7, length=0)
        panel.set_title(f"{warps} compute warp{'' if warps == 1 else 's'}", fontsize=FONT_SIZE, color=INK)
        panel.set_frame_on(False)
        for size in sizes:
            columns = [x for x, (tile, _) in enumerate(places) if tile == size]
            panel.axvline(columns[0] - 0.5, color=INK, linewidth=1.5)
            text = f"{size} B" if size < 1024 else f"{size // 1024} KB"
            panel.annotate(
                text, (sum(columns) / len(columns), 0), (0, -14), xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="center", va="top", color=INK, fontsize=8,
            )  # fmt: skip
    figure.supxlabel("CTAs an SM of the grid, for each size of the tile", color=INK, fontsize=FONT_SIZE)
    save(figure, folder, "defaults")


def draw_variants(subjects, context, folder):
    """Variants of a Fourier transform's passes: a row for each value of an axis, a dot for each variant."""
    variants = [s for s in subjects if s.axes["by"] == "dma"]
    copies = [point(s)[0] for s in subjects if s.axes["by"] == "memcpy"]
    warps = lambda a: a["points"] * a["columns"] // (16 * a["width"] * 32) * a["ctas"]
    groups = [  # of radix-256 passes, then of all with the loads and tiles of the plans
        ("columns", lambda a: f"{a['columns']} columns"),
        ("width", lambda a: f"{8 * a['width']}-byte loads"),
        ("warps", lambda a: f"{warps(a)} warps an SM"),
        ("exchange", lambda a: {"parts": "exchange of parts", "points": "exchange of points"}[a["exchange"]]),
        ("l2", lambda a: {"normal": "no L2 hint", "evict_first": "loads with evict-first"}[a["l2"]]),
        ("loads", lambda a: {"registers": "loads to registers", "ahead": "tensor maps, a tile ahead"}[a["loads"]]),
        ("points", lambda a: f"radix {a['points']}"),
    ]
    rows = []
    for name, label in groups:
        here = variants if name == "points" else [s for s in variants if s.axes["points"] == 256]
        order = lambda a: a[name] if name in a else warps(a)
        rows.extend((name, text) for _, text in sorted({(order(s.axes), label(s.axes)) for s in here}))
    labels = dict(groups)
    least = min(point(s)[0] for s in variants)
    figure, panels = new_figure("Variants of a pass over 2^24 points", context, 1.1 + 0.22 * len(rows), 2)
    for panel, which in zip(panels, ("first", "last")):
        here = [s for s in variants if s.axes["pass"] == which]
        for y, (name, text) in enumerate(rows):
            of_row = [
                s for s in here if labels[name](s.axes) == text and (name == "points" or s.axes["points"] == 256)
            ]
            values = sorted(point(s)[0] for s in of_row)
            panel.plot(values, [y] * len(values), "o", color=BLUE, markersize=3, alpha=0.5)
            if values:
                panel.plot(values[-1:], [y], "o", color=ORANGE, markersize=5)
        for copy in copies:
            panel.axvline(copy, color=GREY, linestyle=DASHED, linewidth=1.2)
        panel.set_title(f"{which} pass", fontsize=FONT_SIZE, color=INK)
        panel.set_yticks(range(len(rows)), [text for _, text in rows])
        panel.tick_params(axis="y", length=0)
        panel.set_xlim(left=0.9 * least)
        for y in range(1, len(rows)):
            if rows[y][0] != rows[y - 1][0]:
                panel.axhline(y - 0.5, color=INK, alpha=0.4, linewidth=0.8)
    panels[0].invert_yaxis()  # both: the axis is shared
    figure.supxlabel("GB/s, read and written; dashed: cudaMemcpy", color=INK, fontsize=10)
    save(figure, folder, "fft_variants")


def draw_section_5(subjects, context, folder):
    """Strided transfers by CudaDMA's three forms and by ours: over the elements' size, their stride and their number."""
    in_one_run = {s.axes["size"]: s for s in subjects if s.axes["by"] == "sequential"}
    figure, panels = new_figure(
        "Section 5: strided tiles, 16 compute and 4 DMA warps", context, 4.2, len(PANELS_OF_SECTION_5), widths=(2.2, 1.1, 1)
    )
    lines = {}
    for panel, (axis, label, fixed, title) in zip(panels, PANELS_OF_SECTION_5):
        here = [s for s in subjects if "stride" in s.axes and all(s.axes[key] == value for key, value in fixed.items())]
        if axis == "size":
            here = [s for s in here if paper.is_of_sizes(s.axes)]
        across = sorted({s.axes[axis] for s in here})
        for by, (colour, marker, line, width) in OF_SECTION_5.items():
            places = sorted((s.axes[axis], s) for s in here if s.axes["by"] == by)
            if by == "sequential":
                bytes_of = {s.axes[axis]: s.axes["size"] * s.axes["count"] for s in here}
                places = [(at, in_one_run[bytes_of[at]]) for at in across]
            if places:
                (lines[paper.FORMS_OF_SECTION_5[by].replace("`", "")],) = panel.plot(
                    [at for at, _ in places], [point(s)[0] for _, s in places], color=colour, marker=marker,
                    markersize=7 if by == "dma" else 4.5, linewidth=width, linestyle=line, zorder=2 if by == "dma" else 3,
                )  # fmt: skip
        panel.set_xscale("log", base=2)
        panel.set_xticks(across, across)
        panel.minorticks_off()
        panel.margins(x=0.1 if axis == "size" else 0.2)
        panel.set_xlabel(label, fontsize=FONT_SIZE, color=INK)
        panel.set_title(title, fontsize=FONT_SIZE, color=INK)
    panels[0].set_ylabel("GB/s of the elements", color=INK)
    panels[0].set_ylim(bottom=0)
    legend_below(figure, lines, 0.12, 3)
    save(figure, folder, "strided_forms")


def draw_section_6_3(subjects, context, folder):
    """A Fourier pass with DMA warps: a panel for each exchange, a row for each variant and for what is beside them."""
    names = [*paper.LOADS_OF_SECTION_6_3, *paper.PASSES_OF_SECTION_6_3]
    figure, panels = new_figure(
        "Section 6.3: a pass with DMA warps, 2^24 points", context, 1.3 + 0.23 * len(names), len(paper.TRANSPOSES)
    )
    (copy,) = (point(s)[0] for s in subjects if s.axes["by"] == "memcpy")
    for panel, transpose in zip(panels, paper.TRANSPOSES):
        here = [s for s in subjects if all(s.axes.get(key) == value for key, value in transpose.items())]
        (variants,) = (s for s in here if s.axes["by"] == "paper")
        searched = [variants.counters[name] / 1e9 for name in paper.LOADS_OF_SECTION_6_3]
        panel.plot(searched, range(len(searched)), "o", color=GOLD, markersize=5, markerfacecolor="none")
        for row, axes in enumerate(paper.PASSES_OF_SECTION_6_3.values(), len(searched)):
            (subject,) = (s for s in here if all(s.axes.get(key) == value for key, value in axes.items()))
            marker, colour = {"paper": ("s", GOLD), "bulk": ("o", ORANGE)}.get(subject.axes["by"], ("D", BLUE))
            panel.plot([point(subject)[0]], [row], marker, color=colour, markersize=5)
        panel.axhline(len(searched) - 0.5, color=INK, alpha=0.4, linewidth=0.8)
        panel.axvline(copy, color=GREY, linestyle=DASHED, linewidth=1.2)
        panel.set_title(f"{transpose['pass']} pass, {transpose['exchange']}", fontsize=FONT_SIZE, color=INK)
        panel.set_yticks(range(len(names)), names)
        panel.tick_params(axis="y", length=0)
        panel.xaxis.set_major_locator(MultipleLocator(200))
    low, high = (limit(panel.get_xlim()[end] for panel in panels) for end, limit in ((0, min), (1, max)))
    for panel in panels:
        panel.set_xlim(low, high)
    panels[0].invert_yaxis()  # all: the axis is shared
    figure.supxlabel(
        "GB/s, read and written. Hollow: the best of four replays in the search; full: medians; dashed: cudaMemcpy",
        color=INK, fontsize=FONT_SIZE,
    )  # fmt: skip
    save(figure, folder, "fft_dma_warps")


def draw_first_level(subjects, context, folder):
    """Loads and stores at the first-level cache: a row for each kernel and block, with the cache and without."""
    found = {tuple(s.axes[axis] for axis in ("kernel", "block", "cache")): s for s in subjects}
    rows = list(tables.first_level_rates(lambda *point: found[point]))
    figure, panels = new_figure("Loads and stores of a transpose at the L1", context, 1.5 + 0.2 * len(rows), 2)
    forms = {"with the cache (ca)": (BLUE, "o", BLUE), "without (cg)": (ORANGE, "D", "none"), "1050 Ti, with it": (INK, "x", INK)}
    lines = {}
    for panel, (at, title) in zip(panels, ((0, "loads"), (1, "stores"))):
        values = zip(*((ours[0][1 + at], ours[1][1 + at], theirs[at] * 1e9 if theirs else math.nan) for _, _, theirs, ours in rows))
        for (name, (colour, marker, face)), of_rows in zip(forms.items(), values):
            (lines[name],) = panel.plot(
                [value / 1e9 for value in of_rows], range(len(rows)), marker, color=colour, markerfacecolor=face, markersize=6
            )
        panel.set_xscale("log")
        panel.set_title(title, fontsize=FONT_SIZE, color=INK)
        panel.set_yticks(range(len(rows)), [f"{kernel} {block}" for kernel, block, _, _ in rows])
        panel.tick_params(axis="y", length=0)
        panel.set_xlabel("GB/s of the sectors that warps ask for", fontsize=FONT_SIZE, color=INK)
    panels[0].invert_yaxis()  # both: the axis is shared
    legend_below(figure, lines, 0.06)
    save(figure, folder, "transpose_loads")


def draw_tuning(subjects, odd, context, folder):
    """The article's forms: times as fast as the first over problem sizes, and at odd counts beside even ones."""
    figure, panels = new_figure("Memory access tuning: forms, and odd counts", context, 6.4, rows=2)
    of = {(s.axes["step"], s.axes["points"], s.axes["values"]): s for s in subjects}
    sizes = tables.SIZES_OF_TUNING
    of_odd = {(s.axes["step"], s.axes["points"], s.axes["pitch"]): s for s in odd}
    for step, (colour, marker, line) in OF_TUNING.items():
        style = {"color": colour, "marker": marker, "linestyle": line, "markersize": 5, "linewidth": 1.5}
        places = [(at, size) for at, size in enumerate(sizes) if (step, *size) in of]
        speeds = [of["scalar", *size].seconds / of[step, *size].seconds for _, size in places]
        panels[0].plot([at for at, _ in places], speeds, label=tables.FORMS[step].replace("`", ""), **style)
        for group, points in enumerate((1 << 16, 1 << 20)):
            if (step, points - 1, "even") in of_odd:
                here = [of[step, points, 64], *(of_odd[step, points - 1, pitch] for pitch in ("even", "odd"))]
                panels[1].plot([3 * group + at for at in range(3)], [point(s)[0] for s in here], **style)
    panels[0].set_xticks(range(len(sizes)), [f"{points} x {values}" for points, values in sizes])
    panels[0].set_ylabel("speed, scalar is 1", color=INK)
    panels[0].set_xlabel("points x values", fontsize=FONT_SIZE, color=INK)
    panels[0].legend(
        fontsize=8, labelcolor=INK, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3
    )
    names = [
        name for points in (1 << 16, 1 << 20)
        for name in (f"{points} x 64", f"{points - 1} x 63,\neven pitch", f"{points - 1} x 63,\nodd pitch")
    ]  # fmt: skip
    panels[1].set_xticks(range(len(names)), names, fontsize=8)
    panels[1].set_ylabel("GB/s", color=INK)
    panels[1].set_ylim(bottom=0)
    save(figure, folder, "financial")


def has_paper(subjects):
    """Whether the run has the paper's configuration, as the tables of docs/results/paper.md have it."""
    return any(s.axes["by"] == "paper" for s in subjects)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.join(here, "..", "docs", "results", "plots")
    os.makedirs(folder, exist_ok=True)
    matplotlib.rcParams.update({"svg.hashsalt": "dma", "svg.fonttype": "none"})
    matplotlib.rcParams["font.sans-serif"] = ["DejaVu Sans", "Verdana", "sans-serif"]
    context, by_name, _ = result_files.read(sys.argv[1])
    everything = list(by_name.values())
    for sweep in sorted({s.sweep for s in everything}):
        subjects = [s for s in everything if s.sweep == sweep]
        if sweep == "sgemv":  # a plot for each op, as figure 10 has it, of the square shapes
            for op in ("N", "T"):
                squares = [s for s in subjects if s.axes["op"] == op and s.axes["m"] == s.axes["n"]]
                if squares:
                    draw_lines(f"sgemv-{op}", squares, everything, context, folder)
        if sweep == "staging" and has_paper(subjects):
            of_paper = [s for s in subjects if s.axes["by"] in OF_FIGURE_8]
            draw_lines("figure-8", of_paper, everything, context, folder)
        if sweep == "defaults":
            draw_defaults(subjects, context, folder)
        elif sweep == "saxpy" and has_paper(subjects):
            draw_figure_9(subjects, context, folder)
        elif sweep == "strided_forms":
            draw_section_5(subjects, context, folder)
        elif sweep == "fft_dma_warps":
            draw_section_6_3(subjects, context, folder)
        elif sweep == "transpose_loads":
            draw_first_level(subjects, context, folder)
        elif sweep == "financial":
            draw_tuning(subjects, [s for s in everything if s.sweep == "financial_odd"], context, folder)
        elif sweep == "fft_pass":
            draw_variants(subjects, context, folder)
        elif sweep in LINES:
            draw_lines(sweep, subjects, everything, context, folder)
        elif sweep in BARS:
            draw_bars(sweep, subjects, context, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
