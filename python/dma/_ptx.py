"""What a text of PTX says of its entries."""

import dataclasses
import re
from collections.abc import Sequence

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


def entry_named(entries: Sequence[Entry], name: str | None) -> Entry:
    """The entry of a name as the PTX or the source has it; without a name the only one."""
    found = [entry for entry in entries if name in (None, entry.name)]
    # A C++ compiler writes a name behind its length: _Z5scalePf.
    found = found or [entry for entry in entries if f"{len(name or '')}{name}" in entry.name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(entry.name for entry in entries)
    if name is None:
        raise ArgumentError(f"dma.prove_ptx: the PTX has {len(entries)} entries; name one in entry=: {names}")
    raise ArgumentError(f"dma.prove_ptx: {len(found)} entries are named {name}; name one of the PTX in entry=: {names}")
