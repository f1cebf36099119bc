#!/usr/bin/env python3
"""Fills the tables of the documents from bench/results and bench/trials.

  tables.py          writes every table below a line <!-- table: NAME -->, but for its header
  tables.py --check  writes nothing; prints the rows that differ and exits with 1 where one does

A table is a function here that returns its rows. The document keeps the header, the function the cells.
"""

import argparse
import difflib
import functools
import glob
import json
import os
import re
import statistics
import sys

import articles
import compare
import paper
import result_files

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MARKER = re.compile(r"<!-- table: (\w+) -->")
TABLES = {}  # name -> function
BOTH_RUNS = ("NVIDIA_H200.json", "NVIDIA_H100_80GB_HBM3.json")


def table(function):
    TABLES[function.__name__] = function
    return function


def path_of(name):
    """Of a whole run, or else of a trial."""
    run, trial = (os.path.join(ROOT, "bench", folder, name) for folder in ("results", "trials"))
    return run if os.path.exists(run) else trial


@functools.cache
def content_of(name):
    with open(path_of(name), encoding="utf-8") as file:
        return json.load(file)


def rows_of(file, **conditions):
    """A file's rows by their names, of those with these values."""
    rows = content_of(file)["benchmarks"]
    return {row["name"]: row for row in rows if all(row.get(key) == value for key, value in conditions.items())}


@functools.cache
def run_of(name):
    context, subjects, _ = result_files.read(path_of(name))
    return context, list(subjects.values())


def subjects(sweep, file="NVIDIA_H200.json", **axes):
    """Those with these values; None stands for an axis that a subject does not have."""
    found = [
        s
        for s in run_of(file)[1]
        if s.sweep == sweep
        and all(s.axes.get(a) in (v if isinstance(v, (list, tuple)) else [v]) for a, v in axes.items())
    ]
    if not found:
        raise LookupError(f"{file} has no {sweep} with {axes}")
    return found


def best(sweep, **axes):
    return max(subjects(sweep, **axes), key=lambda s: s.goodness)


def gbs(sweep, **axes):
    return f"{best(sweep, **axes).rate / 1e9:.0f}"


def us(sweep, digits=2, **axes):
    return f"{best(sweep, **axes).seconds * 1e6:.{digits}f}"


def speed(ours, theirs, digits=2):
    return f"{theirs.seconds / ours.seconds:.{digits}f}"


def power_of_two(n):
    return f"2^{n.bit_length() - 1}"


def mean_speed(pairs):
    return statistics.geometric_mean(theirs.seconds / ours.seconds for ours, theirs in pairs)


# docs/results/benchmarks.md

IN_REGISTERS = ["tiles_early", "tiles_without_dma_warps"]  # transposes of a tile a CTA


@table
def defaults():
    """The default's share of the best variant's speed, at 1, 4 and 16 CTAs an SM, on both GPUs."""
    for tile_bytes in (512, 1024, 4096, 16384, 32768):
        for warps in (1, 8, 16):
            cells = []
            for file in ("defaults_H100.json", "defaults_H200.json"):
                for ctas in (1, 4, 16):
                    default, fastest = (
                        best("defaults", file=file, bytes=tile_bytes, warps=warps, ctas=ctas, by=by)
                        for by in ("default", "best")
                    )
                    cells.append(speed(default, fastest, 3))
            yield [f"{tile_bytes} B" if tile_bytes < 1024 else f"{tile_bytes // 1024} KB", str(warps), *cells]


@table
def staging():
    context, everything = run_of("NVIDIA_H200.json")
    by = ["naive", "pipeline", "thread_pipeline", "roles", ["hand", "hand_wide"], "dma", "dma_all_warps"]
    for k in (1, 8, 16, 24, 32, 48, 64, 256):
        roofline = result_files.roofline(context, everything, k) / 1e9
        yield [k, *(gbs("staging", K=k, by=b) for b in by), f"{roofline:.0f}"]


@table
def shapes():
    halo = functools.partial(gbs, "halo", radius=4)
    strided = functools.partial(gbs, "strided", row=256)
    gather = functools.partial(gbs, "gather", row=512)
    yield [
        "strided rows of 256 bytes: cp.async, four DMA warps",
        strided(engine="cp.async", warps=4, by="dma"),
        f"by hand {strided(engine='cp.async', warps=4, by='hand')}; the same bytes in one run {strided(by='ceiling')}",
    ]
    yield [
        "the same by tensor maps, one DMA warp",
        strided(engine="tensor", warps=1, by="dma"),
        f"by hand {strided(engine='tensor', warps=1, by='hand')}",
    ]
    yield [
        "gather of 512-byte rows: cp.async, one DMA group of four warps",
        gather(engine="cp.async", warps=4, by="dma"),
        f"kernel without shared memory {gather(by='plain')}; by hand, a tile ahead "
        f"{gather(engine='bulk', warps=4, by='hand')}",
    ]
    yield [
        "copy through shared memory, in and out, a CTA for each tile of 4 KB",
        gbs("store", by="dma", ctas="tiles"),
        f"`cudaMemcpy` {gbs('store', by='memcpy')}; 16-byte accesses, one a thread {gbs('store', by='plain', words=1)}, "
        f"four a thread {gbs('store', by='plain', words=4)}",
    ]
    for n in (8192, 16384):
        square = functools.partial(gbs, "transpose", n=n)
        yield [
            f"transpose, n = {n}: " + ("registers, no DMA warps, a tile a CTA, early start" if n == 8192 else "the same"),
            square(by="dma", ctas=IN_REGISTERS),
            f"by hand {square(by='hand')}; cuBLAS geam {square(by='geam')}; `cudaMemcpy` {square(by='memcpy')}",
        ]
    yield [
        "star of radius 4 in a plane: halo by tensor maps",
        halo(engine="tensor", by="dma"),
        f"kernel without shared memory {halo(by='plain')}; `cudaMemcpy` {halo(by='memcpy')}",
    ]
    yield ["the same by cp.async", halo(engine="cp.async", by="dma"), f"by hand {halo(by='hand')}"]


@table
def ragged():
    for ctas in (1, 16):
        for row in (252, 732, 744):
            here = functools.partial(gbs, "ragged", row_bytes=row, ctas=ctas)
            by_registers = [here(by=by, engine="registers") for by in ("dma", "next_multiple")] if ctas == 1 else ["", ""]
            yield [f"{row}, {ctas}", *(here(by=by, engine=None) for by in ("dma", "next_multiple", "best")), *by_registers]


@table
def small_tiles():
    names = {1: "one", 2: "two", "automatic": "automatic", "automatic_for_32_ctas": "automatic for 32 CTAs"}
    for size, slots in ((512, 1), (512, 2), (512, "automatic"), (512, "automatic_for_32_ctas"), (4096, 2), (4096, "automatic")):
        here = functools.partial(us, "small", digits=1, bytes=size, slots=slots)
        cells = ["", "", ""]
        if slots in (1, 2):
            cells = [
                here(by="scheme_of_2011"),
                here(engine="registers", barrier="named"),
                here(engine="registers", barrier="mbarrier"),
            ]
        yield [f"{'512 B' if size == 512 else '4 KB'}, {names[slots]}", *cells, here(engine="default")]


