#!/usr/bin/env python3
"""Counts loads and waits in the inner loops of kernels: inner_loop.py SASS, the text that `nvdisasm -c` prints of a cubin.

    nvcc -std=c++20 -O3 -arch=sm_90a -Iinclude -cubin -o steps.cubin KERNELS.cu
    nvdisasm -c steps.cubin > steps.sass

The inner loop is, of the loops without another inside, the one with the most loads from global memory (LDG). Of it

  sums         double additions (DADD)
  loads        loads from global memory
  loads_ahead  of these, before the first instruction that needs what one of them reads
  latencies    times that the loop has to wait for memory: an instruction needs a load that was issued after the last
               such wait. Loads that were issued before that share its latency.
"""

import re
import sys

KERNEL = re.compile(r"^\.text\.(\S+):$")
LABEL = re.compile(r"^(\.L\w+):$")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s*(?:@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
TARGET = re.compile(r"`\((\.L\w+)\)")
REGISTER = re.compile(r"\bR(\d+)\b")


def kernels(text):
    """Of each kernel, its lines: a label is a string, an instruction an (opcode, operands)."""
    found, here = {}, None
    for line in text.splitlines():
        if kernel := KERNEL.match(line):
            here = found.setdefault(kernel[1], [])
        elif here is not None and (label := LABEL.match(line)):
            here.append(label[1])
        elif here is not None and (instruction := INSTRUCTION.match(line)):
            here.append(instruction.groups())
    return found


def loops(lines):
    """Instructions of each loop that has no other inside, in order."""
    places = {line: at for at, line in enumerate(lines) if isinstance(line, str)}
    spans = []
    for at, line in enumerate(lines):
        if not isinstance(line, str) and line[0].startswith("BRA") and (target := TARGET.search(line[1])):
            if places.get(target[1], at) < at:
                spans.append((places[target[1]], at))
    for first, last in spans:
        if not any((a, b) != (first, last) and first <= a and b <= last for a, b in spans):
            yield [line for line in lines[first : last + 1] if not isinstance(line, str)]


def written(opcode, operands):
    """The registers that a load writes."""
    first = int(REGISTER.match(operands)[1])
    words = next((bits // 32 for bits in (128, 64) if f".{bits}" in opcode), 1)
    return range(first, first + words)


def counts(loop):
    is_load = lambda opcode: opcode.startswith("LDG")
    result = {
        "sums": sum(opcode.startswith("DADD") for opcode, _ in loop),
        "loads": sum(is_load(opcode) for opcode, _ in loop),
        "loads_ahead": 0,
        "latencies": 0,
    }
    issued = {}  # register -> when the load was issued that writes it
    last_wait = -1
    for at, (opcode, operands) in enumerate(loop + loop):  # twice: a load may be needed in the next round only
        needed = REGISTER.findall(operands.partition(",")[2] if is_load(opcode) else operands)
        waits_for = [issued.pop(int(register)) for register in needed if int(register) in issued]
        if any(when >= last_wait for when in waits_for):
            last_wait = at
            if at >= len(loop):
                result["latencies"] += 1
        if waits_for and not result["loads_ahead"]:
            result["loads_ahead"] = sum(is_load(before) for before, _ in (loop + loop)[:at])
        if is_load(opcode):
            issued.update(dict.fromkeys(written(opcode, operands), at))
    return result


def inner_loop(lines):
    """The counts of a kernel's inner loop; None where no loop loads."""
    return max((c for c in map(counts, loops(lines)) if c["loads"]), key=lambda c: c["loads"], default=None)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, lines in kernels(file.read()).items():
            print(name, inner_loop(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
