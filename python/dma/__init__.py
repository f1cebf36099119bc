"""Kernels with dma's pipelines, compiled at run time and launched on CuPy's, PyTorch's and other arrays.

    scale = dma.kernel(pathlib.Path("body.hpp"), "Scale")
    scale(tiles, x, y, 3.0, tiles)

The first argument of a launch is the grid; threads, shared memory and clusters follow from the kernel's types.
"""

from ._cache import clear_cache
from ._compile import Compiled, compile
from ._description import Box, Description, Kind, Parameter
from ._errors import ArgumentError, CompileError, Error, LaunchError, NotComputedError
from ._headers import include, version
from ._host import library
from ._kernel import Kernel, kernel
from ._launch_line import PtxMap
from ._prove import prove
from ._prove_ptx import prove_ptx
from ._tensor_map import TensorMap, tensor_map
from ._verdict import PipelineUse, PtxVerdict, Verdict, for_all_trips

for _error in (ArgumentError, CompileError, Error, LaunchError, NotComputedError):
    _error.__module__ = __name__  # as a traceback names it
__version__ = version()
__all__ = [
    "ArgumentError",
    "Box",
    "CompileError",
    "Compiled",
    "Description",
    "Error",
    "Kernel",
    "Kind",
    "LaunchError",
    "NotComputedError",
    "Parameter",
    "PipelineUse",
    "PtxMap",
    "PtxVerdict",
    "TensorMap",
    "Verdict",
    "clear_cache",
    "compile",
    "for_all_trips",
    "include",
    "kernel",
    "library",
    "prove",
    "prove_ptx",
    "tensor_map",
    "version",
]