@table
def cudadma_forms():
    rows = content_of("cudadma_2013_H200.json")["benchmarks"]
    times = {(row["bytes"], row["dma_warps"], row["form"], row["by"]): row["us"] for row in rows}
    for size, warps, form in dict.fromkeys((row["bytes"], row["dma_warps"], row["form"]) for row in rows):
        of = functools.partial(lambda *key: times.get(key), size, warps, form)
        theirs = of("cudadma") or min(us for key, us in times.items() if key[:2] == (size, warps) and key[3] == "cudadma")
        ratios = [f"{theirs / of(by):.2f}" if of(by) else "" for by in ("adapter", "default", "registers", "registers, named")]
        form = "the best of them" if form == "automatic" else form
        name = f"{size} B" if size < 1024 else f"{size // 1024} KB"
        yield [f"{name}, {warps} DMA warp{'s' if warps > 1 else ''}", form, f"{theirs:.1f}", *ratios]


@table
def libcuxx():
    rates = {
        row["name"]: row["bytes_per_second"]["median"]
        for row in content_of("NVIDIA_H200.json")["benchmarks"]
        if row["name"].startswith("saturation/") and "/by:dma" in row["name"]
    }
    for name, rate in rates.items():
        if "/barrier:libcuxx/" in name:
            axes = dict(part.split(":") for part in name.split("/")[1:])
            own = rates[name.replace("/barrier:libcuxx/", "/barrier:mbarrier/")]
            shape = f"{axes['engine']}, {axes['warps']} DMA warp{'s' if axes['warps'] != '1' else ''}, {axes['stages']} slots of {axes['kb']} KB"
            yield [shape, f"{own / 1e9:.0f}", f"{rate / 1e9:.0f}", f"{rate / own:.3f}"]


@table
def litmus():
    places = {}
    for row in content_of("litmus_H200.json")["benchmarks"]:
        place, shape = re.match("litmus/place:([^/]+)/shape:([^/]+)", row["name"]).groups()
        places.setdefault(place, []).append((shape, row))
    for place, rows in places.items():
        weak = dict.fromkeys(shape for shape, row in rows if row["weak"])
        seen = [f"{name} {sum(row['weak'] for shape, row in rows if shape == name):,}" for name in weak]
        instances, outside = (sum(row[key] for _, row in rows) for key in ("instances", "outside"))
        allowed = sum(row["allowed"] for _, row in rows)
        yield [place, len(rows), allowed, f"{instances / 1e9:.1f}", ", ".join(seen) or "none", outside]


@table
def sgemv():
    for n in (128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384):
        cells = []
        for op in "NT":
            ours, theirs = (best("sgemv", op=op, m=n, n=n, by=by) for by in ("dma", "cublas"))
            cells += [f"{theirs.seconds * 1e6:.2f}", f"{ours.seconds * 1e6:.2f}", speed(ours, theirs)]
        yield [n, *cells]


GEMM_LEVELS = {
    "1": "1. [One warpgroup](../../applications/gemm/levels/one_slot.hpp), tiles of 64 x 256, one slot",
    "2": "2. [Four slots](../../applications/gemm/levels/four_slots.hpp): blocks are loaded while others are multiplied",
    "3": "3. Slots are [released one stage late](../../applications/gemm/levels/late_release.hpp), so that two blocks' products are in flight",
    "4": "4. [Two warpgroups](../../applications/gemm/levels/two_warpgroups.hpp) share B: tiles of 128 x 256",
    "kernel": "5 and 6. C goes [through slots](../../applications/gemm/results.hpp) and a DMA warp; tiles are numbered "
    "[in bands](../../applications/gemm/plan.hpp) of rows, whose operands stay in the L2: [the kernel](../../applications/gemm/kernel.hpp)",
}


@table
def gemm_levels():
    rates = {row["name"].rpartition(":")[2]: row["tflops"] for row in content_of("gemm_levels_H200.json")["benchmarks"]}
    for level, what in GEMM_LEVELS.items():
        yield [what, f"{statistics.median(rates[level]):.0f}"]


@table
def stencil():
    sizes = ("512x512x512", "640x640x400", "800x800x200")
    names = {
        "reference": "`reference`: the scheme of 2009, CUDA alone, best of four tiles",
        "cached": "`cached`: a thread a point, CUDA alone, best of four tiles",
        "dma": "`march`",
    }
    paper = ["halo-only-single", "halo-only-double", "halo-only-manual", "block-halo-single"]
    for by in ("reference", "cached", *paper, "dma"):
        rates = [best("stencil", size=size, by=by).rate for size in sizes]
        yield [names.get(by, f"`{by}`"), *(f"{rate / 8e6:.0f} ({rate / 1e9:.0f})" for rate in rates)]
    yield ["`cudaMemcpy` of as many bytes", *(f"({gbs('stencil', size=size, by='memcpy')})" for size in sizes)]


# docs/applications/gemm.md, docs/applications/attention.md


def tflops(subject):
    m, n, k = (subject.axes[axis] for axis in "mnk")
    return 2e-12 * m * n * k / subject.seconds


