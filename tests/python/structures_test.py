"""structures_test.py <compiler> <folder of headers>...: the structures of applications/torch_ops are laid out as those of C++,
and their plans are those that the C++ tests expect."""

import ctypes
import math
import os
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / folder) for folder in ("applications/torch_ops", "python")]

import structures  # noqa: E402 - in the folders that were just named

SOURCE = "torch_ops/plans.cpp"  # includes the headers of all types
TYPES = {
    "gemm::Problem<__nv_bfloat16>": structures.GemmProblem,
    "gemm::Workspace": structures.GemmWorkspace,
    "Boxes": structures.Boxes,
    "GemmLaunch": structures.GemmLaunch,
    "attention::Problem<__nv_bfloat16>": structures.AttentionProblem,
    "attention::Heads<float>": structures.Heads,
    "attention::Plan": structures.AttentionPlan,
    "attention::BackwardProblem<__nv_bfloat16>": structures.BackwardProblem,
    "attention::BackwardPlan": structures.BackwardPlan,
    "BackwardLaunch": structures.BackwardLaunch,
    "attention::PagedProblem<__nv_bfloat16>": structures.PagedProblem,
    "decode::Division": structures.Division,
    "decode::Workspace<float>": structures.DecodeWorkspace,
    "DecodeLaunch": structures.DecodeLaunch,
    "linear::Rows<__nv_bfloat16>": structures.Rows,
    "linear::Problem<__nv_bfloat16>": structures.LayerProblem,
    "linear::Plan": structures.LayerPlan,
    "linear::Workspace": structures.LayerWorkspace,
    "LayerLaunch": structures.LayerLaunch,
    "linear::fp8::Problem": structures.ScaledLayerProblem,
    "ScaledLayerLaunch": structures.ScaledLayerLaunch,
}
lines = [f'#include "{SOURCE}"']
for number, (name, structure) in enumerate(TYPES.items()):
    lines.append(f"using Type{number} = {name};")
    lines.append(f'static_assert(sizeof(Type{number}) == {ctypes.sizeof(structure)}, "{name}");')
    for field, _ in structure._fields_:
        place = getattr(structure, field)
        lines.append(f'static_assert(__builtin_offsetof(Type{number}, {field}) == {place.offset}, "{name}::{field}");')
        lines.append(f'static_assert(sizeof(Type{number}::{field}) == {place.size}, "{name}::{field}");')
compiler, *folders = sys.argv[1:]
folders = [PROJECT / "include", PROJECT / "applications", *folders]
includes = [option for folder in folders for option in ("-isystem", str(folder))]
command = [compiler, "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", "-x", "c++", "-", *includes]
failed = subprocess.run(command, input="\n".join(lines), text=True).returncode
if failed:
    sys.exit(failed)

os.environ["CXX"] = compiler
SMS = 132
NAME = re.compile(r"gemm::(\w+)<(\w+), gemm::TileShape\{([^}]*)\}")
NUMBERS = re.compile(r"\w+")
# The bands that tests of attention::make_plan expect.
for shape, band in (((4, 16, 16, 4096, 4096, 128), 1), ((1, 16, 16, 16384, 16384, 128), 16)):
    plan = structures.attention_plan(shape, True, SMS)
    assert (plan.rows, plan.block, plan.band, plan.ctas) == (128, 128, band, SMS), (shape, plan.band)
assert structures.attention_plan((1, 2, 2, 100, 1024, 64), True, SMS).rows == 128
assert structures.attention_plan((1, 2, 2, 100, 1025, 64), True, SMS).rows == 192
# Of any product: the boxes of a stage and the grid are those that the kernel's name says, and all names are of its type.
for m in (1, 16, 17, 64, 100, 512, 2048, 8192):
    for n in (8, 136, 1024, 4096, 8192):
        for k in (8, 72, 2048, 4096, 4104):
            for is_half in (False, True):
                launch = structures.gemm_launch(m, n, k, is_half, SMS, k % 64 == 0)
                kernel, element, shape = NAME.match(launch.kernel.decode()).groups()
                rows, columns, is_transposed, *of_cluster, streams = NUMBERS.findall(shape)
                assert element == ("__half" if is_half else "__nv_bfloat16")
                assert launch.a.count * launch.a.rows == int(rows) and launch.b.count * launch.b.rows == int(columns)
                assert streams == "false" or (kernel == "Gemm" and 2 * n * k > 50e6)
                assert launch.c.count == 1 and launch.is_transposed == (is_transposed == "true")
                ctas = math.prod(map(int, of_cluster))
                assert 1 <= launch.ctas <= SMS and launch.ctas % ctas == 0 and (kernel == "Gemm") == (ctas == 1)
                if launch.adding_ctas:
                    adding = NAME.match(launch.adding_kernel.decode()).groups()
                    assert adding == ("AddParts", element, shape) and launch.counters == 0
                    assert launch.sums * 4 == 2 * launch.ctas * int(rows) * int(columns)
                    assert launch.adding_ctas % (ctas * int(rows) // 64 * int(columns) // 8) == 0
# Of the backward pass: steps of 64 queries, each with two numbers a query and the sums of dQ.
for size in (64, 128):
    launch = structures.backward_launch((2, 6, 3, 300, 700, size), True)
    steps = 2 * 6 * 5
    assert launch.tiles == 2 * 3 * 6 and launch.work_floats == steps * 64 * (2 + size)
    assert (launch.before, launch.behind) == (steps * 64 * size // 1024, steps * 64 * size // 4096)
# Of a layer of 4-bit or 8-bit weights: all tiles have whole CTAs or equal parts of one.
for m, n, k, ctas in ((1, 4096, 4096, 128), (64, 14336, 4096, 112), (16, 8192, 28672, 128)):
    for bits in (4, 8):
        launch = structures.layer_launch(m, n, k, 128, False, bits, SMS)
        assert launch.packed == n * k * bits // 16 + n * k // 128 and launch.plan.ctas == ctas, (m, n, k, launch.plan.ctas)
        assert launch.plan.tiles * launch.w.count * 64 == n and launch.plan.units_of_tile * launch.x.count * 64 == k
        assert launch.maps_of_w * launch.w.rows == launch.x.count // 2 * (8 * bits + 1)
