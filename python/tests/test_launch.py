"""What needs a GPU."""

import ctypes
import pathlib

import pytest
from conftest import KERNELS

import dma

README_KERNEL = pathlib.Path(__file__).parents[2] / "examples/scale/scale.cuh"


@pytest.fixture(scope="module")
def scale():
    return dma.kernel(KERNELS, "Scale<1024>")


def test_the_kernel_of_the_readme(gpu):
    x = gpu.arange(8 * 1024, dtype=gpu.float32)
    y = gpu.empty_like(x)
    dma.kernel(README_KERNEL, "scale")(8, x, y, 3.0, 8)
    assert (y == 3 * x).all()


def test_a_body_on_a_stream_of_its_own(gpu, scale):
    x = gpu.arange(5 * 1024, dtype=gpu.float32)
    y = gpu.zeros_like(x)
    stream = gpu.cuda.Stream(non_blocking=True)
    gpu.cuda.Device().synchronize()
    scale(2, x, y, 2.0, 4, stream=stream)
    stream.synchronize()
    assert (y[:4096] == 2 * x[:4096]).all() and not y[4096:].any()


def test_the_current_stream_is_that_of_the_arrays_library(gpu, scale):
    x = gpu.ones(1024, dtype=gpu.float32)
    y = gpu.zeros_like(x)
    with gpu.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        scale(1, x, y, 2.0, 1)
        graph = stream.end_capture()
    assert not y.any()
    graph.launch()
    gpu.cuda.Device().synchronize()
    assert (y == 2).all()


def test_more_shared_memory_than_without_opting_in(gpu):
    x = gpu.arange(3 * 16384, dtype=gpu.float32)
    y = gpu.empty_like(x)
    dma.kernel(KERNELS, "Scale<16384>")(3, x, y, -1.0, 3)
    assert (y == -x).all()


def test_more_shared_memory_than_there_is(gpu):
    with pytest.raises(dma.LaunchError, match="needs 400000 bytes of shared memory, and this device gives a CTA"):
        dma.kernel(KERNELS, "Huge")(1, None)


@pytest.mark.parametrize("rows, cols", [(16, 64), (13, 40)])
def test_a_tensor_map_of_an_array(gpu, rows, cols):
    x = gpu.arange(rows * cols, dtype=gpu.float32).reshape(rows, cols)
    down, across = (rows + 7) // 8, (cols + 31) // 32
    y = gpu.zeros((down, across), dtype=gpu.float32)
    kernel = dma.kernel(KERNELS, "SumBoxes")
    kernel(3, x, rows, cols, y)
    kernel(3, kernel.tensor_map(0, x, l2_bytes=256), rows, cols, y)
    for i in range(down):
        for j in range(across):
            assert y[i, j] == 2 * x[8 * i : 8 * i + 8, 32 * j : 32 * j + 32].sum()


def test_a_tensor_map_of_rows_with_a_pitch(gpu):
    x = gpu.arange(16 * 64, dtype=gpu.float32).reshape(16, 64)[:, :32]
    y = gpu.zeros(2, dtype=gpu.float32)
    dma.kernel(KERNELS, "SumBoxes")(1, x, 16, 32, y)
    assert y.tolist() == [x[:8].sum(), x[8:].sum()]


def test_clusters(gpu):
    y = gpu.zeros(6, dtype=gpu.int32)
    kernel = dma.kernel(KERNELS, "Neighbours")
    kernel(6, y)
    assert y.tolist() == [1, 0, 3, 2, 5, 4]
    with pytest.raises(dma.LaunchError, match="clusters of 2 CTAs along x, and the grid has 5"):
        kernel(5, y)


def test_a_grid_whose_ctas_wait_for_one_another(gpu):
    y = gpu.zeros(64, dtype=gpu.int32)
    kernel = dma.kernel(KERNELS, "Together")
    kernel(64, gpu.zeros(1, dtype=gpu.uint32), y)
    assert (y == 64).all()
    with pytest.raises(dma.LaunchError, match="does not hold a grid of 1000000 at once"):
        kernel(1000000, gpu.zeros(1, dtype=gpu.uint32), y)


def test_arguments_of_every_kind(gpu):
    class Numbers(ctypes.Structure):
        _fields_ = [("l", ctypes.c_int64), ("f", ctypes.c_float)]

    y = gpu.zeros(7)
    kernel = dma.kernel(KERNELS, "numbers")
    kernel(1, -3, 65535, True, 0.1, Numbers(-(1 << 40), 0.5), None, y)
    assert y.tolist() == [-3, 65535, 1, 0.1, -(1 << 40), 0.5, 0]
    with pytest.raises(dma.ArgumentError, match="argument 1 of numbers is 65536 and the parameter uint16"):
        kernel(1, 0, 65536, True, 0.1, Numbers(), None, y)
    with pytest.raises(dma.ArgumentError, match="takes 7 arguments and got 1"):
        kernel(1, y)


def test_a_function_without_bounds_takes_the_threads_that_it_is_given(gpu):
    y = gpu.zeros(64, dtype=gpu.int32)
    dma.kernel(KERNELS, "unbounded", threads=64)(1, y)
    assert (y == 64).all()
    with pytest.raises(dma.LaunchError, match="has no __launch_bounds__"):
        dma.kernel(KERNELS, "unbounded")(1, y)


def test_a_grid_is_positive(gpu, scale):
    for grid in (0, (1, 1 << 16), (1, 1, 1, 1)):
        with pytest.raises(dma.LaunchError, match="the grid is"):
            scale(grid, 0, 0, 1.0, 0)


def test_dlpack(gpu, scale):
    class Exported:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **arguments):
            return self.array.__dlpack__(**arguments)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = gpu.ones(2048, dtype=gpu.float32)
    y = gpu.zeros(1024, dtype=gpu.float32)
    scale(1, Exported(x[1024:]), Exported(y), 4.0, 1)
    gpu.cuda.Device().synchronize()
    assert (y == 4).all()
    with pytest.raises(dma.ArgumentError, match="an array of float64"):
        scale(1, Exported(gpu.ones(1024)), Exported(y), 4.0, 1)


def test_a_tensor_of_pytorch(torch, scale):
    x = torch.arange(2048, dtype=torch.float32, device="cuda")
    y = torch.zeros_like(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        scale(2, x, y, 0.5, 2)
    stream.synchronize()
    assert torch.equal(y, 0.5 * x)
    with pytest.raises(dma.ArgumentError, match="array of float16 and the parameter points to float32"):
        scale(2, x.half(), y, 0.5, 2)
    with pytest.raises(dma.ArgumentError, match="in the memory of cpu"):
        scale(2, x.cpu(), y, 0.5, 2)


def test_a_graph_of_pytorch(torch, scale):
    x = torch.ones(1024, device="cuda")
    y = torch.zeros_like(x)
    scale(1, x, y, 1.0, 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        scale(1, x, y, 5.0, 1)
    assert (y == 1).all()
    graph.replay()
    assert (y == 5).all()


def test_a_checked_kernel(gpu):
    x = gpu.ones(1024, dtype=gpu.float32)
    y = gpu.zeros_like(x)
    dma.kernel(KERNELS, "Scale<1024>", define={"DMA_CHECKED": 1})(1, x, y, 2.0, 1)
    assert (y == 2).all()
