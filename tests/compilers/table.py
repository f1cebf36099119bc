#!/usr/bin/env python3
"""table.py [--nvrtc <libnvrtc.so>]... [--fetch] [--cuda-include <folder>] [--write | --check]: which compilers take the
library, tried now.

Host compilers read one unit with every part of the library; nvcc and NVRTC make PTX of the README's kernel. Prints a table
of docs/project/support.md; --write puts it there; --fetch tries NVRTC of PyPI's wheels too. --check compares the answers of nvcc and of the
toolkit's NVRTC with the page. Exits with 1 where a compiler that is here refuses the library, or the page differs.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs/project/support.md"
UNIT = SOURCE / "tests/compilers/all_headers.cpp"
KERNEL = SOURCE / "examples/scale/scale.cuh"
PROGRAM = SOURCE / "examples/scale/scale.cu"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ARCHITECTURES = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120"]


def run(command):
    """Its first error line, or None where it succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode == 0:
        return None
    lines = (done.stderr + done.stdout).splitlines()
    line = next((line for line in lines if "error" in line), lines[-1] if lines else "no message")
    if "is not defined for option 'std'" in line:
        return "does not know it"
    return line.replace(f"{SOURCE}/", "")[:120]


def version_of(compiler):
    text = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"V(\d+\.\d+\.\d+)", text) or re.search(r"(\d+\.\d+\.\d+)", text)
    return found.group(1) if found else "?"


def host_compilers():
    """(family, path): each program once, though it may have several names."""
    seen = set()
    for family, newest in (("g++", 16), ("clang++", 24)):
        for name in [f"{family}-{version}" for version in range(newest, 9, -1)] + [family]:
            path = shutil.which(name)
            if path and os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                yield family, path


def host_rows(include):
    for family, compiler in host_compilers():
        version = version_of(compiler)
        for library in [""] if family == "g++" else ["libstdc++", "libc++"]:
            option = [f"-stdlib={library}"] if library else []
            name = f"{family} {version}" + (f", {library}" if library else "")
            with tempfile.NamedTemporaryFile("w", suffix=".cpp") as empty:
                empty.write("#include <string>\n")
                empty.flush()
                if run([compiler, *option, "-fsyntax-only", empty.name]):
                    yield name, "C++20, C++23", "library not installed"
                    continue
            for year, standard in (("C++20", "20"), ("C++23", "2b")):
                command = [compiler, f"-std=c++{standard}", *option, *WARNINGS, "-fsyntax-only"]
                yield name, year, run([*command, "-I", str(SOURCE / "include"), *include, str(UNIT)])


def nvcc_rows():
    compiler = shutil.which("nvcc")
    if not compiler:
        return
    targets = subprocess.run([compiler, "--list-gpu-code"], capture_output=True, text=True).stdout.split()
    for architecture in ARCHITECTURES:
        name = f"nvcc {version_of(compiler)}"
        if architecture.rstrip("a") not in targets:
            yield name, architecture, "does not know it"
            continue
        for standard in ("20", "23") if architecture == "sm_90a" else ("20",):
            command = [compiler, "--ptx", f"-std=c++{standard}", f"-arch={architecture}", "-Werror", "all-warnings", "-DDMA_COPY_THROUGH_REGISTERS"]
            yield name, architecture if standard == "20" else f"C++{standard}", run(
                [*command, "-I", str(SOURCE / "include"), str(PROGRAM), "-o", os.devnull]
            )


def compile_at_run_time(library, architecture, include):
    """NVRTC's log where it refuses the kernel, or None."""
    program = ctypes.c_void_p()
    source = KERNEL.read_bytes()
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"scale.cu", 0, None, None)
    options = [f"-arch={architecture}", "-default-device", "-std=c++20", f"-I{SOURCE / 'include'}", f"-I{KERNEL.parent}", *include]
    status = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*[o.encode() for o in options]))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    lines = log.value.decode(errors="replace").splitlines()
    return None if status == 0 else next((line for line in lines if "error" in line), f"status {status}")[:120]


def headers_of_wheels(path):
    """Options for the toolkit's headers of the same version, where the library is one of NVIDIA's wheels for CUDA 12."""
    folder = pathlib.Path(path).parents[2]
    parts = [folder / part / "include" for part in ("cuda_runtime", "cuda_cccl")]
    return [f"-I{part}" for part in parts] if all(part.is_dir() for part in parts) else []


