"""A kernel body that waits for a tile too many, judged on the CPU: needs NumPy and g++, no CUDA."""

from pathlib import Path

import numpy

import dma

EXAMPLES = Path(__file__).parents[1]

x = numpy.arange(8 * 64, dtype=numpy.float32)
y = numpy.zeros_like(x)

neighbours = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<1>")  # it waits for a tile too many
verdict = neighbours.prove(1, x, y, 4)
assert verdict.kind == "deadlock"
print(verdict)  # the shortest schedule that gets there

right = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
verdict = dma.for_all_trips(lambda tiles: right.prove(1, x, y, tiles))
assert verdict, verdict
