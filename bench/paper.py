#!/usr/bin/env python3
"""Fills the tables of docs/results/paper.md from a result file of dma_bench: paper.py RESULTS.json [PAGE, docs/results/paper.md by default].

A table begins below a line <!-- NAME -->, ends at the next empty line, and is replaced. `paper.py --check RESULTS.json`
writes nothing and fails where the page has other figures than the file.
"""

import functools
import json
import os
import re
import sys

import result_files

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "docs", "results", "paper.md")
OTHER = os.path.join(HERE, "results", "NVIDIA_H100_80GB_HBM3.json")
CUDADMA_SGEMV = os.path.join(HERE, "trials", "cudadma_sgemv_H200.json")

# What the paper prints, in its first edition, the camera-ready one; the second has the same of the stencil.
# For each size: kernel -> milliseconds, speedup.
STENCIL = {
    "512x512x512": {"reference": (27.83, 1.0), "halo-only-single": (26.38, 1.055),
                    "halo-only-double": (31.66, 0.879), "halo-only-manual": (26.12, 1.065),
                    "block-halo-single": (24.16, 1.152)},
    "640x640x400": {"reference": (33.14, 1.0), "halo-only-single": (30.97, 1.058),
                    "halo-only-double": (37.37, 0.887), "halo-only-manual": (31.33, 1.058),
                    "block-halo-single": (29.10, 1.139)},
    "800x800x200": {"reference": (25.22, 1.0), "halo-only-single": (23.74, 1.062),
                    "halo-only-double": (28.71, 0.878), "halo-only-manual": (24.20, 1.042),
                    "block-halo-single": (22.30, 1.131)},
}  # fmt: skip
# n -> CUFFT's and CudaDMA's milliseconds, speedup.
FFT = {
    524288: (0.231, 0.227, 1.017), 1048576: (0.457, 0.489, 0.935), 2097152: (0.916, 0.982, 0.933),
    4194304: (1.909, 1.939, 0.985), 8388608: (3.894, 3.827, 1.017), 16777216: (8.040, 7.995, 1.006),
    33554432: (18.309, 18.154, 1.008), 67108864: (37.191, 36.978, 1.006),
}  # fmt: skip
VARIANTS = ["vec-single", "vec-double", "vec-manual", "both-single", "both-double", "both-manual"]  # of section 6.1
# The columns of section 5's table, by what the results name them.
FORMS_OF_SECTION_5 = {
    "several_elements_a_warp": "several elements a warp", "warp_an_element": "a warp an element",
    "several_warps_an_element": "several warps an element", "dma": "`Strided`, one mapping",
    "dma_default": "`Strided`, default engine and stages", "sequential": "as many bytes in one run",
}  # fmt: skip
TILE_OF_SECTION_5 = 8192  # bytes, of all but one row
NOT_MEASURED = "Not measured on this GPU."


class Results:
    def __init__(self, path, other=None):
        self.other = other  # those of another run, for what this one has not
        self.context, subjects, _ = result_files.read(path)
        self.subjects = list(subjects.values())

    def has(self, sweep, **axes):
        return any(s.sweep == sweep and all(s.axes.get(k) == v for k, v in axes.items()) for s in self.subjects)

    def of(self, sweep, **axes):
        """Subjects whose name has these values."""
        found = [s for s in self.subjects if s.sweep == sweep and all(s.axes.get(k) == v for k, v in axes.items())]
        if not found:
            raise LookupError(f"paper.py: the results have no {sweep} with {axes}")
        return found

    def best(self, sweep, **axes):
        return max(self.of(sweep, **axes), key=lambda s: s.goodness)

    def values(self, sweep, axis, **axes):
        return sorted({s.axes[axis] for s in self.of(sweep, **axes) if axis in s.axes})


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def gigabytes(subject):
    return f"{subject.rate / 1e9:.0f}"


def with_paper(results, sweep):
    """The run, or that of an H100 where only that has the paper's configuration."""
    has_paper = lambda run: run is not None and run.has(sweep, by="paper") and run.has(sweep, by="naive")
    return results.other if has_paper(results.other) and not has_paper(results) else results


