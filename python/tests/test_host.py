"""What needs a host compiler, and neither NVRTC nor a GPU."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import numpy
import pytest
from conftest import KERNELS

import dma
from dma import _every_access, _host, _verdict

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

if shutil.which(os.environ.get("CXX") or "g++") is None:
    pytest.skip("no C++ compiler", allow_module_level=True)

COMPILER = os.environ.get("CXX") or "g++"
SEES = bool(_every_access.kind_of(COMPILER)) and _every_access.has_static_library(COMPILER)


@pytest.fixture(scope="module")
def neighbours():
    """A kernel body that waits for a tile more than its DMA warp loads."""
    return dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<1>")


@pytest.fixture
def arrays():
    return [numpy.arange(8 * 64, dtype=numpy.float32), numpy.zeros(8 * 64, dtype=numpy.float32)]


def test_a_body_is_emulated_and_proved(arrays):
    x, y = arrays[0], numpy.zeros_like(arrays[0])
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    body.emulate(1, x, y, 4)
    assert (y[64:256] == x[:192] + x[64:256]).all()
    verdict = body.prove(1, x, y, 4)
    assert verdict and verdict.is_proved and str(verdict).startswith("proved")
    assert ("every access seen" if SEES else "accesses announced") in str(verdict)


def test_an_access_outside_of_an_array_is_refused_before_it_is_made(arrays):
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    x, y = arrays
    verdict = body.prove(1, x[: 2 * 64], y, 4)
    assert verdict.kind == "an access out of bounds"
    sentence = "reads elements 128 to 131 of argument 0, which has 128 elements"
    assert sentence in verdict.message
    with pytest.raises(dma.Error, match=sentence):
        body.emulate(1, x[: 2 * 64], y, 4)
    assert "bounds" not in str(body.prove(1, x, y, 4)).partition("\n")[0]
    assert "bounds not judged" in str(body.prove(1, x.ctypes.data, y, 4)).partition("\n")[0]


def test_a_deadlock_is_found_with_its_schedule(neighbours, arrays):
    verdict = neighbours.prove(1, *arrays, 4)
    assert (verdict.is_proved, verdict.kind) == (False, "deadlock")
    assert "neighbours.hpp:22" in verdict.message and "cannot continue" in verdict.timeline
    with pytest.raises(dma.Error, match="no thread can continue"):
        neighbours.emulate(1, *arrays, 4)


def test_all_trips_are_three_rounds_of_the_slots_and_a_tile_more(neighbours, arrays):
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    asked = []

    def judge(tiles):
        asked.append(tiles)
        return body.prove(1, *arrays, tiles)

    verdict = dma.for_all_trips(judge)
    assert verdict and asked == list(range(3 * 2 + 2))
    assert str(verdict).partition("\n")[0].endswith(", and so with 0 to 7 tiles")
    [use] = verdict.pipelines
    assert (use.stages, use.tiles) == (2, 7) and use.name.startswith("dma::DmaPipeline<dma::Sequential<float, 64>")
    failed = dma.for_all_trips(lambda tiles: neighbours.prove(1, *arrays, tiles))
    assert failed.kind == "deadlock" and failed.message.startswith("with 1 tile: deadlock")
    assert str(failed).startswith("deadlock (") and "\nwith 1 tile: deadlock" in str(failed)


def test_a_function_that_returns_no_verdict_is_refused():
    with pytest.raises(dma.Error, match="^dma.for_all_trips: the function gives a NoneType and no Verdict; return what"):
        dma.for_all_trips(lambda tiles: None)


def test_too_few_trips_are_refused(arrays):
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    few = dma.for_all_trips(lambda tiles: body.prove(1, *arrays, min(tiles, 6)))
    assert not few and few.kind == "refused: too few tiles"
    assert "a pipeline of 2 slots moved 6 tiles at most, and a proof of any number needs 7" in few.message
    same = dma.for_all_trips(lambda tiles: body.prove(1, *arrays, 3))
    assert not same and "no pipeline moved more tiles the more there were" in same.message


def test_ways_out_are_those_of_python(neighbours, arrays):
    x, y = arrays
    verdict = neighbours.prove(1, x, y, 4)
    assert "kernel.emulate with the same arguments and seed 0 repeats the run" in str(verdict)
    headers = "".join(path.read_text() for path in (EXAMPLES.parent / "include/dma").rglob("*.hpp"))
    sources = re.sub(r'"\s*"', "", headers)
    for cpp, _ in _verdict.IN_PYTHON:
        assert cpp in sources, cpp
    said = _verdict.in_python(
        "since 200 are more than limits.atomics, 128; prove a smaller grid, take more orders by more seeds, or raise it where few threads compete"
    )
    assert said == (
        "since 200 are more than 128; prove a smaller grid, or prove it in C++ with more seeds or a higher limit"
    )


def test_a_seed_is_an_order_of_the_threads(arrays):
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    for seed in range(3):
        arrays[1][:] = 0
        body.emulate(1, *arrays, 4, seed=seed)
        assert arrays[1].any()
    assert body.prove(1, *arrays, 4, seed=3)


def test_a_failed_proof_fails_an_assertion(neighbours, arrays):
    verdict = neighbours.prove(1, *arrays, 4)
    with pytest.raises(AssertionError):
        assert verdict
    assert repr(verdict) == "<dma.Verdict: deadlock>"


def test_the_compiler_is_named_once_it_takes_a_while(arrays, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(_host, "_PATIENCE", 0.0)
    text = 'extern "C" [[gnu::visibility("default")]] int answer() { return 42; }'
    assert dma.library(text).answer() == 42
    out, err = capfd.readouterr()
    compiler = os.environ.get("CXX") or "g++"
    assert (out, err) == ("", f"dma: {compiler} compiles host code, once; DMA_QUIET=1 leaves this line out\n")
    assert dma.library(text).answer() == 42
    monkeypatch.setenv("DMA_QUIET", "1")
    assert dma.library(text + "\n").answer() == 42
    monkeypatch.delenv("DMA_QUIET")
    monkeypatch.setattr(_host, "_PATIENCE", 60.0)
    assert dma.library(text + "\n\n").answer() == 42
    assert capfd.readouterr() == ("", "")


def test_what_takes_long_says_so(neighbours, arrays, monkeypatch, capfd):
    monkeypatch.setattr(_host, "_LONG_WHILE", 0.01)
    with _host._said_while_it_runs("waits"):
        time.sleep(0.4)
    out, err = capfd.readouterr()
    assert out == "" and set(err.splitlines()) == {"dma: waits, 0 s until now; DMA_QUIET=1 leaves this line out"}
    monkeypatch.setenv("DMA_QUIET", "1")
    with _host._said_while_it_runs("waits"):
        time.sleep(0.1)
    monkeypatch.delenv("DMA_QUIET")
    monkeypatch.setattr(_host, "_LONG_WHILE", 60.0)
    said = []
    while_it_runs = _host._said_while_it_runs
    monkeypatch.setattr(_host, "_said_while_it_runs", lambda what: said.append(what) or while_it_runs(what))
    neighbours.prove(1, *arrays, 4)
    assert said == ["proves Neighbours<1>"] and capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["scale", "numbers"])
def test_a_function_is_not_emulated_or_proved(name):
    """The first is the README's kernel, without a kernel body beside it."""
    source = EXAMPLES / "scale/scale.cuh" if name == "scale" else KERNELS
    for run in (dma.kernel(source, name).emulate, dma.kernel(source, name).prove):
        with pytest.raises(dma.Error, match=f"{name} is a __global__ function.* prove it by dma.prove_ptx, or write a"):
            run(1, None, None, 1.0, 1)


