"""Kernel bodies on the CPU: emulated, or proved for every schedule. A host compiler makes a library of each, and of
other host code."""

import contextlib
import ctypes
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _every_access
from ._arguments import Arguments, Grid, extents_of
from ._arrays import Array, of_interface
from ._cache import entry, is_kept, keep
from ._description import SYMBOL, Description, Kind, Parameter, description_of_words
from ._errors import ArgumentError, CompileError, Error, expect_arguments_named
from ._headers import ENTRY, NAME_OF_KERNEL, Source, file_of, hash_of, include, of_emulator, of_toolkit
from ._tensor_map import TensorMap
from ._verdict import PipelineUse, Verdict, in_python

#: Else the functions of the C++ library are those of any library that was loaded for all to see, as PyTorch loads some.
_OWN_NAMES_FIRST = ctypes.DEFAULT_MODE | getattr(os, "RTLD_DEEPBIND", 0)

_SOURCE = """
#include <dma_python/host_entry.hpp>
extern "C" [[gnu::visibility("default")]] constexpr dma::python::Description {symbol} =
    dma::python::describe_body<{name}>(dma::python::arguments_of<{name}>());
extern "C" [[gnu::visibility("default")]] void dma_run_on_host(dma::python::HostCall& call) {{
  dma::python::run_on_host<{name}>(call, dma::python::arguments_of<{name}>());
}}
"""

_FUNCTION_BESIDE = (
    "dma: a CPU's compiler takes no __global__ function; put it in another file than the kernel body or the host code, or "
    "behind #ifdef __CUDACC__"
)

_COMMON = ["-std=c++20", "-fPIC", "-fvisibility=hidden"]  #: names stay inside
_PATIENCE = 1.0  #: seconds that a compiler takes before it is named
_LONG_WHILE = 5.0  #: seconds between two lines of a proof or an emulation that takes long

_POINTERS = (Kind.POINTER, Kind.CONST_POINTER)


