#!/usr/bin/env python3
"""ptx_words_test.py ROOT: what is said of a kernel of PTX has no name of the library.

Goes over each text of the headers that dma-prove is compiled of, as include/dma/proof/ptx/launch/ptx_words.hpp translates it.
"""

import ast
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/guide"))
import messages  # noqa: E402

TABLE = "dma/proof/ptx/launch/ptx_words.hpp"
INCLUDE = re.compile(r"^#include <(dma/[^>]+)>", re.MULTILINE)
NAME = re.compile(
    r"dma::|\bdma_|\bcta\.|\bShared\b|(?<!__)\b[a-z]\w*\((?!=)|\b(?:wait|get)<|programmatic_launch|AsyncReads|Traits|Options|limits\.|\bState\b"
    r"|\bslots?\b|\btiles?\b|[Pp]ipeline|DMA|[Cc]ompute (?:warps|group)|the library|(?<!__)sync_warp"
)
OF_CUDA = re.compile(r"__sync\w+\(\)|\bcluster\.sync\(\)|\bcudaGridDependencySynchronize\(\)|\btile::\w+|\bdma_enter\b")

# Texts that no kernel of PTX meets, since it has no pipelines, roles, counters of the library's, and no search of its own.
OF_PIPELINES = (
    "dma/host/emulation/constructed_pipelines.hpp",
    "dma/host/emulation/grid_counters.hpp",
    "dma/host/emulation/pipeline_letters.hpp",
    "dma/host/emulation/single_group_emulator.hpp",
    "dma/host/emulation/slot_ledger.hpp",
    "dma/machine/checked/",
    "dma/machine/gpu/",
    "dma/machine/site.hpp",
    "dma/proof/replay",
    "dma/roles/",
)
NOT_MET = (
    "; call reads.release_when_read(slot), or release it behind a wait for a barrier where they arrive (arrive_when_multiplied)",
    "the kernel uses tensor memory, whose order explore() does not follow; use prove()",
    "; name the compute group that alone uses a pipeline: dma::UsedBy<Group, Buffering>",
    "; call release() or pass() in one place that all lanes come to",
    ", which other compute warps did not release; wait() in all of them for each tile, or name the one compute group that uses "
    "the pipeline: dma::UsedBy<Group, Buffering>",
    "dma::host: a kernel has two dma::Turns at the same time, which would use the same named barriers; let one end before the "
    "next, or take the turns of one",
    "dma::host: two pipelines of a kernel, ",
    " at the same time, because they use the same DMA group; give each its own (FirstGroup), or use dma::CudaBarrier",
    "a tile that was not used: ",
    ", and compute warps did not wait for it; wait() for every tile that is loaded",
    ", and the consuming warps did not wait for it; wait() for every tile that is handed over",
    ", and DMA warps did not store it; store() every tile that is filled",
    "a slot is released",
    "dma::take_roles: a warp acquires its role's registers once in a kernel, and this one has them already; put all code of its "
    "role into one take_roles()",
    "dma::host: this thread is not in a CTA; run the kernel body through dma::host::launch",
    "dma::Indirect: index %lld at position %d is outside its table of %lld rows; correct the index list or table_rows",
    "a tile that is not used",
    "refused: too few tiles",
    "a tile",
    ", which is left from the tile before",
    # Of a judge that dma-prove does not ask.
    " CTAs, and explore() searches the schedules of one CTA; use prove()",
    "the kernel has atomics of its own, whose order explore() does not follow; use prove()",
    "the kernel has arrivals or waits that are relaxed, whose order explore() does not follow; use prove()",
    "the lanes of a warp diverge and do not synchronize in between; use prove(), which judges each thread",
    "dma::proof: a proof without a run proves nothing; set dma::proof::Options::seeds to at least 1",
    # Left out by dma-prove's report.
    "writes by tile[i] that leave the bytes as they were, pointers into a tile that are kept, the body's own loads and stores "
    "through pointers (outputs are compared over the seeds, their bounds are not judged), shared memory outside pipelines, the "
    "standard's atomics",
    "  dma::host::launch with seed ",
    "  dma::proof::replay of this verdict runs the schedule\n",
    "  dma::proof::replay of this verdict runs the execution\n",
    "  dma::",
)


def closure(root):
    """The headers of dma-prove."""
    found, left = set(), ["dma/proof/ptx/launch/report.hpp", "dma/proof/judge_grid.hpp", "dma/proof/draw.hpp"]
    while left:
        name = left.pop()
        path = root / "include" / name
        if name not in found and path.is_file():
            found.add(name)
            left += INCLUDE.findall(path.read_text(encoding="utf-8"))
    return sorted(found)


def literals(source):
    """Texts, those side by side as one; not the conditions of a static_assert."""
    at_compile_time = {
        j
        for i in source.places["static_assert"]
        for j in range(i, source.partner[i + 1])
    }
    i = 0
    while i < len(source.tokens):
        text = ""
        begin = i
        while i < len(source.tokens) and source.tokens[i][0] == "text":
            text += ast.literal_eval(source.tokens[i][1])
            i += 1
        if text and begin not in at_compile_time:
            yield text
        i = max(i, begin + 1)


def table_of(root):
    source = messages.Source(TABLE, (root / "include" / TABLE).read_text(encoding="utf-8"))
    rows = []
    for i in source.places["PtxWords"]:
        if source.word(i + 1) == "{" and source.tokens[i + 2][0] == "text":
            parts = source.split(i + 2, source.partner[i + 1], ",")
            rows.append(tuple("".join(ast.literal_eval(word) for _, word in source.tokens[slice(*part)]) for part in parts))
    return rows


def translated(text, rows):
    for library, ptx in rows:
        before, number, behind = library.partition("#")
        if not number:
            text = text.replace(library, ptx)
        elif text.endswith(before):  # the number is not of the source
            text = text.removesuffix(before) + ptx.partition("#")[0]
        elif text.startswith(behind):
            text = ptx.partition("#")[2] + text.removeprefix(behind)
    return text


def name_in(text):
    """What is of the library in it, or None."""
    found = NAME.search(OF_CUDA.sub("", text))
    return found and found.group()


def main():
    root = pathlib.Path(sys.argv[1])
    rows = table_of(root)
    faults, texts = [], []
    for name in closure(root):
        if name != TABLE and not name.startswith(OF_PIPELINES):
            source = messages.Source(name, (root / "include" / name).read_text(encoding="utf-8"))
            texts += [(name, text) for text in literals(source)]
    all_texts = {text for _, text in texts}
    for name, text in texts:
        said = translated(text, rows)
        if text not in NOT_MET and (found := name_in(said)):
            faults.append(f"{name}: '{found}' is no word of CUDA or PTX; add a row to {TABLE}: {text!r}")
    for library, ptx in rows:
        for part in library.split("#"):
            if not any(part in text for text in all_texts):
                faults.append(f"{TABLE}: no message has {part!r}; take the row out")
        if found := name_in(ptx):
            faults.append(f"{TABLE}: '{found}' is no word of CUDA or PTX: {ptx!r}")
    faults += [f"no message is {text!r}; take it out of this test" for text in NOT_MET if text not in all_texts]
    if len(rows) < 40 or len(texts) < 1000:
        faults.append(f"only {len(rows)} rows and {len(texts)} texts were found")
    print(*faults, f"{len(texts)} texts, {len(rows)} rows", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
