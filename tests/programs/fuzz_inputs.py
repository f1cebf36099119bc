"""Runs the example programs, built with the address and undefined-behaviour sanitizers, on random inputs.

    tests/programs/fuzz_inputs.py <folder of the asan build> [<seconds>]

An input is right or it is refused: a program exits with 0, 1 or, where it is asked for a GPU that is not there, 4, or
with a code of CLI11 for an option that it does not take. A sanitizer's report, a signal or a wrong answer is a failure,
which is printed with the command, as is a run of more than 60 s. Exits with 1 where there was a failure.
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

INTEGERS = ["0", "1", "-1", "2", "3", "5", "31", "32", "33", "63", "64", "65", "100", "127", "129", "300", "2147483647",
            "-2147483648", "2147483648", "-2147483649", "9223372036854775807", "99999999999999999999", "1e3", "0x10",
            "", " ", "nan", "-", "--", "1 2", "\u00e9", "%s%n"]
SMALL = ["1", "2", "3", "7", "8", "15", "16", "17", "31", "33", "40", "64", "65", "90"]
REALS = ["0", "-0", "1", "-1.5", "1e-45", "1e-38", "3.4e38", "1e39", "-1e308", "nan", "inf", "-inf", "1e", ".5", "x"]
PATHS = ["/dev/full", "/dev/null", "/no/folder/file", "", ".", "/", "{folder}/out", "{folder}/a b", "{folder}"]


# Inputs that are right and large end the program here, which is no failure.
SMALL_MEMORY = "hard_rss_limit_mb=1000:max_allocation_size_mb=4000:detect_leaks=1"
TOO_LARGE = ("allocation-size-too-big", "out-of-memory", "hard rss limit exhausted")


def number(rng):
    return rng.choice(SMALL) if rng.random() < 0.7 else rng.choice(INTEGERS)


def extent(rng):
    """Few points are many emulated threads."""
    extents = [word for word in SMALL + INTEGERS if len(word) != 3]
    return rng.choice(SMALL[:8]) if rng.random() < 0.7 else rng.choice(extents)


def eights(rng):
    return rng.choice(["8", "16", "24", "64", "72", "128"]) if rng.random() < 0.8 else extent(rng)


def logarithm(rng):
    return rng.choice(["7", "8", "9", "10", "11", "12"]) if rng.random() < 0.8 else rng.choice(["6", "0", "-7", "x"])


def real(rng):
    return rng.choice(REALS)


def path(rng):
    return rng.choice(PATHS)


def one_of(*words):
    return lambda rng: rng.choice(words + ("", "ALL", "nan")) if rng.random() < 0.1 else rng.choice(words)


# Each option with what makes its argument; None where it takes none.
OPTIONS = {
    "sgemv": {"--m": number, "--n": number, "--pad": number, "--op": one_of("N", "T"), "--incx": number,
              "--incy": number, "--alpha": real, "--beta": real, "--seed": number,
              "--variant": one_of("all", "best", "vec_single", "both_double", "vec_manual"), "--no-time": None,
              "--demo": path},
    "stencil": {"--nx": extent, "--ny": extent, "--nz": extent, "--kernel": one_of("all", "march", "halo"),
                "--no-time": None, "wave": None, "--steps": extent, "--every": number, "--out": path},
    "trace": {"--out": path, "--tiles": number, "--additions": number},
    "gemm": {"--m": extent, "--n": eights, "--k": eights, "--pad": eights,
             "--tile-columns": one_of("64", "128", "192"), "--divided": number, "--bias": None, "--add": None,
             "--f16": None, "--integers": None, "--no-time": None},
    "fft": {"--n": logarithm, "--batch": extent, "--inverse": None, "--real": None, "--in-place": None,
            "--no-time": None, "--seed": number, "spectrogram": None, "--out": path},
    "attention": {"--batches": one_of("1", "2", "3"), "--heads": one_of("1", "2", "6"),
                  "--kv-heads": one_of("0", "1", "2", "3"), "--queries": extent, "--keys": extent,
                  "--head-size": one_of("64", "128"), "--causal": None, "--f16": None, "--no-time": None},
}
# Given always: the program's own sizes are large for the emulator.
SIZES = {"gemm": ["--m", "--n", "--k"], "attention": ["--batches", "--heads", "--queries", "--keys"]}


def options_of(program, rng, folder):
    words = ["--on", "host"] if rng.random() < 0.95 else ["--on", rng.choice(["gpu", "cpu", ""])]
    sizes = SIZES.get(program, [])
    names = [name for name in OPTIONS[program] if name not in sizes]
    for name in sizes + rng.sample(names, rng.randint(1, len(names))):
        argument = OPTIONS[program][name]
        words.append(name)
        if argument is not None:
            words.append(argument(rng).format(folder=folder) if argument is path else argument(rng))
    return words


def word_of_trace(rng):
    return rng.choice(["trace", "0", "1", "2", "31", "-1", "full", "empty", "dma", "compute", "begins", "waits",
                       "goes_on", "arrives", "steps", "cycles", "K<int&>", "\x01", "\xff", "9223372036854775807",
                       "-9223372036854775808", "2147483647", "1e9", ""])


def trace_file(rng, folder, seed_text):
    """A trace with a few lines or words changed."""
    lines = seed_text.splitlines()
    lines = lines[: rng.randint(0, len(lines))]
    for _ in range(rng.randint(0, 6)):
        if lines:
            at = rng.randrange(len(lines))
            words = lines[at].split(" ")
            words[rng.randrange(len(words))] = word_of_trace(rng)
            lines[at] = " ".join(words)
            if rng.random() < 0.2:
                lines.insert(rng.randrange(len(lines)), " ".join(word_of_trace(rng) for _ in range(rng.randint(0, 9))))
    file = pathlib.Path(folder) / "fuzzed.trace"
    file.write_text("\n".join(lines) + rng.choice(["", "\n"]), encoding="latin-1")
    return str(file)


def programs_in(build):
    found = {}
    for name in [*OPTIONS, "draw_trace"]:
        for file in pathlib.Path(build).rglob(name):
            if file.is_file() and file.stat().st_mode & 0o111:
                found[name] = str(file)
    return found


def main():
    build = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 600
    root = pathlib.Path(__file__).resolve().parents[2]
    seed_text = (root / "docs/guide/timelines/bufferings.trace").read_text()
    programs = programs_in(build)
    if not programs:
        sys.exit(f"no programs in {build}: build the preset asan first")
    failures = 0
    runs = dict.fromkeys(programs, 0)
    answers = {}
    start = time.monotonic()
    seed = 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - start < seconds:
            seed += 1
            rng = random.Random(seed)
            name = rng.choice(list(programs))
            if name == "draw_trace":
                words = [trace_file(rng, folder, seed_text), f"{folder}/drawn" if rng.random() < 0.9 else "/dev/full"]
            else:
                words = options_of(name, rng, folder)
            runs[name] += 1
            try:
                result = subprocess.run([programs[name], *words], capture_output=True, timeout=60, check=False,
                                        env={**os.environ, "ASAN_OPTIONS": SMALL_MEMORY})
                code = result.returncode
                said = result.stderr.decode(errors="replace")
                is_large = any(part in said for part in TOO_LARGE)
                is_report = "Sanitizer" in said or "runtime error" in said
                is_failure = not is_large and (code < 0 or is_report or b"WRONG" in result.stdout)
            except subprocess.TimeoutExpired:
                code, is_failure = "no end after 60 s", False
                print(f"seed {seed}: {name} {words}: {code}", flush=True)
            except ValueError:
                continue  # a zero byte, which no command line has
            answers[code] = answers.get(code, 0) + 1
            if is_failure:
                failures += 1
                print(f"seed {seed}: {name} {words}: {code}\n{said[:2000]}", flush=True)
    print(f"{sum(runs.values())} runs {runs}, exits {answers}, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
