"""Kernels of Triton, Numba and CuPy, proved by their PTX: objects that have what theirs have, and theirs where they are installed."""

import contextlib
import sys
import types

import numpy
import pytest
import test_ptx  # skips where there is no dma-prove

import dma
from dma import _executable

try:
    import triton.language as tl
except ImportError:
    tl = None

#: Stores three numbers of how it was called: Triton's scratch memory is behind the arguments.
TRITON = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out, .param .u32 n, .param .u64 global_scratch, .param .u64 profile_scratch)
.reqntid 32, 1, 1
{
  .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r2, [n];
  ld.param.u64 %rd2, [global_scratch];
  ld.param.u64 %rd3, [profile_scratch];
  mov.u32 %r3, %nctaid.x;
  st.global.u32 [%rd1], %r2;
  st.global.u32 [%rd1+4], %r3;
  st.global.u64 [%rd1+8], %rd3;
  st.global.u64 [%rd2+8], %rd3;
DONE:
  ret;
}
"""
#: Numba passes an array as its object, its owner, its extent, its element, its address, its shape and its strides.
NUMBA = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry numbered(
  .param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h,
  .param .u64 i, .param .f64 j
)
{
  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<9>;
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [e];
""" + "".join(
    f"  ld.param.b64 %rd2, [{name}];\n  st.global.b64 [%rd1+{8 * index}], %rd2;\n" for index, name in enumerate("abcdfghij")
) + "DONE:\n  ret;\n}\n"  # fmt: skip


def compiled(scratch=16, signature=None):
    """Has what Triton's CompiledKernel has."""
    metadata = types.SimpleNamespace(
        name="kernel", shared=0, num_ctas=1, num_warps=1, global_scratch_size=scratch, profile_scratch_size=0
    )
    source = types.SimpleNamespace(signature=signature or {"out": "*u32", "n": "i32", "BLOCK": "constexpr"})
    return types.SimpleNamespace(asm={"ptx": TRITON, "cubin": b""}, metadata=metadata, src=source)


def test_a_compiled_triton_kernel_gets_its_scratch_memory():
    for args in ({"out": 0, "n": 7, "BLOCK": 32}, [0, 7, 32], [0, 7]):
        out = numpy.full(4, 9, dtype=numpy.uint32)
        args = args | {"out": out} if isinstance(args, dict) else [out, *args[1:]]
        verdict = dma.prove(compiled(), 1, args)
        assert verdict, verdict
        assert out.tolist() == [7, 1, 0, 0]
    verdict = dma.prove(compiled(scratch=8), 1, [out, 7])
    assert "of global_scratch, which has 8 bytes" in verdict.message
    with pytest.raises(dma.ArgumentError, match="kernel has its compiler's options already; leave num_warps out"):
        dma.prove(compiled(), 1, [out, 7], num_warps=4)


def test_a_tensor_descriptor_of_triton_is_passed_as_its_launcher_does():
    """As a map, and as extents and strides."""
    x, out = numpy.arange(20 * 16, dtype=numpy.float32).reshape(20, 16), numpy.zeros((4, 8), dtype=numpy.float32)
    types_ = ".param .u32 rows, .param .u32 columns, .param .u64 s0, .param .u64 s1"
    box = {"swizzle": 0, "block_size": [4, 8], "fp4_padded": False}
    kernel = compiled(signature={"map": "tensordesc<fp32[4, 8]>", "out": "*fp32", "column": "i32"})
    kernel.asm["ptx"] = test_ptx.BOX.replace("map[128]", f"map[128], {types_}").replace("u32 row)", "u64 a, .param .u64 b)")
    kernel.asm["ptx"] = kernel.asm["ptx"].replace("[row]", "[rows]")
    kernel.metadata.name, kernel.metadata.tensordesc_meta = "load", [box]
    map_ = types.SimpleNamespace(base=x, shape=[18, 16], strides=[16, 1], block_shape=[4, 8])
    assert dma.prove(kernel, 1, [map_, out, 8])  # the row is that of the extents, 18: behind the array that is described
    assert not out.any()
    map_.shape[0] = 3
    assert dma.prove(kernel, 1, [map_, out, 8]) and not out.any()
    kernel.asm["ptx"] = kernel.asm["ptx"].replace("[rows]", "[s1]")
    assert dma.prove(kernel, 1, [map_, out, 8])
    assert (out[:2] == x[1:3, 8:]).all() and not out[2:].any()
    box["is_im2col"] = True
    with pytest.raises(dma.Error, match="a tensor descriptor of this kind is not judged"):
        dma.prove(kernel, 1, [map_, out, 8])


