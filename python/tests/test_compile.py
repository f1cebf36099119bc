"""What needs NVRTC and no GPU."""

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest
from conftest import KERNELS

import dma
from dma import Kind, _compile, _kernel

ARCH = "sm_90a"
PACKAGE = pathlib.Path(dma.__file__).parent


def body_of(text):
    return "#include <dma/dma.hpp>\n" + text


def test_the_headers_are_there_and_have_a_version():
    assert pathlib.Path(dma.include(), "dma/dma.hpp").exists()
    assert dma.__version__.count(".") == 2


def test_a_body_tells_its_threads_and_shared_memory():
    description = dma.compile(KERNELS, "Scale<1024>", ARCH).description
    assert description.threads == 5 * 32
    assert 2 * 4096 <= description.shared_bytes <= 2 * 4096 + 256
    assert (description.cluster, description.cooperative, description.programmatic_launch) == (1, False, False)
    kinds = [parameter.kind for parameter in description.parameters]
    assert kinds == [Kind.CONST_POINTER, Kind.POINTER, Kind.FLOATING, Kind.SIGNED_INTEGER]
    assert (description.parameters[0].element_kind, description.parameters[0].element_size) == (Kind.FLOATING, 4)


def test_a_body_tells_the_box_of_its_tensor_map():
    [box] = dma.compile(KERNELS, "SumBoxes", ARCH).description.parameters[0].boxes
    assert dataclasses.astuple(box) == (Kind.FLOATING, 4, 0, (32, 8))


def test_a_body_tells_its_traits():
    assert dma.compile(KERNELS, "Neighbours", ARCH).description.cluster == 2
    assert dma.compile(KERNELS, "Together", ARCH).description.cooperative


def test_a_function_tells_its_launch_bounds_and_parameters():
    description = dma.compile(KERNELS, "numbers", ARCH).description
    assert description.threads == 32
    assert [parameter.size for parameter in description.parameters] == [1, 2, 1, 8, 16, 8, 8]
    assert dma.compile(KERNELS, "unbounded", ARCH).description.threads == 0
    assert dma.kernel(KERNELS, "unbounded", ARCH, threads=64).description(ARCH).threads == 64


def test_the_libraries_refusal_is_the_message():
    source = body_of("extern \"C\" __global__ void f(dma::Sequential<float, 0>* tile) { tile->size(); }")
    with pytest.raises(dma.CompileError) as caught:
        dma.compile(source, "f", ARCH)
    assert str(caught.value).startswith("dma::Sequential: Count must be positive;")
    assert "static assertion failed" in caught.value.log


@pytest.mark.parametrize(
    "source, sentence",
    [
        ("struct Empty {};", "names its warp layout"),
        ("struct Empty { using Layout = dma::WarpLayout<dma::Compute<1>>; };", "parameters of this kernel body"),
        (
            "struct Empty { using Layout = dma::WarpLayout<dma::Compute<1>>; int n;"
            " DMA_HOST_DEVICE void operator()(dma::KernelCta<Empty>&) const {} };",
            "data members",
        ),
    ],
)
def test_what_is_no_body_is_refused(source, sentence):
    with pytest.raises(dma.CompileError, match=sentence):
        dma.compile(body_of(source), "Empty", ARCH)


def test_a_template_is_named_with_its_arguments():
    refusal = r"^dma.kernel: Scale is a template of <int Count> and is named without arguments; name it with them, as \"Scale<...>\"$"
    for run in (lambda: dma.compile(KERNELS, "Scale", ARCH), lambda: dma.kernel(KERNELS, "Scale").prove(1)):
        with pytest.raises(dma.CompileError, match=refusal) as caught:
            run()
        assert "error" in caught.value.log
    function = "template <class T, int N>\n__global__ void fill(T* x) { *x = N; }"
    with pytest.raises(dma.CompileError, match="fill is a template of <class T, int N> and is named without arguments"):
        dma.compile(function, "fill", ARCH)


def test_another_error_is_that_of_the_compiler():
    with pytest.raises(dma.CompileError, match=r'wrong.cu\(2\): error: identifier "nowhere" is undefined'):
        dma.compile(body_of("int x = nowhere;"), "wrong", ARCH)
    with pytest.raises(dma.CompileError, match=r'the name of the kernel\(\d\): error: identifier "Scle" is undefined'):
        dma.compile(KERNELS, "Scle<32>", ARCH)


@pytest.mark.parametrize("arch", ["compute_90", "90a", 90, None])
def test_an_architecture_is_a_real_one(arch):
    with pytest.raises(dma.Error, match=f"^dma.compile: {arch!r} is no real architecture; give one such as sm_90a"):
        dma.compile(KERNELS, "numbers", arch)


@pytest.mark.parametrize("arch", ["sm_9000", "sm_35", "sm_80a"])
def test_an_architecture_is_one_that_nvrtc_knows(arch):
    with pytest.raises(dma.Error, match=f"^dma.compile: NVRTC .* compiles for .*sm_90.*, and not for {arch}; name one of them"):
        dma.compile(KERNELS, "numbers", arch)


