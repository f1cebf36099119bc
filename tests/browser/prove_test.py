#!/usr/bin/env python3
"""The page of broken kernels in a browser, its texts beside those of the program prove_kernels of this machine:
prove_test.py BROWSER FOLDER PROGRAM. Exits with 4 where there is no such browser."""

import json
import re
import subprocess
import sys
import unittest

import browsers

BROWSER, FOLDER, PROGRAM = sys.argv[1:4]
# Each compiler spells types in its own way: clang++, which emscripten is made of, has default arguments in them.
TYPE = re.compile(r"(?<=pipeline [A-Z]: dma::DmaPipeline<).*(?=>, at byte)")
STEP = re.compile(r"^  (?:[o.x|] )+ (.*)$")
MOST_STEPS = 24
FOUND = {
    "scale none": "proved", "scale no_wait": "broken contract", "scale no_release": "broken contract",
    "scale extra_tile": "deadlock", "scale early_release": "race", "scale no_fence": "missing proxy fence",
    "mirror none": "proved", "mirror no_sync": "race", "mirror extra_tile": "deadlock",
    "mirror early_return": "deadlock", "mirror early_release": "broken contract",
    "partial none": "proved", "partial all_full": "an access out of bounds", "partial full_wait": "broken contract",
    "partial to_count": "broken contract",
    "two none": "proved", "two x_first": "deadlock", "two one_storage": "broken contract",
    "two spare_tile": "a tile that is not used", "two early_release": "broken contract",
    "triangle none": "proved", "triangle all_runs": "an access out of bounds", "triangle all_rows": "broken contract",
    "triangle no_sync": "race",
    "both_ways none": "proved", "both_ways misaligned": "broken contract", "both_ways no_fence": "missing proxy fence",
    "both_ways one_group": "deadlock",
    "ahead none": "proved", "ahead one_slot": "broken contract", "ahead early_release": "broken contract",
    "ahead to_size": "broken contract",
    "products none": "proved", "products no_commit": "broken contract", "products no_wait": "broken contract",
    "products early_sums": "broken contract",
    "pairs none": "proved", "pairs extra_tile": "deadlock", "pairs odd_tile": "a tile that is not used",
    "pairs early_release": "broken contract",
}  # fmt: skip


def native_texts():
    """{"scale no_wait": text} of all kernels."""
    printed = subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout
    texts = {}
    for part in printed.rstrip("\n").split("\n\n"):
        name, text = part.split("\n", 1)
        texts[name] = text
    return texts


def steps_of(text):
    return [found[1] for found in map(STEP.match, text.splitlines()) if found]


class Page(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.native = native_texts()
        cls.seen = json.loads(browsers.Reports(FOLDER).of(BROWSER, "tests/prove.html"))
        cls.answers = cls.seen["answers"]
        if "error" in cls.seen:
            raise AssertionError(cls.seen["error"])
        for name, answer in cls.answers.items():
            print(f"{name}: {answer['kind']}, {answer['milliseconds']:.0f} ms")

    def test_each_mistake_is_found(self):
        self.assertEqual({name: answer["kind"] for name, answer in self.answers.items()}, FOUND)
        self.assertEqual({name for name in self.native if not name.startswith("spins")}, set(FOUND))

    def test_a_verdict_is_the_native_one_word_for_word(self):
        for name, answer in self.answers.items():
            with self.subTest(name):
                texts = [TYPE.sub("...", text).rstrip("\n") for text in (answer["verdict"], self.native[name])]
                self.assertEqual(*texts)

    def test_its_first_words_and_its_message_are_shown(self):
        for name, answer in self.answers.items():
            with self.subTest(name):
                first, second = self.native[name].split("\n")[:2]
                self.assertEqual(answer["kind"], first.split(" (")[0])
                self.assertEqual(answer["message"], second)

    def test_every_step_of_the_schedule_is_drawn(self):
        drawn = 0
        for name, answer in self.answers.items():
            with self.subTest(name):
                steps = steps_of(self.native[name])
                rows = answer.get("all", answer["rows"])
                self.assertEqual([row for row in rows if row in steps], steps)
                self.assertEqual("all" in answer, len(steps) > MOST_STEPS)
                drawn += bool(steps)
                if not steps and answer["kind"] != "proved":
                    self.assertIn("broken under every schedule", answer["note"])
        self.assertGreaterEqual(drawn, 5)

    def test_a_long_schedule_is_folded(self):
        folded = [answer for answer in self.answers.values() if "all" in answer]
        self.assertGreaterEqual(len(folded), 1)
        for answer in folded:
            self.assertLess(len(answer["rows"]), len(answer["all"]))
            self.assertTrue(any(re.fullmatch(r"\.\.\. \d+ steps \.\.\.", row) for row in answer["rows"]))

    def test_the_source_shows_what_the_mistake_changes(self):
        def lines(name, kind):
            return [re.sub(r"^\d+\s*", "", text) for change, text in self.answers[name]["source"] if kind in change.split()]

        self.assertEqual(lines("scale none", "added") + lines("scale none", "removed"), [])
        self.assertEqual(lines("scale extra_tile", "added"), ["for (int t : cta.tiles(tiles + 1)) {"])
        self.assertEqual(lines("scale extra_tile", "removed"), ["for (int t : cta.tiles(tiles)) {"])
        self.assertEqual(lines("mirror no_sync", "removed"), ["compute.sync();"])
        self.assertEqual(lines("mirror no_sync", "added"), [])
        self.assertEqual(lines("mirror early_return", "added"), ["if (cta.warp() == 1) return;"])
        self.assertEqual(lines("partial full_wait", "removed"), ["const auto tile = compute.wait(tile_at(first));"])
        self.assertEqual(lines("partial full_wait", "added"), ["const auto tile = compute.wait(Tile{});"])
        self.assertEqual(lines("partial to_count", "added"), ["const int end = Tile::count;"])
        self.assertEqual(lines("triangle all_runs", "added"),
                         ["DMA_HOST_DEVICE constexpr int run_count() const { return 64; }"])  # fmt: skip
        self.assertEqual(lines("both_ways one_group", "added"), ["static constexpr int group = 0;"])
        self.assertEqual(lines("products no_wait", "removed"), ["reads.wait<1>();"])
        self.assertEqual(lines("pairs extra_tile", "added"), ["const int last = (tiles + 1) / 2;"])
        for name, answer in self.answers.items():
            with self.subTest(name):
                source = "".join(text for _, text in answer["source"][2:]).lower()
                self.assertNotIn("mistake", source.replace("<mistake>", "").replace("template <mistake mistake>", ""))
                named = {int(n) for n in re.findall(name.split()[0] + r"\.hpp:(\d+)", answer["message"])}
                shown = {int(re.match(r"\d+", text)[0]) for change, text in answer["source"] if "named" in change}
                self.assertEqual(shown, named)

    def test_a_proof_that_takes_too_long_is_ended_and_the_next_one_runs(self):
        spins = self.seen["spins"]
        self.assertIn("the proof took longer than 5 seconds, and this page ended it", spins["message"])
        self.assertGreaterEqual(spins["milliseconds"], 5000)
        self.assertLess(spins["milliseconds"], 30000)
        self.assertEqual(self.seen["after"], "proved")


if __name__ == "__main__":
    if browsers.program_of(BROWSER) is None:
        print(f"skipped: there is no {BROWSER}")
        sys.exit(4)
    unittest.main(argv=sys.argv[:1])
