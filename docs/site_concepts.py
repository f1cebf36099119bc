#!/usr/bin/env python3
"""Groups the site's list of concepts, in its page and in the tree beside it: site_concepts.py SITE.

First the contracts of types of a reader's own, then kinds of these types, then all others. doxygen 1.9.4 has no groups
of concepts.
"""

import json
import pathlib
import re
import sys

CONTRACTS = ("TransferPattern", "CopyEngine", "Barrier", "Buffering", "KernelBody")
KINDS = (
    "UniformPattern", "AffinePattern", "IndexedPattern", "PaddedPattern", "CompositePattern", "BoxPattern", "MovableSlot",
    "PollableBarrier",
)  # fmt: skip
ROW = re.compile(r'^<tr id="row_0_[\d_]+".*?(<span class="icona">.*</tr>)$', re.MULTILINE)
ENTRY = re.compile(r'\[ "(\w+)", "(concept\w+\.html)", null \]')


def groups_of(names):
    for name in CONTRACTS + KINDS:
        if name not in names:
            raise SystemExit(f"site_concepts.py: there is no concept {name}; take it out of the lists here")
    rest = sorted(set(names) - set(CONTRACTS + KINDS))
    groups = (("Contracts of types of your own", CONTRACTS), ("Kinds of these types", KINDS), ("For the library itself", rest))
    return [group for group in groups if group[1]]


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    site = pathlib.Path(sys.argv[1])
    pages = dict(ENTRY.findall((site / "concepts.js").read_text(encoding="utf-8")))
    groups = groups_of(pages)

    def entry(name):
        return [name, pages[name], None]

    tree = [[title, "concepts.html", [entry(name) for name in names]] for title, names in groups]
    (site / "concepts.js").write_text(f"var concepts =\n{json.dumps(tree, indent=1)};\n", encoding="utf-8")

    # Where the tree opens for a page: the numbers of the entry and of those above it.
    places = {pages[name]: [at, within] for at, (_, names) in enumerate(groups) for within, name in enumerate(names)}
    indices = {path: path.read_text(encoding="utf-8") for path in site.glob("navtreeindex*.js")}
    own = next(filter(None, (re.search(r'^"concepts.html":\[(\d+)\]', text, re.MULTILINE) for text in indices.values())))[1]
    below = re.compile(rf'^"(concept\w+\.html)":\[{own}(?:,\d+)+\]', re.MULTILINE)
    for path, text in indices.items():
        path.write_text(below.sub(lambda found: '"{}":[{},{},{}]'.format(found[1], own, *places[found[1]]), text), encoding="utf-8")

    page = (site / "concepts.html").read_text(encoding="utf-8")
    rows = {re.search(r">(\w+)</a>", row[0])[1]: row[0] for row in ROW.finditer(page) if 'href="concept' in row[0]}
    table = ""
    for title, names in groups:
        table += f'<tr><td class="entry"><b>{title}</b></td><td class="desc"></td></tr>\n'
        for at, name in enumerate(names):
            table += ("<tr>", '<tr class="even">')[at % 2] + f'<td class="entry">{ROW.match(rows[name])[1]}\n'
    before, _, rest = page.partition('<div class="levels">')
    after = rest.partition("</table>")[2]
    (site / "concepts.html").write_text(f'{before}<table class="directory">\n{table}</table>{after}', encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
