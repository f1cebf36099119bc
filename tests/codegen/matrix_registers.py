"""matrix_registers.py <listing>: no instruction writes a register that a wgmma still reads.

The listing is that of `nvdisasm -c -plr -lrm narrow`. A matrix product with operand A in registers (HGMMA with a register
behind the first comma) reads them until a wait for its group returns: from it on, along every path, the registers must
not be written before such a wait. `gsb0` at an HGMMA closes a group, and WARPGROUP.DEPBAR.LE gsb0, n waits until at
most n groups are in flight. Ends with 1 and the instructions where one is written.
"""

import re
import sys

INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*// \|(.*)")
HEADING = re.compile(r"(.*// \|)([ 0-9]*) \|")
PRODUCT = re.compile(r"HGMMA\S* R\d+, R(\d+), gdesc.*")


class Kernel:
    def __init__(self, name):
        self.name = name
        self.instructions = []  # (address, text, registers that it writes)
        self.labels = {}  # name: index of an instruction


def columns_of(headings):
    """Register of each column of the life ranges, from the rows of its digits."""
    units = headings[-1]
    columns = {}
    for column, digit in enumerate(units):
        digits = "".join(row[column] for row in headings if column < len(row) and row[column].isdigit())
        if digit.isdigit():
            columns[column] = int(digits)
    return columns


def kernels_of(listing):
    kernels = []
    headings = []
    columns = {}
    for line in listing:
        instruction = INSTRUCTION.match(line)
        if instruction:
            address, text, ranges = instruction.groups()
            written = {register for column, register in columns.items()
                       if column < len(ranges) and ranges[column] in "^x"}
            kernels[-1].instructions.append((address, text, written))
            headings = []
            continue
        if "// |" in line:
            ranges = line.split("// |", 1)[1].split("|")[0].replace("#", " ")
            if re.fullmatch(r"[ 0-9]*\d[ 0-9]*", ranges):
                headings.append(ranges)
                columns = columns_of(headings)
        label = re.match(r"\s*(\.[\w$.]+):", line)
        if label and label.group(1).startswith(".text."):
            kernels.append(Kernel(label.group(1)[len(".text."):]))
        elif label and kernels:
            kernels[-1].labels[label.group(1)] = len(kernels[-1].instructions)
    return kernels


def successors(kernel, at):
    text = kernel.instructions[at][1]
    is_conditional = text.startswith("@")
    branch = re.search(r"\bBRA\b.*`\(([^)]+)\)", text)
    if branch:
        following = [kernel.labels[branch.group(1)]]
        # A branch may also have its condition as an operand: BRA.DIV, BRA.U UP0.
        is_conditional = is_conditional or re.search(r"\bBRA\.|\bBRA !?U?P", text) is not None
    elif re.search(r"\b(EXIT|RET|BRX|JMX)\b", text):
        following = []
    else:
        return [at + 1]
    return following + ([at + 1] if is_conditional else [])


def overwritten(kernel, product, registers):
    """The instructions that write one of the registers before a wait for the product's group."""
    found = set()
    closed = "gsb0" in kernel.instructions[product][1]
    todo = [(at, closed, 0) for at in successors(kernel, product)]
    seen = set()
    while todo:
        state = todo.pop()
        at, closed, newer = state
        if state in seen or at >= len(kernel.instructions):
            continue
        seen.add(state)
        address, text, written = kernel.instructions[at]
        wait = re.search(r"WARPGROUP\.DEPBAR\.LE gsb0, (\w+)", text)
        if wait and closed and newer >= int(wait.group(1), 0):
            continue
        if written & registers:
            found.add(f"{kernel.name}: /*{address}*/ {text} writes an operand of "
                      f"/*{kernel.instructions[product][0]}*/ {kernel.instructions[product][1]}")
            continue
        if "HGMMA" in text and "gsb0" in text:
            closed, newer = True, newer + 1 if closed else 0
        todo += [(following, closed, min(newer, 8)) for following in successors(kernel, at)]
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as listing:
        kernels = kernels_of(listing)
    products = 0
    found = set()
    for kernel in kernels:
        for at, (_, text, _) in enumerate(kernel.instructions):
            product = PRODUCT.search(text)
            if product:
                products += 1
                first = int(product.group(1))
                found |= overwritten(kernel, at, set(range(first, first + 4)))
    for line in sorted(found):
        print(line)
    print(f"{products} products with operand A in registers, {len(found)} writes to one in flight")
    return 1 if found or products == 0 else 0


sys.exit(main())
