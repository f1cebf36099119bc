#!/usr/bin/env python3
"""parameters_test.py ROOT: a name behind `@param` or `@tparam` in a header's comment is one of the declaration below it.
The generator of the site's reference ends with an error where it is not."""

import pathlib
import re
import sys

COMMENTED = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)((?:(?![ \t]*///)[^\n]*\n)+)", re.MULTILINE)
NAMES = re.compile(r"@t?param (?:\[\w+\] )?([\w, ]+?)  ")


def unknown_names(text):
    """Line and name of each that is not in the declaration: the text up to the first semicolon."""
    for found in COMMENTED.finditer(text):
        declaration = found[2].partition(";")[0]
        for name in (name.strip() for names in NAMES.findall(found[1]) for name in names.split(",")):
            if not re.search(rf"\b{name}\b", declaration):
                yield text.count("\n", 0, found.start()) + 1, name


def main():
    headers = sorted(pathlib.Path(sys.argv[1], "include").rglob("*.hpp"))
    texts = [header.read_text(encoding="utf-8") for header in headers]
    wrong = [f"{header}:{line}: no parameter {name}" for header, text in zip(headers, texts) for line, name in unknown_names(text)]
    print("\n".join(wrong))
    return 1 if wrong or sum(len(NAMES.findall(text)) for text in texts) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
