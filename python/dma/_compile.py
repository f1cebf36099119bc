"""From a source to a kernel's machine code, by NVRTC, which needs no GPU; with a cache on disk."""

import dataclasses
import functools
import math
import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._cache import entry, is_kept, keep
from ._description import SYMBOL, Description, description_of
from ._errors import CompileError, Error, expect_arguments_named
from ._headers import ENTRY, NAME_OF_KERNEL, STANDARD, Source, file_of, hash_of, include, of_toolkit, version

_TRAILER = """
#include <dma_python/entry.hpp>
using DmaEntry = decltype(dma::python::entry_of<{name}>());
extern "C" __device__ const dma::python::Description {symbol} = DmaEntry::describe();
"""
_EXPRESSIONS = ("DmaEntry::function()", f"&{SYMBOL}")


@dataclasses.dataclass(frozen=True, repr=False)
class Compiled:
    """A kernel's machine code for one architecture.

    Attributes:
        name: As the source has it.
        symbol: The same as the code has it.
        arch: The architecture, `"sm_90a"`.
        code: A cubin.
        bound: Threads of its `__launch_bounds__`, 0 where it has none.
    """

    name: str
    symbol: str
    arch: str
    code: bytes
    bound: int

    def __repr__(self) -> str:
        return f"<dma.Compiled {self.name} for {self.arch}>"

    @functools.cached_property
    def description(self) -> Description:
        """Threads, shared memory, traits and parameters."""
        return description_of(self.code, self.bound)

    def object_code(self) -> Any:
        """The same for cuda.core, as its `ObjectCode`."""
        from cuda.core import ObjectCode

        return ObjectCode.from_cubin(self.code, name=self.name, symbol_mapping={self.name: self.symbol.encode()})


def compile(
    source: Source,
    name: str,
    arch: str,
    *,
    include_path: Sequence[str | os.PathLike[str]] = (),
    define: Mapping[str, str | int] | None = None,
    **options: Any,
) -> Compiled:
    """Compiles a kernel of a source, or takes it from the cache.

    The cache is the folder `DMA_CACHE_DIR`, else `~/.cache/dma`; its key has the source, the headers that it includes,
    the options, the architecture and the compiler's version. It has at most `DMA_CACHE_BYTES`, else 1 GiB.

    Args:
        source: A file's path, or text.
        name: Of a kernel body or of a `__global__` function, with template arguments where it has any:
            `"SumBags<Layout, 128, 32, 1>"`.
        arch: A real architecture: `"sm_90a"`.
        include_path: Folders of the source's own headers; the library's and the toolkit's are known.
        define: Macros: `{"DMA_CHECKED": 1}`.
        **options: Any others of cuda.core's `ProgramOptions`: `lineinfo=True`.

    Raises:
        CompileError: The compiler refuses the source.
        Error: There is no compiler, or it does not know the architecture.
    """
    if not (isinstance(arch, str) and re.fullmatch(r"sm_\d+[af]?", arch)):
        raise Error(f"dma.compile: {arch!r} is no real architecture; give one such as sm_90a")
    file = file_of(source)
    own = file.read_text() if file else str(source)
    text = own + NAME_OF_KERNEL + _TRAILER.format(name=name, symbol=SYMBOL)
    macros = sorted((key, str(value)) for key, value in (define or {}).items())
    folders = [*map(str, include_path), include(), str(ENTRY)]
    beside = file.resolve().parent if file else None
    what = (hash_of(text, beside, [*folders, str(STANDARD)]), name, arch, macros, sorted(options.items()))
    where = (folders, of_toolkit(), version(), _compiler_version())
    cached = entry((what, where, "symbol, bound, code"))
    if is_kept(cached):
        symbol, bound, code = cached.read_bytes().split(b"\n", 2)
    else:
        settings = {
            "name": str(file or f"{re.sub(r'[^A-Za-z0-9_]+', '_', name)}.cu"),
            "arch": arch,
            "std": "c++20",
            "device_as_default_execution_space": True,
            "include_path": [*([str(beside)] if beside else []), *folders, *of_toolkit(), str(STANDARD)],
            "define_macro": macros or None,
        }
        try:
            symbol, bound, code = _cubin_of(text, settings | options)
        except CompileError as error:
            expect_arguments_named(own, name, error.log)
            raise
        keep(cached, b"\n".join((symbol, bound, code)))
    return Compiled(name, symbol.decode(), arch, code, int(bound))


def _cubin_of(text: str, settings: Mapping[str, Any]) -> tuple[bytes, bytes, bytes]:
    """The entry's symbol, the threads of its launch bounds, and the code."""
    try:
        from cuda.core import Program, ProgramOptions
    except ImportError as error:
        raise Error(f"dma.compile: compiling needs cuda-core, which is not installed; install it: {error}") from None
    program = Program(text, "c++", ProgramOptions(**settings))
    try:
        code = program.compile("cubin", name_expressions=_EXPRESSIONS)
    except Exception as error:
        if "compilation log" not in str(error):
            raise
        log = str(error).partition("compilation log:")[2].strip("\n\0 ")
        if re.search(r"--gpu-architecture|--nv_arch", log):
            raise _unknown(settings["arch"]) from None
        raise CompileError(log) from None
    symbol = code.symbol_mapping[_EXPRESSIONS[0]]
    return symbol, b"%d" % _bound_of(_ptx_of(program), symbol.decode()), code.code


def _ptx_of(program: Any) -> str:
    """What NVRTC made its code of."""
    from cuda.bindings import nvrtc

    _, size = nvrtc.nvrtcGetPTXSize(program.handle)
    text = bytes(size)
    nvrtc.nvrtcGetPTX(program.handle, text)
    return text.decode().rstrip("\0")


def _bound_of(ptx: str, kernel: str) -> int:
    """The threads that .maxntid or .reqntid names, 0 where a kernel has neither (PTX ISA, performance-tuning
    directives)."""
    entry_of = rf"^[^\S\n]*(?:\.\w+\s+)*\.entry\s+{re.escape(kernel)}"
    definition = re.search(rf"{entry_of}\s*\([^)]*\)([^;{{]*)\{{", ptx, re.MULTILINE)
    extents = re.search(r"\.(?:max|req)ntid\s+([\d, ]+)", definition[1] if definition else "")
    return math.prod(map(int, extents[1].split(","))) if extents else 0


def _unknown(arch: str) -> Error:
    from cuda.bindings import nvrtc

    _, known = nvrtc.nvrtcGetSupportedArchs()
    version = ".".join(map(str, _compiler_version()))
    names = ", ".join(f"sm_{number}" for number in known)
    return Error(
        f"dma.compile: NVRTC {version} compiles for {names}, and from sm_90 on for their a forms, and not for {arch}; name "
        "one of them"
    )


@functools.cache
def _compiler_version() -> tuple[int, int]:
    try:
        from cuda.bindings import nvrtc

        _, major, minor = nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:  # the second of cuda.pathfinder
        raise Error(
            "dma.compile: NVRTC is not found; set CUDA_HOME to a CUDA toolkit, or install the extra: dma-cuda[toolkit]: "
            f"{error}"
        ) from None
    return major, minor
