#!/usr/bin/env python3
"""Builds what a release has beside its tag: release.py SOURCE BUILD, as the target `release` does.

BUILD/single_header and BUILD/site are there. BUILD/release gets both single headers, the site as an archive, and the
Python package as wheel and as source distribution. These two are built in an environment of BUILD with what
python/pyproject.toml asks for, from a package index, or by this Python where it has that already.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib


def has(requirements):
    """Whether this Python has them; they are minimum versions."""
    for requirement in requirements:
        name, minimum = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups()
        program = f"from importlib.metadata import version; print(version({name!r}))"
        found = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True).stdout
        if [int(part) for part in re.findall(r"\d+", found)] < [int(part) for part in minimum.split(".")]:
            return False
    return True


def python_that_builds(requirements, environment):
    if has(requirements):
        return sys.executable
    subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
    python = environment / "bin/python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *requirements]
    if subprocess.run(pip, check=False).returncode != 0:
        raise SystemExit(f"release: no package index has {', '.join(requirements)}; install them for {sys.executable}")
    return python


def build_python_package(source, build, release):
    copy = build / "release-sources"  # setuptools leaves files beside its sources
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("python", "include", "src", "docs/guide/python.md", "LICENSE"):
        if (source / part).is_dir():
            shutil.copytree(source / part, copy / part, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        elif (source / part).exists():
            (copy / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / part, copy / part)
    project = tomllib.loads((copy / "python/pyproject.toml").read_text(encoding="utf-8"))
    requirements = project["build-system"]["requires"]
    python = python_that_builds(requirements, build / "release-python")
    for kind in ("sdist", "wheel"):
        program = f"from setuptools import build_meta; build_meta.build_{kind}({str(release)!r})"
        run = subprocess.run([python, "-c", program], cwd=copy / "python", check=False, capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"{run.stdout}{run.stderr}release: setuptools built no {kind}")


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    release = build / "release"
    shutil.rmtree(release, ignore_errors=True)
    release.mkdir()
    for header in ("dma.hpp", "dma_proof.hpp"):
        shutil.copy(build / "single_header" / header, release)
    with tarfile.open(release / "site.tar.gz", "w:gz") as archive:
        archive.add(build / "site", "site")
    build_python_package(source, build, release)
    for path in sorted(release.iterdir()):
        print(f"release/{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
