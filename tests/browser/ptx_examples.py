#!/usr/bin/env python3
"""The examples of the page that proves PTX, as dma-prove judges them: ptx_examples.py SOURCES PROGRAM."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

# What is found in each as it is; mended, each is proved.
FOUND = {"reverse": "race", "ring": "race", "store": "missing proxy fence", "grids": "race", "pipeline": "proved"}
SECONDS = re.compile(r"(?<= instructions in )\d+\.\d+(?= s$)", re.MULTILINE)


def examples_of(sources):
    return {each["name"]: each for each in json.loads((sources / "examples.json").read_text(encoding="utf-8"))}


def mended(example, text):
    """The PTX with the line that mends it."""
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if example["mend"]["behind"] in line)
    return "\n".join([*lines[: first + 1], "\t" + example["mend"]["insert"], *lines[first + 1 :]])


def judged(program, name, text, launches):
    """(what the program prints, what it writes to its standard error, its exit code) for PTX in a file name.ptx."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / f"{name}.ptx").write_text(text, encoding="utf-8")
        words = [word for launch in launches for word in ("--launch", launch)]
        outcome = subprocess.run([program, f"{name}.ptx", *words], cwd=folder, capture_output=True, text=True, check=False)
        return outcome.stdout, outcome.stderr, outcome.returncode


def without_seconds(text):
    return SECONDS.sub("...", text).rstrip("\n")


class Examples(unittest.TestCase):
    def test_each_is_found_and_proved_when_it_is_mended(self):
        examples = examples_of(SOURCES)
        self.assertEqual(list(examples), list(FOUND))
        for name, example in examples.items():
            with self.subTest(name):
                text = (SOURCES / "kernels" / f"{name}.ptx").read_text(encoding="utf-8")
                printed, _, code = judged(PROGRAM, name, text, example["launches"])
                last = example["launches"][-1].split("<")[0]
                self.assertIn(f"{last}: {FOUND[name]} (", printed)
                self.assertEqual(code, 0 if FOUND[name] == "proved" else 1)
                if "mend" in example:
                    printed, _, code = judged(PROGRAM, name, mended(example, text), example["launches"])
                    self.assertEqual((f"{last}: proved (" in printed, code), (True, 0), printed)


if __name__ == "__main__":
    SOURCES, PROGRAM = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1])
