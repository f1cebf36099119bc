#!/usr/bin/env python3
"""limits_test.py ROOT: each message that docs/guide/limits.md quotes is one that a header of include/dma has.

A quotation begins where a string of the source begins, adjacent literals joined. It ends with the string, or before a
comma, a colon, a semicolon or a bracket. `...` is a value, which a message has between two strings that follow one
another, or where its format says so. A quotation of one word is a name in a header.
"""

import pathlib
import re
import sys

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<space>(?:\s|\\\n)+)|(?P<other>'(?:[^'\\\n]|\\.)'|.)""",
    re.VERBOSE | re.DOTALL,
)
FORMAT = re.compile(r"%0?\d*[a-z]+")
QUOTATION = re.compile(r"`([^`]+)`")
WITHOUT_MESSAGE = ("none", "the same")


def strings_of(source):
    """The strings of a header in their order, those behind a format's value apart."""
    strings, is_adjacent = [], False
    for match in TOKEN.finditer(source):
        if match.lastgroup == "text":
            text = match.group()[1:-1]
            if is_adjacent:
                strings[-1] += text
            else:
                strings.append(text)
            is_adjacent = True
        elif match.lastgroup == "other":
            is_adjacent = False
    return [part.strip() for string in strings for part in FORMAT.split(string)]


def ends_clause(string, piece):
    """Whether `string` is `piece`, or goes on behind it with another clause."""
    return string == piece or re.match(r"[,:;]| \(", string.removeprefix(piece)) is not None and string.startswith(piece)


def has_message(strings, quotation):
    pieces = [piece.strip() for piece in quotation.split("...")]
    is_open = pieces[-1] == ""
    if is_open:
        pieces.pop()
    *before, last = pieces
    for first in range(len(strings) - len(before)):
        if strings[first : first + len(before)] == before:
            string = strings[first + len(before)]
            if string == last or (not is_open and ends_clause(string, last)):
                return True
    return False


def rows_of(page):
    """Cells of the rows of the table whose last column is the error."""
    is_in = False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells[-1:] == ["error"]:
            is_in = True
        elif not cells:
            is_in = False
        elif is_in and not cells[0].startswith(("---", "**")):
            yield cells


def main():
    root = pathlib.Path(sys.argv[1])
    headers = [path.read_text(encoding="utf-8") for path in sorted((root / "include/dma").rglob("*.hpp"))]
    strings = [strings_of(header) for header in headers]
    messages, wrong = 0, []
    for cells in rows_of((root / "docs/guide/limits.md").read_text(encoding="utf-8")):
        if cells[-1].startswith(WITHOUT_MESSAGE):
            continue
        quotations = QUOTATION.findall(cells[-1])
        if not quotations:
            wrong.append(f"{' | '.join(cells)}: quote the message, or begin the cell with 'none'")
        for quotation in quotations:
            messages += 1
            is_name = re.fullmatch(r"\w+", quotation) is not None
            if not any(re.search(rf"\b{quotation}\b", header) for header in headers) if is_name else not any(
                has_message(of_header, quotation) for of_header in strings
            ):
                wrong.append(f"no header of include/dma says: {quotation}")
    print(*wrong, sep="\n")
    print(f"{messages} messages are quoted, {len(wrong)} of them or their rows are wrong")
    return 1 if wrong or messages < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
