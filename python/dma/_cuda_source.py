"""The PTX of a .cu, for machines without a CUDA toolkit."""

import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Sequence
from typing import Any

from ._errors import CompileError, Error
from ._headers import of_toolkit

ARCH = "-arch=sm_90a"  #: where no other is given


def nvcc() -> str | None:
    """On the PATH, else in bin of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda, else that of NVIDIA's wheel."""
    toolkits = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)] + ["/usr/local/cuda"]
    wheels = sorted(pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia").glob("cu*/bin"), reverse=True)
    folders = [*(pathlib.Path(toolkit, "bin") for toolkit in toolkits), *wheels]
    return shutil.which("nvcc") or next((found for folder in folders if (found := shutil.which("nvcc", path=folder))), None)


def ptx_of_file(file: pathlib.Path, options: Sequence[str] = (ARCH,)) -> str:
    """By nvcc, which needs g++; else by NVRTC, which takes no host code."""
    compiler = nvcc()
    if compiler is None or shutil.which("g++") is None:
        arch = [word.replace("-arch=", "--gpu-architecture=") for word in options]
        return ptx_by_nvrtc(file.read_text(), file.name, [*arch, f"-I{file.resolve().parent}"])[0]
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "kernel.ptx")
        command = [compiler, "-ptx", "-lineinfo", *options, str(file), "-o", str(target)]
        outcome = subprocess.run(command, capture_output=True, text=True)
        if outcome.returncode:
            raise CompileError(outcome.stderr)
        return target.read_text()


def ptx_by_nvrtc(text: str, name: str, options: Sequence[str], kernel: str = "") -> tuple[str, str]:
    """The PTX, with the source's lines, and the name that a kernel has in it."""
    nvrtc = _nvrtc(name)
    words = ["-lineinfo", *options, *_toolkit()]
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), name.encode(), 0, [], [])
    if kernel:
        nvrtc.nvrtcAddNameExpression(program, kernel.encode())
    (status,) = nvrtc.nvrtcCompileProgram(program, len(words), [word.encode() for word in words])
    if int(status):
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = bytearray(size)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise CompileError(log.decode().rstrip("\0"))
    symbol = nvrtc.nvrtcGetLoweredName(program, kernel.encode())[1].decode() if kernel else ""
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = bytearray(size)
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx.decode().rstrip("\0"), symbol


def _nvrtc(name: str) -> Any:
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError) as error:
        raise Error(
            f"dma.prove: {name} needs NVRTC, which is not found; install the extra dma-cuda[toolkit], or nvcc and g++, or give "
            f"its PTX to dma.prove_ptx: {error}"
        ) from None
    return nvrtc


def _toolkit() -> list[str]:
    try:
        return [f"-I{folder}" for folder in of_toolkit()]
    except Error:  # the source may need none
        return []


def with_nvcc(environment: os._Environ[str] | dict[str, str]) -> dict[str, str]:
    """An environment whose programs find it."""
    compiler = nvcc()
    folder = [os.path.dirname(compiler)] if compiler else []
    return {**environment, "PATH": os.pathsep.join([environment.get("PATH", os.defpath), *folder])}
