"""package_test.py wheel | sdist <folder>: builds one of them in the folder and has pip install it in an empty virtual
environment, with what it requires; the headers are in it, their version is the package's, and it works; without a compiler
it proves a kernel by its PTX. Takes the dma-prove that DMA_PROVE names. Exits with 4 and the reason where pip reaches no
package index."""

import os
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "packaging"))
from environment import NO_NETWORK  # noqa: E402

KIND, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
#: In the new environment, with the sources gone.
PROGRAM = """
import ctypes, importlib.metadata, pathlib, dma
plan = '#include <dma/dma.hpp>\\nextern "C" [[gnu::visibility("default")]] int plan() { return dma::Sequential<float, 64>::tile_bytes; }'
assert dma.library(plan).plan() == 256
assert importlib.metadata.version("dma-cuda") == dma.__version__
print(pathlib.Path(dma.__file__).parent)
"""
#: A copy of 32 numbers; a second launch is of one thread more than the array has numbers.
PROOF = """
import dma, numpy
ptx = '.version 8.0\\n.target sm_80\\n.address_size 64\\n.entry copy(.param .u64 x, .param .u64 y) {.reg .b64 %d<4>; .reg .b32 %r<3>;' \\
    'ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.s64 %d1, %d1, %d3;' \\
    'add.s64 %d2, %d2, %d3; ld.global.b32 %r2, [%d1]; st.global.b32 [%d2], %r2; ret; }'
x, y = numpy.arange(32, dtype=numpy.int32), numpy.zeros(32, dtype=numpy.int32)
assert dma.prove_ptx(ptx, grid=1, block=32, args=[x, y]) and (x == y).all()
assert dma.prove_ptx(ptx, grid=1, block=64, args=[x, y]).kind == "an access out of bounds"
"""


def run(*command: object, **options: object) -> str:
    outcome = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if outcome.returncode != 0:
        print(outcome.stdout, outcome.stderr, sep="")
        if NO_NETWORK in outcome.stderr:
            print("skipped: pip reaches no package index, which has what the Python package needs")
            sys.exit(4)
        sys.exit(1)
    return outcome.stdout


def headers(folder: pathlib.Path) -> set[pathlib.Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


shutil.rmtree(FOLDER, ignore_errors=True)
# Of a copy, as setuptools leaves files beside its sources; without it the package has nothing but itself. Caches come and go
# while other tests run.
source = FOLDER / "source"
without_caches = shutil.ignore_patterns("__pycache__", ".*_cache")
for part in ("python", "include", "src", "docs/guide/python.md", "LICENSE"):
    if (PROJECT / part).exists():
        copy = source / part
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, copy, ignore=without_caches)
        else:
            shutil.copy(PROJECT / part, copy)
build = f"from setuptools import build_meta; build_meta.build_{KIND}({str(FOLDER)!r})"
run(sys.executable, "-c", build, cwd=source / "python")
shutil.rmtree(source)
[built] = FOLDER.glob("dma_cuda-*")
if KIND == "wheel":
    assert "-py3-none-linux_" in built.name, f"{built.name} is not for every Python"

environment = FOLDER / "environment"
run(sys.executable, "-m", "venv", "--without-pip", environment)
python = environment / "bin/python"
pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
run(*pip, "install", "--quiet", "--no-compile", "--retries=2", built)
run(*pip, "check")
package = pathlib.Path(run(python, "-I", "-c", PROGRAM, cwd=FOLDER).strip())
assert package.is_relative_to(environment), package
alone = {key: value for key, value in os.environ.items() if key not in ("CXX", "DMA_PROVE", "PYTHONPATH")} | {"PATH": str(FOLDER / "nothing")}
run(python, "-I", "-c", PROOF, cwd=FOLDER, env=alone)
assert "Judges kernels for every schedule" in run(environment / "bin/dma-prove", "--help", env=alone)
assert headers(package / "include") == headers(PROJECT / "include")
assert (package / "src/every_access.cpp").read_bytes() == (PROJECT / "src/every_access.cpp").read_bytes()
assert headers(package / "cuda") == headers(PROJECT / "python/dma/cuda")
shutil.rmtree(environment)
