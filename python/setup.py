"""The parts of the package that have their one place elsewhere in the project: headers, version, licence, README."""

import pathlib
import re

from setuptools import setup
from setuptools.command.build_py import build_py

PROJECT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = PROJECT / "include"


def version() -> str:
    text = (HEADERS / "dma/config.hpp").read_text()
    return ".".join(re.search(rf"DMA_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def licence() -> dict[str, str]:
    """What LICENSE says of itself; nothing while the project has no such file, and all rights are reserved."""
    file = PROJECT / "LICENSE"
    return {"license": re.search(r"SPDX-License-Identifier: (.+)", file.read_text())[1]} if file.exists() else {}


class BuildWithHeaders(build_py):
    def run(self) -> None:
        super().run()
        for header in HEADERS.glob("dma/**/*.hpp"):
            target = pathlib.Path(self.build_lib, "dma/include", header.relative_to(HEADERS))
            self.mkpath(str(target.parent))
            self.copy_file(str(header), str(target))


setup(
    name="dma-cuda",
    description="Declarative data movement for CUDA kernels, compiled at run time from Python",
    python_requires=">=3.11",
    install_requires=["cuda-bindings>=12.8", "cuda-core>=0.5"],
    extras_require={
        "test": ["mypy", "numpy", "pytest"],
        "toolkit": ["nvidia-cuda-cccl", "nvidia-cuda-nvrtc"],  # where no CUDA toolkit is installed
    },
    version=version(),
    long_description=(PROJECT / "docs/python.md").read_text(),
    long_description_content_type="text/markdown",
    packages=["dma"],
    package_data={"dma": ["py.typed", "cuda/dma_python/*.hpp", "cuda/standard/*"]},
    cmdclass={"build_py": BuildWithHeaders},
    **licence(),
)
