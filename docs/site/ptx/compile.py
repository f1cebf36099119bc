#!/usr/bin/env python3
"""compile.py [--check]: writes the PTX of kernels/*.cu beside them, for builds without nvcc.

--check: compares instead, and exits with 1 where a file is not what nvcc makes. Exits with 4 and the reason where there is
no nvcc, or one of another release than the files name.
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
TOOLKIT = "/usr/local/cuda/bin/nvcc"
RELEASE = re.compile(r"^// Cuda compilation tools, (.*)$", re.MULTILINE)
# Names of inlined functions, which depend on the folder.
NAMES = re.compile(r"^\.b8 .*$", re.MULTILINE)


def ptx_of(nvcc, source):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.ptx"
        subprocess.run([nvcc, "-ptx", "-lineinfo", "-arch=sm_90", source, "-o", output], check=True)
        return re.sub(r'(?m)^(\s*\.file\s+\d+ ").*/', r"\1", output.read_text(encoding="utf-8"))


def main():
    nvcc = shutil.which("nvcc") or shutil.which(TOOLKIT)
    if nvcc is None:
        print("skipped: there is no nvcc")
        return 4
    sources = sorted(KERNELS.glob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = dict(zip(sources, pool.map(lambda source: ptx_of(nvcc, source), sources), strict=True))
    is_current = True
    for source, text in made.items():
        file = source.with_suffix(".ptx")
        if "--check" not in sys.argv:
            file.write_text(text, encoding="utf-8")
            continue
        kept = file.read_text(encoding="utf-8")
        if RELEASE.search(kept)[1] != RELEASE.search(text)[1]:
            print(f"skipped: the PTX is of nvcc {RELEASE.search(kept)[1]}, and this is {RELEASE.search(text)[1]}")
            return 4
        if NAMES.sub("", kept) != NAMES.sub("", text):
            print(f"{file.name} is not the PTX of {source.name}: run {pathlib.Path(__file__).name}")
            is_current = False
    return 0 if is_current else 1


if __name__ == "__main__":
    sys.exit(main())
