#!/usr/bin/env python3
"""command_test.py PROGRAM: dma-prove takes its options, and says what is wrong with them."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from kernels import RIGHT, TICKETS, WRONG, launch

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLKIT = pathlib.Path("/usr/local/cuda/bin/nvcc")


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("right.ptx", RIGHT), ("wrong.ptx", WRONG), ("mirror.cu", ""), ("tickets.ptx", TICKETS)):
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

    def test_executions_are_judged_up_to_a_limit_which_is_named(self):
        self.assertIn("all 24 executions of 4 CTAs", self.run_it(*self.LAUNCH).stdout)
        self.assertIn("all 24 executions of 4 CTAs", self.run_it(*self.LAUNCH, "--executions", "25").stdout)
        few = self.run_it(*self.LAUNCH, "--executions", "5").stdout
        self.assertIn("only for the first 5 of more executions of 4 CTAs", few)
        self.assertIn(": the limit of executions (--executions) ended it; raise it, or prove a smaller grid", few)

    def test_more_atomics_than_a_limit_are_judged_as_they_ran(self):
        self.assertIn("all 24 executions", self.run_it(*self.LAUNCH, "--atomics", "4").stdout)
        few = self.run_it(*self.LAUNCH, "--atomics", "3").stdout
        self.assertIn("4 atomics, where --atomics is 3: raise it, or prove a smaller grid", few)
        self.assertIn("orders of atomics not explored", few)

    def test_a_limit_is_a_number(self):
        for option in ("--atomics", "--executions", "--seeds", "--seconds"):
            for value in ("0", "-1", "4x", "", "99999999999"):
                outcome = self.run_it(*self.LAUNCH, option, value, code=2)
                self.assertIn(f"dma-prove: {option} is '{value}', which is no number from 1 on; give one", outcome.stderr)


class Messages(Command):
    def test_they_begin_with_the_program_and_end_with_the_place(self):
        for words, said in (
            ((), "no file is given; see dma-prove --help"),
            (("right.ptx",), "nothing is asked for; give --list or --launch"),
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
