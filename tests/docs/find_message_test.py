#!/usr/bin/env python3
"""find_message_test.py ROOT [COMPILER...]: docs/guide/find_message.js finds each message first, with all that is around it.

Each message of the index is wrapped as compilers, Catch2, the checked build, a terminal and Python wrap it, with values for
its parts. Some cases of tests/compile_fail are compiled with each COMPILER that there is, and what these print is pasted.
Exits with 4 where there is no node.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

RUNNER = """
const { findMessages } = require(process.argv[1]);
const { index, pastes } = JSON.parse(require("fs").readFileSync(process.argv[2], "utf-8"));
console.log(JSON.stringify(pastes.map((paste) => findMessages(index, paste).map((found) => found.message.text))));
"""
PIPELINE = (
    "dma::v0_1::DmaPipeline<dma::v0_1::Sequential<float, 64, 16>, dma::v0_1::MultiBuffer<dma::v0_1::WarpLayout<dma::v0_1::"
    "Compute<1>, dma::v0_1::Dma<1> >, dma::v0_1::detail::Stages{1, 0, 0}>, dma::v0_1::CudaBarrier, dma::v0_1::AsyncCopy<> >"
)
VERDICT = """FAILED:
  REQUIRE_THAT( verdict, IsProved() )
with expansion:
  FINDING (6 runs, 943 operations, every access seen)
FINDING: thread 0 reads slot 0 of pipeline A (neighbours.hpp:22); thread 32 copies into it (neighbours.hpp:17)
by the shortest schedule, FINDING: warp 0 waits for full, slot 0 of pipeline A (neighbours.hpp:22)
  | o  warp 1 arrives, when its copies are done, at full, slot 1 of pipeline A (neighbours.hpp:17), phase 1
  | .  warp 1's copy ends, phase 1
  o |  warp 0 opens a barrier (neighbours.hpp:12)
  x |  warp 0 cannot continue: it arrives and waits for the CTA to synchronize
  pipeline A: dma::v0_1::DmaPipeline<dma::v0_1::Sequential<float, 64>, dma::v0_1::MultiBuffer<Warps, 2> >, at byte 0 of shared memory
  dma::host::launch with seed 0 repeats the run that was judged
  dma::proof::replay of this verdict runs the schedule
"""
WRAPS = {
    "g++": f"""In file included from include/dma/dma.hpp:41,
                 from kernel.cpp:3:
