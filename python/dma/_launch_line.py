"""From the arguments of a call to the line that dma-prove reads, and the files beside it."""

import dataclasses
import math
import operator
import pathlib
import re
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ._arguments import Grid
from ._arrays import of_interface
from ._errors import ArgumentError, LaunchError
from ._ptx import Entry, PtxParameter

Args = Sequence[Any] | Mapping[str, Any]

#: PTX's, by NumPy's and PyTorch's names; any other array is one of bytes.
_TYPES = {f"{name}{bits}": f"{letter}{bits}" for name, letter in (("int", "s"), ("uint", "u")) for bits in (8, 16, 32, 64)}
_TYPES |= {f"float{bits}": f"f{bits}" for bits in (16, 32, 64)} | {"bfloat16": "bf16"}


@dataclasses.dataclass(frozen=True)
class PtxMap:
    """A tensor map of an array, for `prove_ptx`: what a host makes by cuTensorMapEncodeTiled.

    Attributes:
        array: It, whose elements follow one another.
        box: Extents of the tile, in the order of the array's.
        swizzle: Bytes of the tile's swizzle: 0, 32, 64 or 128.
        extents: Where they are not the array's; in the same order.
        strides: Of all axes but the last, in bytes, where rows do not follow one another.
    """

    array: Any
    box: Sequence[int]
    swizzle: int = 0
    extents: Sequence[int] | None = None
    strides: Sequence[int] | None = None


class LaunchLine:
    """A launch of an entry, whose arrays are files of a folder.

    Attributes:
        text: The line.
        written: The arrays that the kernel may write, by the names that the line gives them.
    """

    def __init__(self, entry: Entry, grid: str, block: str, args: Args, folder: pathlib.Path) -> None:
        self.written: dict[str, Any] = {}
        self._entry = entry
        self._folder = folder
        self._known: dict[tuple[int, int], str] = {}
        values = list(args.values()) if isinstance(args, Mapping) else list(args)
        names = list(args) if isinstance(args, Mapping) else [""] * len(values)
        if len(values) != len(entry.parameters):
            types = ", ".join(map(str, entry.parameters)) or "none"
            raise ArgumentError(
                f"dma.prove_ptx: {entry.name} takes {len(entry.parameters)} arguments and got {len(values)}; pass what its "
                f"parameters are: {types}"
            )
        self._maps = {index: value for index, value in enumerate(values) if isinstance(value, PtxMap)}
        values = [value.array if isinstance(value, PtxMap) else value for value in values]
        self._types = [_TYPES.get(str(getattr(value, "dtype", "")).removeprefix("torch."), "b8") for value in values]
        values = [_array_of(value, entry.name, index) for index, value in enumerate(values)]
        self._expect_apart(values)
        texts = [self._text_of(*each) for each in zip(range(len(values)), values, names, entry.parameters, strict=True)]
        self.text = f"{entry.name}<<<{grid}, {block}>>>({', '.join(texts)})"

    def _text_of(self, index: int, value: Any, name: str, parameter: PtxParameter) -> str:
        if index in self._maps:
            return self._map_text(index, value, name, parameter)
        if _is_array(value):
            if parameter.count or parameter.size != 8:
                raise _no_fit(self._entry.name, index, f"is an array and the parameter {parameter}, no address; pass a number")
            return self._array_text(index, value, name)
        if parameter.count:
            return self._structure_text(index, value, parameter)
        return _number_text(self._entry.name, index, value, parameter)

    def _map_text(self, index: int, value: Any, name: str, parameter: PtxParameter) -> str:
        map_ = self._maps[index]
        if not _is_array(value) or parameter.size * max(parameter.count, 1) not in (8, 128):
            raise _no_fit(
                self._entry.name, index, f"is a map and the parameter {parameter}; pass one of an array, for an address or b8[128]"
            )
        parts = [self._array_text(index, value, name)]
        parts.append(f"extents {_axes_text(map_.extents or value.shape)}")
        parts += [f"strides {_axes_text(map_.strides)}"] if map_.strides else []
        parts.append(f"box {_axes_text(map_.box)}")
        parts += [f"swizzle {map_.swizzle}"] if map_.swizzle else []
        return f"map{{{', '.join(parts)}}}"

    def _array_text(self, index: int, value: Any, name: str) -> str:
        import numpy

        bytes_ = value.reshape(-1).view(numpy.uint8)
        place = (value.ctypes.data, value.nbytes)
        out = "out " if value.flags.writeable else ""
        is_there = place in self._known
        plain = self._known.setdefault(place, name if re.fullmatch(r"[A-Za-z_]\w*", name) else f"argument_{index}")
        if out:
            self.written[plain] = bytes_
        if is_there:
            return out + plain
        numpy.save(self._folder / f"{index}.npy", bytes_)
        type_ = self._types[index]
        count = value.nbytes if type_ == "b8" else value.size
        return f'{plain}: {out}{type_}[{count}] = "{index}.npy"'

    def _structure_text(self, index: int, value: Any, parameter: PtxParameter) -> str:
        size = parameter.size * parameter.count
        try:
            content = bytes(memoryview(value))
        except TypeError:
            raise _no_fit(
                self._entry.name, index, f"is {value!r} and the parameter a structure of {size} bytes; pass its bytes"
            ) from None
        if len(content) != size:
            raise _no_fit(self._entry.name, index, f"has {len(content)} bytes and the parameter {size}; pass as many")
        return "{" + ", ".join(f"u8 {byte}" for byte in content) + "}"

    def _expect_apart(self, values: list[Any]) -> None:
        """The program has each array in memory of its own."""
        places = {index: (value.ctypes.data, value.nbytes) for index, value in enumerate(values) if _is_array(value)}
        for index, (first, size) in places.items():
            for other, (begin, count) in places.items():
                if other < index and (first, size) != (begin, count) and first < begin + count and begin < first + size:
                    raise _no_fit(
                        self._entry.name,
                        index,
                        f"overlaps argument {other}; pass the same array for both, or a copy",
                    )


