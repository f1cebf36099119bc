"""Measures the operators of torch_ops.py beside PyTorch's own, in graphs, over inputs that are not in a cache.

  bench_torch_ops.py [RESULTS.json]   COMMIT and DRIVER of the environment go into the file
"""

import itertools
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import dma
import torch
import torch_ops
from torch.nn.attention import SDPBackend, sdpa_kernel

REPETITIONS = 8
REPLAYS = 5
LAUNCHES = 8  # of a graph
WINDOWS = 4  # inputs, one after the other
SCALE = pathlib.Path(__file__).parents[2] / "examples/scale/scale.cuh"  # the README's kernel

results = []


def graph_of(op, windows):
    op(*windows[0])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for arguments in itertools.islice(itertools.cycle(windows), LAUNCHES):
            op(*arguments)
    graph.replay()
    return graph


def seconds_of(graph):
    """The time of a call, of those of a graph."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(REPLAYS):
        graph.replay()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3 / (REPLAYS * LAUNCHES)


def report(name, ours, theirs, windows, work, unit):
    """`work` of a call, and what it is times 1e-9 a second."""
    graphs = [graph_of(op, windows) for op in (ours, theirs)]
    samples = ([], [])
    for repetition in range(REPETITIONS):
        for one in (0, 1) if repetition % 2 == 0 else (1, 0):  # each as often right behind the other
            samples[one].append(seconds_of(graphs[one]))
    mine, other = map(statistics.median, samples)
    rates = {"dma": round(work / mine * 1e-9), "torch": round(work / other * 1e-9)}
    print(f"{name:40} {rates['dma']:8} {unit}, torch {rates['torch']:8}, ratio {other / mine:.2f}")
    operator, _, shape = name.partition(", ")
    result = {"name": f"python/operator:{operator}/{shape}", "unit": unit, **rates, "ratio": round(other / mine, 2)}
    results.append(result)


def bags(columns, fewest, most, count=65536):
    table = torch.rand((1 << 28) // columns, columns, device="cuda")

    def window():
        sizes = torch.randint(fewest, most + 1, (count,), device="cuda")
        offsets = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]).int()
        return table, torch.randint(0, table.shape[0], (int(offsets[-1]),), device="cuda", dtype=torch.int32), offsets

    windows = [window() for _ in range(WINDOWS)]
    rows = sum(len(ids) for _, ids, _ in windows) / WINDOWS + count
    report(
        f"embedding_bag, {fewest} to {most} rows of {columns}",
        torch_ops.embedding_bag,
        lambda table, ids, offsets: torch.nn.functional.embedding_bag(
            ids, table, offsets, mode="sum", include_last_offset=True
        ),
        windows,
        rows * (columns * 4 + 4),
        "GB/s",
    )


def layer_norm(columns, elements=1 << 26):
    scale, shift = torch.rand(2, columns, device="cuda")
    windows = [(torch.rand(elements // columns, columns, device="cuda"), scale, shift, 1e-5) for _ in range(WINDOWS)]
    report(
        f"layer_norm, rows of {columns}",
        torch_ops.layer_norm,
        lambda x, scale, shift, epsilon: torch.nn.functional.layer_norm(x, (columns,), scale, shift, epsilon),
        windows,
        8 * elements,
        "GB/s",
    )


def linear(m, n, k, has_bias=False):
    shapes = ((m, k), (n, k), (n,)) if has_bias else ((m, k), (n, k))
    windows = [[torch.randn(shape, device="cuda", dtype=torch.bfloat16) for shape in shapes] for _ in range(WINDOWS)]
    report(
        f"linear, {m} x {n} x {k}" + (", bias" if has_bias else ""),
        torch_ops.linear,
        torch.nn.functional.linear,
        windows,
        2e-3 * m * n * k,
        "TFLOP/s",
    )


def attention(batches, length, size, causal, heads=16):
    windows = [
        [*torch.randn(3, batches, heads, length, size, device="cuda", dtype=torch.bfloat16), causal]
        for _ in range(WINDOWS)
    ]
    report(
        f"attention, {batches} x {heads} x {length} x {size}" + (", causal" if causal else ""),
        torch_ops.attention,
        lambda q, k, v, causal: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal),
        windows,
        (2e-3 if causal else 4e-3) * batches * heads * length * length * size,
        "TFLOP/s",
    )


def gradients(batches, length, size, causal, heads=16):
    """Attention and its gradients, as a step of a training has them. Theirs are cuDNN's."""
    shape = (batches, heads, length, size)
    windows = [
        [*(torch.randn(shape, device="cuda", dtype=torch.bfloat16).requires_grad_() for _ in range(3)), d_o, causal]
        for d_o in torch.randn(WINDOWS, *shape, device="cuda", dtype=torch.bfloat16)
    ]

    def ours(*inputs_d_o_causal):
        *inputs, d_o, causal = inputs_d_o_causal
        return torch.autograd.grad(torch_ops.attention(*inputs, causal), inputs, d_o)

    def theirs(*inputs_d_o_causal):
        *inputs, d_o, causal = inputs_d_o_causal
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            o = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        return torch.autograd.grad(o, inputs, d_o)

    name = f"attention and gradients, {batches} x {heads} x {length} x {size}" + (", causal" if causal else "")
    report(name, ours, theirs, windows, (7e-3 if causal else 14e-3) * batches * heads * length * length * size, "TFLOP/s")