class _Array(ctypes.Structure):
    """dma::python::HostArray"""

    _fields_ = [
        ("address", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("element_bytes", ctypes.c_size_t),
        ("argument", ctypes.c_int),
        ("is_written", ctypes.c_int),
    ]


class _Call(ctypes.Structure):
    """dma::python::HostCall"""

    _fields_ = [
        ("is_proof", ctypes.c_int),
        ("grid", ctypes.c_int * 3),
        ("seed", ctypes.c_uint),
        ("arguments", ctypes.c_void_p),
        ("count", ctypes.c_int),
        ("arrays", ctypes.c_void_p),
        ("has_other_arrays", ctypes.c_int),
        ("is_right", ctypes.c_int),
        ("kind", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("timeline", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
        ("pipelines", ctypes.c_char_p),
    ]


class HostKernel:
    """A kernel body, compiled by a host compiler."""

    def __init__(
        self,
        source: Source,
        name: str,
        include_path: Sequence[str | os.PathLike[str]] = (),
        define: Mapping[str, str | int] | None = None,
    ) -> None:
        self._name = name
        _expect_body(source, name)
        entries = _SOURCE.format(name=name, symbol=SYMBOL)
        try:
            library = _compile(source, name, entries, include_path, define or {})
        except CompileError as error:
            file = file_of(source)
            expect_arguments_named(file.read_text() if file else str(source), name, error.log)
            raise
        self._library = _load(library)
        words = (ctypes.c_int * 513).in_dll(self._library, SYMBOL)
        self._description: Description = description_of_words(words[1 : 1 + words[0]])

    def run(self, grid: Grid, args: tuple[Any, ...], seed: int, is_proof: bool) -> Verdict:
        """Of one call at a time of a thread."""
        extents = extents_of(grid)
        parameters = self._description.parameters
        arguments = Arguments(self._name, parameters, _array_of, _refuse_map, on_cpu=True)
        arguments.fill(args)
        known = [
            _Array(array.address, array.size * math.prod(array.shape), array.size, index, parameter.kind == Kind.POINTER)
            for index, (parameter, arg) in enumerate(zip(parameters, args, strict=True))
            if parameter.kind in _POINTERS and (array := _array_of(arg)) is not None
        ]
        arrays = (_Array * len(known))(*known)
        # What an address or a structure points to is not known.
        has_others = any(
            parameter.kind == Kind.STRUCTURE or (parameter.kind in _POINTERS and isinstance(arg, int))
            for parameter, arg in zip(parameters, args, strict=True)
        )
        call = _Call(
            is_proof=is_proof,
            grid=(ctypes.c_int * 3)(*extents),
            seed=seed,
            arguments=arguments.address_of_addresses,
            count=len(known),
            arrays=ctypes.addressof(arrays),
            has_other_arrays=has_others,
        )
        with _said_while_it_runs(f"{'proves' if is_proof else 'emulates'} {self._name}"):
            self._library.dma_run_on_host(ctypes.byref(call))
        kind, message, timeline, text, pipelines = (
            getattr(call, field).decode() for field in ("kind", "message", "timeline", "text", "pipelines")
        )
        if kind == "error":
            raise Error(in_python(message))
        uses = (line.split("\t") for line in pipelines.splitlines())
        moved = tuple(PipelineUse(pipeline, int(stages), int(tiles)) for stages, tiles, pipeline in uses)
        return Verdict(bool(call.is_right), kind, in_python(message), timeline, in_python(text), moved)


def library(
    source: Source,
    *,
    include_path: Sequence[str | os.PathLike[str]] = (),
    define: Mapping[str, str | int] | None = None,
) -> ctypes.CDLL:
    """Compiles a C++ source by a host compiler, or takes it from the cache, and loads it: for host code that belongs to
    a kernel, as its plans do.

    Its functions are those that it declares so: `extern "C" [[gnu::visibility("default")]] void plan_of(int rows, Plan&
    plan) noexcept`. Needs a C++ compiler: `CXX`, else g++. The cache is that of `compile`.

    Args:
        source: A file's path, or text.
        include_path: Folders of the source's own headers; the library's and the toolkit's are known.
        define: Macros: `{"DMA_CHECKED": 1}`.

    Raises:
        CompileError: The compiler refuses the source.
    """
    try:
        toolkit = of_toolkit()
    except Error:  # the source may need none
        toolkit = ()
    return _load(_compile(source, "host code", "", include_path, define or {}, toolkit))


def _expect_body(source: Source, name: str) -> None:
    """A compiler's error would be about the word __global__, or a name that is not declared."""
    file = file_of(source)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text() if file else str(source), flags=re.DOTALL)
    function = name.partition("<")[0].rpartition("::")[2].strip()
    if re.search(rf"\b__global__\b[^;{{}}]*?\b{re.escape(function)}\s*\(", text):
        raise Error(
            f"dma.kernel: {function} is a __global__ function, and only a kernel body is emulated or proved here; prove it by "
            "dma.prove_ptx, or write a type with a Layout and operator()(dma::KernelCta<Body>&, ...) const, which runs on a "
            "GPU too"
        )


def _load(path: pathlib.Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(path), mode=_OWN_NAMES_FIRST)


def _array_of(value: Any) -> Array | None:
    """Of an array of NumPy's."""
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        return None
    return of_interface(interface)


def _refuse_map(parameter: Parameter, value: Any) -> TensorMap:
    raise ArgumentError(
        "dma.kernel: a kernel body that takes tensor maps is not emulated or proved from Python; do it in C++, with "
        "dma::host::tensor_map"
    )


def _compile(
    source: Source,
    name: str,
    entries: str,
    include_path: Sequence[str | os.PathLike[str]],
    define: Mapping[str, str | int],
    toolkit: Sequence[str] = (),
) -> pathlib.Path:
    """A library of a source and of `entries` behind it, from the cache where it is there. A kernel's, which has entries,
    sees every access where the compiler can do that."""
    file = file_of(source)
    body = file.read_text() if file else str(source)
    text = f'#line 1 "{file.name if file else name}"\n{body}{entries and NAME_OF_KERNEL}{entries}'
    folders = [str(folder) for folder in include_path] + [include(), str(ENTRY)]
    beside = file.resolve().parent if file else None
    key = hash_of(text, beside, folders)
    compiler = os.environ.get("CXX") or "g++"
    kind = _every_access.kind_of(compiler) if entries else ""
    options = ["-O1", *_COMMON]
    options += [option for folder in ([str(beside)] if beside else []) + folders for option in ("-I", folder)]
    options += [option for folder in toolkit for option in ("-isystem", folder)]
    options += [f"-D{macro}={value}" for macro, value in sorted(define.items())]
    library = entry((key, compiler, kind, kind and _key_of_emulator(), options), ".so")
    if not is_kept(library):
        what = f"{name} of {file.name}" if file else name
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "kernel.so")
            if kind and _every_access.has_static_library(compiler):
                unlinked = pathlib.Path(folder, "kernel.o")
                seen = [*options, *_every_access.kernel_options(kind)]
                _make([compiler, *seen, "-x", "c++", "-c", "-", "-o", str(unlinked)], text, what)
                linked = [str(unlinked), str(_emulator(compiler, define)), *_every_access.link_options(kind)]
                _make([compiler, *linked, "-o", str(made)], "", what)
            else:
                # Where the compiler links the C++ library into each library, no other takes this one's.
                last = ["-shared", "-Wl,--exclude-libs,ALL", "-x", "c++", "-", "-o", str(made)]
                _make([compiler, *options, *last], text, what)
            keep(library, made.read_bytes())
        _expect_kept(library)
    return library


def _key_of_emulator() -> str:
    return hash_of(of_emulator().read_text(), None, [include()])


def _emulator(compiler: str, define: Mapping[str, str | int]) -> pathlib.Path:
    """The emulator and the judges, compiled once for all kernels with the same macros of the library."""
    options = [*_COMMON, *_every_access.EMULATOR, "-I", include()]
    options += [f"-D{macro}={value}" for macro, value in sorted(define.items()) if macro.startswith("DMA_")]
    made = entry((_key_of_emulator(), compiler, options), ".o")
    if not is_kept(made):
        with tempfile.TemporaryDirectory() as folder:
            unlinked = pathlib.Path(folder, "every_access.o")
            text = of_emulator().read_text()
            _make([compiler, *options, "-x", "c++", "-c", "-", "-o", str(unlinked)], text, "the emulator, for all kernels")
            keep(made, unlinked.read_bytes())
        _expect_kept(made)
    return made


def _make(command: Sequence[str], text: str, what: str) -> None:
    try:
        failed, log = _run(command, text, what)
    except FileNotFoundError:
        raise Error(f"dma: there is no C++ compiler {command[0]}; install g++ 12, or name one in CXX") from None
    if failed:
        is_function = re.search("error: .*['‘]__global__['’]", log)
        raise CompileError(log, _FUNCTION_BESIDE if is_function else "")


def _expect_kept(made: pathlib.Path) -> None:
    if not made.exists():
        raise Error(f"dma: the cache {made.parent} cannot be written; name another in DMA_CACHE_DIR")


@contextlib.contextmanager
def _said_while_it_runs(what: str) -> Iterator[None]:
    """Says on stderr how long it has run, again and again, once that is a while. Calls of ctypes let other threads run."""
    ended = threading.Event()
    start = time.monotonic()

    def say() -> None:
        while not ended.wait(_LONG_WHILE):
            seconds = time.monotonic() - start
            print(f"dma: {what}, {seconds:.0f} s until now; DMA_QUIET=1 leaves this line out", file=sys.stderr)

    if os.environ.get("DMA_QUIET"):
        yield
        return
    speaker = threading.Thread(target=say, daemon=True)
    speaker.start()
    try:
        yield
    finally:
        ended.set()
        speaker.join()


def _run(command: Sequence[str], text: str, what: str) -> tuple[int, str]:
    """A compiler's exit status, and what it says. Names a compilation on stderr once it takes a while."""
    pipe = subprocess.PIPE
    with tempfile.TemporaryFile("w+") as source:  # an input by a pipe would end with the first wait
        source.write(text)
        source.seek(0)
        with subprocess.Popen(command, stdin=source, stdout=pipe, stderr=pipe, text=True) as process:
            try:
                _, log = process.communicate(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                if not os.environ.get("DMA_QUIET"):
                    print(f"dma: {command[0]} compiles {what}, once; DMA_QUIET=1 leaves this line out", file=sys.stderr)
                _, log = process.communicate()
        return process.returncode, log
