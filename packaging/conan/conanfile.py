"""conan create packaging/conan: the headers as a Conan 2 package.

Kernels need libcu++. It is not required here: it is a part of the CUDA Toolkit, of which there is no recipe, and the
one of libcu++ alone ends before the toolkit's 12.6. The package finds that of the toolkit that has the nvcc in PATH.
"""

import pathlib
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class DmaConan(ConanFile):
    name = "dma"
    description = "Declarative data movement for CUDA kernels"
    topics = ("cuda", "gpu", "header-only")
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"
    no_copy_source = True

    @property
    def _project(self):
        return pathlib.Path(self.recipe_folder).parent.parent

    def set_version(self):
        text = (self._project / "include/dma/config.hpp").read_text()
        self.version = ".".join(re.search(rf"DMA_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
                        "CITATION.cff", "include/*", "cmake/*", "src/*", "docs/*", "examples/*",
                        "applications/*"):
            copy(self, pattern, self._project, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("DMA_BUILD_TESTS", "DMA_BUILD_EXAMPLES"):
            toolchain.cache_variables[option] = False
        toolchain.generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()

    def package_info(self):
        # The project's own package files, with its targets dma::dma, dma::host and dma::proof.
        self.cpp_info.builddirs = ["share/cmake/dma"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "none")
