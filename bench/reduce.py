#!/usr/bin/env python3
"""Reduces what dma_bench wrote to medians and their spreads, a line a benchmark: reduce.py MEASURED.json RESULTS.json."""

import json
import sys

import result_files


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        content = json.load(file)
    result_files.write(sys.argv[2], result_files.reduce(content))
    return 0


if __name__ == "__main__":
    sys.exit(main())
