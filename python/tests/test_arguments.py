"""What is refused before a launch, without a GPU."""

import ctypes
import traceback
import types

import numpy
import pytest

import dma
from dma import Kind, Parameter
from dma._arrays import _DlTensor, array_of, handle_of
from dma._description import Box
from dma._arguments import Arguments, _converter_of, _slot_of
from dma._kernel import _Loaded
from dma._tensor_map import tensor_map_of

FLOATS = Parameter(Kind.POINTER, 8, Kind.FLOATING, 4)
MAP = Parameter(Kind.TENSOR_MAP, 128, boxes=(Box(Kind.FLOATING, 4, 0, (32, 8)),))


class Exported:
    """An array with an address that nobody reads."""

    def __init__(self, typestr="<f4", shape=(16, 64), address=1 << 20, strides=None, read_only=False):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": typestr,
            "data": (address, read_only),
            "strides": strides,
            "version": 3,
        }


class Dlpack:
    """Two rows of three floats, by DLPack."""

    def __init__(self, strides=None):
        longs = lambda values: (ctypes.c_int64 * len(values))(*values)  # noqa: E731
        self._tensor = _DlTensor(1 << 20, 2, 0, 2, 2, 32, 1, longs((2, 3)), strides and longs(strides), 0)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self._tensor), b"dltensor", None)


class Float32:
    """As PyTorch's."""

    itemsize = 4

    def __str__(self):
        return "torch.float32"


class Tensor:
    """As PyTorch's."""

    __module__ = "torch"
    is_cuda, dtype, shape = True, Float32(), (2, 3)

    def __init__(self, is_dense=True):
        self._is_dense = is_dense

    def data_ptr(self):
        return 1 << 20

    def is_contiguous(self):
        return self._is_dense

    def stride(self):
        return (3, 1) if self._is_dense else (1, 2)


class ndarray:  # noqa: N801 - it is found by its name
    """As CuPy's."""

    __module__ = "cupy"
    dtype, shape, data = numpy.dtype("f4"), (2, 3), types.SimpleNamespace(ptr=1 << 20)

    def __init__(self, is_dense=True):
        self.flags = types.SimpleNamespace(c_contiguous=is_dense)
        self.strides = (12, 4) if is_dense else (4, 8)


# The protocol is a property of the type, as a library's is.
Exported.__cuda_array_interface__ = None


def test_an_array_with_the_interface():
    array = array_of(Exported("<f8", (2, 3), 4096), has_shape=True)
    assert (array.address, array.kind, array.size) == (4096, Kind.FLOATING, 8)
    assert (array.shape, array.strides) == ((2, 3), (24, 8))


def test_a_pointer_takes_arrays_addresses_and_none():
    address_of = _converter_of(FLOATS, "f", array_of, tensor_map_of)
    assert [address_of(value, 0) for value in (Exported(address=512), 1024, None)] == [512, 1024, 0]
    arrays = (Dlpack(), Dlpack(strides=(3, 1)), Tensor(), ndarray())
    assert [address_of(value, 0) for value in arrays] == [1 << 20] * 4


def test_an_axis_of_one_element_or_none_at_all_is_contiguous_with_any_stride():
    address_of = _converter_of(FLOATS, "f", array_of, tensor_map_of)
    for shape, strides in (((1, 64), (7, 4)), ((16, 1), (4, 99)), ((0, 64), (8, 8)), ((), ())):
        assert address_of(Exported(shape=shape, strides=strides, address=512), 0) == 512


@pytest.mark.parametrize(
    "value, sentence",
    [
        (Exported("<f8"), "argument 3 of f is an array of float64 and the parameter points to float32"),
        (Exported("<c8"), "argument 3 of f is an array of 8 bytes"),
        (Exported(read_only=True), "read-only"),
        (Exported(strides=(512, 8)), "argument 3 of f is not contiguous: 16 x 64 elements have strides of 512 x 8 bytes"),
        (Exported(shape=(3, 4), strides=(4, 12)), "pass a contiguous copy, or the array's address"),
        (Dlpack(strides=(2, 1)), "argument 3 of f is not contiguous"),
        (Tensor(is_dense=False), "argument 3 of f is not contiguous"),
        (ndarray(is_dense=False), "argument 3 of f is not contiguous"),
        ([1.0], "argument 3 of f is a list; pass an array on the GPU"),
    ],
)
def test_a_pointer_refuses(value, sentence):
    with pytest.raises(dma.ArgumentError, match=sentence):
        _converter_of(FLOATS, "f", array_of, tensor_map_of)(value, 3)


