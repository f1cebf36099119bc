#!/usr/bin/env python3
"""error_index_test.py ROOT: docs/guide/errors.md has every message of the library, each with cause and fix.

What there is to have is counted here by plain patterns over the sources, without what writes the page.
"""

import json
import pathlib
import re
import subprocess
import sys

STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
BEGINS = re.compile(r"(?:[cC]udaDMA\w*|dma(?:::\w+)*): \S")
BRACKETS = re.compile(r"DMA_EXPECTS(\((?:[^()]|\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\))*\))")
NO_ERROR = "dma: warps that have the same message"  # how many more warps have the message above


def headers(root):
    for folder in ("include/dma", "python/dma/cuda"):
        for path in sorted((root / folder).rglob("*.hpp")):
            lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not re.match(r"\s*(//|#define DMA_EXPECTS)", line))
            yield path.relative_to(root).as_posix(), "\n".join(lines)


def literals(text):
    for strings in STRINGS.findall(text):
        yield "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', strings)).replace('\\"', '"')


class Index:
    def __init__(self, root):
        made = subprocess.run([sys.executable, root / "docs/guide/errors.py", "--json", "-"], check=True, stdout=subprocess.PIPE)
        self.messages = json.loads(made.stdout)["messages"]
        self.faults = []

    def texts(self, kind):
        return {message["text"] for message in self.messages if message["kind"] == kind}

    def expect(self, is_there, what):
        if not is_there:
            self.faults.append(what)

    def expect_part(self, literal, where):
        self.expect(any(literal in message["text"] for message in self.messages), f"{where}: not in the index: {literal}")

    def expect_beginning(self, literal, where):
        """A literal, or what is before its first value, begins a message."""
        literal = re.split(r"%|{", literal)[0].rstrip(" :")
        self.expect(any(message["text"].startswith(literal) for message in self.messages), f"{where}: not in the index: {literal}")


def check_compile_time(root, index):
    compile_texts, count = index.texts("compile"), 0
    for case in sorted((root / "tests/compile_fail").glob("*.cpp")):
        count += 1
        first = case.read_text(encoding="utf-8").splitlines()[0].removeprefix("// error: ")
        index.expect(first in compile_texts, f"{case.name}: its first line is not in the index")
    print(f"{count} first lines of tests/compile_fail")
    return count


def check_literals(root, index):
    contracts, rules, count = index.texts("contract"), 0, 0
    sources = dict(headers(root))
    everything = "\n".join(sources.values())
    for name, text in sources.items():
        for literal in filter(BEGINS.match, literals(text)):
            count += 1
            if not literal.startswith(NO_ERROR):
                index.expect_beginning(literal, name)
        calls = BRACKETS.findall(text)
        index.expect(len(calls) == text.count("DMA_EXPECTS("), f"{name}: a DMA_EXPECTS that this test does not read")
        for call in calls:
            rules += 1
            said = [literal for literal in literals(call) if BEGINS.match(literal)]
            if not said:  # a variable's text
                variable = re.search(r", (?:\w+::)*(\w+),", call)[1]
                said = [next(literals(found)) for found in re.findall(rf"\b{variable} =\s*({STRINGS.pattern})", everything)]
            index.expect(all(text in contracts or any(text in each["text"] for each in index.messages) for text in said), f"{name}: {said}")
    print(f"{count} strings of headers that begin a message, {rules} DMA_EXPECTS")
    return min(count, rules)


def check_laws(root, index):
    count = 0
    for name in ("laws", "engine_laws"):
        for law in literals((root / f"include/dma/host/{name}.hpp").read_text(encoding="utf-8")):
            if "; " in law:
                count += 1
                index.expect(any(law in text for text in index.texts("law")), f"{name}.hpp: not in the index: {law}")
    print(f"{count} laws of patterns and engines")
    return count


