"""Kernels of any compiler, proved for every schedule of their threads by their PTX, on NumPy's arrays."""

import json
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from ._arguments import Grid, extents_of
from ._errors import Error, NotComputedError
from ._cuda_source import ptx_of_file
from ._executable import executable
from ._headers import file_of
from ._host import _said_while_it_runs
from ._launch_line import Args, LaunchLine, block_of, grid_text
from ._ptx import entries_of, entry_named
from ._verdict import PtxVerdict

#: What the program tells to do, and what is done here instead.
IN_PYTHON = (
    (
        "which is an input; declare it as out in the launch, or write elsewhere",
        "which is read-only; set its flags.writeable, or write elsewhere",
    ),
    ("; stay inside the array, or give it as many elements in the launch", "; stay inside the array, or pass all of it"),
    ("; give the launch an array for it, as y: out f32[256], or write elsewhere", "; pass the array in args, or write elsewhere"),
    ("; give the launch an array for it, as x: f32[256], or read elsewhere", "; pass the array in args, or read elsewhere"),
    ("or give the launch more dynamic shared memory: <<<grid, block, bytes>>>", "or give more of it in shared_bytes="),
    ("; give the launch a cluster", "; give one in cluster="),
    ("which this launch does not say; write it, as in <<<8, 160, sms 132>>>", "which this call does not say; give it in sms="),
    (" and declare what it writes as out", " and let what it writes be writeable"),
    ("the seconds of a launch (--seconds)", "seconds="),
    ("the limit of executions (--executions)", "executions="),
    ("are more than --atomics, ", "are more than atomics=, "),
    ("by more --seeds", "by more seeds="),
    ("(--atomics 1)", "(atomics=1)"),
)
_NOT_TAKEN = 2  #: what the program ends with where it does not judge


def prove_ptx(
    ptx: str | os.PathLike[str],
    entry: str | None = None,
    *,
    grid: Grid,
    block: Grid | None = None,
    args: Args = (),
    shared_bytes: int = 0,
    cluster: int = 1,
    sms: int = 0,
    seeds: int = 6,
    seconds: int = 60,
    atomics: int = 128,
    executions: int = 1000,
    values: bool = True,
) -> PtxVerdict:
    """Proves a launch of a kernel by its PTX, for every schedule of its threads, as docs/guide/reference/ptx.md has it.
    Needs no GPU and no compiler.

        verdict = dma.prove_ptx("reverse.ptx", grid=2, block=160, args={"x": x, "y": y, "a": 3.0, "tiles": 8})
        assert verdict, verdict

    Arrays are all the memory that the kernel may access. A read-only one (`x.flags.writeable = False`) is not to be
    written. After a proof the others have what the kernel wrote.

    Args:
        ptx: A file's path, or text. A .cu is compiled for sm_90a: by nvcc and g++, else by NVRTC, which takes no host code.
        entry: The kernel's name, in the PTX or in the source, `"scale<float, 4>"`; None where there is only one.
        grid: One to three integers.
        block: Likewise; None where the PTX requires a number of threads.
        args: NumPy arrays and other arrays of a host, numbers, the bytes of structures. A mapping gives them names, which
            messages say.
        shared_bytes: Dynamic shared memory.
        cluster: CTAs of a cluster.
        sms: The GPU's SMs, where the kernel asks for them (`%nsmid`).
        seeds: Runs.
        seconds: A limit.
        atomics: Atomic accesses of a grid, of which each execution is judged; of more, the orders that the runs had.
        executions: Of those.
        values: False: the verdict is all that is wanted, and no array is changed.

    Raises:
        NotComputedError: The kernel is proved, and an array has values that were not computed. It says which, and by which
            instruction, and has the verdict; no array is changed.
        ArgumentError: An argument does not fit its parameter.
        CompileError: A .cu does not compile.
        LaunchError: The grid or the block is wrong.
        Error: The text is no PTX, or this installation has no dma-prove.
    """
    file = file_of(ptx)
    text = "" if file is None else ptx_of_file(file) if file.suffix == ".cu" else file.read_text()
    with tempfile.TemporaryDirectory(prefix="dma-prove.") as name:
        folder = pathlib.Path(name)
        if file is None or file.suffix == ".cu":
            text = text or str(ptx)
            file = folder / (file.with_suffix(".ptx").name if file else "kernel.ptx")
            file.write_text(text)
        entries = entries_of(text)
        if not entries:
            _run([str(file.resolve()), "--list"], folder)  # says where the text is wrong
            raise Error(f"dma.prove_ptx: {file.name} has no entry; give the PTX of a kernel")
        kernel = entry_named(entries, entry, lambda: _run([str(file.resolve()), "--list"], folder))
        threads = block_of(block, kernel)
        shared = f", {shared_bytes}" * (shared_bytes > 0) + f", cluster {cluster}" * (cluster > 1)
        more = shared + f", sms {sms}" * (sms > 0)
        line = LaunchLine(kernel, grid_text(extents_of(grid)), grid_text(threads) + more, args, folder)
        (folder / "launch").write_text(line.text)
        options = [word for name in line.written for word in ("--save", f"{name}={name}.out") if values]
        options += ["--launch-file", "launch", "--svg", "svg", "--seeds", str(seeds), "--seconds", str(seconds)]
        options += ["--atomics", str(atomics), "--executions", str(executions)]
        with _said_while_it_runs(f"proves {kernel.name}"):
            said = json.loads(_run([str(file.resolve()), "--json", *options], folder))
        verdict = _verdict_of(said["launches"], folder)
        if said["unknown"]:
            raise NotComputedError(
                f"dma.prove_ptx: the kernel is proved, and {', and '.join(said['unknown'])}; pass values=False for the verdict "
                "alone",
                verdict,
            )
        if verdict and values:
            _take(line.written, folder)
        return verdict


def _run(arguments: Sequence[str], folder: pathlib.Path) -> str:
    """What the program writes."""
    outcome = subprocess.run([executable(), *arguments], cwd=folder, capture_output=True, text=True)
    message = outcome.stderr.strip().removeprefix("dma-prove: ").replace(f"{folder}/", "")
    if outcome.returncode == _NOT_TAKEN:
        raise Error(
            f"dma.prove_ptx: dma-prove does not take it: {message}; give PTX as a compiler wrote it, and a launch that fits"
        )
    if outcome.returncode < 0:
        raise Error(f"dma.prove_ptx: dma-prove ended by signal {-outcome.returncode}; report it with the PTX: {message}")
    return outcome.stdout


def _verdict_of(launches: list[Any], folder: pathlib.Path) -> PtxVerdict:
    [launch] = launches
    kind = str(launch["finding"])
    if launch["class"] == "refused" and not kind.startswith("refused"):
        kind = "refused"
    return PtxVerdict(
        is_proved=launch["class"] in ("proved", "rule"),
        kind=kind,
        message=_in_python(launch["message"]),
        timeline=launch["schedule"],
        text=_in_python(launch["text"]),
        rules=tuple(launch["rules"]),
        remarks=tuple(map(_in_python, launch["remarks"])),
        not_computed=tuple(launch["not_computed"]),
        svg=(folder / "svg").read_text() if (folder / "svg").exists() else "",
        json=launch,
    )


def _in_python(text: str) -> str:
    """With the ways out that Python has."""
    for program, here in IN_PYTHON:
        text = text.replace(program, here)
    return text


def _take(written: dict[str, Any], folder: pathlib.Path) -> None:
    import numpy

    for name, bytes_ in written.items():
        bytes_[:] = numpy.load(folder / f"{name}.out").view(numpy.uint8)
