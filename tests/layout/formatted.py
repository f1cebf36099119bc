#!/usr/bin/env python3
"""formatted.py ROOT CLANG_FORMAT: every C++ file is as clang-format 14 writes it by .clang-format. Exits with 4, which is a
skip, where the program has another version: each formats a little differently."""

import concurrent.futures
import itertools
import pathlib
import subprocess
import sys

ROOMS = ("applications", "bench", "cmake", "docs", "examples", "include", "packaging", "python", "src", "tests")
SOURCES = {".cpp", ".cu", ".cuh", ".hpp"}
VERSION = "version 14."
BATCH = 40
# Their lines are those of the README and of pages, where a line has room for more.
LINES_OF_PAGES = (
    "examples/break_it/mirror.hpp",
    "examples/make_it_fast/polynomial.hpp",
    "examples/porting/reverse.cuh",
    "examples/proof/neighbours.hpp",
)


def are_formatted(program, files):
    """Whether all of them are: one process takes many, and most of its time is its start."""
    result = subprocess.run([program, *map(str, files)], capture_output=True, check=True)
    return result.stdout == b"".join(file.read_bytes() for file in files)


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    if VERSION not in subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout:
        print(f"{program} is not of {VERSION}")
        return 4
    files = [file for room in ROOMS for file in sorted((root / room).rglob("*")) if file.suffix in SOURCES]
    pages = [root / page for page in LINES_OF_PAGES]
    others = [file for file in files if file not in pages]
    batches = [others[i : i + BATCH] for i in range(0, len(others), BATCH)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        good = list(pool.map(lambda batch: are_formatted(program, batch), batches))
    formatted_pages = [page for page in pages if are_formatted(program, [page])]
    faults = [f"{page.relative_to(root)} is formatted: take it out of this test's list" for page in formatted_pages]
    for batch in itertools.compress(batches, (not is_good for is_good in good)):
        for file in batch:
            if not are_formatted(program, [file]):
                faults.append(f"{file.relative_to(root)} is not formatted: clang-format -i {file}")
    if len(files) < 800:
        faults.append(f"only {len(files)} files were found: the search is out of date")
    print("\n".join(faults) or f"{len(files)} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
