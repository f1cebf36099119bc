#!/usr/bin/env python3
"""Measures PyTorch's kernels of the sweeps scale, layer_norm and bags: torch_peers.py [RESULTS.json].

Prints GB/s. Where a reduced file of dma_bench is named, adds the results to it as by:torch.
"""

import json
import statistics
import sys

import torch

import result_files

LAUNCHES = 8  # a graph, as in dma_bench
REPETITIONS = 5
REPLAYS = 5
ELEMENTS = 1 << 26  # a window
WINDOWS = 4
BAGS = 65536


def seconds_of(launch):
    """Seconds a launch, one number for each repetition; launch(i) takes window i."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for i in range(LAUNCHES):
            launch(i % WINDOWS)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(LAUNCHES):
            launch(i % WINDOWS)
    graph.replay()
    samples = []
    for _ in range(REPETITIONS):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(REPLAYS):
            graph.replay()
        stop.record()
        stop.synchronize()
        samples.append(start.elapsed_time(stop) * 1e-3 / (LAUNCHES * REPLAYS))
    return samples


def row(name, moved_bytes, launch):
    samples = seconds_of(launch)
    spread = lambda values: {"min": min(values), "median": statistics.median(values), "max": max(values)}
    result = {
        "name": name,
        "repetitions": REPETITIONS,
        "time_unit": "us",
        "real_time": spread([sample * 1e6 for sample in samples]),
        "bytes_per_second": spread([moved_bytes / sample for sample in samples]),
    }
    print(f"{result['bytes_per_second']['median'] * 1e-9:6.0f} GB/s  {name}")
    return result


def streams():
    x = torch.rand(WINDOWS, ELEMENTS, device="cuda")
    y = torch.empty_like(x)
    yield row("scale/by:torch", 8 * ELEMENTS, lambda i: torch.mul(x[i], 3.0, out=y[i]))
    for columns in (8192, 16384, 32768):
        scale, shift = torch.rand(2, columns, device="cuda")
        yield row(
            f"layer_norm/cols:{columns}/by:torch",
            8 * ELEMENTS,
            lambda i: torch.nn.functional.layer_norm(x[i].view(-1, columns), (columns,), scale, shift),
        )


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


def main():
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 2
    results = [*streams(), *bags()]
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
