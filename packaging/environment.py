"""environment.py make <folder> <what>...: a virtual environment with what they name, from Python's package index; made
again where their names or the Python are others. `what` is a file of requirements, `package` for what the Python package
and its build need, or one of its extras, as `test`. Exits with 4 and the reason where this machine cannot have one.
environment.py run <folder> <script> [<argument>...]: runs a script in it; exits with 4 and the same reason without it."""

import hashlib
import pathlib
import shutil
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "python/pyproject.toml"
#: The words of pip where the index does not answer. A package that is not in an index that does is an error.
NO_NETWORK = "(from versions: none)"


def requirements(what: str) -> list[str]:
    if what.endswith(".txt"):
        return [line for line in pathlib.Path(what).read_text().splitlines() if line and not line.startswith("#")]
    import tomllib

    file = tomllib.loads(PACKAGE.read_text())
    if what == "package":
        return [*file["build-system"]["requires"], *file["project"]["dependencies"]]
    return file["project"]["optional-dependencies"][what]


def reason_file(folder: pathlib.Path) -> pathlib.Path:
    return folder.with_name(folder.name + ".reason")


def skip(folder: pathlib.Path, reason: str) -> int:
    shutil.rmtree(folder, ignore_errors=True)
    reason_file(folder).write_text(reason)
    print(f"skipped: {reason}")
    return 4


def make(folder: pathlib.Path, whats: list[str]) -> int:
    folder.parent.mkdir(parents=True, exist_ok=True)
    if sys.version_info < (3, 11):
        return skip(folder, f"its packages need Python 3.11, and {sys.executable} is {sys.version.split()[0]}")
    wanted = [requirement for what in whats for requirement in requirements(what)]
    stamp = folder / "requirements.sha256"
    content = hashlib.sha256(repr((sys.executable, sys.version, wanted)).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == content:
        return 0
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], capture_output=True, text=True)
    if made.returncode != 0:
        return skip(folder, f"{sys.executable} -m venv makes no virtual environment; install Debian's python3-venv")
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=2"]
    installed = subprocess.run([*pip, *wanted], capture_output=True, text=True)
    if installed.returncode == 0:
        stamp.write_text(content)
        return 0
    print(installed.stdout, installed.stderr, sep="")
    if NO_NETWORK in installed.stderr:
        return skip(folder, f"pip reaches no package index, which has {wanted[0]} and {len(wanted) - 1} more")
    shutil.rmtree(folder)
    return 1


def run(folder: pathlib.Path, script: list[str]) -> int:
    python = folder / "bin/python"
    if python.exists():
        return subprocess.run([str(python), *script]).returncode
    print(f"skipped: {reason_file(folder).read_text()}")
    return 4


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    sys.exit({"make": make, "run": run}[command](pathlib.Path(folder), rest))
