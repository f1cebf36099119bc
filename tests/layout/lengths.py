#!/usr/bin/env python3
"""lengths.py ROOT: every header of include/dma has at most 400 lines, and every function there and in the headers of
applications, with the bodies of kernels, at most 60. Lines of static_assert do not count: a list of rules is no long
function."""

import pathlib
import re
import sys

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 60

TOKEN = re.compile(
    r"""
    (?P<skip> //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n]*\\\n)*[^\n]* )
  | (?P<text> R"(?P<end>[^(\s]*)\(.*?\)(?P=end)" | "(?:[^"\\\n]|\\.)*" | (?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)*' )
  | (?P<word> [A-Za-z_]\w* )
  | (?P<sign> [{}();=] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SCOPES = ("namespace", "class", "struct", "union", "enum", "extern")


def tokens_of(text):
    """Words and signs, each with its line; a text in quotes is one word."""
    line, seen = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        if match.lastgroup != "skip" and match.group("skip") is None:
            yield match.group("word") or match.group("sign") or '""', line


def kind_of(head):
    """What a block is that stands behind these words of a declaration: a scope, a function, or something else."""
    words = [word for word, _ in head]
    if "=" in words and "operator" not in words and "(" not in words[: words.index("=")]:
        return "other"  # an initializer
    if "(" not in words:
        return "scope" if any(word in SCOPES for word in words) else "other"
    if ")" not in words:
        return "other"  # an argument
    last = len(words) - 1 - words[::-1].index(")")
    behind_constraint = any(word in SCOPES for word in words[last:])
    aligned = words.count("(") == words.count("alignas") and any(word in SCOPES for word in words)
    return "scope" if behind_constraint or aligned else "function"


def functions_of(text):
    """(name, first line, lines without those of static_assert) of each function."""
    tokens = list(tokens_of(text))
    head, stack, function = [], [], None
    asserted, i = set(), 0
    while i < len(tokens):
        word, line = tokens[i]
        if word == "static_assert":
            first, depth = line, 0
            while i < len(tokens) and not (tokens[i][0] == ";" and depth == 0):
                depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(tokens[i][0], 0)
                i += 1
            asserted.update(range(first, tokens[i][1] + 1))
            head = []
        elif word == "{":
            kind = "inside" if function else kind_of(head)
            if kind == "function":
                name = next((head[k - 1][0] for k in range(1, len(head)) if head[k][0] == "("), "?")
                function = (len(stack), name, head[0][1])
            stack.append(kind)
            head = []
        elif word == "}":
            if stack:
                stack.pop()
            if function and len(stack) == function[0]:
                _, name, first = function
                function = None
                yield name, first, sum(1 for each in range(first, line + 1) if each not in asserted)
            head = []
        elif word == ";":
            head = []
        else:
            head.append((word, line))
        i += 1


def main():
    root = pathlib.Path(sys.argv[1])
    headers = sorted((root / "include/dma").rglob("*.hpp"))
    kernels = sorted((root / "applications").rglob("*.hpp")) + sorted((root / "applications").rglob("*.cuh"))
    faults, functions = [], 0
    for path in headers + kernels:
        text = path.read_text(encoding="utf-8")
        where = path.relative_to(root)
        lines = text.count("\n")
        if path in headers and lines > MOST_LINES:
            faults.append(f"{where} has {lines} lines; {MOST_LINES} are enough: split it by what is in it")
        for name, first, count in functions_of(text):
            functions += 1
            if count > MOST_LINES_OF_A_FUNCTION:
                faults.append(f"{where}:{first}: {name} has {count} lines; {MOST_LINES_OF_A_FUNCTION} are enough: name its parts")
    if len(headers) < 150 or functions < 2000:
        faults.append(f"only {len(headers)} headers and {functions} functions were found: the search is out of date")
    print("\n".join(faults) or f"{functions} functions in {len(headers) + len(kernels)} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
