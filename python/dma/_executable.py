"""The program dma-prove, which the wheel has."""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from ._cuda_source import ARCH, nvcc, ptx_of_file, with_nvcc
from ._errors import Error
from ._headers import PACKAGE


def executable() -> str:
    """Its path: that of `DMA_PROVE`, else the package's own."""
    named = os.environ.get("DMA_PROVE")
    path = pathlib.Path(named or PACKAGE / "bin/dma-prove")
    if path.is_file():
        return str(path)
    if named:
        raise Error(f"dma: DMA_PROVE names {named}, which is no file; name the program, or unset it")
    raise Error(
        f"dma: the program dma-prove is not in {path.parent}, as it was installed where no C++ compiler is; install a wheel for "
        "Linux, or g++ 12 and the package again, or name a dma-prove in DMA_PROVE"
    )


def main() -> int:
    """The command of the same name. Where nvcc or g++ is missing, a .cu goes through NVRTC before."""
    arguments = sys.argv[1:]
    try:
        program = executable()
        source = next((word for word in arguments if word.endswith(".cu") and os.path.isfile(word)), None)
        if source is None or (nvcc() and shutil.which("g++")):
            os.execve(program, ["dma-prove", *arguments], with_nvcc(os.environ))
        options = shlex.split(arguments[arguments.index("--nvcc") + 1]) if "--nvcc" in arguments[:-1] else [ARCH]
        text = ptx_of_file(pathlib.Path(source), options)
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder, pathlib.Path(source).with_suffix(".ptx").name)
        ptx.write_text(text)
        return subprocess.run([program, *(str(ptx) if word == source else word for word in arguments)]).returncode
