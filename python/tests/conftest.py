import os
import pathlib

import pytest

import dma
from dma._driver import current_device

KERNELS = pathlib.Path(__file__).parent / "kernels.hpp"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory):
    """A cache of the tests' own, unless they are given one."""
    os.environ.setdefault("DMA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="session")
def gpu():
    """CuPy, where there is a GPU."""
    try:
        current_device()
    except dma.LaunchError:
        pytest.skip("there is no GPU")
    return pytest.importorskip("cupy")


@pytest.fixture(scope="session")
def torch(gpu):
    return pytest.importorskip("torch")
