"""CuPy's arrays where there is a GPU, NumPy's elsewhere, for examples that launch on the one and emulate on the other."""

import numpy

try:
    import cupy
except ImportError:
    cupy = None

has_gpu = cupy is not None and cupy.is_available()
arrays = cupy if has_gpu else numpy
