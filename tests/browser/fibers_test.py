#!/usr/bin/env python3
"""Runs the laws of fibers in a browser: fibers_test.py BROWSER FOLDER. Exits with 4 where there is none."""

import sys

import browsers

browser, folder = sys.argv[1:]
if browsers.program_of(browser) is None:
    print(f"skipped: there is no {browser}")
    sys.exit(4)
report = browsers.Reports(folder).of(browser, "fibers.html")
print(report)
sys.exit(0 if report.endswith("broken: 0") and report.count(": yes\n") == 8 else 1)