include/dma/pipeline.hpp: In instantiation of 'class {PIPELINE}':
kernel.cpp:12:9:   required from here
include/dma/pipeline.hpp:93:31: error: static assertion failed: TEXT
   93 |   static_assert(detail::always_false<Pipeline>,
      |                 ~~~~~~~~^~~~~~~~~~~~~~~~~~~~~~
include/dma/pipeline.hpp:93:31: note: 'dma::v0_1::detail::always_false<{PIPELINE}>' evaluates to false
""",
    "clang++ 14": f"""In file included from kernel.cpp:3:
include/dma/pipeline.hpp:93:3: error: static_assert failed due to requirement 'detail::always_false<{PIPELINE}>' "TEXT"
  static_assert(detail::always_false<Pipeline>,
  ^             ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
kernel.cpp:12:9: note: in instantiation of template class '{PIPELINE}' requested here
1 error generated.
""",
    "clang++ 19": f"""include/dma/pipeline.hpp:93:17: error: static assertion failed due to requirement 'detail::always_false<
{PIPELINE}>': TEXT
""",
    "nvcc": f"""include/dma/pipeline.hpp(93): error: static assertion failed with "TEXT"
    static_assert(detail::always_false<Pipeline>,
    ^
          detected during instantiation of class "{PIPELINE}" at line 12 of kernel.cu

1 error detected in the compilation of "kernel.cu".
""",
    "a terminal of 80 columns": "",
    "a checked build": f"TEXT [index 40, end 32] [wait() of [{PIPELINE}], Storage at byte 0 of shared memory, slot 0; kernel [Streams], "
    "block (0, 0, 0), warp 0, thread 0, lanes 0x00000001]",
    "Python": """Traceback (most recent call last):
  File "train.py", line 31, in <module>
    kernel[(64,)](x, y, 2.0)
dma.LaunchError: TEXT
""",
}


def wrapped(text, who):
    said = text.replace("…", "17", 1).replace("…", "thread 96 (kernel.hpp:12)")
    if who == "a terminal of 80 columns":
        return "due to unexpected exception with message:\n" + textwrap.indent("\n".join(textwrap.wrap(said, 78)), "  ")
    return WRAPS[who].replace("TEXT", said)


def made_up(messages):
    """(who, text, what is pasted) of each message in each coat."""
    for message in messages:
        text = message["text"]
        if message["kind"] == "finding":
            yield "a verdict", text, VERDICT.replace("FINDING", text)
            continue
        half = text.partition(message["fix"])[0]
        yield "its first half alone", text, half.replace("…", "17")
        if "… elements" in half or "… bytes" in half:
            yield "one of each", text, re.sub(r"… (element|byte)s\b", r"1 \1", half).replace("…", "17")
        is_of_compiler = message["kind"] == "compile"
        for who in WRAPS:
            if is_of_compiler or who not in ("g++", "clang++ 14", "clang++ 19", "nvcc"):
                yield who, text, wrapped(text, who)


def compiled(root, compilers):
    """(compiler, text, what is printed) of some cases that do not compile."""
    cases = sorted((root / "tests/compile_fail").glob("*.cpp"))
    firsts = {case: case.read_text(encoding="utf-8").splitlines()[0].removeprefix("// error: ") for case in cases}
    firsts = dict([each for each in firsts.items() if each[1].startswith("dma")][::40])
    environment = os.environ | {"LC_ALL": "C"}
    for compiler in dict.fromkeys(compilers):
        if not shutil.which(compiler):
            print(f"there is no {compiler}")
            continue
        flags = ["-x", "cu", "-arch=sm_90a", "-ptx", "-o", os.devnull] if "nvcc" in compiler else ["-fsyntax-only"]
        for case, first in firsts.items():
            command = [compiler, "-std=c++20", "-DDMA_MISTAKE", f"-I{root / 'include'}", *flags, str(case)]
            printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment).stdout
            yield compiler, first, printed


def several(messages):
    """(who, text, what is pasted) of two errors of a compiler, of which the first is the shorter one."""
    texts = sorted((m["text"] for m in messages if m["kind"] == "compile" and m["component"] and "…" not in m["text"]), key=len)
    for short, long in zip(texts[:40], reversed(texts)):
        yield "g++, twice", short, wrapped(short, "g++") + wrapped(long, "g++")


def is_found(who, text, found, half_of):
    """The first one is the message, or one with the half that was pasted."""
    return found[:1] == [text] or (who in ("its first half alone", "one of each") and found and half_of[found[0]] == half_of[text])


def main():
    root, compilers = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        print("skipped: there is no node")
        return 4
    made = subprocess.run([sys.executable, root / "docs/guide/errors.py", "--json", "-"], check=True, stdout=subprocess.PIPE)
    index = json.loads(made.stdout)
    pastes = [*made_up(index["messages"]), *several(index["messages"]), *compiled(root, compilers)]
    with tempfile.TemporaryDirectory() as folder:
        given = pathlib.Path(folder, "pastes.json")
        given.write_text(json.dumps({"index": index, "pastes": [paste for _, _, paste in pastes]}), encoding="utf-8")
        answer = subprocess.run([node, "-e", RUNNER, root / "docs/guide/find_message.js", given], check=True, stdout=subprocess.PIPE)
    half_of = {message["text"]: (message["component"], message["cause"]) for message in index["messages"]}
    answers = zip(pastes, json.loads(answer.stdout))
    missed = [(who, text, found) for (who, text, _), found in answers if not is_found(who, text, found, half_of)]
    for who, text, found in missed[:20]:
        print(f"{who}: {text}\n  is not the first of {found[:3]}")
    print(f"{len(pastes)} pasted texts, {len(missed)} not found first")
    return 1 if missed or len(pastes) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
