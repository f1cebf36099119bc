"""The lines that docs/guide/installing.md has for its readers, as they are written there.

  documented_test.py --check SOURCE          every section with lines has a script in documented/, and every script a
                                             section; the lines of the README's section are lines of that page
  documented_test.py SOURCE FOLDER SECTION   runs the section's script in the folder, where its snippets are files
                                             1.sh, 2.cmake, ... and `dma` is the checkout; 4 is the status of a skip

In the scripts git finds the placeholder's address in a clone of this repository, whose main is what is checked out here.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOTS = {"VCPKG_ROOT": "", "SPACK_ROOT": "bin"}  # variables that name checkouts of tools, and where their programs are
SCRIPTS = pathlib.Path(__file__).resolve().parent / "documented"
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SNIPPET = re.compile(r"^```(sh|cmake)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def sections_of(page):
    """Name -> (language, text) of each snippet."""
    found = {name: SNIPPET.findall(text) for name, text in SECTION.findall(page.read_text(encoding="utf-8"))}
    return {name: snippets for name, snippets in found.items() if snippets}


def script_of(section):
    return SCRIPTS / (section.lower().replace(" ", "_") + ".sh")


def lines_of(snippets):
    lines = (re.sub(r"\s+#.*", "", line).strip() for _, text in snippets for line in text.splitlines())
    return {line for line in lines if line}


def problems(source):
    documented = sections_of(source / "docs/guide/installing.md")
    scripts = {script_of(section) for section in documented}
    yield from (f"docs/guide/installing.md: no test runs the lines of {name}" for name in documented if not script_of(name).exists())
    yield from (f"{path.name}: docs/guide/installing.md has no such section" for path in SCRIPTS.glob("*.sh") if path not in scripts)
    known = set().union(*map(lines_of, documented.values()))
    install = lines_of(sections_of(source / "README.md")["Install"])
    yield from (f"README.md: docs/guide/installing.md has no line {line}" for line in sorted(install - known))


def run(source, folder, section):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "home").mkdir(parents=True)
    (folder / "dma").symlink_to(source)
    for number, (language, text) in enumerate(sections_of(source / "docs/guide/installing.md")[section], 1):
        (folder / f"{number}.{language}").write_text(text, encoding="utf-8")
    repository = f"file://{folder}/dma.git"
    git = {"COUNT": "1", "KEY_0": f"url.{repository}.insteadOf", "VALUE_0": "https://example.org/dma.git"}
    tools = [str(pathlib.Path(os.environ[root], below)) for root, below in ROOTS.items() if os.environ.get(root)]
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([*tools, os.environ["PATH"]]),
        **{f"GIT_CONFIG_{key}": value for key, value in git.items()},
        "HOME": str(folder / "home"),
        "SOURCE": str(source),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(["bash", "-euo", "pipefail", script_of(section)], cwd=folder, env=environment, check=False).returncode


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        found = list(problems(pathlib.Path(sys.argv[2]).resolve()))
        print(*found, f"{len(found)} problems", sep="\n")
        return 1 if found else 0
    if len(sys.argv) == 4:
        return run(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3])
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main())
