#!/usr/bin/env python3
"""single_header.py <include folder> <output folder> <source>...: writes each source with the text of every header of
the library that it includes in its place, to a file of the same name. Sources that come later include the earlier ones.

A header's text comes once. One that is included under a condition, and again where that condition need not hold, comes
at both places, and a macro keeps the second from being compiled too. Conditions of the same text are taken for one."""

import pathlib
import re
import sys

OURS = re.compile(r"\s*#\s*include\s*<(dma/[^>]+)>")
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b")


class Writer:
    """Writes sources in turn. `guarded` are the headers whose text comes more than once."""

    def __init__(self, include, guarded=frozenset()):
        self.include = include
        self.guarded = guarded
        self.places = {}  # of each header, the branches around each of its texts
        self.branches = []  # around the line that is read: the conditions of each

    def is_there(self, header):
        return any(place == self.branches[: len(place)] for place in self.places.get(header, []))

    def text_of(self, path):
        """The lines of a file, with the headers that it includes in their place."""
        depth = len(self.branches)
        for line in path.read_text().splitlines():
            condition = CONDITION.match(line)
            included = OURS.match(line)
            if line.strip() == "#pragma once":
                continue
            if condition:
                if condition[1] == "endif":
                    self.branches.pop()
                elif condition[1] in ("elif", "else"):
                    self.branches[-1] += line.split()
                else:
                    self.branches.append(line.split())
            if not included:
                yield line
            elif not self.is_there(included[1]):
                yield from self.header(included[1])
        if len(self.branches) != depth:
            sys.exit(f"single_header: {path} has an #if without its #endif")

    def header(self, name):
        self.places.setdefault(name, []).append([list(branch) for branch in self.branches])
        path = self.include / name
        if not path.is_file():
            sys.exit(f"single_header: {name} is not in {self.include}")
        macro = "DMA_INCLUDES_" + re.sub(r"\W", "_", name.removeprefix("dma/")).upper()
        yield f"// --- {name}"
        if name in self.guarded:
            yield f"#if !defined({macro})"
            yield f"#define {macro}"
        yield from self.text_of(path)
        if name in self.guarded:
            yield f"#endif  // {macro}"


def write_all(include, sources, guarded=frozenset()):
    writer = Writer(include, guarded)
    texts = [list(writer.text_of(source)) for source in sources]
    return texts, {header for header, places in writer.places.items() if len(places) > 1}


def main():
    include, output, *sources = map(pathlib.Path, sys.argv[1:])
    config = (include / "dma/config.hpp").read_text()
    version = ".".join(re.search(rf"#define DMA_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    _, repeated = write_all(include, sources)
    texts, _ = write_all(include, sources, repeated)
    output.mkdir(parents=True, exist_ok=True)
    for source, lines in zip(sources, texts):
        first = ["#pragma once", "", f"// dma {version}, generated from include/dma: change the headers there.", ""]
        text = re.sub(r"\n{3,}", "\n\n", "\n".join(first + lines))
        (output / source.name).write_text(text + "\n")


if __name__ == "__main__":
    main()
