"""What a proof returns, and proofs of any number of tiles."""

import dataclasses
from collections.abc import Callable
from typing import Any

from ._errors import Error

#: What C++ tells to do, and what is done here instead: ends of messages of the emulator and the prover.
IN_PYTHON = (
    ("dma::host::launch with seed", "kernel.emulate with the same arguments and seed"),
    ("dma::proof::replay of this verdict runs the schedule", "in C++, dma::proof::replay runs the schedule"),
    (", and name what it writes in dma::proof::Options::outputs", ""),
    ("; stay inside the array, or name all of it", "; stay inside the array, or pass all of it"),
    (
        ", and to be told which element it is, name them as inputs and outputs in a program that sees every access "
        "(dma_see_every_access)",
        ", and pass arrays instead of addresses to be told which element it is",
    ),
    ("name it among the outputs, as dma::proof::output(y), or", "pass the whole array, or"),
    ("name it among the inputs, as dma::proof::input(x), or", "pass the whole array, or"),
    (
        ", which is an input; name it among the outputs too",
        ", whose parameter is a pointer to const; take const away, or write elsewhere",
    ),
    (
        "a quarter of dma::proof::Options::limits.seconds",
        "a quarter of the time of a proof",
    ),
    ("dma::proof::Options::limits.executions", "the limit of executions"),
    ("dma::proof::Options::limits.seconds ended", "the time of a proof ended"),
    ("are more than limits.atomics, ", "are more than "),
    (
        "prove a smaller grid, take more orders by more seeds, or raise it where few threads compete",
        "prove a smaller grid, or prove it in C++ with more seeds or a higher limit",
    ),
    (
        "raise it, prove a smaller grid, or take the orders of atomics that runs have: limits.atomics = 1",
        "prove a smaller grid, or prove it in C++ with a higher limit",
    ),
    ("give it more seconds, fewer seeds or less work", "give it less work, or prove it in C++ with more seconds"),
    ("more than dma::proof::Options::limits.bytes", "more bytes than a proof has"),
    ("prove a smaller problem or allow more bytes", "prove a smaller problem"),
)

_FEWEST = 3  #: rounds of its slots that a pipeline has to make, and one tile more


def in_python(text: str) -> str:
    """A message or a report of C++ with the ways out that Python has."""
    for cpp, here in IN_PYTHON:
        text = text.replace(cpp, here)
    return text


@dataclasses.dataclass(frozen=True)
class PipelineUse:
    """A pipeline of a kernel that was judged.

    Attributes:
        name: Its type, and its place in shared memory.
        stages: Its slots.
        tiles: The most that a CTA moved through them.
    """

    name: str
    stages: int
    tiles: int


@dataclasses.dataclass(frozen=True, repr=False)
class Verdict:
    """The result of a proof, as docs/trust/proof.md has it: true where the kernel is proved. Printed it is the whole report.

    Attributes:
        is_proved: Whether the kernel is right for every schedule.
        kind: The words with which the report begins, `"proved"` or of the fault: `"deadlock"`, `"race"`; docs/guide/errors.md
            has all under "Findings of a proof".
        message: The fault, the threads and the source's line; empty where the kernel is proved.
        timeline: The shortest schedule that was found, a line a step; empty where there is none.
        text: The whole report.
        pipelines: Those of the kernel.
    """

    is_proved: bool
    kind: str
    message: str
    timeline: str
    text: str
    pipelines: tuple[PipelineUse, ...] = ()

    def __bool__(self) -> bool:
        return self.is_proved

    def __repr__(self) -> str:
        return f"<dma.Verdict: {self.kind}>"

    def __str__(self) -> str:
        return self.text


@dataclasses.dataclass(frozen=True, repr=False)
class PtxVerdict(Verdict):
    """The result of a proof by PTX.

    Attributes:
        rules: Rules that the kernel breaks, which published code breaks too and no GPU was seen to mind: it is proved but
            for them.
        remarks: What may be meant otherwise: an array whose elements are larger than what the kernel accesses of them.
        not_computed: Instructions whose values are not known, each with its first line.
        svg: The schedule as a picture; empty where there is none.
        json: All that `dma-prove --json` says of the launch.
    """

    rules: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    not_computed: tuple[str, ...] = ()
    svg: str = ""
    json: dict[str, Any] = dataclasses.field(default_factory=dict)


def for_all_trips(judge: Callable[[int], Verdict]) -> Verdict:
    """A proof for any number of tiles: judges 0 tiles up to three rounds of the slots of the pipeline that has most, and
    one tile more; more tiles repeat what these do.

        verdict = dma.for_all_trips(lambda tiles: kernel.prove(1, x, y, tiles))

    Args:
        judge: Proves the kernel for a number of tiles, which the arrays hold. A grid divides the tiles among its CTAs, so
            let a problem for several have as many times more.

    Returns:
        The first verdict that is no proof, with the number of tiles, or all together. It is no proof where a pipeline
        moved fewer tiles than that, unless it moves the same for each number, and where all do.
    """
    before: dict[str, PipelineUse] = {}
    most: dict[str, PipelineUse] = {}
    tiles, last, verdict = 0, 1, None
    while tiles <= last:
        verdict = judge(tiles)
        if not isinstance(verdict, Verdict):
            given = type(verdict).__name__
            raise Error(f"dma.for_all_trips: the function gives a {given} and no Verdict; return what kernel.prove() gives")
        if isinstance(verdict, PtxVerdict):
            raise Error("dma.for_all_trips: PTX does not say how many slots its pipelines have; prove each number of tiles")
        if not verdict and verdict.kind != "refused: nothing was done":
            first, _, rest = verdict.text.partition("\n")
            case = f"with {tiles} {'tile' if tiles == 1 else 'tiles'}: "
            return dataclasses.replace(verdict, message=case + verdict.message, text=f"{first}\n{case}{rest}")
        most = {use.name: use for use in verdict.pipelines}
        before = before if tiles else most
        last = max([last, *(_FEWEST * use.stages + 1 for use in verdict.pipelines)])
        tiles += 1
    assert verdict is not None
    if not verdict:
        return verdict
    moved_before = {name: before[name].tiles if name in before else 0 for name in most}
    more = [use for use in most.values() if use.tiles > moved_before[use.name]]
    for use in more:
        if use.tiles <= _FEWEST * use.stages:
            needed = (
                f"a pipeline of {use.stages} slots moved {use.tiles} tiles at most, and a proof of any number needs "
                f"{_FEWEST * use.stages + 1}; let the function choose a larger problem for each number, as many times larger "
                f"as the grid has CTAs, which divide the tiles: {use.name}"
            )
            return _few_tiles(verdict, needed)
    if most and not more:
        why = (
            "no pipeline moved more tiles the more there were; let the kernel take as many as the function is called with, "
            "or prove a kernel of one size by prove()"
        )
        return _few_tiles(verdict, why)
    first, _, rest = verdict.text.partition("\n")
    return dataclasses.replace(verdict, text=f"{first}, and so with 0 to {last} tiles\n{rest}")


def _few_tiles(verdict: Verdict, why: str) -> Verdict:
    kind = "refused: too few tiles"
    message = f"nothing was found, but {why}"
    return dataclasses.replace(verdict, is_proved=False, kind=kind, message=message, text=f"{kind}\n{message}\n")