def _axes_text(axes: Sequence[int]) -> str:
    """The contiguous axis first."""
    return f"({', '.join(map(str, reversed(axes)))})"


def grid_text(extents: Sequence[int]) -> str:
    return f"({', '.join(map(str, extents))})"


def block_of(block: Grid | None, entry: Entry) -> tuple[int, int, int]:
    """The threads of a CTA: those that are given, else those that the entry requires."""
    if block is None and entry.threads is None:
        raise LaunchError(f"dma.prove_ptx: {entry.name} does not say how many threads it has, and __launch_bounds__ is only the most; give them in block=")
    given: Any = entry.threads if block is None else block
    given = list(given) if isinstance(given, Sequence) else [given]
    try:
        extents = [operator.index(extent) for extent in given] + [1] * (3 - len(given))
    except TypeError:  # a string, a float
        extents = []
    threads = math.prod(extents)
    if len(extents) != 3 or min(extents) < 1 or threads > 1024 or threads % 32:
        raise LaunchError(
            f"dma.prove_ptx: the block is {block!r}; give one to three integers, in all a multiple of 32 threads up to "
            "1024"
        )
    x, y, z = extents
    if entry.threads not in (None, (x, y, z)):
        raise LaunchError(
            f"dma.prove_ptx: the block is {(x, y, z)} and {entry.name} requires {entry.threads} threads; leave block= out"
        )
    return x, y, z


def _is_array(value: Any) -> bool:
    return hasattr(value, "ctypes") and hasattr(value, "nbytes")


def _array_of(value: Any, name: str, index: int) -> Any:
    """An argument, an array of another library as NumPy has it."""
    if hasattr(value, "__cuda_array_interface__"):
        raise _no_fit(name, index, "is in the memory of a GPU; pass a copy on the host")
    if not hasattr(value, "__array__") or not hasattr(value, "shape"):
        return value
    import numpy

    if isinstance(value, numpy.generic):
        return value
    if str(value.dtype) == "torch.bfloat16":  # which NumPy has not
        value = value.view(sys.modules["torch"].int16)
    array = numpy.asarray(value)
    of = of_interface(array.__array_interface__)
    if not of.is_contiguous:
        shape, strides = (" x ".join(map(str, axes)) for axes in (of.shape, of.strides))
        raise _no_fit(
            name, index, f"is not contiguous: {shape} elements have strides of {strides} bytes; pass a contiguous copy"
        )
    return array


def _number_text(name: str, index: int, value: Any, parameter: PtxParameter) -> str:
    """A number as its parameter has it. Compilers give bits alone (`b32`) to numbers of both kinds."""
    if value is None and parameter.size == 8:
        return "0"
    bits = 8 * parameter.size
    if getattr(getattr(value, "dtype", None), "itemsize", 0) == 2 and parameter.size == 2:
        return str(int.from_bytes(value.tobytes(), "little"))  # a half, whose parameter is b16
    try:
        number = operator.index(value)
    except TypeError:
        pass
    else:
        if parameter.letter == "f":
            return _real_text(number)
        if -(1 << (bits - 1)) <= number < 1 << bits:
            return str(number)
        raise _no_fit(name, index, f"is {value!r}, which no {parameter} is; pass a number of {bits} bits")
    if parameter.letter in "us" or parameter.size < 4:
        fits = "a numpy.float16 or an integer" if parameter.size == 2 else "an integer"
        raise _no_fit(name, index, f"is {value!r} and the parameter {parameter}; pass {fits}")
    try:
        return _real_text(value)
    except struct.error:
        raise _no_fit(name, index, f"is {value!r}, no number; pass one for the parameter {parameter}") from None


def _real_text(value: Any) -> str:
    return f"0d{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _no_fit(name: str, index: int, what: str) -> ArgumentError:
    return ArgumentError(f"dma.prove_ptx: argument {index} of {name} {what}")