def fetch(folder, version):
    """The path of NVRTC of CUDA 12, of NVIDIA's wheels, in the folder."""
    wheels = [f"nvidia-cuda-{part}-cu12=={version}.*" for part in ("nvrtc", "runtime", "cccl")]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    subprocess.run([*pip, *wheels], check=True)
    [library] = pathlib.Path(folder).glob("nvidia/cuda_nvrtc/lib/libnvrtc.so.*")
    return str(library)


def answers_of(page):
    """{(compiler, target): answer} of the page's table."""
    rows = re.findall(r"^\| ((?:nvcc|NVRTC) .+?) \| (.+?) \| (.+?) \|$", page, re.M)
    return {(name, target): answer for name, targets, answer in rows for target in targets.split(", ")}


def nvrtc_rows(paths, toolkit_headers):
    for path in paths:
        include = headers_of_wheels(path) or toolkit_headers
        library = ctypes.CDLL(path)
        major, minor = ctypes.c_int(), ctypes.c_int()
        library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        count = ctypes.c_int()
        library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        library.nvrtcGetSupportedArchs(known)
        for architecture in ARCHITECTURES:
            name = f"NVRTC {major.value}.{minor.value}"
            if int(re.sub(r"\D", "", architecture)) not in list(known):
                yield name, architecture, "does not know it"
            else:
                yield name, architecture, compile_at_run_time(library, architecture, include)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvrtc", action="append", default=[], help="a libnvrtc.so to try beside the toolkit's")
    parser.add_argument("--cuda-include", default=None, help="the toolkit's headers; default: those beside nvcc")
    parser.add_argument("--fetch", action="store_true", help="try NVRTC 12.6 and 12.9 of PyPI's wheels too")
    parser.add_argument("--check", action="store_true", help="compare nvcc and the toolkit's NVRTC with docs/project/support.md")
    parser.add_argument("--write", action="store_true", help="write the table into docs/project/support.md")
    arguments = parser.parse_args()

    nvcc = shutil.which("nvcc")
    toolkit = pathlib.Path(os.path.realpath(nvcc)).parents[1] if nvcc else pathlib.Path("/usr/local/cuda")
    folder = pathlib.Path(arguments.cuda_include) if arguments.cuda_include else toolkit / "include"
    include = [f"-I{folder}", f"-I{folder / 'cccl'}"] if folder.is_dir() else []
    own = [str(path) for path in sorted(toolkit.glob("lib64/libnvrtc.so"))]

    if arguments.check:
        expected = answers_of(PAGE.read_text())
        tried = {(name, target): error or "yes" for name, target, error in [*nvcc_rows(), *nvrtc_rows(own, include)]}
        compared = tried.keys() & expected.keys()
        differing = [(key, tried[key], expected[key]) for key in sorted(compared) if tried[key] != expected[key]]
        for (name, target), answer, said in differing:
            print(f"{name}, {target}: {answer}; docs/project/support.md says: {said}")
        if not compared:
            print("skipped: no compiler of docs/project/support.md is here")
        sys.exit(1 if differing else 0)

    fetched = []
    with tempfile.TemporaryDirectory() as wheels:
        if arguments.fetch:
            fetched = [fetch(f"{wheels}/{version}", version) for version in ("12.9", "12.6")]
        tried = [*host_rows([]), *nvcc_rows(), *nvrtc_rows([*arguments.nvrtc, *own, *fetched], include)]

    rows, failed = {}, False
    for name, target, error in tried:
        absent = error in ("library not installed", "does not know it")
        failed = failed or (error is not None and not absent)
        print(f"{name}, {target}: {error or 'yes'}", file=sys.stderr, flush=True)
        rows.setdefault((name, error or "yes"), []).append(target)
    lines = ["| compiler | of | takes the library |", "| --- | --- | --- |"]
    lines += [f"| {name} | {', '.join(targets)} | {answer} |" for (name, answer), targets in rows.items()]
    table = "\n".join(lines) + "\n"
    print(table)
    if arguments.write:
        page = PAGE.read_text()
        PAGE.write_text(re.sub(r"\| compiler \|.*\n(\|.*\n)*", lambda _: table, page, count=1))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