def figures_2_and_8(results):
    results = with_paper(results, "staging")
    is_whole = results.has("staging", by="paper")
    rows = []
    for k in results.values("staging", "K", by="naive"):
        naive, tiles, ours = (results.best("staging", K=k, by=by) for by in ("naive", "dma_all_warps", "dma"))
        roof = result_files.roofline(results.context, results.subjects, k)
        beside = lambda subject: [gigabytes(subject), f"{subject.rate / naive.rate:.2f}"]
        paper = beside(results.best("staging", K=k, by="paper")) if is_whole else []
        rows.append([k, f"{2 / k:.3g}", gigabytes(naive), *paper, *beside(tiles), *beside(ours),
                     f"{ours.rate / tiles.rate:.2f}", f"{ours.rate / roof:.0%}"])  # fmt: skip
    paper = ["the paper's configuration (figure 8)", "speedup"] if is_whole else []
    return table(["K, " + results.context["device"], "B/FLOP", "baseline (figure 2)", *paper, "large tiles, no DMA warps",
                  "speedup", "dma", "speedup", "of DMA warps alone", "dma's share of the roofline"], rows)  # fmt: skip


def figure_9(results):
    results = with_paper(results, "saxpy")
    engines = (("bulk", "mbarrier"), ("cp.async", "mbarrier"), ("registers", "mbarrier"), ("registers", "named"))
    names = ["bulk copies", "cp.async", "registers, mbarrier", "registers, named barrier"]
    is_whole = results.has("saxpy", by="paper")
    compute = results.best("saxpy", by="paper" if is_whole else "dma").axes["compute"]  # the picture has all
    rows = []
    for warps in results.values("saxpy", "warps", by="dma", compute=compute):
        here = functools.partial(results.best, "saxpy", warps=warps, compute=compute)
        paper = [gigabytes(here(by="paper"))] if is_whole else []
        rates = [gigabytes(here(engine=engine, barrier=barrier, by="dma")) for engine, barrier in engines]
        rows.append([warps, compute, *paper, *rates])
    paper = ["the paper's configuration"] if is_whole else []
    return table([f"DMA warps an SM, {results.context['device']}", "compute warps", *paper, *names], rows)


def figure_9_baseline(results):
    results = with_paper(results, "saxpy")
    all_by = ["naive", "plain"] if results.has("saxpy", by="naive") else ["plain"]
    names = {"naive": "the paper's baseline", "plain": "no shared memory, 16-byte accesses"}
    rows = [
        [warps, *(gigabytes(results.best("saxpy", warps=warps, by=by)) for by in all_by)]
        for warps in results.values("saxpy", "warps", by="plain")
        if all(results.has("saxpy", warps=warps, by=by) for by in all_by)
    ]
    return table([f"warps an SM, {results.context['device']}", *(names[by] for by in all_by)], rows)


def with_sweep(results, sweep):
    """The run, or that of an H100 where only that has the sweep; None where neither has."""
    return next((run for run in (results, results.other) if run is not None and run.has(sweep)), None)


def is_of_sizes(axes):
    """Whether a tile of section 5 is one of those that differ in the elements' size alone."""
    return axes["size"] * axes["count"] == TILE_OF_SECTION_5 and axes["stride"] == 4 * axes["size"]


def strided_forms(results):
    results = with_sweep(results, "strided_forms")
    if results is None:
        return NOT_MEASURED

    def of(by, **axes):
        has_form = results.has("strided_forms", by=by, **axes)
        return gigabytes(results.best("strided_forms", by=by, **axes)) if has_form else ""

    rows = []
    for axes in (s.axes for s in results.of("strided_forms", by="dma") if is_of_sizes(s.axes)):
        shape = {axis: axes[axis] for axis in ("size", "count", "stride")}
        in_one_run = {"size": TILE_OF_SECTION_5}
        rows.append([axes["size"], *(of(by, **(in_one_run if by == "sequential" else shape)) for by in FORMS_OF_SECTION_5)])
    return table([f"element in bytes, {results.context['device']}", *FORMS_OF_SECTION_5.values()], rows)


