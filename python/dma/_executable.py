"""The program dma-prove, which the wheel has."""

import os
import pathlib
import sys

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
    """The command of the same name."""
    try:
        program = executable()
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    os.execv(program, ["dma-prove", *sys.argv[1:]])
