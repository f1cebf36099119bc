"""The README's kernel on CuPy's arrays."""

from pathlib import Path

import cupy

import dma

SOURCE = Path(__file__).parents[1] / "scale/scale.cuh"
TILES = 4096

scale = dma.kernel(SOURCE, "scale")
x = cupy.arange(TILES * 1024, dtype=cupy.float32)
y = cupy.empty_like(x)
scale(TILES, x, y, 3.0, TILES)
assert (y == 3 * x).all()
