"""Tensor maps: how the GPU's tensor memory accelerator sees an array, for dma.TensorCopy."""

import functools
from collections.abc import Sequence
from typing import Any

from ._arrays import Array, array_of
from ._description import Box, Kind, Parameter, name_of
from ._driver import check, driver
from ._errors import ArgumentError

_BYTES = 128  #: of a descriptor
_L2 = {0: "NONE", 64: "L2_64B", 128: "L2_128B", 256: "L2_256B"}
_SWIZZLES = (0, 32, 64, 128)  #: bytes, in the order of dma::Swizzle
_SWIZZLE_NAMES = ("NONE", "32B", "64B", "128B")


class TensorMap:
    """An argument for a kernel's parameter of a `dma::TensorMap` type. Names an array's memory, which it does not keep."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __repr__(self) -> str:
        return f"<dma.TensorMap of {len(self.content)} bytes>"

    def __bytes__(self) -> bytes:
        return self.content


def tensor_map(
    array: Any, box: Sequence[int], *, swizzle: int = 0, l2_bytes: int = 128, outside: str = "zero"
) -> TensorMap:
    """A tensor map of an array, for kernels that take it within a structure: `bytes(map)`. A parameter that is a
    `dma::TensorMap` takes the array itself.

    Args:
        array: As many axes as the box, whose last is contiguous, at a multiple of 16 bytes.
        box: Extents of the tile, in the order of the array's: `(Rows, Cols)` of `dma::Tile2D<T, Cols, Rows>`.
        swizzle: Bytes of the tile's swizzle: 0, 32, 64 or 128.
        l2_bytes: That the L2 fetches at a time: 0, 64, 128 or 256.
        outside: What a tile has outside the array: `"zero"` or `"nan"`.

    Raises:
        ArgumentError: No tensor map can describe the array.
    """
    if swizzle not in _SWIZZLES:
        raise ArgumentError(f"dma.tensor_map: the swizzle is {swizzle} bytes; give 0, 32, 64 or 128")
    read = _expect_array(array_of(array, has_shape=True))
    of_array = Box(Kind(max(read.kind, 0)), read.size, _SWIZZLES.index(swizzle), tuple(reversed(box)))
    return _map_of([read], [of_array], l2_bytes, outside)


def tensor_map_of(parameter: Parameter, value: Any, l2_bytes: int = 128, outside: str = "zero") -> TensorMap:
    """For a parameter: of one array, or of one for each part of its pattern."""
    if not parameter.boxes:
        raise ArgumentError("dma.tensor_map: a tensor map cannot describe this parameter's pattern; use dma.BulkCopy")
    values = value if isinstance(value, (list, tuple)) else [value] * len(parameter.boxes)
    if len(values) != len(parameter.boxes):
        raise ArgumentError(
            f"dma.tensor_map: there are {len(values)} arrays and {len(parameter.boxes)} parts in the pattern; pass one "
            "array for each part"
        )
    made = _map_of([_expect_array(array_of(one, has_shape=True)) for one in values], parameter.boxes, l2_bytes, outside)
    # A checked build has room for what it knows of the array. Left empty it knows nothing.
    return TensorMap(made.content.ljust(parameter.size, b"\0"))


def _map_of(arrays: Sequence[Array], boxes: Sequence[Box], l2_bytes: int, outside: str) -> TensorMap:
    if l2_bytes not in _L2:
        raise ArgumentError(
            f"dma.tensor_map: l2_bytes is {l2_bytes}; give 64, 128 or 256, which the L2 fetches at a time, or 0 to leave "
            "it the choice"
        )
    if outside not in ("zero", "nan"):
        raise ArgumentError(f"dma.tensor_map: what is outside the array is {outside!r}; give 'zero' or 'nan'")
    parts = zip(arrays, boxes, strict=True)
    return TensorMap(b"".join(_encode(array, box, l2_bytes, outside == "nan") for array, box in parts))


def _expect_array(array: Array | None) -> Array:
    if array is None:
        raise ArgumentError("dma.tensor_map: a tensor map is of an array; pass one, or dma.TensorMap")
    return array


@functools.lru_cache(maxsize=1024)
def _encode(array: Array, box: Box, l2_bytes: int, fills_nan: bool) -> bytes:
    _expect_describable(array, box, fills_nan)
    types = driver.CUtensorMapDataType
    prefix = "CU_TENSOR_MAP_"
    numbers = {1: "UINT8", 2: "UINT16", 4: "UINT32", 8: "UINT64"}
    # As in C++: a copy needs only the element's size; sums and NaN need its type.
    name = (
        "BFLOAT16"
        if box.kind == Kind.BFLOAT
        else f"FLOAT{8 * box.size}"
        if box.kind == Kind.FLOATING or (fills_nan and box.size > 1)
        else numbers[box.size]
    )
    to_64, to_32 = driver.cuuint64_t, driver.cuuint32_t
    map_ = check(
        driver.cuTensorMapEncodeTiled(
            getattr(types, f"{prefix}DATA_TYPE_{name}"),
            len(box.extents),
            array.address,
            [to_64(extent) for extent in reversed(array.shape)],
            [to_64(stride) for stride in reversed(array.strides[:-1])],
            [to_32(extent) for extent in box.extents],
            [to_32(1) for _ in box.extents],
            driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
            getattr(driver.CUtensorMapSwizzle, f"{prefix}SWIZZLE_{_SWIZZLE_NAMES[box.swizzle]}"),
            getattr(driver.CUtensorMapL2promotion, f"{prefix}L2_PROMOTION_{_L2[l2_bytes]}"),
            getattr(
                driver.CUtensorMapFloatOOBfill,
                f"{prefix}FLOAT_OOB_FILL_" + ("NAN_REQUEST_ZERO_FMA" if fills_nan else "NONE"),
            ),
        ),
        "dma.tensor_map: the driver refuses this array and box; compare them with docs/guide/limits.md, or use another "
        "engine",
    )
    content = b"".join(int(word).to_bytes(8, "little") for word in map_.opaque)
    assert len(content) == _BYTES
    return content


def _expect_describable(array: Array, box: Box, fills_nan: bool) -> None:
    def refuse(sentence: str) -> None:
        raise ArgumentError(f"dma.tensor_map: {sentence}")

    rank = len(box.extents)
    if len(array.shape) != rank:
        refuse(f"the array has {len(array.shape)} axes and the tile {rank}; reshape the array")
    if (array.kind, array.size) != (box.kind, box.size):
        refuse(
            f"the array has elements of {_element(array)} and the tile of {name_of(box.kind, box.size)}; convert the array"
        )
    if fills_nan and box.kind not in (Kind.FLOATING, Kind.BFLOAT):
        refuse("integers have no NaN for what is outside the array; use outside='zero'")
    if array.address == 0 or array.address % 16 != 0:
        refuse(f"the array's address {array.address:#x} is null or no multiple of 16; align it, or use another engine")
    if array.strides[-1] != array.size:
        refuse(f"elements of the last axis are {array.strides[-1]} bytes apart; make a contiguous copy of the array")
    for axis, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        if not 1 <= extent <= 1 << 32:
            refuse(f"axis {axis} of the array has {extent} elements; give it 1 to 2^32")
        if axis < rank - 1 and (stride % 16 != 0 or not 0 <= stride < 1 << 40):
            refuse(
                f"the pitch of axis {axis} is {stride} bytes, and a tensor map takes multiples of 16 below 2^40; pad the "
                "rows, or use another engine"
            )


def _element(array: Array) -> str:
    return name_of(array.kind, array.size) if array.kind >= 0 else f"{array.size} bytes"