def layer(m, n, k, group=128):
    """Of 4-bit weights, several times as many as the L2 holds. PyTorch's are packed and scaled as its own product takes them."""
    windows = []
    for _ in range(LAUNCHES):
        numbers = torch.randint(0, 16, (n, k), device="cuda", dtype=torch.uint8)
        scales = torch.rand(n, k // group, device="cuda").bfloat16()
        for_torch = torch.ops.aten._convert_weight_to_int4pack(numbers[:, ::2] << 4 | numbers[:, 1::2], 8)
        of_groups = torch.stack([scales.t(), torch.zeros_like(scales.t())], 2).contiguous()
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        windows.append((x, torch_ops.pack_w4a16(numbers, scales), for_torch, of_groups))
    x, _, for_torch, of_groups = windows[0]
    ours = torch_ops.linear_w4a16(x, windows[0][1])
    theirs = torch.ops.aten._weight_int4pack_mm(x, for_torch, group, of_groups)
    assert (ours - theirs).norm() <= 0.01 * ours.norm()
    report(
        f"linear_w4a16, {m} x {n} x {k}",
        lambda x, packed, *_: torch_ops.linear_w4a16(x, packed),
        lambda x, _, weights, of_groups: torch.ops.aten._weight_int4pack_mm(x, weights, group, of_groups),
        windows,
        n * k * (1 / 2 + 2 / group),
        "GB/s",
    )


def layer_of_bytes(m, n, k, group=128):
    """Of 8-bit weights, several times as many as the L2 holds. PyTorch's have one scale a row; where its product is not on
    GPUs, the weights are of bfloat16."""
    windows = []
    for _ in range(LAUNCHES):
        numbers = torch.randint(0, 256, (n, k), device="cuda", dtype=torch.uint8)
        of_rows = torch.rand(n, device="cuda").bfloat16()
        signed = (numbers.int() - 128).to(torch.int8)
        x = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        windows.append((x, torch_ops.pack_w8a16(numbers, of_rows[:, None].repeat(1, k // group)), signed, of_rows))
    try:
        torch.ops.aten._weight_int8pack_mm(*(windows[0][at] for at in (0, 2, 3)))
    except NotImplementedError:
        windows = [(x, packed, signed * of_rows[:, None], None) for x, packed, signed, of_rows in windows]

    def theirs(x, _, weights, of_rows):
        if of_rows is None:
            return torch.nn.functional.linear(x, weights)
        return torch.ops.aten._weight_int8pack_mm(x, weights, of_rows)

    ours = torch_ops.linear_w8a16(*windows[0][:2])
    assert (ours - theirs(*windows[0])).norm() <= 0.01 * ours.norm()
    report(
        f"linear_w8a16, {m} x {n} x {k}",
        lambda x, packed, *_: torch_ops.linear_w8a16(x, packed),
        theirs,
        windows,
        n * k * (1 + 2 / group),
        "GB/s",
    )


def scaled_layer(m, n, k):
    """Of float8_e4m3fn with scales of blocks, several times as many weights as the L2 holds. Theirs is torch._scaled_mm with
    the same scales where this GPU and cuBLAS have it, else with one scale for each row, which is less work."""
    windows = []
    for _ in range(LAUNCHES):
        x, w = (torch.randn(rows, k, device="cuda").to(torch.float8_e4m3fn) for rows in (m, n))
        x_scales = torch.rand(k // 128, m, device="cuda").t()  # as cuBLAS takes them
        w_scales = torch.rand(n // 128, k // 128, device="cuda")
        windows.append((x, w, x_scales, w_scales, torch.rand(m, 1, device="cuda"), torch.rand(1, n, device="cuda")))

    def ours(x, w, x_scales, w_scales, *_):
        return torch_ops.linear_fp8(x, w, x_scales, w_scales)

    def of_blocks(x, w, x_scales, w_scales, *_):
        return torch._scaled_mm(x, w.t(), x_scales, w_scales.t(), out_dtype=torch.bfloat16)

    def of_rows(x, w, _, __, x_scales, w_scales):
        return torch._scaled_mm(x, w.t(), x_scales, w_scales, out_dtype=torch.bfloat16)

    theirs, kind = of_blocks, "blocks"
    try:
        y = of_blocks(*windows[0])
        assert (ours(*windows[0]) - y).norm() <= 0.01 * y.norm()
    except (RuntimeError, ValueError) as error:
        print(f"torch._scaled_mm of blocks, {m} rows: {str(error).splitlines()[0]}")
        theirs, kind = of_rows, "rows"
    report(f"linear_fp8, {m} x {n} x {k}, theirs by {kind}", ours, theirs, windows, n * k, "GB/s")


def compile_seconds():
    """To compile the README's kernel, and to find it compiled."""
    before = os.environ.get("DMA_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DMA_CACHE_DIR"] = folder
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            dma.compile(SCALE, "scale", "sm_90a")
            seconds.append(time.perf_counter() - start)
    if before is None:
        del os.environ["DMA_CACHE_DIR"]
    else:
        os.environ["DMA_CACHE_DIR"] = before
    return {"cold_s": round(seconds[0], 3), "cached_s": round(seconds[1], 3)}


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 2
    compiled = compile_seconds()
    print(torch.cuda.get_device_name(), compiled)
    for columns in (128, 256):
        for fewest, most in ((8, 8), (32, 32), (0, 64)):
            bags(columns, fewest, most)
    for columns in torch_ops.NORMS:
        layer_norm(columns)
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (2048, 8192, 2048), (512, 4096, 4096)):
        linear(m, n, k)
    linear(4096, 4096, 4096, has_bias=True)
    for size in (64, 128):
        for causal in (False, True):
            attention(4, 4096, size, causal)
            gradients(4, 4096, size, causal)
    for of_layers in (layer, layer_of_bytes, scaled_layer):
        for n, k in ((4096, 4096), (14336, 4096), (8192, 28672)):
            for m in (1, 16, 64):
                of_layers(m, n, k)
    if len(sys.argv) == 2:
        context = {
            "device": torch.cuda.get_device_name(),
            "driver": os.environ.get("DRIVER", "unknown"),
            "toolkit": torch.version.cuda,
            "commit": os.environ.get("COMMIT", "unknown"),
            "torch": torch.__version__,
            "compile": compiled,
        }
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump({"context": context, "benchmarks": results}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
