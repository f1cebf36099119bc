"""run_pytest.py <tests>: runs them; exits with 4 and the reason where something that they need is not there."""

import importlib.util
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
MODULES = {"pytest": "pytest", "numpy": "numpy", "cuda-bindings": "cuda.bindings", "cuda-core": "cuda.core"}


def missing():
    for package, module in MODULES.items():
        try:
            found = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            found = None
        if found is None:
            return f"{sys.executable} has no {package}"
    return "" if sys.version_info >= (3, 11) else "the package needs Python 3.11"


reason = missing()
if reason:
    print(f"skipped: {reason}")
    sys.exit(4)
command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]]
outcome = subprocess.run(command, cwd=PROJECT / "python", capture_output=True, text=True)
print(outcome.stdout, outcome.stderr, sep="")
if outcome.returncode in (0, 5) and " passed" not in outcome.stdout:  # 5: a whole file is skipped
    print("skipped: " + outcome.stdout.partition("SKIPPED")[2].partition(": ")[2].partition("\n")[0])
    sys.exit(4)
sys.exit(1 if outcome.returncode else 0)