def figure_10(results):
    rows = []
    sizes = [s.axes["n"] for s in results.of("sgemv", op="N", by="cublas") if s.axes["m"] == s.axes["n"]]
    for n in sorted(n for n in sizes if n & (n - 1) == 0):  # the picture has all
        of = lambda by: results.best("sgemv", op="N", m=n, n=n, by=by)
        rows.append([n, *(gigabytes(of(by)) for by in VARIANTS), gigabytes(of("dma")), gigabytes(of("cublas"))])
    return table(["n", *VARIANTS, "dma", "cuBLAS"], rows)


def cudadma_program(results):
    """The times of CudaDMA's program; None where the run is another GPU's."""
    with open(CUDADMA_SGEMV, encoding="utf-8") as file:
        content = json.load(file)
    return content["benchmarks"] if content["context"]["device"] == results.context["device"] else None


def cudadma_sgemv(results):
    program = cudadma_program(results)
    if program is None:
        return NOT_MEASURED
    rows = []
    for row in program:
        if row["by"] == "cudadma":
            ours = results.best("sgemv", op="N", m=row["n"], n=row["n"], by=row["kernel"]).seconds * 1e6
            rows.append([f"`{row['kernel']}`", row["us"], f"{ours:.1f}", f"{row['us'] / ours:.2f}"])
        elif row["by"] == "magma":
            rows.append(["MAGMA", row["us"], "", ""])
    return table([f"kernel, {results.context['device']}", "CudaDMA's program, us", "dma, us", "speedup"], rows)


def stencil(results, size):
    reference = results.best("stencil", size=size, by="reference").seconds
    rows = []
    for by, printed in [*STENCIL[size].items(), ("dma", None)]:
        ours = results.best("stencil", size=size, by=by)
        theirs = [f"{printed[0]:.2f}", f"{printed[1]:.3f}"] if printed else ["", ""]
        name = "`march`" if by == "dma" else f"`{by}`"
        rows.append([name, *theirs, f"{ours.seconds * 1e3:.3f}", f"{reference / ours.seconds:.3f}"])
    return table(["kernel", "first edition: ms", "speedup", "here: ms", "speedup"], rows)


def table_4(results):
    rows = []
    for n, printed in FFT.items():
        cufft, ours = (results.best("fft", n=n, batch=1, by=by).seconds * 1e3 for by in ("cufft", "dma"))
        theirs = [f"{value:.3f}" for value in printed]
        rows.append([n, *theirs, f"{cufft:.4f}", f"{ours:.4f}", f"{cufft / ours:.3f}"])
    return table(["n", "first edition: CUFFT, ms", "CudaDMA, ms", "speedup", "here: cuFFT, ms", "dma, ms", "speedup"], rows)


LOADS_OF_SECTION_6_3 = [
    f"{loads}, {path}, {points} points"
    for loads in ("float2", "float4") for path in ("memory", "read-only path") for points in (4, 8, 16)
]  # fmt: skip
PASSES_OF_SECTION_6_3 = {  # name -> what is in the results' names
    "16 compute, 8 DMA warps, best of 12": {"by": "paper"},
    "16 compute, 1 DMA warp, bulk copies": {"by": "bulk"},
    "16 warps, no DMA warps": {"by": "dma_all_warps", "ctas": 1},
    "32 warps, no DMA warps": {"by": "dma_all_warps", "ctas": 2},
}
TRANSPOSES = [{"pass": which, "exchange": exchange} for which in ("first", "last") for exchange in ("parts", "points")]


def transposes_table(results, rows_of):
    """Of the passes with DMA warps: a column for each of the paper's transposes, rows of a name and a rate for each."""
    results = with_sweep(results, "fft_dma_warps")
    if results is None:
        return NOT_MEASURED
    heads = [f"{axes['pass']} pass, exchange of {axes['exchange']}" for axes in TRANSPOSES]
    return table([f"GB/s, {results.context['device']}", *heads], rows_of(results))


