"""Kernels of no compiler of ours, proved by their PTX: no compiler, no NVRTC and no GPU is asked for."""

import os
import pathlib
import re
import subprocess
import sys
import types

import numpy
import pytest

import dma
from dma import _executable, _prove_ptx, _verdict

#: Each thread stores an element of a tile and reads that of the mirrored thread, as nvcc writes it with -lineinfo.
REVERSE = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z7reversePKfPffi(
  .param .u64 _Z7reversePKfPffi_param_0, .param .u64 _Z7reversePKfPffi_param_1,  // x (read), y
  .param .f32 _Z7reversePKfPffi_param_2, .param .u32 _Z7reversePKfPffi_param_3
)
{
  .reg .pred %p<3>; .reg .b32 %r<20>; .reg .f32 %f<4>; .reg .b64 %rd<12>;
  .shared .align 4 .b8 tile[640];
  .file 1 "reverse.cu"
  ld.param.u64 %rd1, [_Z7reversePKfPffi_param_0];
  ld.param.u64 %rd2, [_Z7reversePKfPffi_param_1];
  ld.param.f32 %f3, [_Z7reversePKfPffi_param_2];
  ld.param.u32 %r9, [_Z7reversePKfPffi_param_3];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %nctaid.x;
  mov.u32 %r4, tile;
  shl.b32 %r5, %r1, 2;
  add.s32 %r5, %r4, %r5;
  sub.s32 %r6, 159, %r1;
  shl.b32 %r6, %r6, 2;
  add.s32 %r6, %r4, %r6;
LOOP:
  setp.ge.s32 %p1, %r2, %r9;
  @%p1 bra DONE;
  mad.lo.s32 %r7, %r2, 160, %r1;
  mul.wide.s32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  .loc 1 4 5
  ld.global.f32 %f1, [%rd4];
  st.shared.f32 [%r5], %f1;
  .loc 1 5 5
  bar.sync 0;
  .loc 1 6 5
  ld.shared.f32 %f2, [%r6];
  mul.f32 %f2, %f2, %f3;
  st.global.f32 [%rd5], %f2;
  ANOTHER
  add.s32 %r2, %r2, %r3;
  bra LOOP;
DONE:
  ret;
}
"""
RIGHT = REVERSE.replace("ANOTHER", "bar.sync 0;")
WRONG = REVERSE.replace("ANOTHER", "")

#: y[0] of another type than its bits: what parameters a kernel may have, stored as they are.
PARAMETERS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry keep(
  .param .u64 .ptr .global .align 8 y, .param .b32 real, .param .s32 number, .param .f64 twice, .param .b16 half,
  .param .align 4 .b8 pair[8]
)
.reqntid 32
{
  .reg .pred %p<2>; .reg .b16 %h<2>; .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .f64 %d<2>;
  mov.u32 %r1, %tid.x;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra DONE;
  ld.param.u64 %rd1, [y];
  ld.param.b32 %r2, [real];
  ld.param.s32 %r3, [number];
  ld.param.f64 %d1, [twice];
  ld.param.b16 %h1, [half];
  ld.param.b32 %r4, [pair];
  ld.param.b32 %r5, [pair+4];
  st.global.f64 [%rd1], %d1;
  st.global.b32 [%rd1+8], %r2;
  st.global.b32 [%rd1+12], %r3;
  st.global.b32 [%rd1+16], %r4;
  st.global.b32 [%rd1+20], %r5;
  st.global.b16 [%rd1+24], %h1;
DONE:
  ret;
}
"""

