"""Kernels have one name in a page, in its plot and in the script that draws it; the paper's figures say their edition, and
sentences have a profile's figures."""

import json
import pathlib
import re
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PADDED = re.compile(r"padded tile[^|<]*(?=[|<])")


class PaddedTiles(unittest.TestCase):
    def test_the_plot_and_the_table_beside_it_name_the_same_two_kernels(self):
        page = (DOCS / "results/bandwidth.md").read_text(encoding="utf-8")
        head = page.partition("<!-- table: transposes -->\n")[2].partition("\n")[0]
        in_table = {name.strip() for name in PADDED.findall(head)}
        in_plot = {name.strip() for name in PADDED.findall((DOCS / "results/plots/transpose.svg").read_text(encoding="utf-8"))}
        self.assertEqual(in_plot, in_table)
        self.assertEqual(len(in_table), 2)

    def test_every_row_and_column_with_a_padded_tile_says_which_one(self):
        page = (DOCS / "results/bandwidth.md").read_text(encoding="utf-8")
        head = page.partition("<!-- table: transposes -->\n")[2].partition("\n")[0]
        names = {name.strip() for name in PADDED.findall(head)}
        cells = [name.strip() for line in page.splitlines() if line.startswith("| ") for name in PADDED.findall(line)]
        self.assertGreater(len(cells), 2)
        self.assertLessEqual(set(cells), names)


class Profiled(unittest.TestCase):
    def test_sentences_about_bandwidth_have_the_profiles_figures(self):
        path = DOCS.parent / "bench/trials/profile_bandwidth_H200.json"
        rows = {row["name"]: row for row in json.loads(path.read_text(encoding="utf-8"))["benchmarks"]}
        of = lambda kernel, block="32x32": rows[f"transpose_steps/n:4096/bytes:4/kernel:{kernel}/block:{block}/by:article"]
        slow, fast, small = of("naiveRow"), of("naiveCol"), of("naiveCol", "32x8")
        page = " ".join((DOCS / "results/bandwidth.md").read_text(encoding="utf-8").split())
        self.assertIn(f"({fast['l1_hit_percent']}% of its sectors hit)", page)
        moved = lambda row: f"reads {row['bytes_read'] / 1e6:.0f} MB and writes {row['bytes_written'] / 1e6:.0f} MB"
        self.assertEqual(moved(slow), moved(fast))
        self.assertIn(f"naiveRow {moved(slow)} of DRAM, and so does the fast naiveCol", page)
        self.assertIn(f"DRAM is {slow['dram_busy_percent']}% busy.", page)
        active = f"{fast['warps_active_percent']}% are active with 1024 threads a block, and {small['warps_active_percent']}%"
        self.assertIn(active, page)


class Pictures(unittest.TestCase):
    def test_those_of_figures_8_and_9_are_of_the_gpu_of_the_tables_beside_them(self):
        page = (DOCS / "results/paper.md").read_text(encoding="utf-8")
        for table, picture in (("figures 2 and 8", "figure-8"), ("figure 9", "saxpy")):
            head = page.partition(f"<!-- {table} -->\n")[2].partition("\n")[0].split(" | ")[0]
            gpu = head.partition(", ")[2]
            self.assertIn(f"plots/{picture}.svg", page)
            self.assertIn(f"({gpu})", (DOCS / f"results/plots/{picture}.svg").read_text(encoding="utf-8"))


class CudaDmaSgemv(unittest.TestCase):
    def test_the_sentence_about_register_limits_has_the_results_figures(self):
        path = DOCS.parent / "bench/trials/cudadma_sgemv_H200.json"
        rows = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
        us = {row["kernel"]: row["us"] for row in rows if row["by"] == "cudadma, no register limit"}
        page = " ".join((DOCS / "applications/sgemv.md").read_text(encoding="utf-8").split())
        self.assertIn(f"its vec-double takes {us['vec-double']} us and its vec-manual {us['vec-manual']} at n = 8192", page)


class Editions(unittest.TestCase):
    def test_every_column_of_the_papers_figures_says_which_edition(self):
        printed = re.compile(r"^\| (?:`?[a-z-]+`?|\d+) \| (?:27\.83|33\.14|25\.22|0\.231) \|")  # first rows of tables 1 to 4
        found = 0
        for page in ("results/paper.md", "results/tables.md"):
            lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
            for head, _, row in zip(lines, lines[1:], lines[2:]):
                if printed.match(row):
                    found += 1
                    self.assertIn("first edition: ", head.split(" | ")[1], page)
        self.assertEqual(found, 5)


if __name__ == "__main__":
    unittest.main()
