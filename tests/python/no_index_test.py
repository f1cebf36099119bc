"""no_index_test.py <folder>: where pip reaches no package index, an environment's tests are skipped with the reason."""

import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "packaging/environment.py"
FOLDER = pathlib.Path(sys.argv[1], "environment")


def environment(command: str, *arguments: str) -> tuple[int, str]:
    settings = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    outcome = subprocess.run([sys.executable, SCRIPT, command, FOLDER, *arguments], env=settings, capture_output=True, text=True)
    return outcome.returncode, outcome.stdout.strip().rpartition("\n")[2]


made = environment("make", "package", "test")
assert made[0] == 4 and made[1].startswith("skipped: pip reaches no package index, which has setuptools"), made
ran = environment("run", "-c", "print('it ran')")
assert ran == made, ran
