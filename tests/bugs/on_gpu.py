#!/usr/bin/env python3
"""on_gpu.py run LAUNCH FOLDER OUT: launches each form on a GPU, by the program LAUNCH (target dma_bugs_launch) and the PTX that
bugs_test.py left in FOLDER, alone and under compute-sanitizer's racecheck and synccheck; writes a line for each form, and
JSON to OUT. Broken forms that may not end are left out, and those of several launches.
on_gpu.py fill OUT PAGE: writes what OUT has into the two columns of docs/trust/bugs.md."""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

from rows import ROWS as ALL_ROWS

ROWS = [row for row in ALL_ROWS if not row.before]
TIMES = 20  # launches of a form without a tool
SECONDS = 120  # of a process
TOOLS = {
    "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazards? displayed"),
    "synccheck": re.compile(r"ERROR SUMMARY: (\d+) errors?"),
}


def output_of(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False).stdout
    except subprocess.TimeoutExpired:
        return f"ended after {SECONDS} s"


def run_form(row, form, launch, folder):
    command = [launch, folder / f"{row.file}.ptx", row.launch_of(form)]
    seen = {"thread": row.thread, "form": form, "results": output_of([*command, str(TIMES)]).splitlines()}
    for tool, summary in TOOLS.items():
        text = output_of(["compute-sanitizer", "--tool", tool, *command])
        found = summary.search(text)
        seen[tool] = int(found[1]) if found else None
        seen[f"{tool}_text"] = text[-2000:]
    return seen


def run_all(launch, folder):
    forms = [(row, form) for row in ROWS for form in ("broken", "fixed") if form == "fixed" or not row.hangs]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        all_seen = list(pool.map(lambda each: run_form(*each, launch, folder), forms))
    right = {seen["thread"]: seen["results"][0] for seen in all_seen if seen["form"] == "fixed"}
    for seen in all_seen:
        as_fixed = sum(result == right[seen["thread"]] for result in seen["results"])
        print(f"{seen['thread']}, {seen['form']}: {as_fixed} of {len(seen['results'])} as the fixed form; "
              f"racecheck {seen['racecheck']}, synccheck {seen['synccheck']}", flush=True)  # fmt: skip
    return all_seen


def cell_of(row, tool, all_seen):
    def word(form):
        if form == "broken" and row.hangs:
            return "hangs"
        count = all_seen[row.thread, form][tool]
        if count is None:
            sys.exit(f"{row.thread}, {form}: {tool} has no summary:\n{all_seen[row.thread, form][f'{tool}_text']}")
        return "yes" if count else "no"

    return f"{word('broken')}/{word('fixed')}"


def fill(page, results):
    all_seen = {(seen["thread"], seen["form"]): seen for seen in results}
    lines = page.read_text(encoding="utf-8").splitlines()
    for row in ROWS:
        index = next(i for i, line in enumerate(lines) if line.startswith(f"| [{row.thread}]("))
        cells = lines[index].strip("| ").split(" | ")
        cells[-2:] = [cell_of(row, tool, all_seen) for tool in TOOLS]
        lines[index] = "| " + " | ".join(cells) + " |"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(what, *paths):
    if what == "run":
        launch, folder, out = map(pathlib.Path, paths)
        out.write_text(json.dumps(run_all(launch.resolve(), folder), indent=1))
    else:
        out, page = map(pathlib.Path, paths)
        fill(page, json.loads(out.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
