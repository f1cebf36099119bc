"""What is refused before a launch, without a GPU."""

import ctypes

import numpy
import pytest

import dma
from dma import Kind, Parameter
from dma._arrays import array_of, handle_of
from dma._description import Box
from dma._arguments import _converter_of, _slot_of
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


# The protocol is a property of the type, as a library's is.
Exported.__cuda_array_interface__ = None


def test_an_array_with_the_interface():
    array = array_of(Exported("<f8", (2, 3), 4096), has_shape=True)
    assert (array.address, array.kind, array.size) == (4096, Kind.FLOATING, 8)
    assert (array.shape, array.strides) == ((2, 3), (24, 8))


def test_a_pointer_takes_arrays_addresses_and_none():
    address_of = _converter_of(FLOATS, "f", array_of, tensor_map_of)
    assert [address_of(value, 0) for value in (Exported(address=512), 1024, None)] == [512, 1024, 0]


@pytest.mark.parametrize(
    "value, sentence",
    [
        (Exported("<f8"), "argument 3 of f is an array of float64 and the parameter points to float32"),
        (Exported("<c8"), "argument 3 of f is an array of 8 bytes"),
        (Exported(read_only=True), "read-only"),
        ([1.0], "argument 3 of f is a list; pass an array on the GPU"),
    ],
)
def test_a_pointer_refuses(value, sentence):
    with pytest.raises(dma.ArgumentError, match=sentence):
        _converter_of(FLOATS, "f", array_of, tensor_map_of)(value, 3)


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
