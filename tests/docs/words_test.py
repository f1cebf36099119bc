#!/usr/bin/env python3
"""words_test.py ROOT: the README is read in five minutes, a page of the tutorial in ten with what it shows, and all pages
together, apart from those that one looks things up in, have no more words than a reader can take in. As `wc -w` counts.
Each page of the tutorial shows code, whose lines another test finds in examples."""

import pathlib
import re
import sys

README = 1200
TUTORIAL = 700  # a page, its code included
ALL = 45000
REFERENCE = ("docs/guide/reference/", "docs/guide/patterns/", "docs/guide/limits.md", "docs/guide/errors.md", "docs/results/tables.md")


def main(root):
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    words = {page.relative_to(root).as_posix(): len(page.read_text(encoding="utf-8").split()) for page in pages}
    read = {page: count for page, count in words.items() if not page.startswith(REFERENCE)}
    wrong = [f"README.md has {words['README.md']} words of {README}"] if words["README.md"] > README else []
    wrong += [f"{page} has {count} words of {TUTORIAL}" for page, count in read.items()
              if page.startswith("docs/guide/tutorial/") and count > TUTORIAL]  # fmt: skip
    wrong += [f"{page.name} of the tutorial shows no code" for page in pages
              if page.parent.name == "tutorial" and not re.search(r"^```(cpp|python)$", page.read_text(encoding="utf-8"), re.M)]  # fmt: skip
    if sum(read.values()) > ALL:
        longest = sorted(read.items(), key=lambda item: -item[1])[:5]
        wrong.append(f"the pages have {sum(read.values())} words of {ALL}; the longest are " + ", ".join(f"{p} ({n})" for p, n in longest))
    print("\n".join(wrong) or f"{sum(read.values())} words, {words['README.md']} of them the README's; {sum(words.values()) - sum(read.values())} of reference")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
