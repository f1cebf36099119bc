"""What a compiled kernel says of itself, read from its code: no GPU is needed."""

import dataclasses
import enum
import struct
from collections.abc import Iterator, Sequence

from ._errors import Error

SYMBOL = "dma_description"


class Kind(enum.IntEnum):
    """What a parameter is, and what a pointer points to. The numbers are those of description.hpp."""

    STRUCTURE = 0
    SIGNED_INTEGER = 1
    UNSIGNED_INTEGER = 2
    FLOATING = 3
    BFLOAT = 4
    BOOLEAN = 5
    POINTER = 6
    CONST_POINTER = 7
    TENSOR_MAP = 8


_STEMS = {
    Kind.SIGNED_INTEGER: "int",
    Kind.UNSIGNED_INTEGER: "uint",
    Kind.FLOATING: "float",
    Kind.BFLOAT: "bfloat",
    Kind.BOOLEAN: "bool",
}


def name_of(kind: int, size: int) -> str:
    """For messages: float32, or "8 bytes" for a type that has no such name."""
    stem = _STEMS.get(Kind(kind))
    return f"{size} bytes" if stem is None else "bool" if kind == Kind.BOOLEAN else f"{stem}{8 * size}"


@dataclasses.dataclass(frozen=True)
class Box:
    """What a tensor map takes out of an array.

    Attributes:
        kind: Of an element.
        size: Of an element, in bytes.
        swizzle: 0: none, 1, 2, 3: of 32, 64, 128 bytes.
        extents: Elements along each axis, the innermost first.
    """

    kind: Kind
    size: int
    swizzle: int
    extents: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel, after the CTA where the kernel is a kernel body.

    Attributes:
        kind: What it is.
        size: In bytes.
        element_kind: What a pointer points to.
        element_size: Of what a pointer points to, in bytes; 0 where it is not known.
        boxes: Of a tensor map: one for each part of its pattern.
    """

    kind: Kind
    size: int
    element_kind: Kind = Kind.STRUCTURE
    element_size: int = 0
    boxes: tuple[Box, ...] = ()


@dataclasses.dataclass(frozen=True)
class Description:
    """How a kernel is launched.

    Attributes:
        threads: Of a CTA; 0 for a `__global__` function without launch bounds.
        shared_bytes: Of dynamic shared memory; the driver knows those of `__shared__` variables.
        cooperative: Whether all CTAs run at once.
        programmatic_launch: Whether the grid starts before the one ahead of it ends.
        cluster: CTAs of a cluster.
        parameters: What it takes.
    """

    threads: int
    shared_bytes: int
    cooperative: bool
    programmatic_launch: bool
    cluster: int
    parameters: tuple[Parameter, ...]


def description_of(code: bytes, bound: int) -> Description:
    """Of the kernel of a cubin that was compiled with the package's entry, and the threads of its launch bounds."""
    content = _Elf(code).object(SYMBOL)
    [count] = struct.unpack_from("<i", content)
    description = description_of_words(struct.unpack_from(f"<{count}i", content, 4))
    return dataclasses.replace(description, threads=description.threads or bound)


def description_of_words(numbers: Sequence[int]) -> Description:
    """Of what description.hpp writes."""
    words = iter(numbers)
    threads, shared_bytes, cooperative, programmatic_launch, cluster, parameters = (next(words) for _ in range(6))
    return Description(
        threads,
        shared_bytes,
        bool(cooperative),
        bool(programmatic_launch),
        cluster,
        tuple(_parameter(words) for _ in range(parameters)),
    )


def explain(description: Description) -> str:
    """A launch as a table, one fact a line."""
    threads = f"{description.threads} threads" if description.threads else "no __launch_bounds__: name threads="
    grids = [f"of a multiple of {description.cluster} CTAs along x, in clusters"] if description.cluster > 1 else []
    grids += ["whose CTAs all run at once"] if description.cooperative else []
    grids += ["that starts before the one ahead of it ends"] if description.programmatic_launch else []
    lines = [
        f"a CTA      {threads}, {description.shared_bytes} bytes of dynamic shared memory",
        f"a grid     {', '.join(grids) or 'of any CTAs'}",
    ]
    lines += [f"argument {index} {_explain(each)}" for index, each in enumerate(description.parameters)]
    return "\n".join(f"  {line}" for line in lines)


def _explain(parameter: Parameter) -> str:
    if parameter.kind in (Kind.POINTER, Kind.CONST_POINTER):
        use = "which it may write" if parameter.kind == Kind.POINTER else "which it reads"
        return f"an array of {_elements(parameter.element_kind, parameter.element_size)}, {use}"
    if parameter.kind == Kind.TENSOR_MAP:
        boxes = [
            f"{' x '.join(map(str, reversed(box.extents)))} {name_of(box.kind, box.size)}" for box in parameter.boxes
        ]
        return f"an array, by a tensor map with boxes of {', '.join(boxes)}"
    if parameter.kind == Kind.STRUCTURE:
        return f"a structure of {parameter.size} bytes"
    return name_of(parameter.kind, parameter.size)


def _elements(kind: Kind, size: int) -> str:
    return name_of(kind, size) if kind != Kind.STRUCTURE else f"elements of {size} bytes" if size else "any elements"


def _parameter(words: Iterator[int]) -> Parameter:
    kind, size = Kind(next(words)), next(words)
    if kind in (Kind.POINTER, Kind.CONST_POINTER):
        return Parameter(kind, size, Kind(next(words)), next(words))
    if kind == Kind.TENSOR_MAP:
        return Parameter(kind, size, boxes=tuple(_box(words) for _ in range(next(words))))
    return Parameter(kind, size)


def _box(words: Iterator[int]) -> Box:
    kind, size, swizzle, rank = Kind(next(words)), next(words), next(words), next(words)
    return Box(kind, size, swizzle, tuple(next(words) for _ in range(rank)))


class _Elf:
    """The sections and symbols of a cubin, a 64-bit little-endian ELF file."""

    def __init__(self, code: bytes) -> None:
        if code[:6] != b"\x7fELF\x02\x01":
            raise Error("dma.compile: the compiler's output is no cubin; give a real architecture, for example sm_90a")
        self._code = code
        [start] = struct.unpack_from("<Q", code, 0x28)
        size, count, names = struct.unpack_from("<3H", code, 0x3A)
        headers = [struct.unpack_from("<IIQQQQIIQQ", code, start + size * i) for i in range(count)]
        self._sections = [code[header[4] : header[4] + header[5]] if header[1] != 8 else b"" for header in headers]
        self._names = [_text(self._sections[names], header[0]) for header in headers]

    def object(self, symbol: str) -> bytes:
        """The initial value of a variable."""
        strings = self._sections[self._names.index(".strtab")]
        for name, _, _, section, value, size in struct.iter_unpack(
            "<IBBHQQ", self._sections[self._names.index(".symtab")]
        ):
            if _text(strings, name) == symbol:
                return bytes(self._sections[section][value : value + size])
        raise Error(f"dma.compile: the compiled code has no {symbol}; compile it with this package")


def _text(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode()
