"""Where headers are, and which of them a source reads."""

import functools
import hashlib
import os
import pathlib
import re
import sysconfig
from collections.abc import Iterable

from ._errors import Error

PACKAGE = pathlib.Path(__file__).resolve().parent
ENTRY = PACKAGE / "cuda"
#: Before what is added to a source, so that errors there are not said to be in its lines.
NAME_OF_KERNEL = '\n#line 1 "the name of the kernel"\n'
STANDARD = ENTRY / "standard"  #: for kernel bodies that a host compiles too


@functools.cache
def include() -> str:
    """The folder to pass to a compiler with `-I`, for `#include <dma/dma.hpp>`."""
    installed = PACKAGE / "include"
    folder = installed if installed.exists() else PACKAGE.parents[1] / "include"
    if not (folder / "dma/dma.hpp").exists():
        raise Error(f"dma.include: the headers are not in {folder}; install the package again")
    return str(folder)


@functools.cache
def of_emulator() -> pathlib.Path:
    """The source of the emulator that sees every access."""
    installed = PACKAGE / "src/every_access.cpp"
    return installed if installed.exists() else PACKAGE.parents[1] / "src/every_access.cpp"


@functools.cache
def version() -> str:
    """The library's version, which config.hpp has."""
    text = pathlib.Path(include(), "dma/config.hpp").read_text()
    numbers = dict(re.findall(r"DMA_VERSION_(MAJOR|MINOR|PATCH) (\d+)", text))
    return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))


@functools.cache
def of_toolkit() -> tuple[str, ...]:
    """Folders with libcu++ and the toolkit's own headers: of CUDA_HOME or CUDA_PATH, else of wheels, else of
    /usr/local/cuda, else those that CuPy brings along."""
    folders = [pathlib.Path(os.environ[name], "include") for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    nvidia = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia")
    folders += sorted(nvidia.glob("cu*/include"), reverse=True)
    folders.append(pathlib.Path("/usr/local/cuda/include"))
    folders.append(nvidia.parent / "cupy/_core/include/cupy/_cccl/libcudacxx")
    for folder in folders:
        for libcudacxx in (folder / "cccl", folder):
            if (libcudacxx / "cuda/std/concepts").exists():
                return tuple(dict.fromkeys((str(libcudacxx), str(folder))))
    searched = ", ".join(map(str, folders))
    raise Error(
        f"dma.compile: libcu++ (cuda/std/concepts) is in none of {searched}; set CUDA_HOME to a CUDA toolkit, or install "
        "nvidia-cuda-cccl"
    )


Source = str | os.PathLike[str]


def file_of(source: Source) -> pathlib.Path | None:
    """The file that a source names; None of a text. A kernel's text has more than one line, or a brace, a semicolon or a
    directive; a string without them is a path."""
    if isinstance(source, str) and not os.path.isfile(source) and any(mark in source for mark in "\n{;#"):
        return None
    path = pathlib.Path(source)
    if not path.is_file():
        raise Error(f"dma: there is no file {path}; give a file's path, or the source as text")
    return path


def hash_of(source: str, beside: pathlib.Path | None, folders: Iterable[str]) -> str:
    """A hash of a source and of all that it includes, the toolkit's and the system's headers excepted. Includes are
    read as text, so that a header counts too whose include is switched off."""
    roots = list(folders)
    digest = hashlib.sha256(source.encode())
    found: dict[tuple[str, str], str | None] = {}  #: by the folder of the including file, "" for <...>, and name
    seen: set[str] = set()
    waiting = [(source, str(beside) if beside else "")]
    while waiting:
        text, folder = waiting.pop()
        for quote, name in _INCLUDE.findall(text):
            key = (folder if quote == '"' else "", name)
            if key not in found:
                places = [*filter(None, key[:1]), *roots]
                found[key] = next((path for root in places if os.path.isfile(path := f"{root}/{name}")), None)
            path = found[key] or ""
            if path and path not in seen:
                seen.add(path)
                content = pathlib.Path(path).read_text(errors="replace")
                digest.update(content.encode())
                waiting.append((content, os.path.dirname(path)))
    return digest.hexdigest()


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
