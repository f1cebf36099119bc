#!/usr/bin/env python3
"""rename_uses.py PATH...: rewrites a program's uses of names that changed since the version that it was written for.

PATH is a file, or a folder with sources below it. renamed.txt beside this script has the changes: `rename`, an old name
and the new one, or an old header and the new one; `write`, an old name and what to write in its place; `inner`, a
namespace and names of it that are now the library's own, in a namespace `detail`.

Rewritten are names that begin with `dma::` or with an alias of a namespace of it, includes, and after a using-declaration
the bare name in the same file; numbers that became a shape, a group, a budget or a range (rewrite_arguments.py). Printed are the places that take a hand: names to be written in another way, names of the
library's own, and `using namespace`, after which bare names are not told apart. Exits with 1 after such a place.

It reads tokens, not C++: text and comments change where they say a full name. Format the files afterwards.
"""

import pathlib
import re
import sys

import rewrite_arguments

SOURCES = {".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hh", ".hpp", ".md"}
CHAIN = re.compile(r"(?<![\w:])(?:::)?(?:[A-Za-z_]\w*::)+[A-Za-z_]\w*")
INCLUDE = re.compile(r"(#\s*include\s*[<\"])([^>\"]+)")
ALIAS = re.compile(r"\bnamespace\s+(\w+)\s*=\s*(?:::)?(dma(?:::\w+)*)\s*;")
USING = re.compile(r"\busing\s+((?:::)?dma::[\w:,\s]+);")
ALL_OF = re.compile(r"\busing\s+namespace\s+(?:::)?(dma(?:::\w+)*)\s*;")


class Changes:
    def __init__(self, text):
        self.new, self.by_hand, self.inner = {}, {}, set()
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "rename":
                old, new = rest.split()
                self.new[old] = new
            elif kind == "write":
                old, _, instead = rest.partition(" ")
                self.by_hand[old] = instead
            elif kind == "inner":
                space, *names = rest.split()
                self.inner |= {f"{space}::{name}" for name in names}

    def spaces(self):
        """The namespaces that names went out of."""
        return {old.rpartition("::")[0] for old in [*self.new, *self.by_hand] if "::" in old}


def known_part(name, known):
    """The longest beginning of a qualified name that is in `known`; `dma::EngineKind` of `dma::EngineKind::bulk_copy`."""
    while name and name not in known:
        name = name.rpartition("::")[0]
    return name


def rewritten(text, changes):
    """The text with the new names, and (line, sentence) of each place that takes a hand."""
    aliases = dict(ALIAS.findall(text))
    places = []

    def line_of(position):
        return text.count("\n", 0, position) + 1

    def replace(match):
        written = match[0]
        first, _, rest = written.removeprefix("::").partition("::")
        full = f"{aliases.get(first, first)}::{rest}"
        if old := known_part(full, changes.new):
            return ("::" if written.startswith("::") else "") + changes.new[old] + full.removeprefix(old)
        if old := known_part(full, changes.by_hand):
            places.append((line_of(match.start()), f"{old}: write {changes.by_hand[old]}"))
        elif old := known_part(full, changes.inner):
            places.append((line_of(match.start()), f"{old} is the library's own, and may change in any version"))
        return written

    for match in ALL_OF.finditer(text):
        if match[1] in changes.spaces():
            places.append((line_of(match.start()), f"`using namespace {match[1]}`: name what you use of it, and run this again"))
    result = CHAIN.sub(replace, text)
    result = INCLUDE.sub(lambda match: match[1] + changes.new.get(match[2], match[2]), result)
    declared = [name for names in USING.findall(text) for name in re.findall(r"dma(?:::\w+)+", names)]
    for name in declared:
        before, after = name.rpartition("::")[2], changes.new.get(name, name).rpartition("::")[2]
        if before != after:
            result = re.sub(rf"(?<![\w:.>]){before}\b", after, result)
    return rewrite_arguments.rewritten(result), sorted(places)


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    changes = Changes((pathlib.Path(__file__).resolve().parent / "renamed.txt").read_text(encoding="utf-8"))
    count = 0
    for path in map(pathlib.Path, sys.argv[1:]):
        for file in [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.suffix in SOURCES):
            text = file.read_text(encoding="utf-8")
            result, places = rewritten(text, changes)
            if result != text:
                file.write_text(result, encoding="utf-8")
            for line, sentence in places:
                print(f"{file}:{line}: {sentence}")
            count += len(places)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