def test_a_triton_function_is_compiled_as_a_launch_compiles_it(monkeypatch):
    asked = {}
    triton = types.ModuleType("triton")
    triton.compiler = types.SimpleNamespace(ASTSource=types.SimpleNamespace)
    triton.compile = lambda source, target, options: asked.update(vars(source), target=target, options=options) or compiled(
        signature=source.signature
    )
    targets = types.ModuleType("triton.backends.compiler")
    targets.GPUTarget = lambda *words: words
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setitem(sys.modules, "triton.backends.compiler", targets)

    def parameter(name, is_constexpr=False, **others):
        return types.SimpleNamespace(name=name, is_constexpr=is_constexpr, **others)

    names = ["out", "n", "one", "BLOCK"]
    parameters = [parameter(name, name == "BLOCK") for name in names]
    function = types.SimpleNamespace(arg_names=names, params=parameters, __name__="kernel")
    out = numpy.zeros(4, dtype=numpy.uint32)
    grid = lambda meta: (meta["BLOCK"] // 16, 1)  # noqa: E731
    assert dma.prove(function, grid, [out, 48, 1, 16], arch="sm_80", num_warps=1)
    assert out.tolist() == [48, 1, 0, 0]
    assert asked["signature"] == {"out": "*u32", "n": "i32", "one": "constexpr", "BLOCK": "constexpr"}
    assert asked["constexprs"] == {"one": 1, "BLOCK": 16}
    assert asked["attrs"] == {(0,): [["tt.divisibility", 16]], (1,): [["tt.divisibility", 16]]}
    assert asked["target"] == ("cuda", 80, 32) and asked["options"] == {"num_warps": 1}
    parameters[1].do_not_specialize = True
    parameters[2:3] = []
    names[2:3] = []
    for value, type_ in ((48, "i32"), (1, "i32"), (1 << 33, "i64"), (1 << 63, "u64"), (True, "i1"), (numpy.int64(2), "int64")):
        with pytest.raises(dma.ArgumentError) if type_ in ("i64", "u64") else contextlib.nullcontext():
            dma.prove(function, 1, {"out": out, "n": value, "BLOCK": 16})
        assert asked["signature"]["n"] == type_.replace("int64", "i64") and (1,) not in asked["attrs"]
    with pytest.raises(dma.ArgumentError, match="dma.prove: kernel needs its parameter BLOCK; pass it in args="):
        dma.prove(function, 1, [out, 32])
    with pytest.raises(dma.ArgumentError, match="kernel has the parameters out, n, BLOCK; pass no others"):
        dma.prove(function, 1, {"out": out, "m": 32})


def test_a_numba_kernel_gets_its_arrays_as_numba_passes_them(monkeypatch):
    asked = {}
    numba = types.ModuleType("numba")
    numba.typeof = lambda value: type(value).__name__
    cuda = types.ModuleType("numba.cuda")
    cuda.compile_ptx = lambda function, signature, **settings: asked.update(settings, signature=signature) or (NUMBA, None)
    monkeypatch.setitem(sys.modules, "numba", numba)
    monkeypatch.setitem(sys.modules, "numba.cuda", cuda)

    def numbered(y, a):
        local = y[0] + a
        return local

    kernel = types.SimpleNamespace(py_func=numbered, targetoptions={})
    y = numpy.zeros((5, 2), dtype=numpy.int64)
    assert dma.prove(kernel, 1, [y, 2.5], block=32, arch="sm_80", fastmath=True)
    flat = y.reshape(-1)
    assert flat[:8].tolist() == [0, 0, 10, 8, 5, 2, 16, 8] and flat[8:9].view(numpy.float64)[0] == 2.5
    assert asked == {"lineinfo": True, "cc": (8, 0), "fastmath": True, "signature": ("ndarray", "float")}
    for args, words in (([y], "pass each"), ([y, (1, 2)], "a of numbered is a tuple; pass its numbers alone")):
        with pytest.raises(dma.ArgumentError, match=words):
            dma.prove(kernel, 1, args, block=32)


def raw_kernel(code, name, options=()):
    """Has what CuPy's RawKernel has."""
    return types.SimpleNamespace(code=code, name=name, options=options, backend="nvrtc", file_path=None)


MIRROR = """
template <class T> __global__ void mirror(const T* x, T* y) {
  __shared__ T tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  BARRIER
  y[threadIdx.x] = tile[63 - threadIdx.x];
}
"""


@pytest.fixture
def without_nvcc(monkeypatch, tmp_path):
    """A folder with a .cu, on a machine without nvcc and g++, but with NVRTC."""
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc")
    try:
        nvrtc.nvrtcVersion()
    except RuntimeError as error:
        pytest.skip(f"there is no NVRTC: {error}".partition("\n")[0])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mirror.cu").write_text(MIRROR.replace("template <class T>", 'extern "C"').replace("T", "float"))
    return tmp_path


def test_a_raw_kernel_of_cupy_is_compiled_by_nvrtc(without_nvcc):
    x, y = numpy.arange(64, dtype=numpy.float32), numpy.zeros(64, dtype=numpy.float32)
    verdict = dma.prove(raw_kernel(MIRROR, "mirror<float>", ("-DBARRIER=__syncthreads();",)), 1, [x, y], block=64)
    assert verdict and (y == x[::-1]).all()
    verdict = dma.prove(raw_kernel(MIRROR, "mirror<float>", ("-DBARRIER=",)), 1, [x, y], block=64)
    assert verdict.kind == "race" and "of tile (mirror<float>.cu:6); thread 31 writes them (mirror<float>.cu:4)" in verdict.message
    with pytest.raises(dma.CompileError, match='error: identifier "BARRIER" is undefined'):
        dma.prove(raw_kernel(MIRROR, "mirror<float>"), 1, [x, y], block=64)
    with pytest.raises(dma.ArgumentError, match="mirror<float> has its compiler's options already; leave lineinfo out"):
        dma.prove(raw_kernel(MIRROR, "mirror<float>"), 1, [x, y], block=64, lineinfo=True)


def test_a_cuda_source_goes_through_nvrtc_where_there_is_no_nvcc(without_nvcc, monkeypatch, capfd):
    source = without_nvcc / "mirror.cu"
    text = source.read_text()
    x, y = numpy.arange(64, dtype=numpy.float32), numpy.zeros(64, dtype=numpy.float32)
    with pytest.raises(dma.CompileError, match='error: identifier "BARRIER" is undefined'):
        dma.prove_ptx(source, grid=1, block=64, args=[x, y])
    source.write_text(text.replace("BARRIER", "__syncthreads();"))
    assert dma.prove_ptx("mirror.cu", grid=1, block=64, args=[x, y]) and (y == x[::-1]).all()
    source.write_text(text)
    launch = ["--launch", "mirror<<<1, 64>>>(x: f32[64], y: out f32[64])"]
    for options, code, words in (([], 2, '"BARRIER" is undefined'), (["--nvcc", "-arch=sm_80 -DBARRIER="], 1, "mirror.cu:6")):
        monkeypatch.setattr(sys, "argv", ["dma-prove", "./mirror.cu", *launch, *options])
        assert _executable.main() == code
        assert words in "".join(capfd.readouterr())


def test_other_kernels_are_refused(monkeypatch):
    for kernel in (object(), print, dma.kernel(MIRROR, "mirror<float>")):
        with pytest.raises(dma.Error, match=f"^dma.prove: a {type(kernel).__name__} is no kernel of Triton, Numba or CuPy; of a"):
            dma.prove(kernel, 1)
    with pytest.raises(dma.Error, match="a SimpleNamespace chooses its constants and options by itself; pass its fn, with those"):
        dma.prove(types.SimpleNamespace(fn=None, configs=[]), 1)
    with pytest.raises(dma.Error, match="dma.prove: 'hopper' is no architecture; give one such as sm_90"):
        dma.prove(raw_kernel(MIRROR, "mirror<float>"), 1, arch="hopper")


def test_tritons_own_kernels():
    """What the page shows."""
    triton = pytest.importorskip("triton", reason="Triton is not installed")
    rng = numpy.random.default_rng(1)
    x, y, out = rng.random(1000, dtype=numpy.float32), rng.random(1000, dtype=numpy.float32), numpy.zeros(1000, numpy.float32)
    kernel = triton.jit(add)
    verdict = dma.prove(kernel, 4, {"x": x, "y": y, "out": out, "n": 1000, "BLOCK": 256}, num_warps=4)
    assert verdict and (out == x + y).all()
    verdict = dma.prove(kernel, 4, [x, y, out, 1001, 256], arch="sm_80")
    assert "of x, which has 1000 elements" in verdict.message and "test_foreign.py" in verdict.message


def test_numbas_own_kernels():
    numba = pytest.importorskip("numba", reason="Numba is not installed")
    cuda = pytest.importorskip("numba.cuda")
    source = {}
    for barrier in (True, False):

        @cuda.jit
        def mirror(x, y):
            tile = cuda.shared.array(64, numba.float32)
            tile[cuda.threadIdx.x] = x[cuda.threadIdx.x]
            if barrier:
                cuda.syncthreads()
            y[cuda.threadIdx.x] = tile[63 - cuda.threadIdx.x]

        x, y = numpy.arange(64, dtype=numpy.float32), numpy.zeros(64, dtype=numpy.float32)
        verdict = dma.prove(mirror, 1, [x, y], block=64)
        source[barrier] = verdict.kind
        assert not barrier or (y == x[::-1]).all()
    assert source == {True: "proved", False: "race"}


def test_cupys_own_kernels():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    kernel = cupy.RawKernel(MIRROR.replace("BARRIER", "__syncthreads();"), "mirror<float>")
    x, y = numpy.arange(64, dtype=numpy.float32), numpy.zeros(64, dtype=numpy.float32)
    assert dma.prove(kernel, 1, [x, y], block=64) and (y == x[::-1]).all()


def add(x, y, out, n, BLOCK: "tl.constexpr"):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    here = i < n
    tl.store(out + i, tl.load(x + i, mask=here) + tl.load(y + i, mask=here), mask=here)
