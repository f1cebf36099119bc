#!/usr/bin/env python3
"""command_test.py PROGRAM: dma-prove takes its options, and says what is wrong with them."""

import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

from kernels import INLINED, REVERSE, RIGHT, TICKETS, WRONG, launch
from sarif import faults_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLKIT = pathlib.Path("/usr/local/cuda/bin/nvcc")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("right.ptx", RIGHT), ("wrong.ptx", WRONG), ("inlined.ptx", INLINED), ("reverse.ptx", REVERSE), ("mirror.cu", ""), ("tickets.ptx", TICKETS)):
            (self.folder / name).write_text(text, encoding="utf-8")

    def run_it(self, *words, code=0, **environment):
        outcome = subprocess.run([PROGRAM, *words], cwd=self.folder, env={**os.environ, **environment}, capture_output=True, text=True)
        self.assertEqual(outcome.returncode, code, outcome.stdout + outcome.stderr)
        return outcome

    def compiler(self, name, script):
        """An nvcc of a few words of shell, in bin of a folder."""
        bin_ = self.folder / name / "bin"
        bin_.mkdir(parents=True)
        (bin_ / "nvcc").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (bin_ / "nvcc").chmod(0o755)
        return bin_


class Nvcc(Command):
    def test_it_is_looked_for_in_its_places_and_named(self):
        take = f'while [ "$1" != -o ]; do shift; done; /bin/cat {self.folder}/right.ptx > "$2"'
        path, home, cuda_path = (self.compiler(name, take) for name in ("path", "home", "cuda path"))
        nowhere = {"PATH": str(self.folder), "CUDA_HOME": "", "CUDA_PATH": ""}
        for environment, taken in (
            ({"PATH": f"{self.folder}:{path}", "CUDA_HOME": str(home.parent)}, path),
            ({"CUDA_HOME": str(home.parent), "CUDA_PATH": str(cuda_path.parent)}, home),
            ({"CUDA_HOME": str(self.folder), "CUDA_PATH": str(cuda_path.parent)}, cuda_path),
        ):
            outcome = self.run_it("mirror.cu", "--launch", launch(2), **{**nowhere, **environment})
            self.assertEqual(outcome.stderr, f"dma-prove: mirror.cu is compiled by {taken}/nvcc\n")
            self.assertTrue(outcome.stdout.startswith("mirror: proved"))

    def test_without_one_the_places_are_said_and_the_way_out(self):
        if TOOLKIT.exists():
            self.skipTest(f"there is {TOOLKIT}")
        outcome = self.run_it("mirror.cu", "--launch", launch(2), code=2, PATH="", CUDA_HOME="", CUDA_PATH="")
        self.assertIn(
            "there is no nvcc on the PATH, nor in bin of CUDA_HOME, of CUDA_PATH or of /usr/local/cuda, and mirror.cu needs one; "
            "set CUDA_HOME to a CUDA toolkit, ",
            outcome.stderr,
        )

    def test_what_it_does_not_compile_is_said_with_its_words(self):
        home = self.compiler("home", "echo 'mirror.cu(3): error: no' >&2; exit 1")
        outcome = self.run_it("mirror.cu", "--launch", launch(2), code=2, PATH=str(home))
        self.assertIn("mirror.cu(3): error: no\n", outcome.stderr)
        self.assertIn(f"{home}/nvcc does not compile mirror.cu; mend what it says above, or", outcome.stderr)
        outcome = self.run_it("nowhere.cu", "--launch", launch(2), code=2, PATH=str(home))
        self.assertEqual(outcome.stderr, "dma-prove: nowhere.cu cannot be read; name a file that is there\n")


class Lines(Command):
    """Each line of a message says what it is: that of an access, or of the synchronization before or behind which it is."""

    def test_a_race_has_the_line_of_each_access(self):
        outcome = self.run_it("wrong.ptx", "--launch", launch(3), code=1).stdout
        self.assertIn("\nrace: thread 0 reads bytes 252 to 255 of tile (mirror.cu:6); thread 63 writes them (mirror.cu:4)\n", outcome)
        # All that a warp does between the barriers of two tiles is one step.
        self.assertIn("\nby the shortest schedule, race: warp 0 reads and writes shared memory (before mirror.cu:5)\n", outcome)


