"""The README's kernel body, launched on CuPy's arrays, or emulated on NumPy's."""

from pathlib import Path

from anywhere import arrays, has_gpu

import dma

SOURCE = Path(__file__).parents[1] / "scale/body.hpp"
TILES = 4096 if has_gpu else 8

scale = dma.kernel(SOURCE, "Scale")
x = arrays.arange(TILES * 1024, dtype=arrays.float32)
y = arrays.empty_like(x)
run = scale if has_gpu else scale.emulate
run(TILES, x, y, 3.0, TILES)
assert (y == 3 * x).all()
