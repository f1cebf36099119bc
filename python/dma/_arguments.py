"""From the arguments of a call to the bytes that a launch passes."""

import ctypes
import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

from ._arrays import Array
from ._description import Kind, Parameter, name_of
from ._errors import ArgumentError, LaunchError
from ._tensor_map import TensorMap

Grid = int | Sequence[int]


def extents_of(grid: Grid) -> tuple[int, int, int]:
    """Of the three axes."""
    given = list(grid) if isinstance(grid, Sequence) else [grid]
    try:
        extents = [operator.index(extent) for extent in given] + [1] * (3 - len(given))
    except TypeError:  # a string, a float, None
        extents = []
    x, y, z = extents if given and len(extents) == 3 else (0, 0, 0)
    if not (1 <= x < 1 << 31 and 1 <= y <= 65535 and 1 <= z <= 65535):
        what = repr(grid) if isinstance(grid, (int, float, str, tuple, list, type(None))) else f"of type {type(grid).__name__}"
        raise LaunchError(
            f"dma.kernel: the grid is {what}; give one to three integers, 1 to 2^31 - 1 by 1 to 65535 by 1 to 65535 "
            "CTAs, before the arguments"
        )
    return x, y, z


class Arguments:
    """The arguments of a kernel in one buffer, and the address of each in it."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[Parameter],
        read: "_Reader",
        map_of: "_MapOf",
        on_cpu: bool = False,
    ) -> None:
        self._name = name
        self._parameters = parameters
        self._converters = [
            (index, convert)
            for index, parameter in enumerate(parameters)
            if (convert := _converter_of(parameter, name, read, map_of, on_cpu)) is not None
        ]
        self._pack = struct.Struct("<" + "".join(_slot_of(parameter) for parameter in parameters))
        self._buffer = ctypes.create_string_buffer(max(self._pack.size, 1))
        address = ctypes.addressof(self._buffer)
        addresses = []
        for parameter in parameters:
            addresses.append(address)
            address += struct.calcsize("<" + _slot_of(parameter))
        self._addresses = (ctypes.c_void_p * max(len(addresses), 1))(*addresses)
        self.address_of_addresses = ctypes.addressof(self._addresses)

    def fill(self, args: tuple[Any, ...]) -> None:
        """Raises ArgumentError where an argument is not what its parameter takes."""
        if len(args) != len(self._parameters):
            raise ArgumentError(
                f"dma.kernel: {self._name} takes {len(self._parameters)} arguments and got {len(args)}; pass what its "
                "parameters are, the CTA left out"
            )
        values = list(args)
        for index, convert in self._converters:
            values[index] = convert(values[index], index)
        try:
            self._pack.pack_into(self._buffer, 0, *values)
        except (struct.error, TypeError, OverflowError):
            raise self._misfit(args) from None

    def _misfit(self, args: tuple[Any, ...]) -> ArgumentError:
        """What is wrong with a number."""
        for index, (arg, parameter) in enumerate(zip(args, self._parameters, strict=True)):
            if parameter.kind in _FORMATS:
                try:
                    struct.pack("<" + _FORMATS[parameter.kind][parameter.size], arg)
                except (struct.error, TypeError, OverflowError):
                    type_ = name_of(parameter.kind, parameter.size)
                    return _refusal(self._name, index, f"is {arg!r} and the parameter {type_}; pass such a number")
        return ArgumentError(f"dma.kernel: an argument of {self._name} does not fit its parameter; pass numbers of its type")


_FORMATS = {
    Kind.SIGNED_INTEGER: {1: "b", 2: "h", 4: "i", 8: "q"},
    Kind.UNSIGNED_INTEGER: {1: "B", 2: "H", 4: "I", 8: "Q"},
    Kind.FLOATING: {2: "e", 4: "f", 8: "d"},
    Kind.BOOLEAN: {1: "?"},
}


def _slot_of(parameter: Parameter) -> str:
    """The parameter's bytes in the buffer, as struct writes them, filled up to a multiple of 8."""
    size = max(parameter.size, 1)
    if parameter.kind in (Kind.POINTER, Kind.CONST_POINTER):
        text = "Q"
    else:
        text = _FORMATS.get(parameter.kind, {}).get(size, f"{size}s")
    return text + "x" * (-size % 8)


_Converter = Callable[[Any, int], Any]
_Reader = Callable[[Any], Array | None]
_MapOf = Callable[[Parameter, Any], TensorMap]


def _converter_of(
    parameter: Parameter, name: str, read: _Reader, map_of: _MapOf, on_cpu: bool = False
) -> _Converter | None:
    """From an argument and its place to what struct packs; None where struct packs it itself."""
    if parameter.kind in (Kind.POINTER, Kind.CONST_POINTER):
        return _address_converter(parameter, name, read, on_cpu)
    if parameter.kind in _FORMATS:
        return None

    def bytes_of(value: Any, index: int) -> bytes:
        if parameter.kind == Kind.TENSOR_MAP and not isinstance(value, TensorMap):
            value = map_of(parameter, value)
        try:
            content = bytes(value) if isinstance(value, TensorMap) else bytes(memoryview(value))
        except TypeError:
            raise _refusal(name, index, f"is a {type(value).__name__}; pass the parameter's bytes") from None
        if len(content) != parameter.size:
            raise _refusal(name, index, f"has {len(content)} bytes and the parameter {parameter.size}; pass as many")
        return content

    return bytes_of


def _address_converter(parameter: Parameter, name: str, read: _Reader, on_cpu: bool) -> _Converter:
    """Of arrays, addresses and None. All that is known before the call is read once: a launch takes microseconds."""
    has_element = parameter.element_kind in _ELEMENTS
    kind, size = int(parameter.element_kind), parameter.element_size
    is_written = parameter.kind == Kind.POINTER

    def address_of(value: Any, index: int) -> int:
        if value is None or isinstance(value, int):
            return value or 0
        array = read(value)
        if array is None:
            taken = "a NumPy array" if on_cpu else "an array on the GPU"
            raise _refusal(name, index, f"is a {type(value).__name__}; pass {taken}, an address or None")
        if has_element and (array.kind != kind or array.size != size):
            raise _refusal(
                name,
                index,
                f"is an array of {_element_of(array)} and the parameter points to {name_of(kind, size)}; convert the "
                "array",
            )
        if is_written and not array.is_writable:
            raise _refusal(name, index, "is a read-only array, and the kernel may write through it; copy it")
        if not array.is_contiguous:
            shape, strides = (" x ".join(map(str, axes)) for axes in (array.shape, array.strides))
            raise _refusal(
                name,
                index,
                f"is not contiguous: {shape} elements have strides of {strides} bytes; pass a contiguous copy, or the "
                "array's address to a kernel that knows its strides",
            )
        return array.address

    return address_of


_ELEMENTS = {*_FORMATS, Kind.BFLOAT}


def _element_of(array: Array) -> str:
    return name_of(array.kind, array.size) if array.kind >= 0 else f"{array.size} bytes"


def _refusal(name: str, index: int, what: str) -> ArgumentError:
    return ArgumentError(f"dma.kernel: argument {index} of {name} {what}")
