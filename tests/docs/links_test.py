#!/usr/bin/env python3
"""Checks links: files, headings and pictures that the pages name are there.

  links_test.py ROOT         of every Markdown page of a checkout
  links_test.py --site SITE  of every HTML page of the site
"""

import html.parser
import pathlib
import re
import sys
import urllib.parse

IS_ELSEWHERE = re.compile(r"^[a-z]+:")  # another protocol
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NOT_WRITTEN = {"nested-classes"}  # doxygen 1.9.4 names it on each page with a class
UNREAD = re.compile(r"\[[^\]&=]+\]\([\w./]+\)")
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


class Page(html.parser.HTMLParser):
    """What a page names, and what it can be asked for."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.unread = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_data(self, text):
        self.unread += UNREAD.findall(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("id", "name"):
                self.ids.add(value)
            elif key in ("href", "src", "data") and value and tag in ("a", "img", "link", "script", "object", "iframe"):
                self.links.append(value)


def broken_in_site(site):
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.stem == "index" or path.stem.startswith("md_"):
            yield from (f"{path.relative_to(site)}: not read as a link: {text}" for text in page.unread)
        for link in page.links:
            if IS_ELSEWHERE.match(link) or link.startswith("//"):
                continue
            name, _, anchor = urllib.parse.unquote(link).partition("#")
            target = path if not name else (path.parent / name.partition("?")[0]).resolve()
            if not target.exists():
                if not path.stem.endswith("-members"):  # lists of members name private structures too
                    yield f"{path.relative_to(site)}: {link} does not exist"
            elif anchor and anchor not in NOT_WRITTEN and target in pages and anchor not in pages[target].ids:
                yield f"{path.relative_to(site)}: {link}: that page has no such place"


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--site":
        site = pathlib.Path(sys.argv[2]).resolve()
        broken = list(broken_in_site(site)) if (site / "index.html").exists() else [f"{site} has no index.html"]
    elif len(sys.argv) == 2:
        broken = list(broken_in_markdown(pathlib.Path(sys.argv[1]).resolve()))
    else:
        print(__doc__)
        return 2
    print(*broken[:40], sep="\n")
    print(f"{len(broken)} broken links")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