#: Loads a box by a tensor map, and stores it.
BOX = """
.version 8.6
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 column, .param .u32 row)
.reqntid 32
{
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 128 .b8 tile[128];
  .shared .align 8 .b64 full;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [column];
  ld.param.u32 %r3, [row];
  mov.b64 %rd1, map;
  cvta.param.u64 %rd1, %rd1;
  mov.u32 %r4, tile;
  mov.u32 %r5, full;
  setp.ne.s32 %p1, %r1, 0;
  @%p1 bra WAIT;
  mbarrier.init.shared::cta.b64 [%r5], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd3, [%r5], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%rd1, {%r2, %r3}], [%r5];
WAIT:
  bar.sync 0;
AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;
  @!%p2 bra AGAIN;
  ld.param.u64 %rd2, [out];
  mad.lo.s32 %r6, %r1, 4, %r4;
  mad.wide.u32 %rd2, %r1, 4, %rd2;
  ld.shared.b32 %r7, [%r6];
  st.global.b32 [%rd2], %r7;
  ret;
}
"""

#: One thread of each CTA takes a ticket, and stores to its element of y.
TICKETS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry tickets(.param .u64 counter, .param .u64 y)
.reqntid 32
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [counter];
  ld.param.u64 %rd2, [y];
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  atom.global.add.u32 %r2, [%rd1], 1;
  mad.wide.u32 %rd3, %r2, 4, %rd2;
  st.global.u32 [%rd3], 7;