def test_a_function_beside_host_code_is_named():
    with pytest.raises(dma.CompileError, match="a CPU's compiler takes no __global__ function; put .* #ifdef __CUDACC__"):
        dma.library("__global__ void f() {}\nint g() { return 1; }")


@pytest.mark.parametrize("grid", [0, 1.5, "2", (1, 2, 3, 4), (), (1, None), None])
def test_a_grid_is_one_to_three_numbers(neighbours, arrays, grid):
    with pytest.raises(dma.LaunchError, match="the grid is of type ndarray; give one to three integers, .* before the arguments"):
        neighbours.emulate(*arrays, 4)
    with pytest.raises(dma.LaunchError, match=r"^dma.kernel: the grid is .*; give one to three integers, 1 to 2\^31 - 1 by"):
        neighbours.emulate(grid, *arrays, 4)


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(dma.Error, match="cannot be written; name another in DMA_CACHE_DIR"):
        dma.library("int answer();")


@pytest.mark.skipif(not SEES, reason="the compiler cannot see every access")
def test_stores_through_pointers_are_seen(arrays):
    body = dma.kernel(EXAMPLES / "proof/neighbours.hpp", "Neighbours<0>")
    x, y = arrays
    verdict = body.prove(2, x, y, 4)  # each of its CTAs writes all tiles
    assert verdict.kind == "race"
    assert "race between CTAs: block (0, 0, 0) writes (neighbours.hpp:23) and block (1, 0, 0) writes" in verdict.message
    assert "elements 64 to 255 of argument 1" in verdict.message
    sentence = "writes element 128 of argument 1, which has 128 elements"
    assert sentence in body.prove(1, x, y[:128], 4).message
    with pytest.raises(dma.Error, match=sentence):
        body.emulate(1, x, y[:128], 4)


