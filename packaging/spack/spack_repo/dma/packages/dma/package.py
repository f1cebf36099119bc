import pathlib

from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass  # before Spack 1 it is in spack.package


class Dma(CMakePackage):
    """Declarative data movement for CUDA kernels: a header-only library."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()  # the repository that this file is a part of

    version("main", branch="main")

    variant("cuda", default=False, description="Kernels: with a CUDA Toolkit, which has nvcc and libcu++")

    depends_on("cxx", type="build")
    depends_on("cmake@3.26:", type="build")
    depends_on("cuda@12.6:", when="+cuda")

    def cmake_args(self):
        return [self.define("DMA_BUILD_TESTS", False), self.define("DMA_BUILD_EXAMPLES", False)]