def fft_with_dma_warps(results):
    def rows_of(run):
        copy = gigabytes(run.best("fft_dma_warps", by="memcpy"))
        rows = [
            [name, *(gigabytes(run.best("fft_dma_warps", **axes, **transpose)) for transpose in TRANSPOSES)]
            for name, axes in PASSES_OF_SECTION_6_3.items()
        ]
        return [*rows, ["`cudaMemcpy`", *[copy] * len(TRANSPOSES)]]

    return transposes_table(results, rows_of)


def least_and_most(values, digits=2):
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def of_staging(results):
    """The speedups on both sides of the machine's balance."""
    results = with_paper(results, "staging")
    context = results.context
    balance = 2 * float(context["fp32_flops"]) / float(context["theoretical_bytes_per_second"])  # multiply-adds an element
    ks = results.values("staging", "K", by="naive")
    around = [max(k for k in ks if k <= balance), min(k for k in ks if k > balance)]
    at = f"at K = {around[0]} and {around[1]}"
    if not results.has("staging", by="paper"):
        return NOT_MEASURED, NOT_MEASURED
    over = lambda by: " and ".join(
        f"{results.best('staging', K=k, by=by).rate / results.best('staging', K=k, by='naive').rate:.2f}" for k in around
    )
    return f"{over('paper')} {at}", over("dma")


def of_saxpy(results):
    results = with_paper(results, "saxpy")
    fastest = lambda **axes: max(results.of("saxpy", **axes), key=lambda s: s.rate)
    said = lambda subject, what: f"{gigabytes(subject)} GB/s, {subject.axes['warps']} {what}"
    if not results.has("saxpy", by="paper"):
        return NOT_MEASURED, NOT_MEASURED
    baseline = said(fastest(by="naive"), "warps")
    best = max((s for s in results.of("saxpy", by="dma") if s.axes["warps"] == 1), key=lambda s: s.rate)
    return f"{said(fastest(by='paper'), 'DMA warps')}; baseline {baseline}", said(best, "DMA warp")


def of_strided_forms(results):
    results = with_sweep(results, "strided_forms")
    if results is None:
        return NOT_MEASURED, NOT_MEASURED
    in_one_run = lambda s: results.best("strided_forms", by="sequential", size=s.axes["size"] * s.axes["count"]).rate
    shares = lambda by: least_and_most([s.rate / in_one_run(s) for s in results.of("strided_forms", by=by)])
    return f"{shares('dma')} of one run", shares("dma_default")


def of_sgemv(results):
    squares = [s for s in results.of("sgemv", op="N", by="cublas") if s.axes["m"] == s.axes["n"]]
    best = [s.seconds / results.best("sgemv", op="N", by="dma", m=s.axes["m"], n=s.axes["n"]).seconds for s in squares]
    over_cublas = f"{least_and_most(best)} over cuBLAS"
    program = cudadma_program(results)
    if program is None:
        return NOT_MEASURED, over_cublas
    (magma,) = (row for row in program if row["by"] == "magma")
    sizes = {"op": "N", "m": magma["n"], "n": magma["n"]}
    ours = [magma["us"] / 1e6 / results.best("sgemv", by=by, **sizes).seconds for by in VARIANTS]
    return f"{least_and_most(ours)} over its MAGMA, n = {magma['n']}", over_cublas


def of_stencil(results):
    seconds = lambda size, by: results.best("stencil", size=size, by=by).seconds
    over = lambda size, by: seconds(size, "reference") / seconds(size, by)
    theirs = [over(size, by) for size, kernels in STENCIL.items() for by in kernels if by != "reference"]
    return least_and_most(theirs), least_and_most([over(size, "dma") for size in STENCIL])


def of_fft(results):
    seconds = lambda n, by: results.best("fft", n=n, batch=1, by=by).seconds
    return "none: a pass with DMA warps gains nothing, next row", least_and_most([seconds(n, "cufft") / seconds(n, "dma") for n in FFT])