class Limits(Command):
    """4 CTAs take tickets in one of 4! = 24 orders."""

    LAUNCH = ("tickets.ptx", "--launch", "tickets<<<4, 32>>>(counter: out u32[1], y: out u32[4])")

    def test_a_picture_is_written_where_there_is_a_schedule_to_draw(self):
        self.run_it("wrong.ptx", "--launch", launch(3), "--svg", "wrong.svg", code=1)
        self.assertTrue((self.folder / "wrong.svg").read_text(encoding="utf-8").startswith("<svg"))
        outcome = self.run_it("right.ptx", "--launch", launch(3), "--svg", "right.svg")
        self.assertFalse((self.folder / "right.svg").exists())
        self.assertIn("right.svg is not written", outcome.stderr)

    def test_executions_are_judged_up_to_a_limit_which_is_named(self):
        self.assertIn("all 24 executions of 4 CTAs", self.run_it(*self.LAUNCH).stdout)
        self.assertIn("all 24 executions of 4 CTAs", self.run_it(*self.LAUNCH, "--executions", "25").stdout)
        few = self.run_it(*self.LAUNCH, "--executions", "5").stdout
        self.assertIn("only for the first 5 of more executions of 4 CTAs", few)
        self.assertIn(": the limit of executions (--executions) ended it; raise it, prove a smaller grid, or take the orders of atomics that runs "
                      "have (--atomics 1)", few)

    def test_more_atomics_than_a_limit_are_judged_as_they_ran(self):
        self.assertIn("all 24 executions", self.run_it(*self.LAUNCH, "--atomics", "4").stdout)
        few = self.run_it(*self.LAUNCH, "--atomics", "3").stdout
        self.assertIn(
            "orders of atomics not explored, since 4 are more than --atomics, 3; prove a smaller grid, take more orders by "
            "more --seeds, or raise it where few threads compete",
            few,
        )

    def test_a_limit_is_a_number(self):
        for option in ("--atomics", "--executions", "--seeds", "--seconds"):
            for value in ("0", "-1", "4x", "", "99999999999"):
                outcome = self.run_it(*self.LAUNCH, option, value, code=2)
                self.assertIn(f"dma-prove: {option} is '{value}', which is no number from 1 on; give one", outcome.stderr)


