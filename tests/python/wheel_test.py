"""wheel_test.py <folder>: pip installs the package into the folder, without a network; the headers are in it, and their
version is the package's. Exits with 4 and the reason where pip cannot build a wheel."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(sys.argv[1])

for module in ("pip", "setuptools", "wheel"):
    if importlib.util.find_spec(module) is None:
        print(f"skipped: {sys.executable} has no {module}")
        sys.exit(4)

# Of a copy, as setuptools leaves files beside its sources.
source, target = FOLDER / "source", FOLDER / "site"
shutil.rmtree(FOLDER, ignore_errors=True)
for part in ("python", "include", "docs/python.md"):
    copy = source / part
    copy.parent.mkdir(parents=True, exist_ok=True)
    (shutil.copytree if (PROJECT / part).is_dir() else shutil.copy)(PROJECT / part, copy)
options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
subprocess.run(
    [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source / "python")], check=True
)
program = "import dma; print(dma.__version__, dma.include(), dma.compile.__doc__ is not None)"
told = subprocess.run(
    [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(target)!r}); {program}"],
    check=True,
    capture_output=True,
    text=True,
).stdout.split()
[metadata] = target.glob("dma_cuda-*.dist-info/METADATA")
assert f"\nVersion: {told[0]}\n" in metadata.read_text(), told
assert pathlib.Path(told[1]) == target.resolve() / "dma/include", told


def headers(folder):
    return {path.relative_to(folder) for path in folder.rglob("*.hpp")}


assert headers(target / "dma/include") == headers(PROJECT / "include")
assert headers(target / "dma/cuda") == headers(PROJECT / "python/dma/cuda") and (target / "dma/cuda/standard/cmath").exists()
