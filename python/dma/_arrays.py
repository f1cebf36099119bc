"""Arrays of other libraries: their address, their elements and the stream that their library uses."""

import ctypes
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from ._description import Kind
from ._errors import ArgumentError

_KINDS = {
    "i": Kind.SIGNED_INTEGER,
    "u": Kind.UNSIGNED_INTEGER,
    "f": Kind.FLOATING,
    "b": Kind.BOOLEAN,
    "bfloat": Kind.BFLOAT,
}


class Array(NamedTuple):
    """An array in a GPU's memory."""

    address: int
    kind: int  #: of its elements, -1 where there is no Kind
    size: int  #: of an element, in bytes
    is_writable: bool
    is_contiguous: bool  #: each element follows the one before it in the order of C
    shape: tuple[int, ...]  #: empty where the array is contiguous and it was not asked for, as reading it takes time
    strides: tuple[int, ...]  #: in bytes; likewise


def array_of(value: Any, has_shape: bool = False) -> Array | None:
    """Of a tensor of PyTorch's, of an array with `__cuda_array_interface__` (CuPy, Numba, JAX) or with DLPack; None
    for anything else. Does not wait for the array's stream."""
    type_ = type(value)
    if type_ not in _readers:
        _readers[type_] = _reader_of(type_)
    return _readers[type_](value, has_shape)


def stream_of(values: tuple[Any, ...]) -> int:
    """The current stream of the library of the first array, 0 where there is none that has one."""
    for value in values:
        type_ = type(value)
        if type_ not in _stream_readers:
            _stream_readers[type_] = _stream_reader_of(type_)
        current = _stream_readers[type_]
        if current is not None:
            return int(current())
    return 0


def handle_of(stream: Any) -> int:
    """Of a stream of PyTorch's, CuPy's or cuda.core's, or of a number."""
    for attribute in ("cuda_stream", "ptr"):
        handle = getattr(stream, attribute, None)
        if isinstance(handle, int):
            return handle
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if isinstance(stream, int):
        return stream
    raise ArgumentError(
        f"dma.kernel: {type(stream).__name__} is no stream; pass one of PyTorch, CuPy or cuda.core, or its handle as int"
    )


def _library_of(type_: type) -> str:
    return type_.__module__.partition(".")[0]


_readers: dict[type, Callable[[Any, bool], Array | None]] = {}
_stream_readers: dict[type, Callable[[], int] | None] = {}


def _reader_of(type_: type) -> Callable[[Any, bool], Array | None]:
    if any(_library_of(base) == "torch" and base.__name__ == "Tensor" for base in type_.__mro__):
        return _of_torch
    if any(_library_of(base) == "cupy" and base.__name__ == "ndarray" for base in type_.__mro__):
        return _of_cupy
    if hasattr(type_, "__cuda_array_interface__"):
        return _of_interface
    if hasattr(type_, "__dlpack__"):
        return _of_dlpack
    return lambda value, has_shape: None


def _stream_reader_of(type_: type) -> Callable[[], int] | None:
    if _library_of(type_) == "torch":
        import torch

        return lambda: int(torch.cuda.current_stream().cuda_stream)
    if _library_of(type_) == "cupy":
        import cupy

        return lambda: int(cupy.cuda.get_current_stream().ptr)
    return None


@functools.cache
def _element_of_torch(dtype: Any) -> tuple[int, int]:
    name = str(dtype).removeprefix("torch.")
    stem = name.rstrip("0123456789")
    kinds = {"int": Kind.SIGNED_INTEGER, "uint": Kind.UNSIGNED_INTEGER, "float": Kind.FLOATING}
    kinds |= {"bfloat": Kind.BFLOAT, "bool": Kind.BOOLEAN}
    return kinds.get(stem, -1), int(dtype.itemsize)


def _of_torch(value: Any, has_shape: bool) -> Array:
    if not value.is_cuda:
        raise _not_on_gpu("tensor", value.device.type)
    kind, size = _element_of_torch(value.dtype)
    is_contiguous = value.is_contiguous()
    if is_contiguous and not has_shape:
        return Array(value.data_ptr(), kind, size, True, True, (), ())
    strides = tuple(stride * size for stride in value.stride())
    return Array(value.data_ptr(), kind, size, True, is_contiguous, tuple(value.shape), strides)


@functools.cache
def _element_of_numpy(dtype: Any) -> tuple[int, int]:
    return _KINDS.get("bfloat" if dtype.name == "bfloat16" else dtype.kind, -1), int(dtype.itemsize)


def _of_cupy(value: Any, has_shape: bool) -> Array:
    kind, size = _element_of_numpy(value.dtype)
    is_contiguous = value.flags.c_contiguous
    if is_contiguous and not has_shape:
        return Array(value.data.ptr, kind, size, True, True, (), ())
    return Array(value.data.ptr, kind, size, True, is_contiguous, value.shape, value.strides)


def _of_interface(value: Any, has_shape: bool) -> Array:
    return of_interface(value.__cuda_array_interface__)


def of_interface(interface: dict[str, Any]) -> Array:
    """Of what `__cuda_array_interface__` and NumPy's `__array_interface__` are."""
    address, is_read_only = interface["data"]
    code, size = interface["typestr"][1], int(interface["typestr"][2:])
    shape = tuple(interface["shape"])
    strides = tuple(interface.get("strides") or _dense(shape, size))
    is_contiguous = _are_dense(shape, strides, size)
    return Array(address, _KINDS.get(code, -1), size, not is_read_only, is_contiguous, shape, strides)


def _are_dense(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> bool:
    """The stride of an axis of one element does not matter, nor that of an array without elements."""
    axes = zip(shape, strides, _dense(shape, size), strict=True)
    return 0 in shape or all(extent == 1 or stride == expected for extent, stride, expected in axes)


def _dense(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The strides of an array whose rows follow one another."""
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return tuple(strides)


class _DlTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_DLPACK_KINDS = {
    0: Kind.SIGNED_INTEGER,
    1: Kind.UNSIGNED_INTEGER,
    2: Kind.FLOATING,
    4: Kind.BFLOAT,
    6: Kind.BOOLEAN,
}
_DLPACK_DEVICES = {1: "cpu", 3: "pinned memory"}


def _of_dlpack(value: Any, has_shape: bool) -> Array:
    device = int(value.__dlpack_device__()[0])
    if device not in (2, 13):  # a GPU's and managed memory
        raise _not_on_gpu("array", _DLPACK_DEVICES.get(device, f"DLPack device {device}"))
    capsule = value.__dlpack__(stream=-1)  # in no order with any stream: the launch's stream is the caller's
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _DlTensor.from_address(pointer_of(capsule, b"dltensor") or 0)
    size = tensor.bits * tensor.lanes // 8
    shape = tuple(tensor.shape[: tensor.ndim])
    strides = tuple(stride * size for stride in tensor.strides[: tensor.ndim]) if tensor.strides else _dense(shape, size)
    kind = _DLPACK_KINDS.get(tensor.code, -1) if tensor.lanes == 1 else -1
    address = (tensor.data or 0) + tensor.byte_offset
    return Array(address, kind, size, True, _are_dense(shape, strides, size), shape, strides)


def _not_on_gpu(what: str, where: str) -> ArgumentError:
    return ArgumentError(f"dma.kernel: this {what} is in the memory of {where}; copy it to the GPU first")