def of_fft_dma_warps(results):
    results = with_sweep(results, "fft_dma_warps")
    if results is None:
        return NOT_MEASURED, NOT_MEASURED
    of = lambda transpose, **axes: results.best("fft_dma_warps", **axes, **transpose).rate
    over = lambda **axes: least_and_most([of(t, **axes) / of(t, by="dma_all_warps", ctas=1) for t in TRANSPOSES])
    return f"{over(by='paper')} of 16 warps alone", f"{over(by='dma_all_warps', ctas=2)} by 32"


def whole_paper(results):
    """Of each figure, table and section that measures something: the paper's figure, ours as there, ours at best."""
    printed = lambda kernels, at: [row[at] for rows in kernels.values() for name, row in rows.items() if name != "reference"]
    rows = (
        ("figures 2 and 8", "figures-2-and-8-staging-through-shared-memory", "up to 1.37, at its balance", of_staging, "staging"),
        ("figure 9", "figure-9-dma-warps-that-saturate-memory", "saturated by 4 DMA warps; baseline 40 warps", of_saxpy, "saxpy"),
        ("section 5, strided", "section-5-strided-transfers", "comparable to sequential", of_strided_forms, "strided_forms"),
        ("figure 10, section 6.1", "figure-10-sgemv", "up to 3.2 over MAGMA", of_sgemv, "sgemv"),
        ("tables 1 to 3, section 6.2", "tables-1-to-3-the-stencil", least_and_most(printed(STENCIL, 1), 3), of_stencil, "stencil"),
        ("table 4", "table-4-the-fourier-transform", least_and_most([row[2] for row in FFT.values()], 3), of_fft, "fft"),
        ("section 6.3, 48 variants", "section-63-a-pass-with-dma-warps", "no figure", of_fft_dma_warps, "fft_dma_warps"),
    )  # fmt: skip
    head = ["in the paper", "its speedup", f"as there, {results.context['device']}", "at best", "file"]
    link = lambda sweep: f"[{sweep}.cu](../../bench/{sweep}.cu)"
    return table(head, [[f"[{name}](#{at})", theirs, *ours(results), link(sweep)] for name, at, theirs, ours, sweep in rows])


TABLES = {
    "what is measured": whole_paper,
    "figures 2 and 8": figures_2_and_8,
    "figure 9": figure_9,
    "figure 9, baseline": figure_9_baseline,
    "section 5": strided_forms,
    "figure 10": figure_10,
    "CudaDMA's SGEMV": cudadma_sgemv,
    "table 1": lambda results: stencil(results, "512x512x512"),
    "table 2": lambda results: stencil(results, "640x640x400"),
    "table 3": lambda results: stencil(results, "800x800x200"),
    "table 4": table_4,
    "section 6.3": fft_with_dma_warps,
    "measured on": lambda results: "Measured on one {device}, {sms} SMs, driver {driver}, CUDA {toolkit}, commit {commit}; "
    .format(**results.context) + result_files.ceilings(results.context, results.subjects) + ".",
}  # fmt: skip


def filled(page, results):
    """The page with every table made anew."""
    names = re.findall(r"^<!-- (.+) -->$", page, flags=re.MULTILINE)
    if sorted(names) != sorted(TABLES):
        raise LookupError(f"paper.py: the page has {names}, and should have {list(TABLES)}")
    for name in names:
        mark = f"<!-- {name} -->\n"
        before, after = page.split(mark)
        page = before + mark + TABLES[name](results) + "\n" + after[re.search(r"^\n|\Z", after, re.MULTILINE).start():]
    return page


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) not in (1, 2) or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    made = filled(page, Results(arguments[0], Results(OTHER)))
    if "--check" in sys.argv:
        if made != page:
            print(f"paper.py: docs/results/paper.md has other figures than {arguments[0]}; run bench/paper.py {arguments[0]}")
            return 1
        return 0
    with open(arguments[1] if len(arguments) == 2 else PAGE, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