def test_nvrtc_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    _compile._compiler_version.cache_clear()
    with pytest.raises(dma.Error, match="NVRTC.*install the extra: dma-cuda.toolkit."):
        dma.compile(KERNELS, "numbers", ARCH)
    monkeypatch.undo()
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    with pytest.raises(dma.Error, match="compiling needs cuda-core"):
        dma.compile(KERNELS, "numbers", ARCH)


def test_a_path_may_be_a_string(monkeypatch):
    monkeypatch.chdir(KERNELS.parent)
    of_path = dma.compile(KERNELS, "numbers", ARCH)
    assert dma.compile(str(KERNELS), "numbers", ARCH).code == of_path.code
    assert dma.compile("kernels.hpp", "numbers", ARCH).code == of_path.code
    assert dma.kernel("kernels.hpp", "numbers").description(ARCH) == of_path.description


@pytest.mark.parametrize("make", [str, pathlib.Path])
def test_a_path_that_is_not_there_is_named(make, tmp_path):
    for wrong in (tmp_path / "kernel.cuh", tmp_path):
        sentence = f"^dma: there is no file {re.escape(str(wrong))}; give a file's path, or the source as text"
        for call in (dma.kernel, lambda *_: dma.compile(make(wrong), "f", ARCH), lambda *_: dma.library(make(wrong))):
            with pytest.raises(dma.Error, match=sentence):
                call(make(wrong), "f")


def test_a_kernel_says_what_it_is():
    assert repr(dma.kernel(KERNELS, "Scale<1024>")) == "<dma.Kernel Scale<1024> of kernels.hpp>"
    assert repr(dma.kernel("void f() {}", "f")) == "<dma.Kernel f of a text>"
    assert repr(dma.TensorMap(bytes(256))) == "<dma.TensorMap of 256 bytes>"
    assert repr(dma.compile(KERNELS, "numbers", ARCH)) == "<dma.Compiled numbers for sm_90a>"


def test_a_kernel_explains_its_launch():
    kernel = dma.kernel(KERNELS, "SumBoxes")
    assert kernel.explain(ARCH) == f"""\
SumBoxes of kernels.hpp for sm_90a
  a CTA      160 threads, {kernel.description(ARCH).shared_bytes} bytes of dynamic shared memory
  a grid     of any CTAs
  argument 0 an array, by a tensor map with boxes of 8 x 32 float32
  argument 1 int32
  argument 2 int32
  argument 3 an array of float32, which it may write"""
    numbers = dma.kernel(KERNELS, "numbers").explain(ARCH)
    assert "a CTA      32 threads, 0 bytes" in numbers
    assert "\n  argument 4 a structure of 16 bytes\n  argument 5 an array of any elements, which it reads\n" in numbers
    assert "no __launch_bounds__: name threads=" in dma.kernel(KERNELS, "unbounded").explain(ARCH)
    assert "a CTA      64 threads" in dma.kernel(KERNELS, "unbounded", threads=64).explain(ARCH)
    assert "of a multiple of 2 CTAs along x, in clusters" in dma.kernel(KERNELS, "Neighbours").explain(ARCH)
    assert "whose CTAs all run at once" in dma.kernel(KERNELS, "Together").explain(ARCH)


def test_without_a_gpu_a_kernel_is_described_for_sm_90a(monkeypatch):
    def no_device():
        raise dma.LaunchError("there is no GPU")

    monkeypatch.setattr(_kernel, "current_device", no_device)
    kernel = dma.kernel(KERNELS, "Scale<1024>")
    assert kernel.explain().startswith("Scale<1024> of kernels.hpp for sm_90a, as there is no GPU here\n")
    assert kernel.explain("sm_90a").startswith("Scale<1024> of kernels.hpp for sm_90a\n")
    assert kernel.description() == kernel.description("sm_90a") and kernel.compiled().arch == "sm_90a"


def test_the_cache_answers_at_once(monkeypatch):
    first = dma.compile(KERNELS, "Scale<1024>", ARCH)
    monkeypatch.setitem(sys.modules, "cuda.core", None)  # the compiler is not asked
    start = time.perf_counter()
    assert dma.compile(KERNELS, "Scale<1024>", ARCH) == first
    assert time.perf_counter() - start < 0.5


def test_a_changed_header_is_compiled_again(tmp_path):
    source = tmp_path / "kernel.cu"
    source.write_text('#include "inner/bound.hpp"\n__global__ __launch_bounds__(THREADS) void f() {}\n')
    for threads in (64, 96):
        (tmp_path / "inner").mkdir(exist_ok=True)
        (tmp_path / "inner/bound.hpp").write_text('#include "number.hpp"\n')
        (tmp_path / "inner/number.hpp").write_text(f"#define THREADS {threads}\n")
        assert dma.compile(source, "f", ARCH).description.threads == threads


