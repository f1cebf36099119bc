"""The parts of the package that have their one place elsewhere in the project: headers, sources, version, licence, README. A
source distribution has copies of them.

A wheel also has the program dma-prove, linked with no shared library so that each Linux runs it. A C++ compiler builds it:
CXX, else g++. DMA_PROVE names one that is built already. Without a compiler the wheel has none, and is for every machine."""

import functools
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE if (HERE / "include").exists() else HERE.parent
HEADERS = PROJECT / "include"
EMULATOR = PROJECT / "src/every_access.cpp"
PROGRAM = (PROJECT / "src/dma_prove.cpp", PROJECT / "src/emulator.cpp")
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


COMPILER = os.environ.get("CXX") or "g++"


def has_program() -> bool:
    """Whether a wheel is to have it, before it is built."""
    return "DMA_PROVE" in os.environ or (sys.platform == "linux" and shutil.which(COMPILER) is not None)


@functools.cache
def program() -> tuple[bytes, str]:
    """It, and the platforms that run it; neither where it cannot be built."""
    machine = platform.machine()
    if "DMA_PROVE" in os.environ:
        return pathlib.Path(os.environ["DMA_PROVE"]).read_bytes(), f"linux_{machine}"
    if not has_program():
        print(f"dma-prove is left out: there is no {COMPILER} on {sys.platform}", file=sys.stderr)
        return b"", "any"
    options = ["-std=c++20", "-O2", "-DNDEBUG", "-DDMA_EVERY_ACCESS", "-DDMA_EMULATOR_APART", f"-I{HEADERS}"]
    with tempfile.TemporaryDirectory() as folder:
        objects = [str(pathlib.Path(folder, source.stem + ".o")) for source in PROGRAM]
        running = [
            subprocess.Popen([COMPILER, *options, "-c", str(source), "-o", target])
            for source, target in zip(PROGRAM, objects, strict=True)
        ]
        statuses = [compilation.wait() for compilation in running]
        linked = pathlib.Path(folder, "dma-prove")
        for how, platforms in (
            (["-static"], f"manylinux2014_{machine}.musllinux_1_1_{machine}"),
            (["-static-libstdc++", "-static-libgcc"], f"linux_{machine}"),  # where there is no libc.a
        ):
            link = [COMPILER, "-s", *how, *objects, "-o", str(linked)]
            if not any(statuses) and subprocess.run(link).returncode == 0:
                return linked.read_bytes(), platforms
    print(f"dma-prove is left out: {COMPILER} does not build it", file=sys.stderr)
    return b"", "any"


class DistributionWithProgram(Distribution):
    def has_ext_modules(self) -> bool:
        return has_program()


class WheelOfAnyPython(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", program()[1]


class BuildWithHeaders(build_py):
    def run(self) -> None:
        super().run()
        for header in headers():
            target = pathlib.Path(self.build_lib, "dma/include", header.relative_to(HEADERS))
            self.mkpath(str(target.parent))
            self.copy_file(str(header), str(target))
        if program()[0]:
            target = pathlib.Path(self.build_lib, "dma/bin/dma-prove")
            self.mkpath(str(target.parent))
            target.write_bytes(program()[0])
            target.chmod(0o755)
        self.mkpath(str(pathlib.Path(self.build_lib, "dma/src")))
        self.copy_file(str(EMULATOR), str(pathlib.Path(self.build_lib, "dma/src", EMULATOR.name)))


class SourcesWithHeaders(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        for file in [*headers(), EMULATOR, *PROGRAM, README, *([LICENCE] if LICENCE.exists() else [])]:
            target = pathlib.Path(base_dir, file.relative_to(PROJECT))
            self.mkpath(str(target.parent))
            self.copy_file(str(file), str(target))


setup(
    version=version(),
    long_description=README.read_text(),
    long_description_content_type="text/markdown",
    license=licence(),
    distclass=DistributionWithProgram,
    cmdclass={"bdist_wheel": WheelOfAnyPython, "build_py": BuildWithHeaders, "sdist": SourcesWithHeaders},
)
