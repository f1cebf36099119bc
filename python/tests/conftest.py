import os
import pathlib

import pytest

KERNELS = pathlib.Path(__file__).parent / "kernels.hpp"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """A cache of the tests' own, unless they are given one."""
    os.environ.setdefault("DMA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def gpu():
    """CuPy, where there is a GPU."""
    cupy = pytest.importorskip("cupy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no GPU: {error}")
    return cupy


@pytest.fixture(scope="session")
def torch(gpu):
    return pytest.importorskip("torch")
