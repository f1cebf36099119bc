"""A host compiler that links a C++ library of its own, by which all that a proof has is compiled once more."""

import os
import pathlib
import shutil

import numpy
import pytest

import dma
from dma import _every_access

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

if shutil.which(os.environ.get("CXX") or "g++") is None:
    pytest.skip("no C++ compiler", allow_module_level=True)


def test_a_second_copy_of_the_cpp_library_is_no_trouble(tmp_path, monkeypatch):
    """A compiler may link it into each library, and NumPy has loaded another copy. One that is too old to see every access
    has a proof of those that are announced."""
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\nexec {os.environ.get("CXX") or "g++"} -static-libstdc++ "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(_every_access, "kind_of", lambda compiler: "")
    x, y = numpy.arange(512, dtype=numpy.float32), numpy.zeros(512, dtype=numpy.float32)
    verdict = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<1>").prove(1, x, y, 4)
    assert verdict.kind == "deadlock" and "accesses announced" in str(verdict)
