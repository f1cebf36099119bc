#!/usr/bin/env python3
"""public_names.py <include folder>: every name that the library declares in a namespace for its users has a doc comment.

Reads the headers itself. A name is documented where one of its declarations is; specializations, deduction
guides and operators need no comment. Exits with 1 after a line for each name without one.
"""

import pathlib
import re
import sys

# What no user's code names: the models of the machine, and what the emulator and the judges are made of.
INNER = ("machine/", "host/emulation/", "proof/clocks/", "proof/record/", "proof/replay/", "proof/search/")

TOKEN = re.compile(
    r"""(?P<doc>///[^\n]*|/\*\*.*?\*/)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>^[ ]*\#(?:[^\n\\]|\\.)*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)')|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<other>::|\[\[|\]\]|->|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
OPEN, CLOSE = {"(": ")", "{": "}", "[": "]", "[[": "]]"}, {")", "}", "]", "]]"}


def tokens_of(text):
    """(kind, text, line) of all but spaces, plain comments and directives."""
    line = 1
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("doc", "text", "name", "other"):
            yield match.lastgroup, match.group(), line
        line += match.group().count("\n")


def skip_balanced(tokens, i):
    """The index behind the bracket that closes the one at i."""
    depth = 0
    while i < len(tokens):
        if tokens[i][1] in OPEN and tokens[i][0] == "other":
            depth += 1
        elif tokens[i][1] in CLOSE and tokens[i][0] == "other":
            depth -= 1
            if depth == 0:
                return i + 1
        i += 1
    return i


def skip_angles(tokens, i):
    """The index behind the `>` that closes the `<` at i."""
    depth = 0
    while i < len(tokens):
        if tokens[i][1] == "<":
            depth += 1
        elif tokens[i][1] == ">":
            depth -= 1
            if depth == 0:
                return i + 1
        elif tokens[i][1] in OPEN:
            i = skip_balanced(tokens, i)
            continue
        i += 1
    return i


def skip_constraint(tokens, i):
    """The index behind a `requires` clause that begins at i, behind the word."""
    while i < len(tokens):
        if tokens[i][1] in ("(", "requires"):
            i = skip_constraint(tokens, i + 1) if tokens[i][1] == "requires" else skip_balanced(tokens, i)
        elif tokens[i][1] == "{":
            i = skip_balanced(tokens, i)
        else:
            while i < len(tokens) and (tokens[i][0] == "name" or tokens[i][1] in ("::", "!")):
                i += 1
            if i < len(tokens) and tokens[i][1] == "<":
                i = skip_angles(tokens, i)
        if i < len(tokens) and tokens[i][1] in ("&&", "||"):
            i += 1
        else:
            return i
    return i


def name_of(declaration):
    """The name that the tokens declare, or None where they need no comment."""
    tokens = [token for token in declaration if token[0] != "doc"]
    i = 0
    is_template = False
    while i < len(tokens):
        if tokens[i][1] == "template":
            is_template = True
            i = skip_angles(tokens, i + 1)
        elif tokens[i][1] == "requires":
            i = skip_constraint(tokens, i + 1)
        elif tokens[i][1] == "[[":
            i = skip_balanced(tokens, i)
        elif tokens[i][1] in ("extern", "friend", "static_assert"):
            return None
        else:
            break
    if i == len(tokens):
        return None
    word = tokens[i][1]
    if word in ("class", "struct", "union", "enum", "concept", "using"):
        i += 2 if word == "enum" and tokens[i + 1][1] in ("class", "struct") else 1
        while tokens[i][1] in ("[[", "alignas"):
            i = skip_balanced(tokens, i if tokens[i][1] == "[[" else i + 1)
        name, then = tokens[i][1], tokens[i + 1][1] if i + 1 < len(tokens) else ";"
        is_import = word == "using" and then != "="
        return None if is_import or then == "<" else name
    last = None
    while i < len(tokens):
        kind, text, _ = tokens[i]
        if text in ("[[", "alignas"):
            i = skip_balanced(tokens, i if text == "[[" else i + 1)
        elif text == "<" and kind == "other":
            behind = skip_angles(tokens, i)
            if behind < len(tokens) and tokens[behind][1] in ("=", ";", "(", "{") and is_template and last != "operator":
                return None  # a specialization, or a deduction guide's result
            i = behind
        elif text == "requires":
            i = skip_constraint(tokens, i + 1)
        elif text in ("(", "=", ";", "{"):
            if text == "(" and any(token[1] == "->" for token in tokens[i:]) and tokens[i - 1][1] == tokens[0][1]:
                return None
            return last
        else:
            if kind == "name" and text not in ("const", "noexcept"):
                last = text
            i += 1
    return last


def declarations_of(tokens):
    """Lists of tokens, one for each declaration in a namespace, with the doc comments before it and on its last line."""
    i = 0
    while i < len(tokens):
        start = i
        while i < len(tokens) and tokens[i][0] == "doc":
            i += 1
        if i == len(tokens):
            return
        if tokens[i][1] in ("namespace", "inline") and any(token[1] == "namespace" for token in tokens[i : i + 2]):
            while tokens[i][1] not in ("{", ";"):
                i += 1
            i += 1
            continue
        if tokens[i][1] == "}":
            i += 1
            continue
        while i < len(tokens):
            text, kind = tokens[i][1], tokens[i][0]
            if kind == "other" and text in OPEN:
                is_body = text == "{"
                i = skip_balanced(tokens, i)
                if is_body and (i == len(tokens) or tokens[i][1] not in (";", ",", ")", "&&", "||", "{", "(", ">")):
                    break
            elif kind == "other" and text == ";":
                i += 1
                break
            else:
                i += 1
        line = tokens[i - 1][2]
        if i < len(tokens) and tokens[i][0] == "doc" and tokens[i][1].startswith("///<") and tokens[i][2] == line:
            i += 1
        yield tokens[start:i]


def main():
    include = pathlib.Path(sys.argv[1])
    documented, places = set(), {}
    for header in sorted((include / "dma").rglob("*.hpp")):
        room = header.relative_to(include / "dma").as_posix()
        if room.startswith(INNER):
            continue
        in_group = False
        for declaration in declarations_of(list(tokens_of(header.read_text()))):
            name = name_of(declaration)
            comments = "".join(token[1] for token in declaration if token[0] == "doc")
            in_group = (in_group or "@{" in comments) and "@}" not in comments
            if name is None or name == "operator":
                continue
            if in_group or declaration[0][0] == "doc" or declaration[-1][1].startswith("///<"):
                documented.add(name)
            line = next(token[2] for token in declaration if token[0] != "doc")
            places.setdefault(name, f"include/dma/{room}:{line}: {name}")
    missing = [place for name, place in places.items() if name not in documented]
    for each in missing:
        print(f"{each} has no doc comment; say in front of it what it is, with units, errors and cost")
    print(f"{len(documented)} of {len(places)} public names have a doc comment")
    sys.exit(1 if missing or len(places) < 400 else 0)


if __name__ == "__main__":
    main()
