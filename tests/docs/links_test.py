#!/usr/bin/env python3
"""links_test.py ROOT: files, headings and pictures that the Markdown pages of a checkout name are there."""

import pathlib
import re
import sys

IS_ELSEWHERE = re.compile(r"^[a-z]+:")  # another protocol
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)


def slug(heading):
    """As Git hosts name a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def headings_of(page):
    return {slug(heading) for heading in HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))}


def broken_in_markdown(root):
    pages = [page for folder in (".", "examples", "applications") for page in sorted((root / folder).glob("*.md"))]
    pages += sorted((root / "docs").rglob("*.md"))
    for page in pages:
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            path, _, heading = link.partition("#")
            if IS_ELSEWHERE.match(link):
                continue
            target = page if not path else page.parent / path
            if not target.exists():
                yield f"{page.relative_to(root)}: {link} does not exist"
            elif heading and target.suffix == ".md" and heading not in headings_of(target):
                yield f"{page.relative_to(root)}: {link}: that page has no such heading"


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    broken = list(broken_in_markdown(pathlib.Path(sys.argv[1]).resolve()))
    print(*broken[:40], sep="\n")
    print(f"{len(broken)} broken links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
