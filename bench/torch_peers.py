#!/usr/bin/env python3
"""Measures the kernels of PyTorch, and of QuACK, for the sweeps of dma_bench: torch_peers.py [RESULTS.json].

Prints GB/s, microseconds, or TFLOP/s of attention. Where a reduced file of dma_bench is named, adds the results to it as by:torch and by:quack.
"""

import json
import statistics
import sys
import time

import torch

import result_files

LAUNCHES = 8  # a graph, as in dma_bench
REPETITIONS = 5
REPLAYS = 5
WINDOWS = 4
BAGS = 65536


def window_elements():
    """Floats of a window, as in dma_bench (measure.hpp): two shares of 42 tiles of 48 KB an SM."""
    return 42 * 48 * 1024 * 2 * torch.cuda.get_device_properties(0).multi_processor_count // 4


def rows_of(window, columns):
    """As many whole rows as a window has."""
    rows = window.numel() // columns
    return window[: rows * columns].view(rows, columns)


def replay_of(enqueue, in_graph):
    """What enqueues these launches again: the replay of a graph of them, or the function itself."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        enqueue()
    torch.cuda.synchronize()
    replay = enqueue
    if in_graph:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            enqueue()
        replay = graph.replay
    replay()
    return replay


def seconds_between(enqueue):
    """Seconds on the GPU of what is enqueued."""
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    enqueue()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3


def seconds_of(launch, in_graph):
    """Seconds a launch, one number for each repetition; launch(i) takes window i."""
    def enqueue():
        for i in range(LAUNCHES):
            launch(i % WINDOWS)

    replay = replay_of(enqueue, in_graph)

    def replays():
        for _ in range(REPLAYS):
            replay()

    return [seconds_between(replays) / (LAUNCHES * REPLAYS) for _ in range(REPETITIONS)]


def burst_seconds_of(launch, launches, in_graph=True):
    """Seconds a launch, each sample a graph of so many after a rest; without a graph, calls behind an idle kernel."""
    def enqueue():
        for _ in range(launches):
            launch()

    replay = replay_of(enqueue, in_graph)
    samples = []
    for _ in range(REPETITIONS):
        torch.cuda.synchronize()
        time.sleep(5e-3)
        if not in_graph:
            torch.cuda._sleep(500_000)
        samples.append(seconds_between(replay) / launches)
    return samples


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values)}


def result_of(name, samples):
    return {
        "name": name,
        "repetitions": REPETITIONS,
        "time_unit": "us",
        "real_time": spread([sample * 1e6 for sample in samples]),
    }


def row(name, moved_bytes, launch, in_graph=True):
    samples = seconds_of(launch, in_graph)
    result = result_of(name, samples)
    if moved_bytes > 0:  # otherwise the time is the answer
        result["bytes_per_second"] = spread([moved_bytes / sample for sample in samples])
        print(f"{result['bytes_per_second']['median'] * 1e-9:6.0f} GB/s  {name}")
    else:
        print(f"{result['real_time']['median']:6.0f} us    {name}")
    return result


def streams():
    x = torch.rand(WINDOWS, window_elements(), device="cuda")
    y = torch.empty_like(x)
    yield row("scale/by:torch", 8 * x[0].numel(), lambda i: torch.mul(x[i], 3.0, out=y[i]))
    for columns in (256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144):
        scale, shift = torch.rand(2, columns, device="cuda")
        views = [rows_of(window, columns) for window in x]
        sweep = "layer_norm" if 8192 <= columns <= 32768 else "rows/op:layer_norm"
        yield row(
            f"{sweep}/cols:{columns}/by:torch",
            8 * views[0].numel(),
            lambda i: torch.nn.functional.layer_norm(views[i], (columns,), scale, shift),
        )


def other_rows():
    """The other operations of rows.cu on rows of floats and bfloat16."""
    functional = torch.nn.functional
    x = torch.rand(WINDOWS, window_elements(), device="cuda")
    y = torch.empty_like(x)
    for columns in (256, 1024, 4096):
        views = [rows_of(window, columns) for window in x]
        yield row(
            f"rows/op:softmax/cols:{columns}/by:torch", 8 * views[0].numel(), lambda i: torch.softmax(views[i], 1)
        )
    for columns in (1024, 4096):
        scale, shift = torch.rand(2, columns, device="cuda")
        views = [rows_of(window, columns) for window in x]
        gradients = [rows_of(window, columns) for window in y]
        rows = len(views[0])
        elements = views[0].numel()
        yield row(
            f"rows/op:rms_norm/cols:{columns}/by:torch",
            8 * elements,
            lambda i: functional.rms_norm(views[i], (columns,), scale, 1e-5),
        )
        yield row(
            f"rows/op:log_sum_exp/cols:{columns}/by:torch",
            4 * rows * (columns + 1),
            lambda i: torch.logsumexp(views[i], 1),
        )
        statistics_of_rows = [torch.full((rows, 1), value, device="cuda") for value in (0.5, 3.5)]
        yield row(
            f"rows/op:layer_norm_backward/cols:{columns}/by:torch",
            12 * elements,
            lambda i: torch.ops.aten.native_layer_norm_backward(
                gradients[i], views[i], (columns,), *statistics_of_rows, scale, shift, (True, True, True)
            ),
        )
        halves = [view.bfloat16() for view in views]
        half_scale, half_shift = scale.bfloat16(), shift.bfloat16()
        yield row(
            f"rows/op:layer_norm_bf16/cols:{columns}/by:torch",
            4 * elements,
            lambda i: functional.layer_norm(halves[i], (columns,), half_scale, half_shift),
        )
        yield row(
            f"rows/op:rms_norm_bf16/cols:{columns}/by:torch",
            4 * elements,
            lambda i: functional.rms_norm(halves[i], (columns,), half_scale, 1e-5),
        )


def quack_rows():
    """QuACK's kernels, where quack-kernels is installed; their layer norm has no shift."""
    try:
        import quack
        from quack.layernorm import layernorm
        from quack.rmsnorm import rmsnorm_fwd
        from quack.softmax import softmax_fwd
    except ImportError as error:
        print(f"without QuACK: {error}")
        return
    print(f"quack-kernels {quack.__version__}")
    x = torch.rand(WINDOWS, window_elements(), device="cuda")
    for columns in (256, 1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144):
        scale = torch.rand(columns, device="cuda")
        views = [rows_of(window, columns) for window in x]
        forms = {
            "layer_norm": (
                lambda i: layernorm(views[i], scale, 1e-5),
                lambda view: torch.nn.functional.layer_norm(view, (columns,), scale, None, 1e-5),
            ),
            "rms_norm": (
                lambda i: rmsnorm_fwd(views[i], scale, eps=1e-5)[0],
                lambda view: torch.nn.functional.rms_norm(view, (columns,), scale, 1e-5),
            ),
            "softmax": (lambda i: softmax_fwd(views[i]), lambda view: torch.softmax(view, 1)),
        }
        for op, (launch, reference) in forms.items():
            sweep = op if op == "layer_norm" and 8192 <= columns <= 32768 else f"rows/op:{op}"
            name = f"{sweep}/cols:{columns}/by:quack"
            try:
                torch.testing.assert_close(launch(0), reference(views[0]), atol=2e-5, rtol=2e-5)
                yield row(name, 8 * views[0].numel(), launch)
            except Exception as error:  # of its compiler, for a row that it does not take
                print(f"no result    {name}: {str(error).splitlines()[:1]}")


