"""How a host compiler makes programs whose emulator sees each load and store of a kernel, as cmake/DmaEveryAccess.cmake
does for C++."""

import functools
import subprocess
import sys

from ._errors import Error

#: Compilers, by their macros, and the first version that calls what every_access.cpp defines.
_FIRST = {"gnu": 12, "clang": 15}
_ASK = "#if defined(__clang__)\nclang __clang_major__\n#else\ngnu __GNUC__\n#endif\n"
_KERNEL = ["-DDMA_EVERY_ACCESS", "-fsanitize=thread", "-g1", "-U_FORTIFY_SOURCE"]
_BLOCKS = ("memcpy", "memmove", "memset")
#: Its names stay inside, and so do those of the C++ library, whose functions have to allocate by every_access.cpp's heap.
_LIBRARY = ["-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL"]

EMULATOR = ["-O2", "-DDMA_EVERY_ACCESS"]  #: options of every_access.cpp


@functools.cache
def kind_of(compiler: str) -> str:
    """Of a compiler that can do it, `"gnu"` or `"clang"`; empty of any other."""
    try:
        asked = subprocess.run([compiler, "-E", "-P", "-x", "c++", "-"], input=_ASK, capture_output=True, text=True)
    except FileNotFoundError:
        raise Error(f"dma: there is no C++ compiler {compiler}; install g++ 12, or name one in CXX") from None
    kind, _, version = asked.stdout.strip().partition(" ")
    can = sys.platform == "linux" and version.isdecimal() and int(version) >= _FIRST.get(kind, sys.maxsize)
    return kind if can else ""


@functools.cache
def has_static_library(compiler: str) -> bool:
    """Whether it links the C++ library's archive, which some systems have in a package of its own."""
    command = [compiler, "-x", "c++", "-", "-shared", "-fPIC", *_LIBRARY, "-o", "/dev/null"]
    return subprocess.run(command, input="int answer;", capture_output=True, text=True).returncode == 0


def kernel_options(kind: str) -> list[str]:
    """Of a kernel's source. g++ expands some functions after its instrumentation, unless told not to."""
    return [*_KERNEL, *(f"-fno-builtin-{name}" for name in _BLOCKS if kind == "gnu")]


def link_options(kind: str) -> list[str]:
    """Of a library of a kernel and of every_access.cpp."""
    names = ["__cxa_allocate_exception", "__cxa_throw", *(_BLOCKS if kind == "gnu" else ())]
    return ["-shared", *_LIBRARY, *(f"-Wl,--wrap={name}" for name in names)]
