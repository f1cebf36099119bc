#!/usr/bin/env python3
"""superfluous_test.py bugs|own ROOT PROVE NVCC FOLDER: what dma-prove --superfluous says of the fixed forms of rows.py, or of
the library's own examples, is right. Each statement that it speaks of is changed in the PTX's text, and the text is judged: what
is called superfluous or weaker stays proved, what is called needed does not. The counts are those of the page.
superfluous_test.py --write ...: the same, and writes the table of docs/guide/reference/superfluous.md.
Exits with 4, a skip, where NVCC is no program."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from bugs_test import compile_all
from rows import ROWS

# Two more forms, and what is said of the fences of all that flash-attention's threads ask of.
MORE = ("flash_attention_2718_broken", "flash_attention_2462_broken")
FENCE = "fence.proxy.async.shared::cta"
NAMED = {
    "flash_attention_2718_broken": ["superfluous"] * 3,
    "flash_attention_2718_fixed": [],
    "flash_attention_2462_broken": ["needed"],
    "flash_attention_2462_fixed": ["needed", "superfluous"],
}
# The examples' kernels: a file, a part of the entry's name, and launches of two numbers of tiles for two CTAs, of 4 and of 8 slots
# and more. A tile has 1,024 floats.
OWN = (
    ("scale", "scale/scale.cu", "scalePK", "<<<2, 160>>>(x: f32[{floats}] = random, y: out f32[{floats}], 3.0f, {tiles})"),
    ("reverse", "porting/porting.cu", "after7reverse", "<<<2, 128>>>(x: f32[{floats}] = random, y: out f32[{floats}], {tiles})"),
    ("Add", "several_pipelines/several_pipelines.cu", "I3Add", "<<<2, 160, 70000>>>({{u8 0}}, x: f32[{floats}] = random, y: f32[{floats}] = random, z: out f32[{floats}], {tiles})"),
    ("Axpy", "several_pipelines/several_pipelines.cu", "I4Axpy", "<<<2, 224, 90000>>>({{u8 0}}, x: f32[{floats}] = random, y: f32[{floats}] = random, z: out f32[{floats}], 3.0f, {floats})"),
    ("Softmax", "several_pipelines/several_pipelines.cu", "I7Softmax", "<<<2, 320, 70000>>>({{u8 0}}, x: f32[{floats}] = random, y: out f32[{floats}], {tiles})"),
    ("ScaleTiles, cp.async", "custom_policies/device.cu", "11EachArrivesNS0_9AsyncCopy", "<<<2, 192, 40000>>>({{u8 0}}, x: f32[{floats}] = random, y: out f32[{floats}], {tiles}, 1024, {{s32 1024}})"),
    ("ScaleTiles, registers", "custom_policies/device.cu", "11EachArrivesNS0_12RegisterCopy", "<<<2, 192, 40000>>>({{u8 0}}, x: f32[{floats}] = random, y: out f32[{floats}], {tiles}, 1024, {{s32 1024}})"),
    ("ScaleTiles, a run a warp", "custom_policies/device.cu", "11CudaBarrierE10RunPerWarp", "<<<2, 192, 40000>>>({{u8 0}}, x: f32[{floats}] = random, y: out f32[{floats}], {tiles}, 576, {{s64 96, s32 24}})"),
)
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
    def __init__(self, program, file, name, launches, also=None):
        self.program, self.file, self.name, self.launches, self.also = program, file, name, launches, also
        answer = prove(program, file, launches, "--superfluous", *(("--also", also) if also else ()))
        self.proof_seconds = sum(launch["seconds"] for launch in answer["launches"])
        self.answer = answer["superfluous"]
        self.sites = self.answer["sites"]

    def count(self, *needs):
        return sum(site["need"] in needs for site in self.sites)

    def is_proved_with(self, changes):
        """By the text alone."""
        file = self.file.parent / "changed.ptx"
        file.write_text(text_with(self.file.read_text(), changes))
        streams = [self.launches, [self.also]] if self.also else [self.launches]
        judged = [launch for stream in streams for launch in prove(self.program, file, stream)["launches"]]
        return len(judged) == sum(map(len, streams)) and all(launch["class"] == "proved" for launch in judged)

    def wrong_answers(self):
        if self.answer["no_claim"]:
            return [f"{self.name}: {self.answer['no_claim']}"]
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
        others = self.count("not run", "not asked", "not judged")
        return " | ".join([f"`{self.name}`", *map(str, (self.count("superfluous"), self.count("weaker"), self.count("needed"), others))])

    def row(self):
        return f"| {self.cells()} | {self.proof_seconds:.2f} | {self.answer['seconds']:.2f} |"


def kernels_of_bugs(root, program, nvcc, folder):
    compile_all(root, nvcc, folder)
    for row in ROWS:
        for form in ("fixed", "broken"):
            if form == "fixed" or f"{row.kernel}_broken" in MORE:
                yield Kernel(program, folder / f"{row.file}.ptx", f"{row.kernel}_{form}", row.launches_of(form))


def kernels_of_examples(root, program, nvcc, folder):
    """The number of SMs, which no launch has, is that of an H200."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in dict.fromkeys(example[1] for example in OWN):
        file = folder / f"{source.split('/')[0]}.ptx"
        includes = [f"-I{root / part}" for part in ("include", "examples")]
        subprocess.run([nvcc, "-ptx", "-lineinfo", "-std=c++20", "-arch=sm_90a", *includes, root / "examples" / source, "-o", file], check=True)
        text = file.read_text().replace("%nsmid", "132")
        file.write_text(text)
        entries = re.findall(r"\.entry (\w+)\(", text)
        for name, _, part, arguments in (example for example in OWN if example[1] == source):
            entry = next(entry for entry in entries if part in entry)
            short, long = (entry + arguments.format(floats=1024 * tiles, tiles=tiles) for tiles in (12, 24))
            yield Kernel(program, file, name, [short], long)


