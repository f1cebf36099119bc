"""Kernels of Triton, Numba and CuPy, proved for every schedule of their threads."""

from collections.abc import Callable, Mapping
from typing import Any

from ._arguments import Grid, extents_of
from ._errors import Error
from ._foreign import kind_of
from ._launch_line import Args
from ._prove_ptx import prove_ptx
from ._verdict import PtxVerdict


def prove(
    kernel: Any,
    grid: Grid | Callable[[dict[str, Any]], Grid],
    args: Args = (),
    *,
    block: Grid | None = None,
    arch: str = "sm_90",
    shared_bytes: int = 0,
    seeds: int = 6,
    seconds: int = 60,
    atomics: int = 128,
    executions: int = 1000,
    values: bool = True,
    **options: Any,
) -> PtxVerdict:
    """Proves a launch of a Triton kernel, a Numba kernel or a CuPy `RawKernel` on NumPy's arrays, by its PTX, which its own
    compiler makes without a GPU; CuPy's NVRTC does.

        verdict = dma.prove(add, 4, {"x": x, "y": y, "n": 1000, "BLOCK": 256}, num_warps=4)

    Args:
        kernel: What `triton.jit`, `triton.compile` or `numba.cuda.jit` returns, or a `cupy.RawKernel`.
        grid: One to three integers; of Triton's also a function of the arguments by name, as `lambda meta: ...`.
        args: Those of a launch, in their order or by name; of Triton the constants too.
        block: The threads of a CTA; of Triton's it is known.
        arch: The architecture to compile for.
        shared_bytes: Dynamic shared memory; of Triton's it is known.
        seeds: Runs.
        seconds: A limit.
        atomics: Likewise those of `dma.prove_ptx`.
        executions: Likewise.
        values: Likewise.
        **options: Of the compiler: Triton's `num_warps`, `num_stages`; Numba's `fastmath`.

    Raises:
        ArgumentError: An argument does not fit its parameter.
        NotComputedError: As `dma.prove_ptx` raises it.
        Error: The kernel is none of these, or its compiler is not there.
    """
    of = kind_of(kernel)
    if of is None and hasattr(kernel, "fn"):
        raise Error(
            f"dma.prove: a {type(kernel).__name__} chooses its constants and options by itself; pass its fn, with those of one "
            "configuration"
        )
    if of is None:
        raise Error(
            f"dma.prove: a {type(kernel).__name__} is no kernel of Triton, Numba or CuPy; of a dma.Kernel call its prove, of any "
            "other dma.prove_ptx with the PTX"
        )
    if callable(grid):
        grid = grid(dict(args) if isinstance(args, Mapping) else dict(zip(kernel.arg_names, args, strict=False)))
    x, y, z = extents_of(grid)
    launch = of(kernel, x * y * z, args, arch, options)
    return prove_ptx(
        launch.ptx,
        launch.entry,
        grid=(x * launch.cluster, y, z),
        block=block,
        args=launch.args,
        shared_bytes=shared_bytes or launch.shared_bytes,
        cluster=launch.cluster,
        seeds=seeds,
        seconds=seconds,
        atomics=atomics,
        executions=executions,
        values=values,
    )
