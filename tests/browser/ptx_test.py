#!/usr/bin/env python3
"""The page that proves PTX in a browser, its texts beside those of dma-prove on this machine: ptx_test.py BROWSER FOLDER
PROGRAM. Exits with 4 where there is no such browser."""

import gzip
import json
import pathlib
import re
import sys
import unittest

import browsers
from ptx_examples import FOUND, examples_of, judged, mended, without_seconds

BROWSER, FOLDER, PROGRAM = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
MOST_BYTES = 300_000  # of the program as servers send it, compressed


class Page(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.examples = examples_of(FOLDER / "ptx")
        cls.texts = {name: (FOLDER / "ptx" / f"{name}.ptx").read_text(encoding="utf-8") for name in cls.examples}
        cls.seen = json.loads(browsers.Reports(FOLDER).of(BROWSER, "tests/ptx.html"))
        if "error" in cls.seen:
            raise AssertionError(cls.seen["error"])
        for name, answer in cls.seen["answers"].items():
            print(f"{name}: {answer['kind']}, {answer['milliseconds']:.0f} ms")

    def said_here(self, name, text, launches=None):
        printed, complained, _ = judged(PROGRAM, name, text, launches or self.examples[name]["launches"])
        return without_seconds(printed or complained)

    def test_a_verdict_is_the_native_one_word_for_word(self):
        self.assertEqual(set(self.seen["answers"]), set(FOUND))
        for name, answer in self.seen["answers"].items():
            with self.subTest(name):
                self.assertEqual(without_seconds(answer["verdict"]), self.said_here(name, self.texts[name]))
                last = self.examples[name]["launches"][-1].split("<")[0]
                self.assertEqual(answer["kind"], f"{last}: {FOUND[name]}")
        for name, answer in self.seen["mended"].items():
            with self.subTest(name, mended=True):
                text = mended(self.examples[name], self.texts[name])
                self.assertEqual(without_seconds(answer["verdict"]), self.said_here(name, text))
                self.assertIn(": proved", answer["kind"])
        self.assertEqual(set(self.seen["mended"]), {name for name in FOUND if FOUND[name] != "proved"})

    def test_the_source_shows_the_lines_that_are_named_and_the_schedule_is_drawn(self):
        drawn = 0
        for name, answer in self.seen["answers"].items():
            with self.subTest(name):
                native = self.said_here(name, self.texts[name])
                self.assertEqual(set(answer["named"]), {int(line) for line in re.findall(rf"\b{name}\.cu:(\d+)", native)})
                steps = re.findall(r"^  (?:[o.x|] )+ (.*)$", native, re.MULTILINE)
                self.assertEqual([row for row in answer["rows"] if row in steps], steps)
                drawn += bool(steps)
        self.assertGreaterEqual(drawn, 3)

    def test_a_mistake_in_the_ptx_is_told_and_marked_at_its_line(self):
        wrong = self.seen["wrong_ptx"]
        self.assertEqual(wrong["verdict"], self.said_here("reverse", wrong["ptx"]))
        line, column = map(int, re.search(r"line (\d+), column (\d+)", wrong["verdict"]).groups())
        self.assertEqual(wrong["ptx"].split("\n")[line - 1].strip(), "ld.param.u64 %rd3, [reverse_param_0;")
        self.assertEqual((wrong["marked"], wrong["selected"]), ([line], [line, column]))

    def test_a_mistake_in_a_launch_is_told_with_its_place(self):
        wrong = self.seen["wrong_launch"]
        told, line, caret = re.fullmatch(r"(.*)\n\n(.*)\n( *)\^", wrong["verdict"], re.DOTALL).groups()
        self.assertEqual(line, self.examples["grids"]["launches"][1].replace("<<<2", "<<<two"))
        self.assertEqual(told, self.said_here("grids", self.texts["grids"], [self.examples["grids"]["launches"][0], line]))
        self.assertIn(f"line 2, column {len(caret) + 1}]", told)
        self.assertEqual(wrong["rows"], [False, True])

    def test_arguments_that_do_not_fit_are_told(self):
        few = self.seen["few_arguments"]
        self.assertEqual(few["verdict"], self.said_here("reverse", self.texts["reverse"], ["reverse<<<1, 64>>>()"]))
        self.assertIn("dma-prove: ", few["verdict"])

    def test_ptx_without_lines_of_a_source_is_marked_itself(self):
        own = self.seen["own"]
        native = self.said_here("kernel", own["ptx"], [own["launch"]])
        self.assertEqual(without_seconds(own["verdict"]), native)
        self.assertEqual(set(own["marked"]), {int(line) for line in re.findall(r"\bkernel\.ptx:(\d+)", native)})
        self.assertGreater(len(own["marked"]), 0)
        self.assertIn("reverse(u64, u64, u32)", own["entries"])

    def test_a_proof_without_an_end_is_cancelled_and_the_next_one_runs(self):
        self.assertEqual(self.seen["endless"]["state"], "proving")
        self.assertEqual(self.seen["endless"]["kind"], "cancelled")
        self.assertEqual(self.seen["after"], "pipeline: proved")

    def test_the_program_is_small(self):
        program = (FOLDER / "ptx/ptx_program.wasm").read_bytes()
        sent = len(gzip.compress(program))
        print(f"{len(program)} bytes of WebAssembly, {sent} compressed")
        self.assertLess(sent, MOST_BYTES)


if __name__ == "__main__":
    if browsers.program_of(BROWSER) is None:
        print(f"skipped: there is no {BROWSER}")
        sys.exit(4)
    unittest.main(argv=sys.argv[:1])
