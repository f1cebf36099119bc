#!/usr/bin/env python3
"""errors.py [--root FOLDER]: writes docs/guide/errors.md, every message of the library with its cause and the way out.

  errors.py --check        writes nothing; exits with 1 where the page is not what the sources say
  errors.py --json FILE    writes the same as JSON ('-' for standard output), for find_message.js and for the site:

    {"version": "0.1.0",
     "kinds": {"compile": "When a kernel compiles", ...},        in the order of the page
     "messages": [{"id": "dma-update-its-pattern-is-a",          the anchor of the entry in errors.md
                   "kind": "compile",                            a key of "kinds"
                   "component": "dma::Update",                   who says it; "" for a finding of a proof
                   "text": "dma::Update: its pattern ...; ...",  all of it; … stands for a value
                   "cause": "its pattern is a dma::Store, ...",
                   "fix": "name the pattern that ...",
                   "places": ["include/dma/patterns/update.hpp"],
                   "cases": ["tests/compile_fail/....cpp"],      programs that get it, and are right without -DDMA_MISTAKE
                   "page": "docs/guide/patterns/store.md",       what describes the component; "" where none does
                   "others": [{"where": "In Python",             where the same is said in other words
                               "text": "...", "cause": "...", "fix": "..."}]}]}

A finding has its enumerator, too: "name": "race".

Messages are sentences `component: cause; fix`. They are read from include/, python/dma, src/dma_prove.cpp and the first lines
of tests/compile_fail; findings of a proof, and "proved", from the enumerators of dma::proof::FindingKind. No package is needed.
"""

import argparse
import ast
import json
import pathlib
import re
import sys

import messages

KINDS = {
    "compile": "When a kernel compiles",
    "contract": "When a contract is broken: on a CPU, and on a GPU in a checked build",
    "checked": "On a GPU, in a checked build",
    "launch": "When a kernel is launched, measured or traced",
    "emulator": "From the emulator",
    "law": "Laws of a pattern or of an engine",
    "finding": "Findings of a proof",
    "proof": "From a proof",
    "program": "From dma-prove, of its command line and of launches",
    "python": "From Python",
}
ABOUT = {
    "contract": "The values that break the rule follow in brackets. [Checked builds](../trust/checked.md) have the call, the slot "
    "and the kernel, too.",
    "checked": "See [checked builds](../trust/checked.md).",
    "emulator": "A deadlock names each wait, as `compute warps wait for full, slot 0`; [what to look for](howto/hang_or_wrong.md#1-build-it-with-checks).",
    "law": "What `dma::host::broken_law` answers. See [patterns of your own](patterns/custom.md) and [engines of your own](extending.md).",
    "program": "The program writes them to the standard error, and ends with 2; the place in a launch follows in brackets. See [proving PTX](reference/ptx.md).",
    "finding": "The words with which a verdict begins, which are `kind` in Python, and the name of `dma::proof::FindingKind` that they are in C++. "
    "The verdict's next line names the threads, the lines and the array or slot. See [proofs](../trust/proof.md).",
}
SENTENCE = re.compile(r"([cC]udaDMA\w*|dma-prove|dma(?:(?:::|\.)[\w…]+)*): ")
# How many more warps have the message above.
NO_ERROR = "dma: warps that have the same message"
CODE = re.compile(
    r"(`[^`]+`"  # as the source has it
    r"|(?<!\w)'[^']+'(?!\w)"
    r"|operator\(\)(?:\([^()]*\)(?: const)?)?"
    r"|(?:\b(?:nvcc|ulimit) )?(?<![\w-])-{1,2}[A-Za-z](?:[\w=+.-]*\w)?"  # options of a program
    r"|(?:\w+(?:::|\.))*\w+<(?:[^<>]|<[^<>]*>)*>(?:\([^()\s]*\))?"  # arguments of a template
    r"|(?:[A-Za-z]\w*(?:::|\.))*(?:\w*_\w*|(?<=::)\w+|\w+(?=(?:<\w*>)?\(\)))(?:\.\w+)*(?:<[^<>]*>)?(?:\([^()\s]*\))?)"
)
# What dma-prove's table leaves of the library: such a message no kernel of PTX gets.
OF_THE_LIBRARY = re.compile(r"dma::|\bcta\.|\bShared\b|compute\.|_launch\b|AsyncReads|Traits|Options|limits\.|\b(?:slot|tile)|[Pp]ipeline|DMA|[Cc]ompute")
PAGE = "docs/guide/errors.md"
PROGRAM = ("include/dma/proof/ptx/launch/", "include/dma/proof/ptx/read/tokens.hpp")  # with src/dma_prove.cpp


def read(root, folder, suffix):
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted((root / folder).rglob(suffix))}