def test_on_a_cpu_a_pointer_asks_for_an_array_of_numpy():
    with pytest.raises(dma.ArgumentError, match="argument 0 of f is a list; pass a NumPy array, an address or None"):
        Arguments("f", [FLOATS], array_of, tensor_map_of, on_cpu=True).fill(([1.0],))


@pytest.mark.parametrize("grid", [2.0, numpy.array([2, 1])])
def test_a_grid_that_equals_the_last_ones_is_checked_too(grid):
    """A launch keeps the configuration of the one before it."""
    loaded = object.__new__(_Loaded)
    loaded._configuration = ((int(numpy.prod(grid)), 0), "that of the last launch")
    assert loaded._config_of(int(numpy.prod(grid)), 0) == "that of the last launch"
    with pytest.raises(dma.LaunchError, match="the grid is"):
        loaded._config_of(grid, 0)


def test_an_array_in_the_memory_of_the_cpu_is_refused():
    with pytest.raises(dma.ArgumentError, match="in the memory of cpu; copy it to the GPU"):
        array_of(numpy.zeros(4))


def test_a_structure_is_its_bytes():
    class Pair(ctypes.Structure):
        _fields_ = [("l", ctypes.c_int64), ("f", ctypes.c_float)]

    structure = Parameter(Kind.STRUCTURE, 16)
    assert _converter_of(structure, "f", array_of, tensor_map_of)(Pair(3, 0.5), 0)[:8] == (3).to_bytes(8, "little")
    with pytest.raises(dma.ArgumentError, match="has 4 bytes and the parameter 16"):
        _converter_of(structure, "f", array_of, tensor_map_of)(b"1234", 0)
    assert _slot_of(structure) == "16s" and _slot_of(Parameter(Kind.FLOATING, 4)) == "fxxxx"


def test_a_stream_of_any_library():
    class Torch:
        cuda_stream = 7

    class Cupy:
        ptr = 8

    class Core:
        def __cuda_stream__(self):
            return 0, 9

    assert [handle_of(stream) for stream in (Torch(), Cupy(), Core(), 10)] == [7, 8, 9, 10]
    with pytest.raises(dma.ArgumentError, match="str is no stream"):
        handle_of("default")


@pytest.mark.parametrize(
    "value, sentence",
    [
        (Exported(shape=(4, 16, 64)), "has 3 axes and the tile 2"),
        (Exported("<i4"), "elements of int32 and the tile of float32"),
        (Exported(address=8), "no multiple of 16"),
        (Exported(shape=(16, 33)), "pitch of axis 0 is 132 bytes"),
        (Exported(strides=(512, 8)), "last axis are 8 bytes apart"),
        (Exported(shape=(0, 64)), "axis 0 of the array has 0 elements"),
        ([Exported(), Exported()], "2 arrays and 1 parts"),
        (3, "a tensor map is of an array"),
    ],
)
def test_a_tensor_map_refuses(value, sentence):
    with pytest.raises(dma.ArgumentError, match=sentence):
        tensor_map_of(MAP, value)


def test_the_options_of_a_tensor_map():
    with pytest.raises(dma.ArgumentError, match="l2_bytes is 32"):
        tensor_map_of(MAP, Exported(), l2_bytes=32)
    with pytest.raises(dma.ArgumentError, match="integers have no NaN"):
        integers = Parameter(Kind.TENSOR_MAP, 128, boxes=(Box(Kind.SIGNED_INTEGER, 4, 0, (32, 8)),))
        tensor_map_of(integers, Exported("<i4"), outside="nan")


@pytest.mark.parametrize("error", ["ArgumentError", "CompileError", "Error", "LaunchError"])
def test_a_traceback_names_an_error_as_programs_do(error):
    raised = getattr(dma, error)("a sentence")
    assert traceback.format_exception_only(raised) == [f"dma.{error}: a sentence\n"]
