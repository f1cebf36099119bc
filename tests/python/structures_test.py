"""structures_test.py <compiler> <folder of headers>...: the structures of examples/python are laid out as those of C++,
and their plans are those that the C++ tests expect."""

import ctypes
import os
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / folder) for folder in ("examples/python", "python")]

import structures  # noqa: E402 - in the folders that were just named

SOURCE = "python/plans.cpp"  # includes the headers of all types
TYPES = {
    "gemm::Problem<__nv_bfloat16>": structures.GemmProblem,
    "gemm::Plan": structures.GemmPlan,
    "gemm::Workspace": structures.GemmWorkspace,
    "GemmLaunch": structures.GemmLaunch,
    "attention::Problem<__nv_bfloat16>": structures.AttentionProblem,
    "attention::Heads<float>": structures.Heads,
    "attention::Plan": structures.AttentionPlan,
    "attention::BackwardProblem<__nv_bfloat16>": structures.BackwardProblem,
    "attention::BackwardPlan": structures.BackwardPlan,
    "BackwardLaunch": structures.BackwardLaunch,
}
INNER = {  # of gemm::Plan
    "rows": "shape.rows",
    "columns": "shape.columns",
    "is_transposed": "shape.is_transposed",
    "cluster_down": "shape.down",
    "cluster_across": "shape.across",
}

lines = [f'#include "{SOURCE}"']
for number, (name, structure) in enumerate(TYPES.items()):
    lines.append(f"using Type{number} = {name};")
    lines.append(f'static_assert(sizeof(Type{number}) == {ctypes.sizeof(structure)}, "{name}");')
    for field, _ in structure._fields_:
        member = INNER.get(field, field) if structure is structures.GemmPlan else field
        place = getattr(structure, field)
        lines.append(f'static_assert(__builtin_offsetof(Type{number}, {member}) == {place.offset}, "{name}::{member}");')
        if "." not in member:
            lines.append(f'static_assert(sizeof(Type{number}::{member}) == {place.size}, "{name}::{member}");')
compiler, *folders = sys.argv[1:]
includes = [option for folder in (PROJECT / "include", PROJECT / "examples", *folders) for option in ("-isystem", str(folder))]
command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *includes]
failed = subprocess.run(command, input="\n".join(lines), text=True).returncode
if failed:
    sys.exit(failed)

os.environ["CXX"] = compiler
SMS = 132
# The bands that tests of attention::make_plan expect.
for shape, band in (((4, 16, 16, 4096, 4096, 128), 1), ((1, 16, 16, 16384, 16384, 128), 16)):
    plan = structures.attention_plan(shape, True, SMS)
    assert (plan.rows, plan.block, plan.band, plan.ctas) == (128, 128, band, SMS), (shape, plan.band)
assert structures.attention_plan((1, 2, 2, 100, 1024, 64), True, SMS).rows == 128
assert structures.attention_plan((1, 2, 2, 100, 1025, 64), True, SMS).rows == 192
# Of any product: whole tiles cover C, and divided ones have the workspace that they need.
for m in (1, 16, 17, 64, 100, 512, 2048, 8192):
    for n in (8, 136, 1024, 4096, 8192):
        for k in (8, 72, 2048, 4096, 4104):
            launch = structures.gemm_launch(m, n, k, SMS, k % 64 == 0)
            plan = launch.plan
            rows, columns = (n, m) if plan.is_transposed else (m, n)
            ctas = plan.cluster_down * plan.cluster_across
            assert plan.blocks == -(-k // 64) and 1 <= plan.ctas * ctas <= SMS, (m, n, k)
            assert plan.down == -(-rows // (plan.rows * plan.cluster_down)), (m, n, k)
            assert plan.across == -(-columns // (plan.columns * plan.cluster_across)), (m, n, k)
            divided = plan.down * plan.across - plan.whole
            parts = 2 * plan.ctas * ctas * plan.rows * plan.columns // 4 if divided else 0
            adding = divided * ctas * (plan.rows // 64) * (plan.columns // 8) if ctas > 1 else 0
            counters = divided if ctas == 1 else 0
            assert (launch.sums, launch.counters, launch.adding_ctas) == (parts, counters, adding), (m, n, k)
# Of the backward pass: steps of 64 queries, each with two numbers a query and the sums of dQ.
for size in (64, 128):
    launch = structures.backward_launch((2, 6, 3, 300, 700, size), True)
    steps = 2 * 6 * 5
    assert launch.tiles == 2 * 3 * 6 and launch.work_floats == steps * 64 * (2 + size)
    assert (launch.before, launch.behind) == (steps * 64 * size // 1024, steps * 64 * size // 4096)
