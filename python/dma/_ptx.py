"""What a text of PTX says of its entries."""

import dataclasses
import re
from collections.abc import Callable, Sequence

from ._errors import ArgumentError

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*(?:\(([^)]*)\))?([^;{]*)\{")
_TYPE = re.compile(r"\.([busf])(8|16|32|64|128)\b")
_REQUIRED = re.compile(r"\.reqntid\s+(\d+)\s*(?:,\s*(\d+)\s*)?(?:,\s*(\d+))?")


@dataclasses.dataclass(frozen=True)
class PtxParameter:
    """A parameter of an entry."""

    letter: str  #: of its type: b, u, s or f
    size: int  #: of an element, in bytes
    count: int  #: of a structure's bytes; 0: a number or an address

    def __str__(self) -> str:
        return f"{self.letter}{8 * self.size}" + (f"[{self.count}]" if self.count else "")


@dataclasses.dataclass(frozen=True)
class Entry:
    """A kernel of a module."""

    name: str
    parameters: tuple[PtxParameter, ...]
    threads: tuple[int, int, int] | None  #: that it requires


def entries_of(text: str) -> list[Entry]:
    """Those of a module, in their order."""
    return [
        Entry(name, tuple(_parameters_of(parameters or "")), _threads_of(directives))
        for name, parameters, directives in _ENTRY.findall(_COMMENT.sub(" ", text))
    ]


def _parameters_of(text: str) -> list[PtxParameter]:
    found = []
    for declaration in text.split(","):
        type_ = _TYPE.search(declaration)
        if type_:
            extent = re.search(r"\[\s*(\d+)\s*\]", declaration)
            found.append(PtxParameter(type_[1], int(type_[2]) // 8, int(extent[1]) if extent else 0))
    return found


def _threads_of(directives: str) -> tuple[int, int, int] | None:
    required = _REQUIRED.search(directives)
    if required is None:
        return None
    x, y, z = (int(extent or 1) for extent in required.groups())
    return x, y, z


def entry_named(entries: Sequence[Entry], name: str | None, listed: Callable[[], str]) -> Entry:
    """The entry of a name as the PTX or the source has it, there with or without arguments of a template; without a name
    the only one. `listed` gives what dma-prove lists of the module."""
    found = [entry for entry in entries if name in (None, entry.name)]
    names = ", ".join(entry.name for entry in entries)
    if name is not None and not found:
        in_source = dict(re.findall(r"^([\w$]+)\(.*\)\n  in the source (.*)$", listed(), re.MULTILINE))
        wanted = _before_parameters(name)
        for entry in entries:
            whole = _before_parameters(in_source.get(entry.name, entry.name))
            if any(f"::{plain}".replace(" ", "::").endswith(f"::{wanted}") for plain in (whole, whole.partition("<")[0])):
                found.append(entry)
        names = ", ".join(in_source.get(entry.name, entry.name) for entry in entries)
    if len(found) == 1:
        return found[0]
    if name is None:
        raise ArgumentError(f"dma.prove_ptx: the PTX has {len(entries)} entries; name one in entry=: {names}")
    raise ArgumentError(f"dma.prove_ptx: {len(found)} entries are named {name}; name one of the PTX in entry=: {names}")


def _before_parameters(name: str) -> str:
    """A name of C++ without its parameters, and without blanks between arguments of a template."""
    plain, depth = "", 0
    for part in re.findall(r"\(anonymous namespace\)|.", name):
        if part == "(" and depth == 0:
            break
        depth += (part == "<") - (part == ">")
        plain += "" if part == " " and depth > 0 else part
    return plain
