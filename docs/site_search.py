#!/usr/bin/env python3
"""Puts concepts where the site's search looks for them: site_search.py SITE.

doxygen 1.9.4 files a concept under the first letter of its namespace. The search box looks under the first letter of what
is typed.
"""

import pathlib
import re
import sys

ENTRY = re.compile(r"^  \['([^']*)_[0-9a-f]+',")
LETTERS = re.compile(r'^  0: "([^"]*)"', re.MULTILINE)


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    folder = pathlib.Path(sys.argv[1]) / "search"
    letters = LETTERS.search((folder / "searchdata.js").read_text(encoding="utf-8"))[1]
    files = {letter: folder / f"all_{index:x}.js" for index, letter in enumerate(letters)}
    entries = {}
    for letter, path in files.items():
        entries[letter] = [line.rstrip(",") for line in path.read_text(encoding="utf-8").splitlines() if ENTRY.match(line)]
    for letter in letters:
        for entry in [e for e in entries[letter] if "/concept" in e and ENTRY.match(e)[1][0] != letter]:
            if (right := ENTRY.match(entry)[1][0]) in entries:
                entries[letter].remove(entry)
                entries[right].append(entry)
    for letter, path in files.items():
        lines = ",\n".join(sorted(entries[letter], key=lambda e: ENTRY.match(e)[1]))
        path.write_text(f"var searchData=\n[\n{lines}\n];\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