DONE:
  ret;
}
"""

try:
    _executable.executable()
except dma.Error as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture
def arrays():
    return [numpy.arange(4 * 160, dtype=numpy.float32), numpy.zeros(4 * 160, dtype=numpy.float32)]


def test_a_kernel_is_proved_and_its_arrays_have_the_results(arrays):
    x, y = arrays
    verdict = dma.prove_ptx(RIGHT, grid=2, block=160, args=[x, y, 3.0, 4])
    assert verdict and verdict.is_proved and (verdict.kind, verdict.message, verdict.svg) == ("proved", "", "")
    assert str(verdict).startswith("_Z7reversePKfPffi: proved (12 runs")
    assert (verdict.rules, verdict.not_computed, verdict.json["class"]) == ((), (), "proved")
    assert (y.reshape(4, 160) == 3 * x.reshape(4, 160)[:, ::-1]).all()
    assert (x == numpy.arange(4 * 160)).all()


def test_values_that_were_not_computed_are_no_results(arrays):
    x, y = arrays
    store = "st.global.f32 [%rd5], %f2;"
    assert store in RIGHT
    text = RIGHT.replace(store, f"addc.u32 %r7, %r1, %r1; mov.b32 %f2, %r7; {store}")
    by_position = {"grid": 2, "block": 160, "args": [x, y, 3.0, 4]}
    with pytest.raises(dma.NotComputedError) as raised:
        dma.prove_ptx(text, **by_position)
    assert re.fullmatch(
        r"dma.prove_ptx: the kernel is proved, and element 0 of \w+ was not computed, by addc.u32 \(.*:\d+\): 2560 of 2560 bytes "
        r"are not known; pass values=False for the verdict alone",
        str(raised.value),
    )
    assert raised.value.verdict.is_proved and raised.value.verdict.not_computed
    verdict = dma.prove_ptx(text, **by_position, values=False)
    assert verdict and verdict.not_computed == raised.value.verdict.not_computed
    assert not y.any(), "no array is changed"
    # What is not computed reaches no array.
    assert dma.prove_ptx(RIGHT.replace(store, f"addc.u32 %r7, %r1, %r1; {store}"), **by_position).not_computed
    assert (y.reshape(4, 160) == 3 * x.reshape(4, 160)[:, ::-1]).all()
    # No instruction is to blame for what was never written.
    with pytest.raises(dma.NotComputedError, match="by a register that was not written"):
        dma.prove_ptx(RIGHT.replace(store, "st.global.b32 [%rd5], %r18;"), **by_position)
    y[:] = 0
    assert dma.prove_ptx(RIGHT, **by_position, values=False) and not y.any()


def test_what_the_page_shows(arrays, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("reverse.ptx").write_text(RIGHT)
    x, y = arrays
    verdict = dma.prove_ptx("reverse.ptx", grid=2, block=160, args={"x": x, "y": y, "a": 3.0, "tiles": 4})
    assert verdict, verdict
    assert (y.reshape(4, 160) == 3 * x.reshape(4, 160)[:, ::-1]).all()


def test_a_race_has_both_source_lines_and_its_schedule(arrays, tmp_path):
    file = tmp_path / "reverse.ptx"
    file.write_text(WRONG)
    x, y = arrays
    verdict = dma.prove_ptx(file, "reverse", grid=(2, 1), block=(160, 1, 1), args={"x": x, "y": y, "a": 3, "tiles": 4})
    assert (bool(verdict), verdict.kind, verdict.json["class"]) == (False, "race", "error")
    assert re.fullmatch(r"race: thread \d+ reads bytes \d+ to \d+ of tile \(reverse.cu:6\); thread \d+ writes them \(reverse.cu:4\)", verdict.message)
    assert "arrives and waits for the CTA to synchronize (reverse.cu:5)" in verdict.timeline
    assert verdict.svg.startswith("<svg") and verdict.message in str(verdict)
    assert not y.any(), "what was not proved is not kept"
    assert repr(verdict) == "<dma.Verdict: race>"


def test_an_access_outside_of_an_array_names_it(arrays):
    x, y = arrays
    verdict = dma.prove_ptx(RIGHT, grid=1, block=160, args={"x": x, "y": y[:200], "a": 3.0, "tiles": 2})
    assert "of y, which has 200 elements; stay inside the array, or pass all of it [block (0, 0, 0)" in verdict.message
    y.flags.writeable = False
    verdict = dma.prove_ptx(RIGHT, grid=1, block=160, args=[x, y, 3.0, 2])
    assert "of argument_1, which is read-only; set its flags.writeable" in verdict.message


def test_an_array_of_larger_elements_than_the_kernel_reads_has_a_remark(arrays):
    x, y = arrays
    for wrong, name in (("x", "float64"), ("y", "int64")):
        given = {"x": x, "y": y, "a": 3.0, "tiles": 2}
        assert dma.prove_ptx(RIGHT, grid=1, block=160, args=given).remarks == ()
        given[wrong] = numpy.zeros(640, dtype=name)
        verdict = dma.prove_ptx(RIGHT, grid=1, block=160, args=given)
        [remark] = verdict.remarks
        assert verdict and f"{wrong} has elements of 8 bytes ({'f' if wrong == 'x' else 's'}64), and the kernel accesses 4 of them" in remark
        assert f"remark: {remark}" in str(verdict)


def test_each_way_out_of_the_program_has_its_own_in_python():
    headers = pathlib.Path(dma.include(), "dma/proof/ptx").rglob("*.hpp")
    texts = re.sub(r'"\s*"', "", "".join(header.read_text() for header in headers))
    for program, _ in _prove_ptx.IN_PYTHON:
        said = program.removeprefix("which is an input")
        assert said in texts, f"the program does not say it: {program}"


def test_the_number_of_sms_is_known_where_it_is_said(arrays):
    args = [*arrays, 3.0, 4]
    asks = RIGHT.replace("mov.u32 %r2, %ctaid.x;", "mov.u32 %r2, %nsmid;\n  sub.u32 %r2, %r2, 132;\n  add.u32 %r2, %r2, %ctaid.x;")
    assert dma.prove_ptx(asks, grid=2, block=160, sms=132, args=args)
    unsaid = dma.prove_ptx(asks, grid=2, block=160, args=args)
    assert unsaid.kind == "refused"
    assert "(%nsmid), which this call does not say; give it in sms=" in unsaid.message


def test_executions_have_their_limits():
    for limits, words in (
        ({}, "all 6 executions of 3 CTAs"),
        ({"executions": 2}, "only for the first 2 of more executions of 3 CTAs"),
        ({"executions": 2}, ": executions= ended it; raise it, prove a smaller grid, or take the orders of atomics that runs have (atomics=1)"),
        ({"atomics": 2}, "since 3 are more than atomics=, 2; prove a smaller grid, take more orders by more seeds=, or raise it where few threads compete"),
    ):
        counter, y = numpy.zeros(1, dtype=numpy.uint32), numpy.zeros(3, dtype=numpy.uint32)
        verdict = dma.prove_ptx(TICKETS, grid=3, args=[counter, y], **limits)
        assert verdict and words in str(verdict), verdict


def test_an_array_may_be_passed_twice(arrays):
    x, _ = arrays
    read_only = x[:]
    read_only.flags.writeable = False
    first = x.copy()
    assert dma.prove_ptx(RIGHT, grid=2, block=160, args=[read_only, x, 1.0, 4])
    assert (x.reshape(4, 160) == first.reshape(4, 160)[:, ::-1]).all()


def test_parameters_get_their_bits():
    y = numpy.zeros(32, dtype=numpy.uint8)
    pair = numpy.array([7, 8], dtype=numpy.int32)
    assert dma.prove_ptx(PARAMETERS, grid=1, args=[y, 1.5, -2, 0.1, numpy.float16(0.25), bytes(pair)])
    assert y[:8].view(numpy.float64) == 0.1 and y[8:12].view(numpy.float32) == 1.5 and y[12:16].view(numpy.int32) == -2
    assert (y[16:24].view(numpy.int32) == pair).all() and y[24:26].view(numpy.float16) == 0.25
    assert dma.prove_ptx(PARAMETERS, grid=1, args=[y, numpy.float32(2.5), numpy.int64(3), 4, 0, pair.tobytes()])
    assert y[:8].view(numpy.float64) == 4 and y[8:12].view(numpy.float32) == 2.5 and y[12:16].view(numpy.int32) == 3


def test_a_tensor_of_pytorch_is_taken_as_it_is(monkeypatch):
    """An object with what is asked of one whose elements NumPy has not."""

    class Tensor:
        dtype, shape, memory = "torch.bfloat16", (640,), numpy.zeros(640, dtype=numpy.int16)

        def view(self, dtype):
            assert dtype == "int16"
            return self.memory

        def __array__(self, *_):
            raise TypeError("NumPy has no such elements")

    torch = types.ModuleType("torch")
    torch.int16 = "int16"
    monkeypatch.setitem(sys.modules, "torch", torch)
    verdict = dma.prove_ptx(RIGHT, grid=1, block=160, args=[numpy.ones(320, dtype=numpy.float32), Tensor(), 3.0, 2])
    assert verdict and (Tensor.memory.view(numpy.float32) == 3).all()
    verdict = dma.prove_ptx(RIGHT, grid=1, block=160, args={"x": numpy.ones(480, "f"), "y": Tensor(), "a": 3.0, "tiles": 3})
    assert "of y, which has 640 elements" in verdict.message


def test_a_tensor_map_is_of_an_array():
    x, out = numpy.arange(20 * 16, dtype=numpy.float32).reshape(20, 16), numpy.zeros((4, 8), dtype=numpy.float32)
    verdict = dma.prove_ptx(BOX, grid=1, args=[dma.PtxMap(x, (4, 8)), out, 8, 3])
    assert verdict and (out == x[3:7, 8:]).all(), verdict
    inner = dma.PtxMap(x, (4, 8), extents=(5, 12), strides=(2 * x.strides[0],))
    assert dma.prove_ptx(BOX, grid=1, args=[inner, out, 8, 3])
    assert (out[:2, :4] == x[6:10:2, 8:12]).all() and not out[2:].any() and not out[:, 4:].any()
    for map_, words in (
        (dma.PtxMap(3, (4, 8)), "argument 0 of load is a map and the parameter b8.128.; pass one of an array"),
        (dma.PtxMap(x, (4, 8, 2)), "dma-prove does not take it: the extents, the box and the strides of a tensor map do not fit; give one to"),
    ):
        with pytest.raises(dma.Error, match=words):
            dma.prove_ptx(BOX, grid=1, args=[map_, out, 8, 3])
    with pytest.raises(dma.ArgumentError, match="argument 2 of load is a map and the parameter u32"):
        dma.prove_ptx(BOX, grid=1, args=[dma.PtxMap(x, (4, 8)), out, dma.PtxMap(x, (4, 8)), 3])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (lambda x, y: [x, y, 3.0], "_Z7reversePKfPffi takes 4 arguments and got 3; .*: u64, u64, f32, u32"),
        (lambda x, y: [x, y, 3.0, 4.5], "argument 3 of _Z7reversePKfPffi is 4.5 and the parameter u32; pass an integer"),
        (lambda x, y: [x, y, 3.0, 1 << 32], "argument 3 .* pass a number of 32 bits"),
        (lambda x, y: [x, y, "3", 4], "argument 2 .* is '3', no number; pass one for the parameter f32"),
        (lambda x, y: [x, y, y, 4], "argument 2 .* is an array and the parameter f32, no address; pass a number"),
        (lambda x, y: [x[::2], y, 3.0, 4], "argument 0 .* is not contiguous: 320 elements have strides of 8 bytes"),
        (lambda x, y: [x[:160], x[80:], 3.0, 4], "argument 1 .* overlaps argument 0; pass the same array for both"),
    ],
)
def test_arguments_are_checked(arrays, arguments, words):
    with pytest.raises(dma.ArgumentError, match=f"^dma.prove_ptx: {words}"):
        dma.prove_ptx(RIGHT, grid=1, block=160, args=arguments(*arrays))


def test_what_a_structure_takes_is_said():
    y = numpy.zeros(32, dtype=numpy.uint8)
    for pair, words in ((3, "is 3 and the parameter a structure of 8 bytes; pass its bytes"), (b"3", "has 1 bytes .* 8;")):
        with pytest.raises(dma.ArgumentError, match=words):
            dma.prove_ptx(PARAMETERS, grid=1, args=[y, 1.5, -2, 0.1, 0, pair])
    with pytest.raises(dma.ArgumentError, match="argument 4 .* pass a numpy.float16 or an integer"):
        dma.prove_ptx(PARAMETERS, grid=1, args=[y, 1.5, -2, 0.1, 0.5, b"12345678"])


def test_a_launch_is_checked(arrays):
    args = [*arrays, 3.0, 4]
    for block in (33, 2048, (32, 0), "32", (1, 2, 4, 8)):
        with pytest.raises(dma.LaunchError, match="^dma.prove_ptx: the block is .*; give one to three integers, in all"):
            dma.prove_ptx(RIGHT, grid=1, block=block, args=args)
    with pytest.raises(dma.LaunchError, match="_Z7reversePKfPffi does not say how many threads it has, and __launch_bounds__ is only the most; give them in block="):
        dma.prove_ptx(RIGHT, grid=1, args=args)
    with pytest.raises(dma.LaunchError, match=r"the block is \(64, 1, 1\) and keep requires \(32, 1, 1\) threads"):
        dma.prove_ptx(PARAMETERS, grid=1, block=64)
    with pytest.raises(dma.LaunchError, match="the grid is 0; give one to three integers"):
        dma.prove_ptx(RIGHT, grid=0, block=160, args=args)
    both = RIGHT + PARAMETERS.partition(".address_size 64")[2]
    for name, words in (
        (None, "the PTX has 2 entries; name one in entry=: _Z7reversePKfPffi, keep"),
        ("k", r"0 entries are named k; name one of the PTX in entry=: reverse\(float const\*, float\*, float, int\), keep"),
    ):
        with pytest.raises(dma.ArgumentError, match=words):
            dma.prove_ptx(both, name, grid=1, block=160, args=args)


def test_an_entry_has_the_name_that_its_source_gives_it():
    def of(mangled, number):
        body = f".reg .b32 %r<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [y]; mov.u32 %r1, {number}; st.global.u32 [%rd1], %r1; ret;"
        return f".visible .entry {mangled}(.param .u64 y) {{ {body} }}\n"

    ptx = ".version 8.0\n.target sm_80\n.address_size 64\n"
    ptx += of("_ZN3lib5scaleIfLi4EEEvPj", 1) + of("_ZN3lib5scaleIfLi8EEEvPj", 2) + of("_Z4flipILb1EEvPj", 3)
    y = numpy.zeros(1, dtype=numpy.uint32)
    for name, number in (("scale<float, 4>", 1), ("lib::scale<float,8>", 2), ("flip", 3), ("flip<true>", 3), ("_Z4flipILb1EEvPj", 3)):
        assert dma.prove_ptx(ptx, name, grid=1, block=32, args=[y]) and y[0] == number
    for name, count in (("scale", 2), ("cale<float, 4>", 0), ("scale<float>", 0)):
        with pytest.raises(dma.ArgumentError, match=rf"{count} entries are named {name}; .*: void lib::scale<float, 4>\("):
            dma.prove_ptx(ptx, name, grid=1, block=32, args=[y])


def test_a_text_that_is_no_ptx_is_refused_with_its_place(arrays):
    for text, words in (
        ("no PTX;\n", "dma-prove does not take it: kernel.ptx: line 1, column 1: "),
        (RIGHT.replace("@%p1 bra", "@%p1 @bra"), r"kernel.ptx: line 2\d, column 8: an instruction is missing before '@'; give PTX"),
        (".version 8.0\n.target sm_80\n.address_size 64\n", "kernel.ptx has no entry; give the PTX of a kernel"),
    ):
        with pytest.raises(dma.Error, match=f"^dma.prove_ptx: .*{words}"):
            dma.prove_ptx(text, grid=1, block=160, args=[*arrays, 3.0, 4])
    with pytest.raises(dma.Error, match="there is no file nowhere.ptx"):
        dma.prove_ptx("nowhere.ptx", grid=1)


def test_a_proof_for_any_number_of_tiles_is_not_claimed(arrays):
    with pytest.raises(dma.Error, match="PTX does not say how many slots its pipelines have"):
        dma.for_all_trips(lambda tiles: dma.prove_ptx(RIGHT, grid=1, block=160, args=[*arrays, 3.0, tiles]))
    assert not isinstance(_verdict.Verdict(True, "proved", "", "", ""), dma.PtxVerdict)


def test_the_command_is_the_program(tmp_path):
    """As pip's script of the name runs it."""
    file = tmp_path / "reverse.ptx"
    file.write_text(WRONG)
    launch = "reverse<<<1, 160>>>(x: f32[640] = random, y: out f32[640], 3.0f, 4)"
    command = [sys.executable, "-c", "from dma._executable import main; main()", file, "--launch", launch]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert outcome.returncode == 1 and "of tile (reverse.cu:6); thread 159 writes them (reverse.cu:4)" in outcome.stdout, outcome.stderr


def test_an_installation_without_the_program_says_what_to_do(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("DMA_PROVE", str(tmp_path / "nowhere"))
    with pytest.raises(dma.Error, match="DMA_PROVE names .*nowhere, which is no file; name the program, or unset it"):
        dma.prove_ptx(RIGHT, grid=1, block=160, args=[numpy.zeros(640), numpy.ones(640), 3.0, 4])
    assert _executable.main() == 2 and "which is no file" in capsys.readouterr().err
    monkeypatch.delenv("DMA_PROVE")
    monkeypatch.setattr(_executable, "PACKAGE", tmp_path)
    with pytest.raises(dma.Error, match="dma-prove is not in .*; install a wheel for Linux, or g\\+\\+ 12 and the package"):
        _executable.executable()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_crash_is_an_error(monkeypatch, tmp_path, arrays):
    crashes = tmp_path / "crashes"
    crashes.write_text("#!/bin/sh\nkill -SEGV $$\n")
    crashes.chmod(0o755)
    monkeypatch.setenv("DMA_PROVE", str(crashes))
    with pytest.raises(dma.Error, match="dma-prove ended by signal 11; report it with the PTX"):
        dma.prove_ptx(RIGHT, grid=1, block=160, args=[*arrays, 3.0, 4])