def output_of(kernel):
    """What the page shows, but for the seconds."""
    command = [kernel.program, kernel.file, "--superfluous", *(word for line in kernel.launches for word in ("--launch", line))]
    lines = subprocess.run(command, stdout=subprocess.PIPE, check=False, encoding="utf-8").stdout.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("synchronization")) + 1 :]


def without_toolkit(text):
    """Lines of CUDA's own headers are those of its version."""
    return re.sub(r"intrinsics\.hpp:\d+", "intrinsics.hpp", text)


def check_page(page, kernels, which, writes):
    text = page.read_text(encoding="utf-8")
    if writes:
        tables = text.split(TABLE)
        number = 1 + list(KERNELS).index(which)
        behind = tables[number][tables[number].find("\n\n") :] if "\n\n" in tables[number] else "\n"
        tables[number] = "".join(kernel.row() + "\n" for kernel in kernels).rstrip("\n") + behind
        page.write_text(TABLE.join(tables), encoding="utf-8")
        return []
    shown = [line for kernel in kernels if kernel.name == SHOWN for line in output_of(kernel)]
    missing = [line for line in shown if without_toolkit(line) not in without_toolkit(text)]
    missing += [kernel.cells() for kernel in kernels if f"| {kernel.cells()} |" not in text]
    return [f"the page has not: {line}" for line in missing]


TABLE = "| kernel | superfluous | weaker | needed | others | proof, s | question, s |\n| --- | --- | --- | --- | --- | --- | --- |\n"
KERNELS = {"bugs": kernels_of_bugs, "own": kernels_of_examples}


def main(which, root, program, nvcc, folder, writes=False):
    if shutil.which(nvcc) is None:
        print(f"skipped: {nvcc} is no program")
        return 4
    root = pathlib.Path(root)
    kernels = list(KERNELS[which](root, program, nvcc, pathlib.Path(folder)))
    wrong = [answer for kernel in kernels for answer in kernel.wrong_answers()]
    if which == "bugs" and len(kernels) < FEWEST:
        wrong.append(f"there are {len(kernels)} kernels, and {FEWEST} are asked for")
    wrong += check_page(root / "docs/guide/reference/superfluous.md", kernels, which, writes)
    needs = [site["need"] for kernel in kernels for site in kernel.sites]
    print("\n".join(wrong) or f"{len(kernels)} kernels, {len(needs)} sites: {', '.join(f'{needs.count(need)} {need}' for need in sorted(set(needs)))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    sys.exit(main(*arguments, writes="--write" in sys.argv))
