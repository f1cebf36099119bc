#!/usr/bin/env python3
"""build.py SOURCE BUILD [--generator zensical | mkdocs] [--with FOLDER]: the site of the pages, and a reference of the library.

Writes BUILD/site, or BUILD/site_mkdocs by the other generator. doxygen reads the headers, stage.py and reference.py write
plain Markdown, and a generator makes pages of it. The programs are those of requirements.txt, in BUILD/site_venv, which pip
fills; exits with 4 and the reason where it reaches no package index. Nothing else is fetched, and no page asks another host.
Where no file has changed since the last time, the site stays as it is.

`--with`: a folder whose files go to the site as they are, below its own name: PROGRAM/PROGRAM.js is a program of the
site, a module that runs where a page has `<!-- site: PROGRAM NAME -->` (Stage.place). A folder that is not there is left
out. May be given more than once. The error index's box, `messages`, is a program that is always there.
"""

import argparse
import ast
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from reference import Reference, examples_of
from stage import Stage, indented, yaml

HERE = pathlib.Path(__file__).resolve().parent
NOT_IN_REFERENCE = {"stdlib", "operator<<", "proof::operator<<"}  # what doxygen's XML has no page for


def environment_of(source, build):
    """The folder of its programs."""
    venv = build / "site_venv"
    made = subprocess.run([sys.executable, source / "packaging/environment.py", "make", venv, HERE / "requirements.txt"], check=False)
    if made.returncode != 0:
        sys.exit(made.returncode)
    return venv / "bin"


def hash_of(source, folders):
    """Of all files that may have a part in the site, and of this Python."""
    hashed = hashlib.sha256(sys.version.encode())
    own = [path for path in sorted(source.iterdir()) if path.name[0] != "." and path.name != "build"]
    for path in own + folders:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                hashed.update(str(file).encode() + file.read_bytes())
    return hashed.hexdigest()


def listed_names(source):
    """({name: page of the site}, [(title of a group, names)]) of the list of public names."""
    names, groups = {}, []
    for line in (source / "tests/docs/public_names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = re.sub(r".*namespace (?=dma::)|^kernel author: ", "", line[2:])
            groups.append((title if title.startswith("dma::") else title[:1].upper() + title[1:], []))
        elif line.strip():
            name, page = line.split("#")[0].split()
            names[name] = page.replace("README.md", "index.md")
            groups[-1][1].append(name)
    return names, groups[1:]  # the first is the file's own comment


def read_headers(source, work, programs):
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f"OUTPUT_DIRECTORY = {work}\n"
    subprocess.run([programs / "doxygen", "-"], cwd=source, input=settings, text=True, check=True)


def messages_program(source):
    """The error index, what finds a pasted message in it, and the box."""
    guide = source / "docs/guide"
    index = subprocess.run([sys.executable, guide / "errors.py", "--root", source, "--json", "-"], check=True, capture_output=True, text=True).stdout
    parts = (f"const index = {index.strip()};", *(path.read_text(encoding="utf-8") for path in (guide / "find_message.js", HERE / "messages/box.js")))
    return "(() => {\n" + "\n".join(parts) + "})();\n"


def python_reference(source):
    """A page of all that the Python package exports, by mkdocstrings."""
    tree = ast.parse((source / "python/dma/__init__.py").read_text(encoding="utf-8"))
    exports = next(node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    first = ["kernel", "Kernel", "Verdict", "tensor_map", "TensorMap", "compile", "Compiled"]
    names = sorted(ast.literal_eval(exports), key=lambda name: (first.index(name) if name in first else len(first), name))
    return "# dma in Python\n\n" + "\n".join(f"::: dma.{name}" for name in names) + "\n"


def stage_pages(source, work, folders):
    names, groups = listed_names(source)
    examples = examples_of(source)
    stage = Stage(source, work / "stage", names, groups, examples)
    for folder in folders:
        shutil.copytree(folder, stage.stage / folder.name)
        stage.programs[folder.name] = 'type="module"'
    stage.write("messages/messages.js", messages_program(source))
    stage.programs["messages"] = "defer"
    missing = stage.write_reference(Reference(source, work / "xml", names, examples))
    stage.write_pages()
    reference = stage.write_reference_index()
    stage.write("ref/python.md", python_reference(source))
    stage.write_files()
    shutil.copytree(HERE / "assets", stage.stage, dirs_exist_ok=True)
    order = indented((HERE / "order.txt").read_text(encoding="utf-8"))
    nav = yaml(stage.navigation(order, [("C++", reference), ("Python", ["ref/python.md"])]), 1)
    parts = re.findall(r"^#define DMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (source / "include/dma/config.hpp").read_text(encoding="utf-8"), re.MULTILINE)
    settings = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    (work / "mkdocs.yml").write_text(f"{settings}copyright: dma {'.'.join(parts)}\nnav:\n" + "\n".join(nav) + "\n", encoding="utf-8")
    (work / "python").symlink_to(source / "python")
    faults = [f"{name} has no page: no header declares it" for name in missing if name not in NOT_IN_REFERENCE]
    faults += [f"{link} is not in the repository" for link in stage.unknown]
    if faults:
        raise SystemExit("\n".join(faults))
    return len(stage.pages), len(names) - len(missing), len(stage.shown)


def generate(work, programs, generator):
    arguments = ["build", "-f", "mkdocs.yml"] + (["--quiet"] if generator == "mkdocs" else [])
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run([programs / generator, *arguments], cwd=work, env=settings, check=False, capture_output=True, text=True)
    if run.returncode != 0 or not (work / "site/index.html").exists():
        raise SystemExit(f"{run.stdout}{run.stderr}{generator} wrote no site")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--generator", choices=("zensical", "mkdocs"), default="zensical")
    parser.add_argument("--with", dest="folders", action="append", default=[], type=lambda text: pathlib.Path(text).resolve())
    options = parser.parse_args()
    options.folders = [folder for folder in options.folders if folder.is_dir()]
    begin = time.monotonic()
    programs = environment_of(options.source, options.build)
    site = options.build / ("site" if options.generator == "zensical" else "site_mkdocs")
    work = options.build / f"{site.name}_work"
    stamp, inputs = work / "inputs.sha256", hash_of(options.source, options.folders)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == inputs and (site / "index.html").exists():
        print(f"{site.name}: nothing has changed")
        return 0
    shutil.rmtree(work, ignore_errors=True)
    (work / "stage").mkdir(parents=True)
    read_headers(options.source, work, programs)
    pages, names, files = stage_pages(options.source, work, options.folders)
    staged = time.monotonic()
    generate(work, programs, options.generator)
    shutil.rmtree(site, ignore_errors=True)
    (work / "site").rename(site)
    stamp.write_text(inputs, encoding="utf-8")
    end = time.monotonic()
    print(f"{site.name}: {pages} pages, {names} names, {files} files; {staged - begin:.0f} s, and {end - staged:.0f} s {options.generator}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