def test_a_compiler_that_cannot_see_every_access_is_known(tmp_path):
    compiler = tmp_path / "compiler"
    for said, kind in (("gnu 11", ""), ("gnu 12", "gnu"), ("clang 14", ""), ("clang 19", "clang"), ("", "")):
        compiler.write_text(f"#!/bin/sh\necho {said}\n")
        compiler.chmod(0o755)
        _every_access.kind_of.cache_clear()
        assert _every_access.kind_of(str(compiler)) == (kind if sys.platform == "linux" else "")
    with pytest.raises(dma.Error, match="there is no C\\+\\+ compiler /nowhere; install"):
        _every_access.kind_of("/nowhere")


def test_a_function_of_another_library_is_not_taken(tmp_path):
    """PyTorch loads libraries for all to see; one of them may bring functions of the C++ library along."""
    source = tmp_path / "other.cpp"
    string = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
    functions = [f"{string}{name}" for name in ("9_M_appendEPKcm", "9_M_assignERKS4_", "7reserveEm")]
    source.write_text("".join(f'extern "C" void {name}() {{ __builtin_abort(); }}\n' for name in functions))
    other = tmp_path / "other.so"
    subprocess.run([os.environ.get("CXX") or "g++", "-std=c++20", "-shared", "-fPIC", source, "-o", other], check=True)
    script = (
        "import ctypes, pathlib, sys, numpy, dma\n"
        "ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)\n"
        "arrays = [numpy.zeros(8 * 64, dtype=numpy.float32) for _ in range(2)]\n"
        "print(dma.kernel(pathlib.Path(sys.argv[2]), 'Neighbours<1>').prove(1, *arrays, 4).kind)\n"
    )
    command = [sys.executable, "-c", script, other, EXAMPLES / "proof/neighbours.hpp"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert (outcome.returncode, outcome.stdout) == (0, "deadlock\n"), outcome.stderr


def test_arguments_are_checked(neighbours, arrays):
    x, y = arrays
    with pytest.raises(dma.ArgumentError, match="argument 0 of Neighbours<1> is an array of float64"):
        neighbours.prove(1, x.astype(float), y, 4)
    with pytest.raises(dma.ArgumentError, match="contiguous"):
        neighbours.prove(1, x, y[::2], 4)
    y.flags.writeable = False
    with pytest.raises(dma.ArgumentError, match="read-only"):
        neighbours.prove(1, x, y, 4)


def test_the_libraries_refusal_is_the_message_here_too():
    source = "#include <dma/dma.hpp>\nstruct Body { dma::Sequential<float, 0> tile; };"
    with pytest.raises(dma.CompileError, match="^dma::Sequential: Count must be positive;"):
        dma.kernel(source, "Body").emulate(1)


def test_a_library_of_host_code(tmp_path):
    """Its headers are those of the source's folder and of the library; another text is another library."""
    (tmp_path / "rows.hpp").write_text("struct Plan { int tiles; int last; };\n")
    source = tmp_path / "plan.cpp"
    text = (
        '#include "rows.hpp"\n#include <dma/dma.hpp>\nusing Tile = dma::Sequential<float, ROWS>;\n'
        'extern "C" [[gnu::visibility("default")]] void plan_of(int rows, Plan& plan) noexcept {{\n'
        "  plan = {{(rows + ROWS - 1) / ROWS, {}}};\n}}\n"
    )
    for last, rows in ((7, 16), (8, 16), (8, 32)):
        source.write_text(text.format(last))
        plan = (ctypes.c_int * 2)()
        dma.library(source, define={"ROWS": rows}).plan_of(100, plan)
        assert list(plan) == [-(-100 // rows), last]
    with pytest.raises(dma.CompileError, match="ROWS"):
        dma.library(source)