def check_findings(root, index):
    text = (root / "include/dma/proof/finding.hpp").read_text(encoding="utf-8")
    body = text[text.index("enum class FindingKind") :]
    kinds = set(re.findall(r"^  (\w+),", body[: body.index("};")], re.MULTILINE))  # "none" is what a verdict calls proved
    for kind in sorted(kinds):
        words = re.search(rf'FindingKind::{kind}:\s*return "([^"]+)"', text)
        named = [message["text"] for message in index.messages if message.get("name") == kind]
        index.expect(words and named == [words[1]], f"the finding {kind} is not in the index, or has another name there")
    index.expect(len(index.texts("finding")) == len(kinds), "the index has findings that there are not")
    print(f"{len(kinds)} findings")
    return len(kinds)


def check_verdicts(root, index):
    """What a verdict leaves open, which may have a way out; and what Python and dma-prove say in other words."""
    count = 0
    for path in sorted((root / "include/dma/proof").rglob("*.hpp")):
        text = path.read_text(encoding="utf-8")
        for said in re.findall(r"(?s)(?:\.message \+?=|\.reservation =|not_judged\.insert\()(.*?);\n", text):
            for literal in literals(said):
                if "; " in literal.strip("; "):
                    count += 1
                    index.expect_part(literal.removeprefix("; ").strip(), path.name)
    for where, words in (("In Python", "or pass all of it"), ("Of PTX", "; call __syncwarp() between the accesses; ")):
        said = [other["text"] for message in index.messages for other in message["others"] if other["where"] == where]
        index.expect(any(words in text for text in said), f"{where}: not in the index: {words}")
    print(f"{count} ways out of verdicts")
    return count


def check_python(root, index):
    count = 0
    for path in sorted((root / "python/dma").rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            for literal in re.findall(r'(?<!"")(?<!")"(dma(?:\.\w+)?: [^"{]*)', line):
                if "print(" not in line:
                    count += 1
                    index.expect_beginning(literal, path.name)
    print(f"{count} strings of Python that begin an error")
    return count


def check_program(root, index):
    """Each text that is thrown, in src/dma_prove.cpp and where launches are read; what Tokens says of PTX too is there."""
    count, known = 0, " ".join(index.texts("program"))
    files = [root / "src/dma_prove.cpp", root / "include/dma/proof/ptx/read/tokens.hpp"]
    for path in [*files, *sorted((root / "include/dma/proof/ptx/launch").glob("*.hpp"))]:
        text = re.sub(r"(?m)^\s*//.*$", "", path.read_text(encoding="utf-8"))
        for thrown in re.findall(r"(?s)(?:throw (?:UsageError|std::invalid_argument|SyntaxError)|reject)\((.*?)\);", text):
            for literal in literals(thrown):
                if re.search(r"[a-z]{3}.* ", literal):
                    count += 1
                    index.expect(literal.strip(" :") in known, f"{path.name}: not in the index: {literal}")
    print(f"{count} texts of dma-prove's errors")
    return count


def check_entries(root, index):
    page = (root / "docs/guide/errors.md").read_text(encoding="utf-8")
    for message in index.messages:
        for part in ("cause", "fix"):
            index.expect(re.search(r"[a-z]{2}", message[part]), f"no {part}: {message['text']}")
        index.expect(message["places"] and all((root / place).is_file() for place in message["places"]), f"no place: {message['text']}")
        index.expect(page.count(f'<a id="{message["id"]}"></a>') == 1, f"not once in the page: {message['id']}")
    return len(index.messages)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    index = Index(root)
    checks = (check_compile_time, check_literals, check_laws, check_findings, check_verdicts, check_python, check_program, check_entries)
    counts = [check(root, index) for check in checks]
    is_current = subprocess.run([sys.executable, root / "docs/guide/errors.py", "--check"]).returncode == 0
    print(*index.faults[:20], sep="\n")
    print(f"{len(index.faults)} faults")
    return 0 if is_current and not index.faults and min(counts) > 7 else 1


if __name__ == "__main__":
    sys.exit(main())
