#!/usr/bin/env python3
"""Writes what checked_cost_0 and checked_cost_1 printed as a result file: checked_cost.py RUN.json OUTPUT... RESULTS.json.

The device, driver, toolkit and commit are those of RUN.json, a file of dma_bench out of the same build on the same machine.
"""

import json
import re
import sys

import result_files

LINE = re.compile(r"(.*\S)\s+DMA_CHECKED=([01])\s+([0-9.]+) us")


def main():
    if len(sys.argv) < 4 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    times = {}  # name -> [unchecked, checked]
    for path in sys.argv[2:-1]:
        with open(path, encoding="utf-8") as file:
            for name, checked, microseconds in LINE.findall(file.read()):
                times.setdefault(name, [None, None])[int(checked)] = float(microseconds)
    lonely = [name for name, both in times.items() if None in both]
    if not times or lonely:
        print(f"each kernel needs the output of both programs; without one: {', '.join(lonely) or 'all'}")
        return 1
    run, _, _ = result_files.read(sys.argv[1])
    context = {key: run[key] for key in ("device", "driver", "toolkit", "commit")}
    context["unit"] = "us, the median of 21 launches"
    rows = [{"name": name, "unchecked": both[0], "checked": both[1]} for name, both in times.items()]
    with open(sys.argv[-1], "w", encoding="utf-8") as file:
        json.dump({"context": context, "benchmarks": rows}, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