def bags():
    for columns in (128, 256):
        table = torch.rand((1 << 28) // columns, columns, device="cuda")
        for fewest, most in ((8, 8), (32, 32), (0, 64)):
            sizes = torch.randint(fewest, most + 1, (WINDOWS, BAGS), device="cuda")
            offsets = [torch.cumsum(of_list, 0).sub(of_list).int() for of_list in sizes]
            ids = [
                torch.randint(0, table.shape[0], (int(of_list.sum()),), device="cuda", dtype=torch.int32)
                for of_list in sizes
            ]
            count = sum(len(of_list) for of_list in ids) / WINDOWS
            rows = f"{most}" if fewest == most else f"{fewest}-{most}"
            yield row(
                f"bags/row:{columns * 4}/rows:{rows}/by:torch",
                (count + BAGS) * (columns * 4 + 4),
                lambda i: torch.nn.functional.embedding_bag(ids[i], table, offsets[i], mode="sum"),
            )


def backward():
    for columns in (128, 256):
        table = torch.rand((1 << 28) // columns, columns, device="cuda")
        for count in (8, 32):
            offsets = torch.arange(0, BAGS * count, count, device="cuda", dtype=torch.int32)
            ids = [
                torch.randint(0, table.shape[0], (BAGS * count,), device="cuda", dtype=torch.int32)
                for _ in range(WINDOWS)
            ]
            made = [torch.ops.aten._embedding_bag(table, of_list, offsets) for of_list in ids]
            gradient = torch.rand(BAGS, columns, device="cuda")
            yield row(
                f"bags_backward/row:{columns * 4}/rows:{count}/by:torch",
                0,
                lambda i: torch.ops.aten._embedding_bag_backward(
                    gradient, ids[i], offsets, *made[i][1:], table.shape[0], False, 0, False, None
                ),
                in_graph=False,  # it sorts the ids and may wait for the GPU
            )


def attention():
    """The shapes and the way of measuring of attention.cu: 2 ms of launches in a graph, after 5 ms of rest."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for sweep, heads, head_size in (("attention", 16, 128), ("attention_64", 32, 64)):
        for causal in (False, True):
            for batches, length in ((4, 4096), (2, 8192), (1, 16384), (16, 1024)):
                shape = (batches, length, heads, head_size)
                q, k, v = (torch.randn(shape, device="cuda").bfloat16().transpose(1, 2) for _ in range(3))
                operations = 4 * batches * heads * length * length * head_size / (2 if causal else 1)
                launches = max(1, int(2e-3 * 6e14 / operations))
                for by, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
                    with sdpa_kernel(backend):
                        samples = burst_seconds_of(
                            lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal),
                            launches,
                        )
                    name = f"{sweep}/b:{batches}/s:{length}/causal:{int(causal)}/by:{by}"
                    result = result_of(name, samples)
                    print(f"{operations / result['real_time']['median'] * 1e-6:6.0f} TFLOP/s  {name}")
                    yield result


def attention_backward():
    """The shapes of attention_backward.cu, likewise; not in a graph, whose stream autograd does not follow."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for sweep, heads, head_size in (("attention_backward", 16, 128), ("attention_backward_64", 32, 64)):
        for causal in (False, True):
            for batches, length in ((4, 4096), (1, 16384), (16, 1024)):
                shape = (batches, length, heads, head_size)
                inputs = [torch.randn(shape, device="cuda").bfloat16().transpose(1, 2).requires_grad_() for _ in range(3)]
                d_o = torch.randn(shape, device="cuda").bfloat16().transpose(1, 2)
                operations = 10 * batches * heads * length * length * head_size / (2 if causal else 1)
                launches = max(1, int(2e-3 * 6e14 / operations))
                for by, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
                    with sdpa_kernel(backend):
                        o = torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
                    samples = burst_seconds_of(
                        lambda: torch.autograd.grad(o, inputs, d_o, retain_graph=True), launches, in_graph=False
                    )
                    name = f"{sweep}/b:{batches}/s:{length}/causal:{int(causal)}/by:{by}"
                    result = result_of(name, samples)
                    print(f"{operations / result['real_time']['median'] * 1e-6:6.0f} TFLOP/s  {name}")
                    yield result


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 2
    results = [*streams(), *other_rows(), *quack_rows(), *bags(), *backward(), *attention(), *attention_backward()]
    if len(sys.argv) == 2:
        with open(sys.argv[1], encoding="utf-8") as file:
            content = result_files.reduce(json.load(file))
        names = {result["name"] for result in results}
        content["benchmarks"] = [old for old in content["benchmarks"] if old["name"] not in names] + results
        content["context"]["torch"] = torch.__version__
        result_files.write(sys.argv[1], content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
