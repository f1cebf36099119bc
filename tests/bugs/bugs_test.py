#!/usr/bin/env python3
"""bugs_test.py page ROOT: docs/trust/bugs.md has the rows of rows.py in their order, with their verdicts and counts.
bugs_test.py judge ROOT PROVE NVCC FOLDER: dma-prove finds each broken form, by its class and its rule, and proves each fixed one.
Each entry of the kernels' files is a form of a row. Exits with 4, a skip, where NVCC is no program."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from rows import FILES, PROVED, ROWS

LINK = re.compile(r"\[(.+)\]\(https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/(\d+)\)")
SEEN = re.compile("–|(hangs|yes|no)/(yes|no)")  # what a tool on a GPU reports: nothing yet; of each form


def table_of(text):
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| [")]
    return [[cell.strip() for cell in row] for row in rows]


def check_row(row, cells):
    """What is wrong with the page's row of a thread."""
    thread, _, verdict, *tools = cells
    link = LINK.fullmatch(thread)
    if link is None or link[1] != row.thread or not row.thread.endswith(f"#{link[2]}"):
        return [f"the page has {thread} where the list has {row.thread}"]
    wrong = []
    if verdict != row.verdict:
        wrong.append(f"{row.thread}: the page says {verdict}; the list {row.verdict}")
    for cell in tools:
        seen = SEEN.fullmatch(cell)
        if seen is None or (cell != "–" and row.hangs != (seen[1] == "hangs")):
            wrong.append(f"{row.thread}: {cell} is neither – nor {'hangs' if row.hangs else 'yes or no'}/yes or no")
    return wrong


def check_page(root):
    text = (root / "docs/trust/bugs.md").read_text(encoding="utf-8")
    table = table_of(text)
    wrong = [f"the page has {len(table)} rows of {len(ROWS)}"] if len(table) != len(ROWS) else []
    for row, cells in zip(ROWS, table):
        wrong += check_row(row, cells) if len(cells) == 5 else [f"{row.thread}: {len(cells)} cells of 5"]
    broken = [row for row in ROWS if row.verdict != PROVED]
    claim = f"{len(broken)} bugs and {len(ROWS) - len(broken)} questions"
    rules = sum(row.verdict.startswith("rule") for row in ROWS)
    for words in (claim, f"{len(broken) - rules} as errors and {rules} as a broken rule"):
        if words not in " ".join(text.split()):
            wrong.append(f"the page does not say: {words}")
    return wrong


def compile_all(root, nvcc, folder):
    folder.mkdir(parents=True, exist_ok=True)
    running = []
    for name in FILES:
        command = [nvcc, "-ptx", "-lineinfo", "-std=c++20", "-arch=sm_90a", root / f"tests/bugs/{name}.cu", "-o", folder / f"{name}.ptx"]
        running.append(subprocess.Popen(command))
    if any([process.wait() != 0 for process in running]):
        sys.exit("nvcc does not compile the kernels")


def judge(prove, file, lines):
    command = [prove, file, "--json", *(word for line in lines for word in ("--launch", line))]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)["launches"]


def check_broken(row, *launches):
    """The words of a verdict are those with which its message begins; a rule's message is in a list of its own."""
    launch = launches[-1]
    messages = launch["rules"] if launch["class"] == "rule" else [launch["message"]]
    finding = messages[0].split(": ")[0] if launch["class"] == "rule" else launch["finding"]
    if messages[0].startswith("race between grids"):
        finding = "race between grids"
    verdict = launch["class"] if launch["class"] == PROVED else f"{launch['class']}: {finding}"
    if verdict == row.verdict and len(messages) == 1 and row.of in messages[0]:
        return []
    return [f"{row.thread}: {row.verdict} {row.of!r} was expected and came not:\n{launch['text']}"]


def check_fixed(row, *launches):
    """Those before and behind it too."""
    are_proved = [launch["class"] == PROVED and not launch["rules"] and not launch["not_computed"] for launch in launches]
    is_proved = all(are_proved) and len(launches) == len(row.launches_of("fixed"))
    return [] if is_proved else [f"{row.thread}: the fixed form is not proved:\n{launches[-1]['text']}"]


def check_verdicts(root, prove, nvcc, folder):
    compile_all(root, nvcc, folder)
    wrong = []
    for name in FILES:
        file = folder / f"{name}.ptx"
        rows = [row for row in ROWS if row.file == name]
        entries = set(re.findall(r"\.entry (\w+)", file.read_text()))
        used = {line[: line.index("<")] for row in rows for form in ("broken", "fixed") for line in row.launches_of(form)}
        wrong += [f"{entry} is of no row" for entry in entries - used]
        for row in rows:
            wrong += check_broken(row, *judge(prove, file, row.launches_of("broken")))
            wrong += check_fixed(row, *judge(prove, file, row.launches_of("fixed")))
    return wrong


def main(what, root, *tools):
    if what == "page":
        wrong = check_page(pathlib.Path(root))
    else:
        prove, nvcc, folder = tools
        if shutil.which(nvcc) is None:
            print(f"skipped: {nvcc} is no program")
            return 4
        wrong = check_verdicts(pathlib.Path(root), prove, nvcc, pathlib.Path(folder))
    print("\n".join(wrong) or f"{len(ROWS)} rows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
