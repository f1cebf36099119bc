#!/usr/bin/env python3
"""superfluous_test.py ROOT PROVE NVCC FOLDER [FILE...]: what dma-prove --superfluous says of the fixed forms of rows.py, or of
those in FILEs, is right. Each statement that it speaks of is changed in the PTX's text, and the text is judged: what is called
superfluous or weaker stays proved, what is called needed does not. Without a FILE the counts are those of the page.
superfluous_test.py --write ROOT PROVE NVCC FOLDER: the same, and writes the table of docs/guide/reference/superfluous.md.
Exits with 4, a skip, where NVCC is no program."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from bugs_test import compile_all
from rows import FILES, ROWS

# Two more forms, and what is said of the fences of all that flash-attention's threads ask of.
MORE = ("flash_attention_2718_broken", "flash_attention_2462_broken")
FENCE = "fence.proxy.async.shared::cta"
NAMED = {
    "flash_attention_2718_broken": ["superfluous"] * 3,
    "flash_attention_2718_fixed": [],
    "flash_attention_2462_broken": ["needed"],
    "flash_attention_2462_fixed": ["needed", "superfluous"],
}
SHOWN = "flash_attention_2462_fixed"
FEWEST = 40  # kernels of which something is said
ACCESS = re.compile(r"(ld|st|atom|red|mbarrier\.arrive)\b")  # is not left out, but made weaker
PHASE_WAIT = re.compile(r"mbarrier\.(try|test)_wait\b")


def prove(program, file, launches, *options):
    command = [program, file, "--json", *options, *(word for line in launches for word in ("--launch", line))]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)


def changed(line, opcode, form):
    """A line of PTX with a statement left out, or with another opcode. A wait for an mbarrier is done at once then."""
    statement = re.compile(r"((?:@!?%\w+\s+)?)(?<![\w.])" + re.escape(opcode) + r"(?![\w.:])([^;]*);")
    if form:
        return statement.sub(lambda found: f"{found[1]}{form}{found[2]};", line, count=1)
    if PHASE_WAIT.match(opcode):
        return statement.sub(lambda found: f"{found[1]}setp.eq.u32 {found[2].split(',')[0]}, 0, 0;", line, count=1)
    return statement.sub("", line, count=1)


def text_with(text, changes):
    """`changes` are sites, each with the opcode in its place."""
    lines = text.split("\n")
    for site, form in changes:
        for statement in site["statements"]:
            number = statement["line"] - 1
            before = lines[number]
            lines[number] = changed(before, statement["opcode"], form)
            if lines[number] == before:
                sys.exit(f"{statement} is not in line {number + 1}: {before}")
    return "\n".join(lines)


class Kernel:
    def __init__(self, program, file, name, launches):
        self.program, self.file, self.name, self.launches = program, file, name, launches
        answer = prove(program, file, launches, "--superfluous")
        self.proof_seconds = sum(launch["seconds"] for launch in answer["launches"])
        self.answer = answer["superfluous"]
        self.sites = self.answer["sites"]

    def count(self, *needs):
        return sum(site["need"] in needs for site in self.sites)

    def is_proved_with(self, changes):
        """By the text alone."""
        file = self.file.parent / "changed.ptx"
        file.write_text(text_with(self.file.read_text(), changes))
        judged = prove(self.program, file, self.launches)["launches"]
        return len(judged) == len(self.launches) and all(launch["class"] == "proved" for launch in judged)

    def wrong_answers(self):
        if self.answer["no_claim"]:
            return []
        wrong = []
        for site in self.sites:
            where = f"{self.name}: {site['place']} {site['opcode']}"
            if site["need"] in ("superfluous", "weaker", "not run") and not self.is_proved_with([(site, site["form"])]):
                wrong.append(f"{where} is {site['need']} {site['form']}, and the kernel is not proved with that")
            if site["need"] in ("needed", "weaker") and not ACCESS.match(site["opcode"]) and self.is_proved_with([(site, "")]):
                wrong.append(f"{where} is {site['need']}, and the kernel is proved without it")
        together = [(site, site["form"]) for site in self.sites if site["need"] in ("superfluous", "weaker") and not site["alone"]]
        if not self.is_proved_with(together):
            wrong.append(f"{self.name}: it is not proved without all that is superfluous")
        fences = sorted(site["need"] for site in self.sites if site["opcode"] == FENCE)
        if fences != NAMED.get(self.name, fences):
            wrong.append(f"{self.name}: its fences are {fences}")
        return wrong

    def cells(self):
        if self.answer["no_claim"]:
            return [f"`{self.name}`", "–", "–", "–", "–", self.answer["no_claim"].split(": ", 1)[1]]
        others = self.count("not run", "not asked", "not judged")
        return [f"`{self.name}`", *(str(number) for number in (self.count("superfluous"), self.count("weaker"), self.count("needed"), others))]

    def row(self):
        cells = self.cells()
        if self.answer["no_claim"]:
            return f"| {' | '.join(cells)} | |"
        return f"| {' | '.join(cells)} | {self.proof_seconds:.2f} | {self.answer['seconds']:.2f} |"


def kernels_of(program, folder, files):
    for row in ROWS:
        if row.file in files:
            for form in ("fixed", "broken"):
                if form == "fixed" or f"{row.kernel}_broken" in MORE:
                    yield Kernel(program, folder / f"{row.file}.ptx", f"{row.kernel}_{form}", row.launches_of(form))


def output_of(kernel):
    """What the page shows, but for the seconds."""
    command = [kernel.program, kernel.file, "--superfluous", *(word for line in kernel.launches for word in ("--launch", line))]
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8").stdout.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("synchronization")) + 1 :]


def without_toolkit(text):
    """Lines of CUDA's own headers are those of its version."""
    return re.sub(r"intrinsics\.hpp:\d+", "intrinsics.hpp", text)


def check_page(page, kernels, writes):
    text = page.read_text(encoding="utf-8")
    if writes:
        head = text[: text.index("| kernel |")]
        table = ["| kernel | superfluous | weaker | needed | others | proof, s | question, s |", "| --- | --- | --- | --- | --- | --- | --- |"]
        page.write_text(head + "\n".join(table + [kernel.row() for kernel in kernels]) + "\n", encoding="utf-8")
        return []
    shown = next(kernel for kernel in kernels if kernel.name == SHOWN)
    missing = [line for line in output_of(shown) if without_toolkit(line) not in without_toolkit(text)]
    if missing:
        return [f"the page has not: {line}" for line in missing]
    return [f"the page has not {kernel.cells()}" for kernel in kernels if f"| {' | '.join(kernel.cells())} |" not in text]


def main(root, program, nvcc, folder, *files, writes=False):
    if shutil.which(nvcc) is None:
        print(f"skipped: {nvcc} is no program")
        return 4
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    compile_all(root, nvcc, folder)
    kernels = list(kernels_of(program, folder, files or FILES))
    wrong = [answer for kernel in kernels for answer in kernel.wrong_answers()]
    if not files:
        said = sum(not kernel.answer["no_claim"] for kernel in kernels)
        wrong += [] if said >= FEWEST else [f"something is said of {said} kernels only"]
        wrong += check_page(root / "docs/guide/reference/superfluous.md", kernels, writes)
    sites = [site["need"] for kernel in kernels for site in kernel.sites]
    print("\n".join(wrong) or f"{len(kernels)} kernels, {len(sites)} sites: {', '.join(f'{sites.count(need)} {need}' for need in sorted(set(sites)))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    sys.exit(main(*arguments, writes="--write" in sys.argv))