class Sarif(Command):
    def sarif_of(self, *words, code):
        self.run_it(*words, "--sarif", "report.sarif", code=code)
        log = json.loads((self.folder / "report.sarif").read_text(encoding="utf-8"))
        self.assertEqual(faults_of(log), [])
        return log["runs"][0]

    @staticmethod
    def place(location):
        physical = location["physicalLocation"]
        return physical["artifactLocation"]["uri"], physical["region"]["startLine"]

    def test_a_race_has_its_rule_and_the_places_of_both_accesses(self):
        run = self.sarif_of("wrong.ptx", "--launch", launch(3), code=1)
        [result] = run["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("race", "error"))
        self.assertIn("mirror: race: thread 0 reads bytes 252 to 255 of tile (mirror.cu:6)", result["message"]["text"])
        self.assertEqual([self.place(each) for each in result["locations"]], [("mirror.cu", 6)])
        self.assertEqual([self.place(each) for each in result["relatedLocations"]], [("mirror.cu", 4)])
        self.assertEqual(run["tool"]["driver"]["rules"], [{"id": "race", "shortDescription": {"text": "race"}}])

    def test_calls_that_were_inlined_are_related_places(self):
        [result] = self.sarif_of("inlined.ptx", "--launch", launch(3), code=1)["results"]
        self.assertEqual([self.place(each) for each in result["locations"]], [("mirror.cu", 6)])
        related = [(*self.place(each), each["id"]) for each in result["relatedLocations"]]
        self.assertEqual(related, [("file:///somewhere/else/load%20tile.cuh", 3, 1), ("mirror.cu", 4, 2), ("mirror.cu", 30, 3)])

    def test_what_is_proved_has_no_result_and_what_is_not_judged_a_notification(self):
        run = self.sarif_of("right.ptx", "--launch", launch(3), code=0)
        self.assertEqual((run["results"], run["invocations"][0]["toolExecutionNotifications"]), ([], []))
        run = self.sarif_of("right.ptx", "--launch", launch(0), code=3)
        [said] = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("mirror was not judged: no run met a barrier", said["message"]["text"])
        self.assertEqual((run["results"], self.place(said["locations"][0])), ([], ("right.ptx", 1)))

    def test_a_rule_is_a_warning(self):
        (self.folder / "rule.ptx").write_text(RIGHT.replace("bar.sync 0;\n  .loc 1 6 5", ".loc 1 6 5", 1).replace("st.shared", "//"))
        [result] = self.sarif_of("rule.ptx", "--launch", launch(1), code=4)["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("unwritten_bytes", "warning"))
        self.assertEqual(self.place(result["locations"][0]), ("mirror.cu", 6))

    def test_a_value_that_differs_is_a_result(self):
        (self.folder / "y.npy").write_bytes(b"\x93NUMPY\x01\0" + bytes([118, 0]) + b" " * 117 + b"\n" + b"\1" * 2048)
        [result] = self.sarif_of("right.ptx", "--launch", launch(3), "--values", "y=y.npy", code=1)["results"]
        self.assertEqual((result["ruleId"], result["level"]), ("different_value", "error"))

    def test_each_kind_of_finding_has_its_name_as_a_rule(self):
        finding = (ROOT / "include/dma/proof/finding.hpp").read_text(encoding="utf-8")
        sarif = (ROOT / "include/dma/proof/ptx/launch/sarif.hpp").read_text(encoding="utf-8")
        kinds = set(re.findall(r"^  (\w+),$", finding, re.MULTILINE))
        refused = set(re.findall(r'FindingKind::(\w+):\s*return "refused', finding))
        ids = dict(re.findall(r'FindingKind::(\w+):\s*return "(\w+)"', sarif))
        self.assertEqual(set(ids), kinds - refused - {"none", "unused_tile"}, "a kernel of PTX has no pipelines")
        self.assertEqual(set(ids), set(ids.values()))


class Sweep(Command):
    LAUNCH = "mirror<<<1, 64>>>(x: f32[512] = random, y: out f32[512], $tiles)"

    def test_every_value_is_judged_and_the_first_that_fails_is_reported(self):
        for file, failing, code in (("right.ptx", 9, 0), ("wrong.ptx", 2, 1)):
            outcome = self.run_it(file, "--launch", self.LAUNCH, "--sweep", "tiles=0..8", code=code).stdout.splitlines()
            words = ["nothing done", *("race" if tiles >= failing else "proved" for tiles in range(1, 9))]
            self.assertEqual(outcome[:9], [f"tiles = {tiles}: {word}" for tiles, word in enumerate(words)])
            reported = min(failing, 8)
            self.assertEqual(outcome[9], f"with tiles = {reported}, {self.LAUNCH.replace('$tiles', str(reported))}")
            self.assertTrue(outcome[10].startswith(f"mirror: {'race' if code else 'proved'} "), outcome[10])

    def test_a_proof_that_is_limited_says_so_in_its_row_and_is_the_one_reported(self):
        launch = "tickets<<<$ctas, 32>>>(counter: out u32[1], y: out u32[4])"
        words = ("tickets.ptx", "--launch", launch, "--sweep", "ctas=1,4,2", "--executions", "5")
        rows = self.run_it(*words).stdout.splitlines()
        self.assertEqual((rows[0], rows[2]), ("ctas = 1: proved", "ctas = 2: proved"))
        self.assertTrue(rows[1].startswith("ctas = 4: proved, only for the first 5 of more executions"), rows[1])
        self.assertTrue(rows[3].startswith("with ctas = 4, "), rows[3])
        limits = [row["only"] for row in json.loads(self.run_it(*words, "--json").stdout)["sweep"]]
        self.assertEqual([bool(limit) for limit in limits], [False, True, False])

    def test_json_has_a_table_of_the_values(self):
        outcome = self.run_it("wrong.ptx", "--launch", self.LAUNCH, "--sweep", "tiles=1..3", "--json", code=1).stdout
        json_ = json.loads(outcome)
        self.assertEqual([row["values"]["tiles"] for row in json_["sweep"]], [1, 2, 3])
        self.assertEqual([row["class"] for row in json_["sweep"]], ["proved", "error", "error"])
        self.assertEqual(json_["sweep"][1]["launch"], self.LAUNCH.replace("$tiles", "2"))
        self.assertEqual([launch["finding"] for launch in json_["launches"]], ["race"])

    def test_values_are_ranges_steps_and_lists_and_every_choice_of_several(self):
        line = "mirror<<<$ctas, 64>>>(x: f32[512] = random, y: out f32[512], $tiles)"
        for values, expected in (
            (["tiles=1..3"], [1, 2, 3]),
            (["tiles=0..8:4"], [0, 4, 8]),
            (["tiles=5,1..2,7"], [5, 1, 2, 7]),
        ):
            json_ = json.loads(self.run_it("right.ptx", "--launch", self.LAUNCH, "--json", "--sweep", *values).stdout)
            self.assertEqual([row["values"]["tiles"] for row in json_["sweep"]], expected)
        both = self.run_it("right.ptx", "--launch", line, "--sweep", "ctas=1..2", "--sweep", "tiles=1,2", code=1).stdout
        self.assertEqual(
            both.splitlines()[:5],
            ["ctas = 1, tiles = 1: proved", "ctas = 1, tiles = 2: proved", "ctas = 2, tiles = 1: race", "ctas = 2, tiles = 2: race"]
            + ["with ctas = 2, tiles = 1, mirror<<<2, 64>>>(x: f32[512] = random, y: out f32[512], 1)"],
        )

    def test_what_is_wrong_with_a_sweep_is_said(self):
        for values in ("tiles", "tiles=", "=1", "tiles=4..1", "tiles=1..4:0", "tiles=1..a", "tiles=1,", "ti les=1", "tiles=0..99999"):
            outcome = self.run_it("right.ptx", "--launch", self.LAUNCH, "--sweep", values, code=2)
            self.assertIn(f"--sweep is '{values}', which is no name with values; write tiles=0..12,", outcome.stderr)
        for words, said in (
            (("--launch", self.LAUNCH), "a launch has $tiles, which has no values; give them as --sweep tiles=0..12"),
            (("--launch", launch(1), "--sweep", "tiles=1"), "no launch has $tiles; write it where the values of --sweep tiles are to be"),
            (("--launch", self.LAUNCH, "--sweep", "tiles=1", "--save", "y=y.npy"), "--values, --save and --superfluous are of launches without"),
        ):
            self.assertIn(said, self.run_it("right.ptx", *words, code=2).stderr)


class Saved(Command):
    def test_what_was_not_computed_is_neither_written_nor_compared(self):
        computed = "mov.u32 %r4, tile;"
        text = RIGHT.replace(computed, f"{computed} addc.u32 %r10, %r1, %r1; mov.b32 %f3, %r10;").replace("[%rd5], %f2;", "[%rd5], %f3;")
        (self.folder / "unknown.ptx").write_text(text)
        words = ("unknown.ptx", "--launch", "mirror<<<1, 64>>>(x: f32[64] = 1, y: out f32[128], 1)")
        which = r"element 0 of y was not computed, by addc.u32 \(.*:\d+\): 256 of 512 bytes are not known"
        outcome = self.run_it(*words, "--save", "y=y.npy", "--json", code=3)
        self.assertRegex(outcome.stderr, f"y.npy is not written: {which}")
        [unknown] = json.loads(outcome.stdout)["unknown"]
        self.assertRegex(unknown, f"^{which}$")
        self.assertEqual(json.loads(self.run_it(*words, "--json").stdout)["unknown"], [])
        self.assertFalse((self.folder / "y.npy").exists())
        head = b"\x93NUMPY\x01\0" + bytes([118, 0]) + b" " * 117 + b"\n"
        said = f"y is compared with y.npy but for what is not known: {which}"
        for known, code in ((0.0, 3), (5.0, 1)):
            (self.folder / "y.npy").write_bytes(head + struct.pack("<128f", *[7.0] * 64, *[known] * 64))
            outcome = self.run_it(*words, "--values", "y=y.npy", code=code)
            self.assertRegex(outcome.stderr, said)
            self.assertEqual("element 64 of y is 0.000000, and 5.000000 in y.npy" in outcome.stdout, code == 1)

    def test_a_file_has_numpys_type_of_an_array_or_else_its_bits(self):
        for type_, count, expected in (("f32", 64, "<f4"), ("f16", 128, "<f2"), ("bf16", 128, "<u2"), ("s32", 64, "<i4"), ("e4m3", 256, "<u1")):
            line = f"mirror<<<1, 64>>>(x: f32[64] = 1, y: out {type_}[{count}], 1)"
            self.run_it("right.ptx", "--launch", line, "--save", "y=y.npy")
            file = (self.folder / "y.npy").read_bytes()
            self.assertIn(f"'descr': '{expected}', 'fortran_order': False, 'shape': ({count},)", file[:128].decode("latin-1"))
            self.assertEqual(file[128:], struct.pack("<f", 1) * 64)


class Page(Command):
    """What docs/guide/reference/ptx.md shows of its kernel is what the program writes."""

    COUNTS = re.compile(r"\(\d+ runs, \d+ operations|\d+ instructions in \d+\.\d+ s")  # of nvcc's PTX, which is longer

    def test_each_verdict_of_the_wrong_kernel_is_as_shown(self):
        page = (ROOT / "docs/guide/reference/ptx.md").read_text(encoding="utf-8")
        shown = re.findall(r"^\$ dma-prove (reverse\.ptx --launch .*)\n((?:(?!```|\$ ).*\n)*)", page, re.MULTILINE)
        self.assertEqual(len(shown), 2)
        for command, output in shown:
            words = shlex.split(command)
            written = self.COUNTS.sub("", self.run_it(*words, code=1).stdout)
            for part in self.COUNTS.sub("", output).split("...\n"):
                self.assertIn(part, written)


class Messages(Command):
    def test_they_begin_with_the_program_and_end_with_the_place(self):
        for words, said in (
            ((), "no file is given; see dma-prove --help"),
            (("right.ptx",), "nothing is asked for; give --list or --launch"),
            (("right.ptx", "k<<<1, 32>>>()"), "k<<<1, 32>>>() is a launch and no file; write --launch before it"),
            (("right.ptx", "wrong.ptx"), "two files are given, right.ptx and wrong.ptx; give one of them"),
            (("right.ptx", "--values", "y"), "--values is 'y', which names no array and file; give it as NAME=FILE"),
            (("right.ptx", "--what", "y"), "there is no option --what; see dma-prove --help"),
            (("right.ptx", "--launch", "mirror<<<1, 64>>>(x: f32[512])"), "mirror takes 3 arguments, and 1 are given; give one for each"),
            (("right.ptx", "--launch", "mirror<<<1, 64>>("), "'>' is missing before '('; write a launch as dma-prove --help has it"),
            (("right.ptx", "--launch", "mirror<<<1, 64>>("), " [launch, line 1, column 17]\n"),
            (("right.ptx", "--launch", "turn<<<1, 64>>>()"), "no entry is named turn; name one of the module: mirror"),
        ):
            outcome = self.run_it(*words, code=2)
            self.assertTrue(outcome.stderr.startswith("dma-prove: "), outcome.stderr)
            self.assertIn(said, outcome.stderr)
            self.assertEqual(outcome.stdout, "")


if __name__ == "__main__":
    unittest.main()
