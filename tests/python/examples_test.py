"""examples_test.py: the examples of the Python package end without an error on a machine without CuPy and without a GPU."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
#: As if the machine had neither, whatever it has.
ALONE = "import runpy, sys; sys.modules['cupy'] = None; sys.path[0] = sys.argv[2]; runpy.run_path(sys.argv[1])"

failed = [
    name
    for name in ("scale.py", "custom_pattern.py", "prove.py")
    if subprocess.run([sys.executable, "-c", ALONE, EXAMPLES / name, EXAMPLES]).returncode != 0
]
sys.exit(f"failed: {failed}" if failed else 0)
