"""structures_test.py <compiler> <folder of headers>...: the structures of examples/python are laid out as those of C++."""

import ctypes
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "examples/python"))

import structures  # noqa: E402 - in the folder that was just named

HEADERS = ("gemm/problem.hpp", "gemm/plan.hpp", "attention/problem.hpp", "attention/plan.hpp")
TYPES = {
    "gemm::Problem<__nv_bfloat16>": structures.GemmProblem,
    "gemm::Plan": structures.GemmPlan,
    "attention::Problem<__nv_bfloat16>": structures.AttentionProblem,
    "attention::Heads<float>": structures.Heads,
    "attention::Plan": structures.AttentionPlan,
}
INNER = {  # of gemm::Plan
    "rows": "shape.rows",
    "columns": "shape.columns",
    "is_transposed": "shape.is_transposed",
    "cluster_down": "shape.down",
    "cluster_across": "shape.across",
}

lines = [f'#include "{header}"' for header in HEADERS]
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
# The bands that tests of attention::make_plan expect.
assert structures.attention_band(64, 4096, 4096, 128, 128, 132) == 1
assert structures.attention_band(16, 16384, 16384, 128, 128, 132) == 16
includes = [option for folder in (PROJECT / "include", PROJECT / "examples", *folders) for option in ("-isystem", str(folder))]
command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *includes]
sys.exit(subprocess.run(command, input="\n".join(lines), text=True).returncode)