def test_macros_and_options_are_passed_on():
    source = "__global__ __launch_bounds__(THREADS) void f(float* x) { *x /= 3; }"
    plain = dma.compile(source, "f", ARCH, define={"THREADS": 32})
    assert plain.description.threads == 32
    assert dma.compile(source, "f", ARCH, define={"THREADS": 64}).description.threads == 64
    assert dma.compile(source, "f", ARCH, define={"THREADS": 32}, use_fast_math=True).code != plain.code


def test_launch_bounds_are_those_of_the_kernel_and_of_no_other():
    source = """
template <int N> __global__ __launch_bounds__(N, 2) void f(float* x) { *x = N; }
template __global__ void f<96>(float*);
__global__ void __launch_bounds__(256) g(float*) { asm volatile("// .entry g( .maxntid 1, 1, 1"); }
__global__ void h(float* x) { *x = 1; }
"""
    bounds = {"f<32>": 32, "f<96>": 96, "g": 256, "h": 0}
    compiled = {name: dma.compile(source, name, ARCH) for name in bounds}
    assert {name: each.description.threads for name, each in compiled.items()} == bounds
    # They are not read from sections whose numbers are documented nowhere.
    assert b".nv.info._Z1gPf" in compiled["g"].code
    code = compiled["g"].code.replace(b".nv.info", b".nv.none")
    assert dataclasses.replace(compiled["g"], code=code).description.threads == 256


def test_no_variable_has_the_address_of_a_kernel(tmp_path, monkeypatch):
    """Its arguments would stay in registers: a kernel of linear layers, which has no more, kept 62 words elsewhere."""
    texts = {}
    bound_of = _compile._bound_of
    monkeypatch.setattr(_compile, "_bound_of", lambda ptx, kernel: texts.update({kernel: ptx}) or bound_of(ptx, kernel))
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path))  # which has neither
    dma.compile("__global__ void f(float* x) { *x = 1; }", "f", ARCH)
    dma.compile(KERNELS, "Scale<1024>", ARCH)
    assert len(texts) == 2
    for kernel, ptx in texts.items():
        assert f".entry {kernel}(" in ptx
        assert not re.search(rf"^\.global.*=.*\b{kernel}\b", ptx, re.MULTILINE)


def test_the_cache_has_a_bound_and_keeps_what_was_used_last(tmp_path, monkeypatch):
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path))
    notes = tmp_path / "notes.txt"
    notes.write_text("of its owner")

    def code(number):
        return dma.compile(f"__global__ void f(int* x) {{ *x = {number}; }}", "f", ARCH)

    code(0)
    [first] = set(tmp_path.iterdir()) - {notes}
    monkeypatch.setenv("DMA_CACHE_BYTES", str(3 * first.stat().st_size))
    for number in (1, 2):
        code(number)
    os.utime(first, (0, 0))
    code(0)  # used again: 1 is now the oldest
    before = set(tmp_path.iterdir())
    code(3)
    kept = set(tmp_path.iterdir())
    assert len(kept) == len(before) == 4 and first in kept and kept != before
    size = sum(path.stat().st_size for path in kept - {notes})
    assert dma.clear_cache() == size
    assert list(tmp_path.iterdir()) == [notes]
    assert dma.clear_cache() == 0


def test_a_bound_of_the_cache_is_a_number(tmp_path, monkeypatch):
    monkeypatch.setenv("DMA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("DMA_CACHE_BYTES", "1 GB")
    with pytest.raises(dma.Error, match="DMA_CACHE_BYTES is '1 GB'; give a number of bytes"):
        dma.compile("__global__ void f() {}", "f", ARCH)


def test_the_headers_that_bodies_include_for_their_host():
    source = """
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
__global__ __launch_bounds__(32) void f(std::uint32_t* y, std::size_t n) { y[n] = static_cast<unsigned>(std::sqrt(4.0F)); }
static_assert(sizeof(std::sqrt(4.0F)) == 4 && sizeof(std::sqrt(4.0)) == 8);
"""
    first, second = dma.compile(source, "f", ARCH).description.parameters
    assert (first.element_kind, first.element_size) == (Kind.UNSIGNED_INTEGER, 4)
    assert (second.kind, second.size) == (Kind.UNSIGNED_INTEGER, 8)


def test_cuda_core_gets_the_same_code():
    compiled = dma.compile(KERNELS, "numbers", ARCH)
    assert compiled.object_code().code == compiled.code


def test_the_package_is_typed():
    pytest.importorskip("mypy")
    source = pathlib.Path(__file__).parents[1] / "dma"  # mypy refuses a path among installed packages
    outcome = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--ignore-missing-imports", str(source)],
        capture_output=True,
        text=True,
    )
    assert outcome.returncode == 0, outcome.stdout
    assert (PACKAGE / "py.typed").exists()