def three_digits(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def gemm_shapes():
    """The four large shapes, two more, and the others of the sweep."""
    listed = {tuple(s.axes[axis] for axis in "mnk"): None for s in subjects("gemm", how="burst", by="dma")}
    return list(listed)


LARGE = [(4096, 4096, 4096), (8192, 8192, 8192), (4096, 14336, 4096), (16384, 1280, 8192), (128, 8192, 8192), (1024, 1024, 1024)]


@table
def gemm_large():
    for m, n, k in LARGE:
        here = functools.partial(best, "gemm", m=m, n=n, k=k)
        cells = [f"{m} x {n} x {k}", "", "", "", ""]
        for how in ("burst", "sustained") if (m, n, k) in LARGE[:4] else ("burst",):
            ours, theirs, chosen = (here(by=by, how=how) for by in ("dma", "cublas", "cublas_best"))
            fastest = min(theirs, chosen, key=lambda subject: subject.seconds)
            texts = (three_digits(tflops(theirs)), three_digits(tflops(ours)), speed(ours, theirs), speed(ours, fastest))
            for column, text in enumerate(texts, start=1):
                cells[column] += f" / {text}" if cells[column] else text
        yield cells


@table
def gemm_shapes_of_30():
    shapes = gemm_shapes()
    for m, n, k in LARGE + [shape for shape in shapes if shape not in LARGE]:
        ours, theirs = (best("gemm", m=m, n=n, k=k, how="burst", by=by) for by in ("dma", "cublas"))
        yield [f"{m} x {n} x {k}", three_digits(tflops(theirs)), three_digits(tflops(ours)), speed(ours, theirs), ours.label]


def attention_rates(sweep, shapes, operations_of_element):
    for head, suffix, heads in ((128, "", 16), (64, "_64", 32)):
        for b, s in shapes:
            cells = []
            for causal in (0, 1):
                operations = operations_of_element * b * heads * s * s * head / (2 if causal else 1)
                here = {
                    by: best(sweep + suffix, b=b, s=s, causal=causal, pages=None, by=by) for by in ("dma", "cudnn", "flash")
                }
                rates = {by: operations / subject.seconds * 1e-12 for by, subject in here.items()}
                cells += [*(f"{rates[by]:.0f}" for by in ("dma", "cudnn")), speed(here["dma"], here["cudnn"])]
                cells += [f"{rates['flash']:.0f}"]
            yield [f"{head}, {s}", *cells]


@table
def attention():
    return attention_rates("attention", ((4, 4096), (2, 8192), (1, 16384), (16, 1024)), 4)


@table
def attention_backward():
    return attention_rates("attention_backward", ((4, 4096), (1, 16384), (16, 1024)), 10)


@table
def attention_pages():
    for head, sweep in ((128, "attention"), (64, "attention_64")):
        for b, s in ((4, 4096), (16, 1024)):
            for causal in (0, 1):
                at = {"b": b, "s": s, "causal": causal, "by": "dma"}
                arrays = best(sweep, pages=None, **at)
                cells = (speed(best(sweep, pages=rows, **at), arrays) for rows in (16, 32, 64, 128))
                yield [f"{head}{', causal' if causal else ''}", f"{b} of {s}", *cells]


# docs/applications/fused.md


def by_columns(sweep, names, columns, **axes):
    for by, name in names.items():
        yield [name, *(gbs(sweep, cols=n, by=by, **axes) for n in columns)]


WITH_TORCH = {"dma": "dma", "plain": "plain", "torch": "`torch.nn.functional.layer_norm`"}


@table
def layer_norm():
    return by_columns("layer_norm", WITH_TORCH, (8192, 16384, 32768))


@table
def short_rows():
    return by_columns("rows", WITH_TORCH, (256, 512, 1024, 2048, 4096), op="layer_norm")


@table
def short_softmax():
    names = {by: name for by, name in WITH_TORCH.items() if by != "torch"}
    return by_columns("rows", names, (256, 1024, 4096), op="softmax")


@table
def long_rows():
    return by_columns("rows", WITH_TORCH, (65536, 131072, 262144), op="layer_norm")


@table
def of_memcpy():
    shares = ["dma"]
    for n in (256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144):
        if 8192 <= n <= 32768:
            here = functools.partial(best, "layer_norm", cols=n)
        else:
            here = functools.partial(best, "rows", op="layer_norm", cols=n)
        shares.append(f"{here(by='dma').rate / here(by='memcpy').rate:.2f}")
    yield shares


@table
def row_operations():
    names = {
        "softmax": "softmax",
        "rms_norm": "RMS norm",
        "log_sum_exp": "log-sum-exp, which reads only",
        "layer_norm_bf16": "layer norm of bfloat16",
        "rms_norm_bf16": "RMS norm of bfloat16",
        "layer_norm_backward": "backward of the layer norm",
    }
    for op, name in names.items():
        yield [name, *(" / ".join(gbs("rows", op=op, cols=n, by=by) for by in ("dma", "plain")) for n in (1024, 4096))]


@table
def bags():
    names = {"dma": "dma", "plain": "plain", "torch": "`torch.nn.functional.embedding_bag`"}
    for by, name in names.items():
        yield [name, *(gbs("bags", row=row, rows=rows, by=by) for row in (512, 1024) for rows in (8, 32, "0-64"))]


# docs/applications/fft.md

LONG_TRANSFORMS = [1 << bits for bits in range(19, 28)]


def transform(n, by, batch=1, sweep="fft"):
    return best(sweep, n=n, batch=batch, by=by)


@table
def fft_long():
    names = {"cufft": "cuFFT", "vkfft": "VkFFT", "dma": "dma"}
    found = {by: [transform(n, by) for n in LONG_TRANSFORMS] for by in names}
    for by, name in names.items():
        yield [f"{name}, us", *(f"{s.seconds * 1e6:.2f}" for s in found[by])]
    for by in ("cufft", "vkfft"):
        yield [f"dma to {names[by]}", *(speed(ours, theirs) for ours, theirs in zip(found["dma"], found[by]))]
    for by, name in names.items():
        yield [f"error of {name}", *(f"{s.counters['error']:.1e}" for s in found[by])]


@table
def fft_one_by_one():
    names = {"cufft": "cuFFT", "vkfft": "VkFFT", "dma": "dma"}
    found = {by: [transform(n, by, sweep="fft_events") for n in LONG_TRANSFORMS] for by in names}
    for by, name in names.items():
        yield [f"{name}, us, one by one", *(f"{s.seconds * 1e6:.2f}" for s in found[by])]
    yield ["dma to cuFFT, one by one", *(speed(ours, theirs) for ours, theirs in zip(found["dma"], found["cufft"]))]


@table
def fft_paper():
    for n, printed in paper.FFT.items():
        theirs = [f"{value:.3f}" for value in printed]
        cufft, ours = transform(n, "cufft"), transform(n, "dma")
        yield [n, *theirs, f"{cufft.seconds * 1e3:.4f}", f"{ours.seconds * 1e3:.4f}", speed(ours, cufft, 3)]


@table
def fft_dma_warps():
    best_of = [best("fft_dma_warps", by="paper", **transpose) for transpose in paper.TRANSPOSES]
    for name in paper.LOADS_OF_SECTION_6_3:
        yield [name, *(f"{of.counters[name] / 1e9:.0f}" for of in best_of)]


@table
def fft_radices():
    file = "fft_variants_H200.json"
    passes = {
        name: [best("fft_pass", file=file, points=1 << bits, by="dma", **{"pass": name}) for bits in range(6, 13)]
        for name in ("first", "last")
    }
    columns = [[s.axes["columns"] for s in best_ones] for best_ones in passes.values()]
    yield ["columns", *(last if first == last else f"{last} (first: {first})" for first, last in zip(*columns))]
    for name, best_ones in passes.items():
        cells = [f"{s.rate / 1e9:.0f}" + (" (ahead)" if s.axes["loads"] == "ahead" else "") for s in best_ones]
        yield [f"{name} pass, GB/s", *cells]


@table
def fft_short():
    for n in (1 << bits for bits in range(7, 19)):
        single = [f"{transform(n, by).seconds * 1e6:.2f}" for by in ("cufft", "dma")]
        yield [n, *single, *(f"{transform(n, by, batch=(1 << 25) // n).rate / 1e9:.0f}" for by in ("cufft", "dma"))]


@table
def fft_real():
    single = [(1 << bits, 1) for bits in (11, 15, 20, 22, 24, 26)]
    batches = [(1 << bits, 1 << (26 - bits)) for bits in (8, 9, 11, 13, 15, 16, 17)]
    for n, batch in single + batches:
        cells = []
        for inverse in (0, 1):
            theirs, ours = (best("fft_real", n=n, batch=batch, inverse=inverse, by=by) for by in ("cufft", "dma"))
            cells += [f"{theirs.seconds * 1e6:.2f}", f"{ours.seconds * 1e6:.2f}", speed(ours, theirs)]
        yield [f"{power_of_two(n)} real", batch, *cells]


# docs/applications/sparse.md

MATRICES = [
    "diagonals_5", "banded_41", "stencil_7", "hpcg_27", "uniform_8", "uniform_32", "uniform_200", "power_law", "hubs", "rmat",
    "blocks_8", "blocks_64",
]  # fmt: skip


def microseconds(subject):
    value = subject.seconds * 1e6
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def product(matrix, by, cols=None):
    return best("sparse", op="spmv" if cols is None else "spmm", matrix=matrix, cols=cols, by=by)


def optional(matrix, by):
    try:
        return microseconds(product(matrix, by))
    except LookupError:
        return ""


@table
def spmv():
    pairs = []
    for matrix in MATRICES:
        pairs.append((product(matrix, "dma"), product(matrix, "cusparse")))
        cells = [microseconds(product(matrix, by)) for by in ("dma", "streamed")]
        cells += [optional(matrix, by) for by in ("ell", "ell_streamed")]
        yield [matrix, *cells, microseconds(pairs[-1][1]), speed(*pairs[-1])]
    yield ["geometric mean", "", "", "", "", "", f"{mean_speed(pairs):.2f}"]


@table
def spmm():
    pairs = []
    for matrix in MATRICES:
        for cols in (8, 32, 128) if matrix in ("hpcg_27", "rmat") else (32,):
            ours, theirs = product(matrix, "dma", cols), product(matrix, "cusparse", cols)
            pairs += [(ours, theirs)] if cols == 32 else []
            yield [matrix, cols, microseconds(ours), microseconds(theirs), speed(ours, theirs)]
    yield ["geometric mean", 32, "", "", f"{mean_speed(pairs):.2f}"]


@table
def ell():
    for s in subjects("sparse", op="spmm", by="ell"):
        matrix, cols = s.axes["matrix"], s.axes["cols"]
        csr, theirs = product(matrix, "dma", cols), product(matrix, "cusparse", cols)
        yield [matrix, cols, *map(microseconds, (s, csr, theirs)), speed(s, theirs)]


@table
def blocked():
    by = ("blocked_ell", "cusparse_tensor_cores", "cusparse", "ell", "dma")
    yield [microseconds(product("blocks_64", b, 32)) for b in by]


# docs/applications/sgemv.md


@table
def sgemv_shapes():
    sizes = [(n, n) for n in (128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)]
    for op in "NT":
        for m, n in sizes + [(128, 65536), (65536, 128), (1000, 100003)]:
            theirs, ours = (best("sgemv", op=op, m=m, n=n, by=by) for by in ("cublas", "dma"))
            times = [f"{s.seconds * 1e6:.2f}" for s in (theirs, ours)]
            yield [op, m, n, *times, speed(ours, theirs), *(f"{s.counters['error']:.1e}" for s in (theirs, ours))]


@table
def sgemv_variants():
    by = ["vec-single", "vec-double", "vec-manual", "both-single", "both-double", "both-manual", "dma"]
    for op in "NT":
        for n in (1024, 4096, 8192, 16384):
            yield [f"{op}, {n}", *(gbs("sgemv", op=op, m=n, n=n, by=b) for b in by)]


# docs/results/bandwidth.md


@table
def bandwidth_ceilings():
    context, everything = run_of("NVIDIA_H200.json")
    theoretical = float(context["theoretical_bytes_per_second"])
    reads = result_files.read_ceiling(everything), best("sgemv", by="dma").rate
    copies = [s.rate for s in subjects("transpose", n=[4096, 8192, 16384, 32000], by="memcpy")]
    spread = lambda rates: f"{min(rates) / 1e9:.0f} to {max(rates) / 1e9:.0f}"
    yield ["theoretical bandwidth", f"{theoretical / 1e9:.0f}", "the memory's clock times two transfers times the width of its bus"]
    yield [
        "reading alone",
        spread(reads),
        "the [benchmarks'](benchmarks.md#method) read ceiling, and their fastest matrix-vector product",
    ]
    yield ["`cudaMemcpy`", spread(copies), "read + written, for 64 MB to 4 GB"]


NOT_MEASURED = "not measured"


def measured(sweep, file, **axes):
    """The best subject of a run, None where the run is older than the benchmark."""
    try:
        return best(sweep, file=file, **axes)
    except LookupError:
        return None


@functools.cache
def profile_of(name):
    """What a profiler counted, by the benchmark's name."""
    return {row["name"]: row for row in content_of(name)["benchmarks"]}


def counted(name, key, form="{:g}", unknown="", file="profile_bandwidth_H200.json"):
    value = profile_of(file).get(name, {}).get(key)
    return unknown if value is None else form.format(value)


@table
def transpose_steps():
    # Efficiency of loads and stores: computed by the emulator (applications/transpose/transpose_test.cpp), counted by the profiler.
    whole, eighth, unknown = "100%", "12.5%", "not computed"
    rows = [
        ("copyRow", "copyRow", "article", whole, whole),
        ("copyCol", "copyCol", "article", eighth, eighth),
        ("naiveRow", "naiveRow", "article", whole, eighth),
        ("naiveCol", "naiveCol", "article", eighth, whole),
        ("unrolledRow", "unrolledRow", "article", whole, eighth),
        ("unrolledCol", "unrolledCol", "article", eighth, whole),
        ("diagonalRow", "diagonalRow", "article", whole, eighth),
        ("diagonalCol", "diagonalCol", "article", eighth, whole),
        ("padded tile, any shape", "padded", "hand", whole, whole),
        ("`dma::Transpose`", "pattern", "dma", whole, unknown),
        ("dma, blocks in registers", "in_registers", "dma", whole, unknown),
        ("`cudaMemcpy`", None, "memcpy", None, None),
    ]
    theoretical = float(run_of("NVIDIA_H200.json")[0]["theoretical_bytes_per_second"])
    for name, kernel, by, *computed in rows:
        block = "32x32" if by == "article" else None
        single, double = (
            best("transpose_steps", n=4096, bytes=size, kernel=kernel, block=block, by=by) for size in (4, 8)
        )
        theirs = ["not given", ""] if by == "article" else ["", ""]
        if kernel in articles.SECONDS:
            rate = articles.rate(articles.SECONDS[kernel])
            theirs = [f"{rate:.1f}", f"{rate / articles.BANDWIDTH:.0%}"]
        efficiency = [
            f"{ours}, {counted(single.name, key, '{:g}%', 'not counted')}" if ours else ""
            for ours, key in zip(computed, ("load_efficiency_percent", "store_efficiency_percent"))
        ]
        share = f"{single.rate / theoretical:.0%}"
        yield [name, *theirs, f"{single.rate / 1e9:.0f}", share, f"{double.rate / 1e9:.0f}", *efficiency]


@table
def transpose_blocks():
    for block, seconds in articles.BLOCK_SECONDS.items():
        ours = gbs("transpose_steps", bytes=4, kernel="naiveCol", block=block, by="article")
        yield [f"({block.replace('x', ', ')})", f"{articles.rate(seconds):.1f}", ours]


def first_level_rates(point_of):
    """Of each kernel and block: the article's GB/s of loads and stores, or None, and of each cache operator bytes/s of the
    transpose, its loads and its stores, or None. `point_of(kernel, block, cache)` is a run's point, None where it has none."""
    # A warp's access along a row touches the sectors that it needs, one down a column eight times as many.
    along = {"Row": (1, 8), "Col": (8, 1)}
    shapes = list(articles.BLOCK_SECONDS)
    kernels = [("copyRow", shapes[:1]), ("copyCol", shapes[:1]), ("naiveRow", shapes), ("naiveCol", shapes)]
    kernels += [(name, shapes[:1]) for name in ("unrolledRow", "unrolledCol", "diagonalRow", "diagonalCol")]
    for kernel, blocks in kernels:
        sectors = {"copyRow": (1, 1), "copyCol": (8, 8)}.get(kernel, along[kernel[-3:]])
        for block in blocks:
            theirs = articles.L1_THROUGHPUT.get(kernel) if block == shapes[0] else None
            runs = [point_of(kernel, block, cache) for cache in ("all", "global")]
            ours = [run and [run.rate, *(times * run.rate / 2 for times in sectors)] for run in runs]
            yield kernel, f"({block.replace('x', ', ')})", theirs, ours


@table
def transpose_loads():
    point_of = lambda kernel, block, cache: measured("transpose_loads", BOTH_RUNS[0], kernel=kernel, block=block, cache=cache)
    for kernel, block, theirs, ours in first_level_rates(point_of):
        cells = [kernel, block, *(f"{rate:.0f}" for rate in theirs or []), *([] if theirs else ["", ""])]
        for rates in ours:
            cells += [f"{rate / 1e9:.0f}" for rate in rates or []] or [NOT_MEASURED, "", ""]
        yield cells


@table
def transposes():
    for n in (2048, 4096, 8192, 16384, 32000):
        here = functools.partial(gbs, "transpose", n=n)
        yield [
            n, here(by="geam"), here(by="padded"), here(by="hand", kernel="padded_any_shape"),
            here(by="hand", kernel=None), here(by="dma", ctas="tiles_by_pattern"), here(by="dma", ctas=IN_REGISTERS),
            here(by="memcpy"),
        ]  # fmt: skip


FORMS = {
    "scalar": "scalar",
    "wide_small": "wide loads of `small`",
    "wide": "wide loads of both",
    "bounds": "scalar, launch bounds",
    "wide_small_bounds": "wide loads of `small`, launch bounds",
    "wide_bounds": "wide loads, launch bounds",
    "bounds_2x512": "scalar, bounds of two CTAs of 512",
    "tiles": "dma, tiles",
    "registers": "dma, registers",
}
SIZES_OF_TUNING = [(65536, 64), (135168, 64), (262144, 256), (1048576, 64), (4194304, 16)]  # points, values


def speedup_on_a100(step):
    times = articles.TUNING.get(step, (None, None, None))[2]
    return "" if times is None else f"{times:g}"


@table
def financial():
    profile = [("registers", "{:g}"), ("loads_ahead", "{:g}"), ("dram_busy_percent", "{:g}%"), ("long_scoreboard", "{:g}")]
    for step, name in FORMS.items():
        if step == "wide_small_bounds":  # in the table below, of a later run
            continue
        cells = []
        for points, values in SIZES_OF_TUNING:
            first, now = (best("financial", points=points, values=values, step=s) for s in ("scalar", step))
            cells.append(f"{now.rate / 1e9:.0f} ({now.rate / first.rate:.2f})")
        benchmark = best("financial", points=65536, values=64, step=step).name
        yield [name, speedup_on_a100(step), *(counted(benchmark, key, form) for key, form in profile), *cells]


@table
def tuning_forms():
    told = lambda value: "not told" if value is None else f"{value:g}"
    for step, name in FORMS.items():
        registers, latencies, _ = articles.TUNING.get(step, ("", "", ""))
        row = f"financial/points:65536/values:64/step:{step}/by:{'article' if step in articles.TUNING else 'dma'}"
        cells = [name]
        for theirs, key in ((registers, "registers"), (latencies, "latencies")):
            cells += ["" if theirs == "" else told(theirs), counted(row, key, unknown="no loads to registers")]
        cells.append(speedup_on_a100(step) or ("not told" if step in articles.TUNING else ""))
        for file in BOTH_RUNS:
            first, now = (measured("financial", file, points=65536, values=64, step=s) for s in ("scalar", step))
            cells.append(f"{now.seconds * 1e6:.1f} ({speed(now, first)})" if first and now else NOT_MEASURED)
        yield cells


@table
def financial_odd():
    file = BOTH_RUNS[0]
    for step in ("bounds", "wide_small_bounds", "wide_bounds"):
        cells = [FORMS[step]]
        for points in (1 << 16, 1 << 20):
            # Beside the form for even numbers of the same launch bounds.
            rows = [measured("financial", file, points=points, values=64, step=step)]
            odd = {"points": points - 1, "values": 63, "step": step}
            rows += [measured("financial_odd", file, pitch=pitch, **odd) for pitch in ("even", "odd")]
            cells += [f"{row.rate / 1e9:.0f}" if row else NOT_MEASURED for row in rows]
        yield cells


def both_runs(form, *cells):
    """A text of each run, with the same cells of it: of an H200, of an H100."""
    texts = []
    for file, name in zip(BOTH_RUNS, ("H200", "H100")):
        values = [cell(file) for cell in cells]
        texts.append(f"{name}: {NOT_MEASURED}" if None in values else f"{name}: {form.format(*values)}")
    return texts[0].removeprefix("H200: ") if len({text[6:] for text in texts}) == 1 else "; ".join(texts)


@table
def articles_measured():
    link = lambda path: f"[{os.path.basename(path)}](../../{path})"
    steps, sums, run = (link(path) for path in (
        "applications/transpose/steps.hpp", "applications/financial/steps.hpp", "bench/bandwidth.cu"))  # fmt: skip
    profile, report = link("bench/trials/profile_bandwidth_H200.json"), link("include/dma/tune/bandwidth_report.hpp")

    def move(kernel, block="32x32"):
        axes = {"n": 4096, "bytes": 4, "kernel": kernel, "block": block, "by": "article"}
        return lambda file: best("transpose_steps", file=file, **axes).rate / 1e9

    def through(kernel, cache):
        def cell(file):
            found = measured("transpose_loads", file, kernel=kernel, block="32x32", cache=cache)
            return found and found.rate / 1e9

        return cell

    def gain(step):
        at = {"points": 65536, "values": 64}

        def cell(file):
            first, now = (measured("financial", file, step=s, **at) for s in ("scalar", step))
            return now and first.seconds / now.seconds

        return cell

    def odd(file):
        found = measured("financial_odd", file, points=65535, values=63, step="wide_bounds", pitch="even")
        return found and found.rate / 1e9

    def fastest_block(file):
        rates = {block: move("naiveCol", block)(file) for block in articles.BLOCK_SECONDS}
        return max(rates, key=rates.get).replace("x", ", ")

    rate = lambda name: articles.rate(articles.SECONDS[name])
    blocks = sorted(map(articles.rate, articles.BLOCK_SECONDS.values()))
    registers = lambda step: counted(f"financial/points:65536/values:64/step:{step}/by:article", "registers")
    latencies = lambda step: counted(f"financial/points:65536/values:64/step:{step}/by:article", "latencies")
    plain, bound = ("scalar", "wide_small", "wide"), ("bounds", "wide_small_bounds", "wide_bounds")
    told = lambda steps, at: ", ".join(str(articles.TUNING[step][at]) for step in steps)
    ours = lambda count, steps: ", ".join(count(step) for step in steps)
    theoretical = lambda file: float(run_of(file)[0]["theoretical_bytes_per_second"]) / 1e9

    first = "Bandwidth: "
    yield [first + "theoretical bandwidth", "112 GB/s; 117.6 of an M2090", both_runs("{:.0f} GB/s", theoretical),
           link("include/dma/tune/measure_bandwidth.hpp")]  # fmt: skip
    yield [first + "formula (1)", f"0.134 GB in 1.610 ms: {rate('copyRow'):.1f} GB/s", "the same formula", report]
    yield [first + "transposing on the host", "no figure", "the tests' expected elements", link("applications/transpose/transpose_test.cpp")]
    for title, names in (
        ("upper and lower bound", ("copyRow", "copyCol")), ("naive", ("naiveRow", "naiveCol")),
        ("unrolled, above the upper bound", ("unrolledRow", "unrolledCol")),
    ):  # fmt: skip
        theirs = " and ".join(f"{rate(name):.1f}" for name in names)
        yield [first + title, f"{theirs} GB/s", both_runs("{:.0f} and {:.0f}", *map(move, names)), f"{steps}, {run}"]
    yield [first + "loads and stores at the L1, `-dlcm=ca`", "four kernels, 30 to 244 GB/s",
           both_runs("naiveCol {:.0f} GB/s with `ca`, {:.0f} with `cg`", *(through("naiveCol", c) for c in ("all", "global"))),
           f"the table of `ca` and `cg`; {run}"]  # fmt: skip
    hits = counted(best("transpose_steps", bytes=4, kernel="naiveCol", block="32x32", by="article").name, "l1_hit_percent")
    yield [first + "why columns are read faster", "cache hits, and a guess: latency",
           f"{hits}% of naiveCol's sectors hit the L1", profile]  # fmt: skip
    yield [first + "diagonal, DRAM partitions of 256 bytes", "no figure; slower than unrolled and than naiveCol",
           both_runs("{:.0f} and {:.0f}; naiveCol {:.0f}", move("diagonalRow"), move("diagonalCol"), move("naiveCol")),
           f"{steps}, {run}"]  # fmt: skip
    yield [first + "thin blocks", f"{blocks[0]:.1f} to {blocks[-1]:.1f} GB/s, best (32, 16)", both_runs("best ({})", fastest_block),
           f"the table of blocks; {run}"]  # fmt: skip

    second = "Tuning: "
    sms = lambda file: run_of(file)[0]["sms"]
    yield [second + "an SM's warps, and SMs", "64; 108 of an A100", both_runs("64; {}", sms), "the device"]
    yield [second + "first step, wide loads of both", "1.63 in figure 1, 1.64 in the text", both_runs("{:.2f}", gain("wide")),
           f"{sums}, {run}"]  # fmt: skip
    yield [second + "figure 1, durations in ns", "a curve without numbers", "microseconds by form", "the table of forms"]
    yield [second + "even numbers, 16 bytes: left to check", "no figure", both_runs("{:.0f} GB/s of 65535 x 63", odd),
           f"{sums}, {run}"]  # fmt: skip
    yield [second + "second step, sectors of a warp's load", "8 of double, 16 of double2", "8, 16",
           link("applications/financial/financial_test.cpp")]  # fmt: skip
    yield [second + "figure 2, LDG.E.64 in the inner loop", "a loop's SASS", "loads and waits of each loop",
           link("bench/inner_loop.py")]  # fmt: skip
    yield [second + "latencies of an inner loop", told(plain, 1), ours(latencies, plain), profile]
    yield [second + "third step, registers", told(plain, 0), ours(registers, plain), profile]
    spare = lambda count: str(64 - int(count))
    theirs = ", ".join(spare(articles.TUNING[step][0]) for step in plain)
    yield [second + "registers unused of 64, a CTA of 1024 an SM", theirs,
           "0 in two CTAs, " + ", ".join(spare(registers(step)) for step in plain[1:]), profile]  # fmt: skip
    yield [second + "registers, launch bounds", told(bound, 0), ours(registers, bound), profile]
    yield [second + "launch bounds: scalar, wide loads of both", "1.77, 1.76",
           both_runs("{:.2f}, {:.2f}", gain("bounds"), gain("wide_bounds")), f"{link('applications/financial/choice.cuh')}, {run}"]  # fmt: skip
    yield [second + "two CTAs of 512 threads", "1.79", both_runs("{:.2f}", gain("bounds_2x512")),
           f"{link('applications/financial/choice.cuh')}, {run}"]  # fmt: skip
    yield [second + "prefetching, of an earlier article", "no figure", both_runs("{:.2f} by tiles of a DMA warp", gain("tiles")),
           link("applications/financial/kernel.hpp")]  # fmt: skip


# docs/guide/pipelines.md, docs/guide/patterns/update.md, docs/trust/checked.md, docs/applications/many_gpus.md, docs/guide/python.md, README.md


@table
def tile_queue():
    for size in (4096, 16384):
        for ctas in (1, 2):
            here = functools.partial(best, "tile_queue", bytes=size, ctas=ctas)
            equal = [f"{here(cost='equal', by=by).rate / 1e9:.0f}" for by in ("dma", "loop")]
            yield [f"{size // 1024} KB", ctas, *equal, *(f"{here(cost='random', by=by).seconds * 1e6:.1f}" for by in ("dma", "loop"))]


@table
def in_place():
    for slots, size in ((4, 4096), (8, 4096), (4, 8192), (4, 16384)):
        for ctas in (1, 2):
            rates = [gbs("in_place", bytes=size, slots=slots, ctas=ctas, by=by) for by in ("dma", "two_rings")]
            yield [f"{slots} of {size // 1024} KB", ctas, *rates]


@functools.cache
def ratios(name):
    """Of each target, what compare.py has of it in a run."""
    context, everything = run_of(name)
    targets, known = compare.read_lists(compare.TARGETS, compare.KNOWN)
    return [compare.with_limit(r, context, known) for t in targets for r in compare.ratios_of(t, context, everything)]


def span(values, digits=2):
    least, most = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return least if least == most else f"{least} to {most}"


IN_ONE_LINE = [
    "staging: the best of ours, the best peer", "staging: the read ceiling", "staging: cuda::pipeline of block scope",
    "saturation: the same by hand", "saturation: one DMA warp, the read ceiling", "strided: the same bytes in one run",
    "gather: from 128 bytes a row, the best by hand", "transpose: the driver's copy", "transpose: cuBLAS geam",
    "scale: the driver's copy", "sgemv: cuBLAS", "sgemv: the read ceiling", "layer norm: PyTorch",
    "layer norm: a row a CTA, in registers", "short rows: a warp or a CTA a row, in registers", "rows: PyTorch",
    "bags: PyTorch", "fft: cuFFT", "fft: VkFFT", "fft: cuFFT, up to 2^18 points, single and in batches",
    "fft: cuFFT, real points and back", "sparse: 8 and 128 columns, cuSPARSE's best algorithm",
    "gemm: large products, cuBLASLt's first heuristic", "gemm: every shape, cuBLASLt's first heuristic, together",
    "attention: not causal, cuDNN through PyTorch", "attention: causal, cuDNN through PyTorch",
    "attention's gradients: cuDNN through PyTorch",
]  # fmt: skip


@table
def h100_beside_h200():
    for says in IN_ONE_LINE:
        found = [[r for r in ratios(file) if r.target["says"] == says and r.wanted is not None] for file in BOTH_RUNS]
        yield [says, span({r.wanted for r in found[0]}), *(span([r.value for r in here]) for here in found)]


@table
def h100_limits():
    limits = {}
    for ratio in ratios(BOTH_RUNS[1]):
        if ratio.is_missed:
            limits.setdefault(ratio.limit, []).append(ratio)
    for limit, missed in limits.items():
        says = dict.fromkeys(ratio.target["says"] for ratio in missed)
        yield ["; ".join(says), span({r.wanted for r in missed}, 3), span([r.value for r in missed], 3), limit]


@table
def checked_cost():
    names = {
        "scale, phase, bulk": "scale, phase barriers, `BulkCopy`, tiles of 4 KB",
        "scale, phase, bulk, large tiles": "scale, phase barriers, `BulkCopy`, tiles of 16 KB",
        "scale, phase, cp.async": "scale, phase barriers, `AsyncCopy`, tiles of 4 KB",
        "scale, phase, registers": "scale, phase barriers, `RegisterCopy`, tiles of 4 KB",
        "gemv, phase, bulk": "matrix-vector product, phase barriers, `BulkCopy`",
        "gemv, phase, cp.async": "matrix-vector product, phase barriers, `AsyncCopy`",
        "scale, named, registers": "scale, named barriers, `RegisterCopy`, tiles of 4 KB",
        "scale, named, registers, large tiles": "scale, named barriers, `RegisterCopy`, tiles of 16 KB",
        "gemv, named, registers": "matrix-vector product, named barriers, `RegisterCopy`",
    }
    found = rows_of("checked_cost_H200.json")
    for name, text in names.items():
        unchecked, checked = found[name]["unchecked"], found[name]["checked"]
        yield [text, unchecked, checked, f"{checked / unchecked - 1:.0%}"]


@table
def python_operators():
    found = {name.removeprefix("python/operator:"): row for name, row in rows_of("python_H200.json").items()}
    bags_of = ("8 to 8", "32 to 32", "0 to 64")
    square = "linear/4096 x 4096 x 4096"
    rows = {
        "`embedding_bag`, 8 / 32 / 0 to 64 rows of 128 floats (GB/s)": [f"embedding_bag/{b} rows of 128" for b in bags_of],
        "the same with 256 floats": [f"embedding_bag/{b} rows of 256" for b in bags_of],
        "`layer_norm`, rows of 8192 / 16384 / 32768 floats (GB/s)": [
            f"layer_norm/rows of {n}" for n in (8192, 16384, 32768)
        ],
        "`linear`, 4096 x 4096 x 4096 / 8192 x 8192 x 8192 (TFLOP/s)": [square, "linear/8192 x 8192 x 8192"],
        "`linear`, 2048 x 8192 x 2048 / 512 x 4096 x 4096": ["linear/2048 x 8192 x 2048", "linear/512 x 4096 x 4096"],
        "`linear` with a bias, 4096 x 4096 x 4096": [f"{square}, bias"],
        "`attention`, 4 x 16 heads of 64, 4096 long / causal (TFLOP/s)": [
            f"attention/4 x 16 x 4096 x 64{causal}" for causal in ("", ", causal")
        ],
        "the same with heads of 128": [f"attention/4 x 16 x 4096 x 128{causal}" for causal in ("", ", causal")],
        "`attention` and its gradients, heads of 64 / causal": [
            f"attention and gradients/4 x 16 x 4096 x 64{causal}" for causal in ("", ", causal")
        ],
        "the same with heads of 128 elements": [
            f"attention and gradients/4 x 16 x 4096 x 128{causal}" for causal in ("", ", causal")
        ],
    }
    for operator in ("linear_w4a16", "linear_w8a16", "linear_fp8"):
        for shape in ("4096 x 4096", "14336 x 4096", "8192 x 28672"):
            names = [next(name for name in found if name.startswith(f"{operator}/{m} x {shape}")) for m in (1, 16, 64)]
            rows[f"`{operator}`, 1 / 16 / 64 x {shape} (GB/s of weights)"] = names
    for text, names in rows.items():
        here = [found[name] for name in names]
        rates = [" / ".join(str(row[key]) for row in here) for key in ("dma", "torch")]
        yield [text, *rates, " / ".join(f"{row['ratio']:.2f}" for row in here)]


@table
def two_gpus():
    sizes = ("512x512x512", "800x800x200")
    names = {
        "one_gpu": "one GPU",
        "gpu_1_alone": "the other GPU",
        "no_exchange": "no exchange (a bound)",
        "dma": "`PeerCopy`",
        "dma_graphs": "`PeerCopy`, as graphs",
        "nccl": "`Nccl`",
    }
    for by, name in names.items():
        cells = []
        for size in sizes:
            for scaling in ("strong", "weak"):
                here = functools.partial(best, "stencil", file="two_H200s.json", size=size, scaling=scaling)
                ours, alone = here(by=by), here(by="one_gpu")
                times = alone.seconds / ours.seconds
                gain = f": {times:.2f}x" if scaling == "strong" else f": {times:.1%}"
                where = ", " + ours.label.removeprefix("NCCL ") if by == "nccl" else ""
                cells.append(f"{ours.seconds * 1e6:.1f}" + (gain + where if by in ("dma", "dma_graphs", "nccl") else ""))
        yield [name, *cells]


def sgemv_mean(op, by):
    sizes = (256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192)
    return mean_speed([(best("sgemv", op=op, m=n, n=n, by=by), best("sgemv", op=op, m=n, n=n, by="cublas")) for n in sizes])


@table
def readme():
    k = functools.partial(gbs, "staging", K=32)
    yield ["Staging, 32 multiply-adds an element (GB/s)", k(by="dma"), f"`cuda::pipeline` {k(by='thread_pipeline')}, by hand {k(by=['hand', 'hand_wide'])}"]
    means = {by: [f"{sgemv_mean(op, by):.2f}" for op in "NT"] for by in ("dma", "dma_alone")}
    alone = "cuBLAS 1; without programmatic dependent launch {} and {}".format(*means["dma_alone"])
    yield ["Matrix times vector, N and T, n = 256 to 8192 (speed)", " and ".join(means["dma"]), alone]
    points = {by: f"{best('stencil', size='512x512x512', by=by).rate / 8e9:.0f}" for by in ("dma", "reference", "cached")}
    yield ["3D stencil, 512 x 512 x 512 (Gpoint/s)", points["dma"], f"the scheme of 2009 {points['reference']}, cached loads {points['cached']}"]
    product = {by: best("gemm", m=4096, n=4096, k=4096, how="burst", by=by) for by in ("dma", "cublas")}
    rates = {by: f"{2 * 4096**3 / subject.seconds * 1e-12:.0f}" for by, subject in product.items()}
    yield ["Product of 4096 x 4096 matrices, bf16 (TFLOP/s)", rates["dma"], f"cuBLASLt {rates['cublas']}"]
    rates = {
        by: f"{4 * 64 * 4096**2 * 128 * 1e-12 / best('attention', b=4, s=4096, causal=0, pages=None, by=by).seconds:.0f}"
        for by in ("dma", "cudnn", "flash")
    }
    yield ["Attention, 4 x 16 heads of 128, 4096 long (TFLOP/s)", rates["dma"], f"cuDNN {rates['cudnn']}, FlashAttention of PyTorch {rates['flash']}"]
    halo = functools.partial(gbs, "halo", radius=4)
    yield ["Star of radius 4 in a plane (GB/s): **it loses**", halo(engine="tensor", by="dma"), f"no shared memory {halo(by='plain')}, `cudaMemcpy` {halo(by='memcpy')}"]


# docs/guide/reference/trials.md


@table
def decoding():
    rows = rows_of("decode_H200.json")
    us = {name: f"{row['us']:.2f}" for name, row in rows.items()}
    for name in rows:
        match = re.fullmatch(r"(decode/b:(\d+)/keys:([^/]+)/in:)arrays/by:dma", name)
        if match:
            here, sequences, keys = match.groups()
            share = rows[name]["GB_s"] / rows["read ceiling, 2 GiB a launch"]["GB_s"]
            cells = [f"{us[name]} ({share:.2f})"]
            cells += [us.get(f"{here}arrays/by:{by}", "") for by in ("dma_early", "cudnn", "flash", "read")]
            for pages in ("pages_64", "pages_16"):
                triton = [row["us"] for other, row in rows.items() if other.startswith(f"{here}{pages}/by:triton_")]
                cells += [*(us[f"{here}{pages}/by:{by}"] for by in ("dma", "dma_early")), f"{min(triton):.2f}"]
            yield [f"{sequences} x {keys.replace('1k_to_16k', '1024 to 16384')}", *cells]


@table
def layers_of_4_bits():
    first, later = (rows_of("linear_H200.json", run=run) for run in (None, "fourth"))
    for name in first:
        match = re.fullmatch(r"(linear/n:(\d+)/k:(\d+)/rows:(\d+)/by:)dma", name)
        if match:
            here, n, k, rows = match.groups()
            ours, humming, cublas = (first[here + by]["us"] for by in ("dma", "humming", "cublas_bf16"))
            again, now = (later[here + by]["us"] for by in ("dma_before", "dma_now"))
            times = [f"{ours:.2f}", f"{humming:.2f}", f"{cublas:.1f}", f"{ours / humming:.2f}"]
            yield [f"{n} x {k}", rows, *times, f"{again:.2f}", f"{now:.2f}", f"{now / again:.2f}"]


@table
def layers_of_8_bits():
    rows = rows_of("linear_bytes_H200.json")
    for name, row in rows.items():
        match = re.fullmatch(r"linear/n:(\d+)/k:(\d+)/bits:8/rows:(\d+)/by:dma", name)
        if match:
            n, k, m = match.groups()
            floats = rows[f"linear_fp8/n:{n}/k:{k}/rows:{m}/by:dma"]
            yield [f"{n} x {k}", m, *(f"{us:.2f}" for us in (row["us"], floats["us"], floats["of_rows"]))]


def filled(text, missing):
    """The document with its tables; appends what is wrong with those that cannot be filled, which stay as they are."""
    lines, result = text.split("\n"), []
    at = 0
    while at < len(lines):
        result.append(lines[at])
        found = MARKER.fullmatch(lines[at].strip())
        at += 1
        if not found:
            continue
        rows = TABLES.get(found[1])
        if rows is None or at + 1 >= len(lines) or not lines[at + 1].startswith("|"):
            missing.append(f"there is no table '{found[1]}', or no header below the marker")
            continue
        try:
            cells = list(rows())
        except LookupError as error:
            missing.append(f"{found[1]}: {error}")
            continue
        result += lines[at : at + 2]  # the header
        at += 2
        result += ["|" + "|".join(f" {cell} " if cell != "" else " " for cell in row) + "|" for row in cells]
        while at < len(lines) and lines[at].startswith("|"):
            at += 1
    return "\n".join(result)


def documents():
    yield os.path.join(ROOT, "README.md")
    yield from sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    only_checks = parser.parse_args().check
    wrong, used = 0, set()
    for path in documents():
        with open(path, encoding="utf-8") as file:
            text = file.read()
        missing = []
        result = filled(text, missing)
        used.update(MARKER.findall(text))
        where = os.path.relpath(path, ROOT)
        for what in missing:
            print(f"{where}: {what}")
        wrong += len(missing)
        if only_checks:
            changes = list(difflib.unified_diff(text.split("\n"), result.split("\n"), where, "of the results", "", "", 0, ""))
            print(*changes, sep="\n", end="\n" if changes else "")
            wrong += bool(changes)
        elif result != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(result)
            print(f"wrote {where}")
    for name in sorted(TABLES.keys() - used):
        print(f"no document has the table '{name}'")
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
