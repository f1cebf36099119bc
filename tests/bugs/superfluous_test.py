#!/usr/bin/env python3
"""superfluous_test.py bugs|own|applications ROOT PROVE NVCC FOLDER: what dma-prove --superfluous says of the fixed forms of
rows.py, of the library's own examples, or of its applications, is right. Each statement that it speaks of is changed in the PTX's text, and the text is judged: what
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
# The applications' kernels, of own_*.cu: a file and a launch, or several of which the last one is asked, each judged in two runs. Pipelines have more tiles than slots.
HEAD = "extents (64, {rows}, 1, {heads}, 1), strides (128, 128, {bytes}, {all}), box (64, {box}, 1, 1, 1), swizzle 128"
HALVES = "extents (32, 128, 2, 1, 1), strides (128, 64, 16384, 16384), box (32, 128, 2, 1, 1), swizzle 64"
PAGES = "extents (64, 64, 1, 5121), strides (128, 128, 16), box (64, 64, 1, 1), swizzle 128"
MATRIX = "write_matrix<<<1, 128>>>(offsets: out s32[436], columns: out s32[2640], starts: out u32[64], 432)"
SPARSE = "offsets, columns, v: f32[2640] = random, starts, heads: out f32[16], x: f32[432] = random, y: out f32[432], 432, 2592, 12"


def head(rows, heads, box):
    return HEAD.format(rows=rows, heads=heads, bytes=128 * rows, all=128 * rows * heads, box=box)


def matrix(name, rows, columns, box_rows, is_output=False):
    of = f"out bf16[{rows * columns}]" if is_output else f"bf16[{rows * columns}] = random"
    return f"map{{{name}: {of}, extents ({columns}, {rows}), box (64, {box_rows}), swizzle 128}}"


APPLICATIONS = (
    ("kernels", "sgemv_vec<<<(1,2), 96, 60000>>>(a: f32[28160] = random, x: f32[880] = random, y: out f32[32], partial: out f64[64], arrivals: out u32[1], 32, 880)"),
    ("kernels", "sgemv_both<<<(1,2), 160, 60000>>>(a: f32[28672] = random, x: f32[896] = random, y: out f32[32], partial: out f64[64], arrivals: out u32[1], 32, 896)"),
    ("kernels", "sgemv_both_of_constant<<<(1,2), 160, 100000>>>(a: f32[40960] = random, x: f32[1280] = random, y: out f32[32], partial: out f64[64], arrivals: out u32[1], 1280, 32)"),
    ("kernels", "sgemv_direct<<<(1,2), 64, 60000>>>(a: f32[25600] = random, x: f32[800] = random, y: out f32[32], partial: out f64[64], arrivals: out u32[1], 32, 800)"),
    ("kernels", "layer_norm<<<2, 96, 60000>>>(x: f32[6144] = random, scale: f32[512] = random, shift: f32[512] = random, y: out f32[6144], 12)"),
    ("kernels", "layer_norm_of_rows<<<2, 128, 60000>>>(x: f32[6144] = random, scale: f32[512] = random, shift: f32[512] = random, y: out f32[6144], 12)"),
    ("kernels", "softmax_of_clusters<<<4, 64, 60000, cluster 2>>>(x: f32[12288] = random, y: out f32[12288], 12)"),
    ("kernels", "sum_bags<<<2, 64, 60000>>>(table: f32[12800] = random, ids: s32[100] = random, offsets: s32[101] = iota, 100, sums: out f32[12800])"),
    ("kernels", "sum_bags_by_dma_warp<<<2, 96, 60000>>>(table: f32[12800] = random, ids: s32[100] = random, offsets: s32[101] = iota, 100, sums: out f32[12800])"),
    ("kernels", "add_to_rows_of_bags<<<2, 96, 60000>>>(g: f32[7680] = random, ids: s32[60] = random, offsets: s32[61] = iota, 60, table: out f32[12800])"),
    ("kernels", "scan_tiles<<<2, 64, 20000>>>(x: s32[512] = random, y: out s32[512], 512, w: out u64[65])"),
    ("kernels", "scan_stream<<<1, 64, 20000>>>(x: s32[1792] = random, y: out s32[1792], 1792, w: out u64[65])"),
    ("kernels", "closes<<<1, 96, 60000>>>(x: f32[7168] = random, y: out f32[7168], 7)"),
    ("kernels", "transpose_by_hand<<<(2,2), 256, 60000>>>(from: f32[4096] = random, to: out f32[4096], 64, 64)"),
    ("kernels", "transpose_by_pattern<<<(2,1), 256, 60000>>>(from: f32[6400] = random, to: out f32[6400], 100, 64)"),
    ("kernels", "transpose_in_registers<<<(2,1), 256, 60000>>>(from: f32[6400] = random, to: out f32[6400], 100, 64)"),
    ("kernels", "best_of_sums<<<2, 64, 60000>>>(big: f32[15360] = random, small: f32[30] = random, best: out f32[512], 512, 30)"),
    ("kernels", f"{MATRIX}; spmv<<<2, 64, 60000>>>({SPARSE})"),
    ("kernels", f"{MATRIX}; spmv_streamed<<<2, 96, 60000>>>({SPARSE})"),
    ("kernels", "layer_norm_backward<<<2, 128, 60000>>>(scale: f32[256] = random, statistics: f32[48] = random, a: out f32[1024], b: out f32[1024], x: f32[6144] = random, dy: f32[6144] = random, dx: out f32[6144], 24)"),
    ("kernels", "layer_norm_backward<<<2, 128, 60000>>>(scale: f32[256] = random, statistics: f32[16] = random, a: out f32[1024], b: out f32[1024], x: f32[2048] = random, dy: f32[2048] = random, dx: out f32[2048], 8); gradient_sums<<<4, 1024, 5000, programmatic>>>(a, c: out f32[64], b, d: out f32[64], 4, 64)"),
    ("products", "fft_pass<<<2, 64, 60000>>>(from: f32[4096] = random, to: out f32[4096], 256, 8, 1)"),
    ("products", "fft_ahead<<<1, 64, 60000>>>(map{from: f64[4096] = random, extents (16, 256, 1), box (4, 256, 1)}, from, to: out f32[8192], 256, 16, 2)"),
    ("products", "fft_dma_warps<<<1, 128, 60000>>>(from: f32[8192] = random, to: out f32[8192], 256, 16, 2)"),
    ("products", f"gemm_tiles<<<2, 192, 150000>>>({{{matrix('a', 128, 128, 64)}, {matrix('b', 384, 128, 64)}, {matrix('c', 128, 384, 64, True)}}}, a, b, c, 128, 384, 128)"),
    ("products", f"gemm_divided<<<2, 192, 150000>>>({{{matrix('a', 64, 1024, 64)}, {matrix('b', 64, 1024, 64)}, {matrix('c', 64, 64, 64, True)}}}, a, b, c, 64, 64, 1024, s: out f32[16384], n: out u32[1])"),
    ("products", f"gemm_split<<<2, 320, 200000, cluster 2>>>({{{matrix('a', 128, 640, 128)}, {matrix('b', 128, 640, 128)}, {matrix('c', 128, 128, 128, True)}}}, a, b, c, 128, 128, 640)"),
    ("products", f"gemm_clusters<<<2, 384, 200000, cluster 2>>>({{{matrix('a', 256, 640, 128)}, {matrix('b', 64, 640, 32)}, map{{b, extents (640, 64), box (64, 32), swizzle 128}}, {matrix('c', 256, 64, 128, True)}}}, a, b, c, 256, 64, 640)"),
    ("products", "stencil_march<<<2, 384, 100000>>>({map{u: f32[24576] = random, extents (128, 16, 12), box (64, 18, 1)}, map{u, extents (128, 16, 12), box (8, 16, 1)}, map{u, extents (128, 16, 12), box (8, 16, 1)}}, u, to: out f32[24576], 128, 16, 12, 0)"),
    ("products", f"decode_plan<<<1, 256>>>(lengths: s32[3] = 192, 3, before: out s32[4], list: out u32[40]); decode_step<<<2, 160, 100000>>>({{map{{k: bf16[49152] = random, {PAGES}}}, map{{v: bf16[49152] = random, {PAGES}}}}}, q: bf16[768] = random, k, v, o: out bf16[768], lengths, list, parts: out f32[2112], counters: out u32[4], 3, 192)"),
    ("products", f"attention_forward<<<1, 320, 200000>>>({{map{{q: bf16[24576] = random, {head(128, 3, 128)}}}, map{{k: bf16[24576] = random, {head(128, 3, 64)}}}, map{{v: bf16[24576] = random, {head(128, 3, 64)}}}, map{{o: out bf16[24576], {head(128, 3, 128)}}}}}, q, k, v, o, l: out f32[384], 3, 128, 128)"),
    ("products", f"attention_backward<<<1, 320, 220000>>>({{map{{q: bf16[20480] = random, {head(320, 1, 64)}}}, map{{d_o: bf16[20480] = random, {head(320, 1, 64)}}}, map{{k: bf16[8192] = random, {HALVES}}}, map{{v: bf16[8192] = random, {HALVES}}}, map{{d_k: out bf16[8192], {head(128, 1, 128)}}}, map{{d_v: out bf16[8192], {head(128, 1, 128)}}}}}, q, k, v, o: bf16[20480] = random, l: f32[320] = random, d_o, d_q: out bf16[20480], d_k, d_v, w: out f32[21120] = random, 1, 320, 128)"),
)
# Lines that faults of tests/mutants leave out and that no ordinary test misses: a part of the place, the opcode, and what is said.
FAULTS = {
    "closes": ("pipeline.hpp", "cp.async.wait_all", "superfluous"),
    "sgemv_vec": ("bulk_copy.hpp", FENCE, "superfluous"),
    "gemm_split": ("phase_barrier.hpp", FENCE, "superfluous"),
    "attention_backward": ("backward_warpgroup.hpp", "wgmma.wait_group.sync.aligned", "needed"),
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
    def __init__(self, program, file, name, launches, also=None, seeds=6):
        self.program, self.file, self.name, self.launches, self.also = program, file, name, launches, also
        self.options = ("--seeds", str(seeds))
        answer = prove(program, file, launches, "--superfluous", *self.options, *(("--also", also) if also else ()))
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
        judged = [launch for stream in streams for launch in prove(self.program, file, stream, *self.options)["launches"]]
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
        place, opcode, need = FAULTS.get(self.name, ("", "", ""))
        said = {site["need"] for site in self.sites if place in site["place"] and site["opcode"] == opcode}
        if said != ({need} if need else set()):
            wrong.append(f"{self.name}: {place} {opcode} is {said}")
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


def compile_own(root, nvcc, source, file):
    includes = [f"-I{root / part}" for part in ("include", "examples", "applications")]
    subprocess.run([nvcc, "-ptx", "-lineinfo", "-std=c++20", "-arch=sm_90a", *includes, source, "-o", file], check=True)
    return re.findall(r"\.entry (\w+)\(", file.read_text())


def on_h200(launch):
    """With the number of its SMs, which grids of the library ask for."""
    return launch.replace(">>>", ", sms 132>>>", 1)


def kernels_of_applications(root, program, nvcc, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(name for name, _ in APPLICATIONS):
        compile_own(root, nvcc, root / "tests/bugs" / f"own_{name}.cu", folder / f"{name}.ptx")
    for name, launch in APPLICATIONS:
        launches = launch.split("; ")
        yield Kernel(program, folder / f"{name}.ptx", launches[-1].split("<<<")[0], [on_h200(each) for each in launches], seeds=2)


def kernels_of_examples(root, program, nvcc, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for source in dict.fromkeys(example[1] for example in OWN):
        file = folder / f"{source.split('/')[0]}.ptx"
        entries = compile_own(root, nvcc, root / "examples" / source, file)
        for name, _, part, arguments in (example for example in OWN if example[1] == source):
            entry = next(entry for entry in entries if part in entry)
            short, long = (on_h200(entry + arguments.format(floats=1024 * tiles, tiles=tiles)) for tiles in (12, 24))
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
KERNELS = {"bugs": kernels_of_bugs, "own": kernels_of_examples, "applications": kernels_of_applications}


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
