"""The parts of the package that have their one place elsewhere in the project: headers, emulator, version, licence, README. A
source distribution has copies of them."""

import pathlib
import re

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE if (HERE / "include").exists() else HERE.parent
HEADERS = PROJECT / "include"
EMULATOR = PROJECT / "src/every_access.cpp"
README = PROJECT / "docs/guide/python.md"
LICENCE = PROJECT / "LICENSE"


def version() -> str:
    text = (HEADERS / "dma/config.hpp").read_text()
    return ".".join(re.search(rf"DMA_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def licence() -> str:
    """What LICENSE says of itself; nothing while the project has no such file, and all rights are reserved."""
    return re.search(r"SPDX-License-Identifier: (.+)", LICENCE.read_text())[1] if LICENCE.exists() else ""


def headers() -> list[pathlib.Path]:
    return sorted(HEADERS.glob("dma/**/*.hpp"))


class BuildWithHeaders(build_py):
    def run(self) -> None:
        super().run()
        for header in headers():
            target = pathlib.Path(self.build_lib, "dma/include", header.relative_to(HEADERS))
            self.mkpath(str(target.parent))
            self.copy_file(str(header), str(target))
        self.mkpath(str(pathlib.Path(self.build_lib, "dma/src")))
        self.copy_file(str(EMULATOR), str(pathlib.Path(self.build_lib, "dma/src", EMULATOR.name)))


class SourcesWithHeaders(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        for file in [*headers(), EMULATOR, README, *([LICENCE] if LICENCE.exists() else [])]:
            target = pathlib.Path(base_dir, file.relative_to(PROJECT))
            self.mkpath(str(target.parent))
            self.copy_file(str(file), str(target))


setup(
    version=version(),
    long_description=README.read_text(),
    long_description_content_type="text/markdown",
    license=licence(),
    cmdclass={"build_py": BuildWithHeaders, "sdist": SourcesWithHeaders},
)