def kind_of(message):
    if message.construct == "static_assert":
        return "compile"
    if message.construct == "DMA_EXPECTS":
        return "contract"
    if message.construct == "law":
        return "law"
    if message.construct == "raise":
        return "python"
    if message.construct == "program":
        return "program"
    room = message.file.removeprefix("include/dma/")
    if room.startswith(("machine/checked/", "machine/gpu/")):
        return "checked"
    if room.startswith("proof/"):
        return "proof"
    if room.startswith(("host/", "machine/host/")):
        return "emulator"
    return "launch"


def parts_of(text):
    """(component, cause, fix)"""
    component = found[1] if (found := SENTENCE.match(text)) else ""
    said = text[found.end() :] if found else text
    splits = (each for each in messages.WAY_OUT.finditer(said) if said.count("(", 0, each.start()) == said.count(")", 0, each.start()))
    split = next(splits, None)  # the first that no bracket is around
    return (component, said[: split.start()], said[split.end() :]) if split else (component, said, "")


def pages_of(root):
    """The page of each public name."""
    lines = (root / "tests/docs/public_names.txt").read_text(encoding="utf-8").splitlines()
    words = (line.split("#")[0].split() for line in lines)
    return {f"dma::{each[0]}": f"docs/{each[1]}" for each in words if each}


def page_of(component, pages):
    return "docs/guide/python.md" if re.match(r"dma\.\w", component) else pages.get(component, "")


def findings_of(root):
    """(words, name, cause, fix) of each finding, and of "proved"."""
    text = (root / "include/dma/proof/finding.hpp").read_text(encoding="utf-8")
    words = dict(re.findall(r'case FindingKind::(\w+):\s*return "([^"]*)"', text))
    for comment, name in re.findall(r"((?:^  ///[^\n]*\n)+)  (\w+),$", text, re.MULTILINE):
        cause, _, fix = " ".join(re.findall(r"/// (.*)", comment)).partition("; ")
        yield words[name], name, cause, fix


def of_compilers(root):
    """(words, fix) of the table of what compilers say of a launch and of a pipeline."""
    table = (root / "docs/guide/reference/launch.md").read_text(encoding="utf-8").partition("| compiler | do |")[2].partition("\n\n")[0]
    rows = []
    for words, fix in re.findall(r"^\| `([^`]+)` \| (.+) \|$", table, re.MULTILINE):
        rows.append((words, rows[-1][1] if fix == "the same" else fix.replace("`", "'")))
    return rows


def words_of_python(root):
    """(said by C++, said in Python)"""
    tree = ast.parse((root / "python/dma/_verdict.py").read_text(encoding="utf-8"))
    named = (each.value for each in tree.body if isinstance(each, ast.Assign) and each.targets[0].id == "IN_PYTHON")
    return ast.literal_eval(next(named))


def words_of_ptx(root):
    """(said by the library, said of PTX)"""
    text = (root / "include/dma/proof/ptx/launch/ptx_words.hpp").read_text(encoding="utf-8")
    strings = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
    for row in re.findall(rf"PtxWords\{{\s*{strings},\s*{strings}\}}", text):
        yield tuple(ast.literal_eval(f"({each})").replace("#", messages.VALUE) for each in row)


def others_of(entry, words):
    """What is said in Python, and of PTX, where that is other than in C++."""
    for where, table in words.items():
        text = entry["text"]
        for said, other in table:
            text = text.replace(said, other)
        component, cause, fix = parts_of(text)
        if (cause, fix) != (entry["cause"], entry["fix"]) and not (where == "Of PTX" and OF_THE_LIBRARY.search(text)):
            yield dict(where=where, text=text, cause=cause, fix=fix)


def entries_of(root):
    """All messages, in the order of the page."""
    cpp = read(root, "include/dma", "*.hpp") | read(root, "python/dma/cuda", "*.hpp")
    program = {name: text for name, text in cpp.items() if name.startswith(PROGRAM)} | read(root, "src", "dma_prove.cpp")
    found = [*messages.of_cpp(cpp), *messages.of_program(program), *messages.of_python(read(root, "python/dma", "*.py"))]
    entries, pages = {}, pages_of(root)

    def add(kind, text, parts, file):
        component, cause, fix = parts
        page = page_of(component, pages)
        new = dict(kind=kind, component=component, text=text, cause=cause, fix=fix, places=[], cases=[], page=page)
        entry = entries.setdefault((kind, text), new)
        if file not in entry["places"]:
            entry["places"].append(file)
        return entry

    for message in found:
        if not message.text.startswith(NO_ERROR):
            add(kind_of(message), message.text, parts_of(message.text), message.file)
    for case, text in read(root, "tests/compile_fail", "*.cpp").items():
        said = dict(re.findall(r"^// (error|clang|nvcc|fix): (.*)$", text, re.MULTILINE))
        if "fix" in said:  # in the words of each compiler
            for words in (said[who] for who in ("error", "clang", "nvcc")):
                add("compile", words, ("", words, said["fix"]), case)["cases"].append(case)
        else:
            entries["compile", said["error"]]["cases"].append(case)
    for words, fix in of_compilers(root):
        add("compile", words, ("", words, fix), "docs/guide/reference/launch.md")
    for text, name, cause, fix in findings_of(root):
        add("finding", text, ("", cause, fix), "include/dma/proof/finding.hpp").update(page="docs/trust/proof.md", name=name)
    words = {"In Python": words_of_python(root), "Of PTX": list(words_of_ptx(root))}
    for entry in entries.values():
        entry["others"] = list(others_of(entry, words)) if entry["kind"] in ("emulator", "proof") else []
    order = list(KINDS)
    ordered = sorted(entries.values(), key=lambda e: (order.index(e["kind"]), e["kind"] != "finding" and e["component"].lower()))
    ids = set()
    for entry in ordered:
        words = re.findall(r"\w+", entry["text"].replace("_", " ").lower())
        names = ("-".join(words[:count]) + more for more in ("", *map("-{}".format, range(2, 99))) for count in range(6, 16))
        entry["id"] = next(name for name in names if name not in ids)
        ids.add(entry["id"])
    return [{"id": entry.pop("id"), **entry} for entry in ordered]


def prose(text):
    """Markdown of a part of a message: what is quoted, and names of C++, as code."""
    parts = CODE.split(text)
    return "".join(f"`{part.strip('`' + chr(39))}`" if i % 2 else re.sub(r"([*<>\[\]|#])", r"\\\1", part) for i, part in enumerate(parts))


def link(text, target):
    up = target.removeprefix("docs/guide/") if target.startswith("docs/guide/") else f"../../{target}"
    return f"[{text}]({up.replace('../../docs/', '../')})"


def markdown(entries):
    lines = [
        "# Error messages",
        "",
        "Every error message of the library, with its cause, the way out and the header that it comes from. A message is",
        "`dma::Component: cause; fix`. Search this page for words of the cause: what is before the first `;`, without the component, which is",
        "a heading, and without `v0_1::`, numbers and names of yours, for which `…` stands; what is counted is in the plural. Two words side by side do:",
        "`which has`. What a compiler puts around a message is not here.",
        "",
        "<!-- site: messages -->",
        "",
        "This page is written from the sources, by `python3 docs/guide/errors.py`.",
        "",
        *(f"- [{title}](#{slug(title)}): {sum(e['kind'] == kind for e in entries)}" for kind, title in KINDS.items()),
    ]
    kind = component = None
    for entry in entries:
        if entry["kind"] != kind:
            kind, component = entry["kind"], None
            lines += ["", f"## {KINDS[kind]}", *(["", ABOUT[kind]] if kind in ABOUT else [])]
        if entry["component"] != component:
            component = entry["component"]
            name = f"`{component}`" if component else "In the compiler's words" if kind == "compile" else ""
            if name:
                lines += ["", f"### {name}"]
                if entry["page"]:
                    lines += ["", f"See {link(entry['page'].rpartition('/')[2], entry['page'])}."]
            lines.append("")
        places = [link(f"`{place.removeprefix('include/')}`", place) for place in entry["places"] if place not in entry["cases"]]
        cases = [link("example" if len(entry["cases"]) == 1 else f"example {i + 1}", case) for i, case in enumerate(entry["cases"])]
        where = ", ".join(places + cases)
        if kind == "finding":
            lines.append(f'- <a id="{entry["id"]}"></a>**{entry["text"]}** (`{entry["name"]}`): {prose(entry["cause"])}. **Fix:** {prose(entry["fix"])}.')
        else:
            lines.append(f'- <a id="{entry["id"]}"></a>`{entry["cause"]}`<br>**Fix:** {prose(entry["fix"])}. In {where}.')
        for other in entry["others"]:
            cause = "" if other["cause"] == entry["cause"] else f"`{other['cause']}`; "
            lines[-1] += f"<br>{other['where']}: {cause}{prose(other['fix'])}."
    return "\n".join(lines) + "\n"


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def version_of(root):
    text = (root / "include/dma/config.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define DMA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    entries = entries_of(options.root)
    if options.json:
        text = json.dumps({"version": version_of(options.root), "kinds": KINDS, "messages": entries}, ensure_ascii=False, indent=1)
        if options.json == "-":
            print(text)
        else:
            pathlib.Path(options.json).write_text(text + "\n", encoding="utf-8")
        return 0
    page, text = options.root / PAGE, markdown(entries)
    if not options.check:
        page.write_text(text, encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != text:
        print(f"{PAGE} is not what the sources say; write it: python3 docs/guide/errors.py")
        return 1
    print(f"{len(entries)} messages: " + ", ".join(f"{sum(e['kind'] == kind for e in entries)} {kind}" for kind in KINDS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
