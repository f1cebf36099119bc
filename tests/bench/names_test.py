"""Kernels have one name in a page, in its plot and in the script that draws it; the paper's figures say their edition, and
sentences have a profile's figures."""

import json
import pathlib
import re
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAPER = (DOCS / "results/paper.md").read_text(encoding="utf-8")
PADDED = re.compile(r"padded tile[^|<]*(?=[|<])")


def rows_of(table):
    """The cells of the paper's page below a mark, its head first."""
    lines = PAPER.partition(f"<!-- {table} -->\n")[2].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def texts_of(picture):
    texts = re.findall(r"<text [^>]*>([^<]+)</text>", (DOCS / f"results/plots/{picture}.svg").read_text(encoding="utf-8"))
    return sorted(texts, key=lambda text: not text.startswith(("Figure", "Section")))  # the title first


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
    def test_those_of_the_paper_are_of_the_gpu_of_the_tables_beside_them(self):
        of = {"figures 2 and 8": "figure-8", "figure 9": "saxpy", "section 5": "strided_forms", "section 6.3": "fft_dma_warps"}
        for table, picture in of.items():
            gpu = rows_of(table)[0][0].partition(", ")[2]
            self.assertTrue(gpu)
            self.assertIn(f"plots/{picture}.svg", PAPER)
            self.assertIn(f"({gpu})", texts_of(picture)[0])

    def test_that_of_section_5_has_the_series_of_its_table(self):
        names = [name.replace("`", "") for name in rows_of("section 5")[0][1:]]
        self.assertEqual(len(names), 6)
        self.assertEqual(sorted(names), sorted(text for text in texts_of("strided_forms") if text in names))

    def test_that_of_section_6_3_has_a_row_for_each_variant_and_each_pass_beside_them(self):
        passes = [row[0] for row in rows_of("section 6.3")[2:-1]]
        loads = [f"{size}, {path}" for size in ("float2", "float4") for path in ("memory", "read-only path")]
        variants = [f"{load}, {points} points" for load in loads for points in (4, 8, 16)]
        texts = texts_of("fft_dma_warps")
        for name in variants + passes:
            self.assertEqual(texts.count(name), 1, name)
        for panel in ("first pass, parts", "first pass, points", "last pass, parts", "last pass, points"):
            self.assertEqual(texts.count(panel), 1, panel)


class Measured(unittest.TestCase):
    def test_each_figure_table_and_section_that_measures_has_a_full_row_whose_file_is_there(self):
        head, _, *rows = rows_of("what is measured")
        said = " ".join(row[0] for row in rows)
        for figure in ("figures 2 and 8", "figure 9", "figure 10", "tables 1 to 3", "table 4"):
            self.assertIn(figure, said)
        for section in ("5", "6.1", "6.2", "6.3"):
            self.assertIn(f"section {section}", said)
        for row in rows:
            self.assertEqual(len(row), len(head))
            self.assertNotIn("", row)
            self.assertTrue((DOCS / "results" / re.search(r"\((.+)\)", row[-1])[1]).is_file(), row[-1])

    def test_sentences_about_the_pass_with_dma_warps_have_its_tables_ratios(self):
        rates = {row[0]: [int(cell) for cell in row[1:]] for row in rows_of("section 6.3")[2:]}
        over = lambda name, other: [a / b for a, b in zip(rates[name], rates[other])]
        with_dma = over("16 compute, 8 DMA warps, best of 12", "16 warps, no DMA warps")
        page = " ".join(PAPER.split())
        self.assertIn(f"DMA warps give {min(with_dma):.2f} to {max(with_dma):.2f} of what the same 16", page)
        self.assertIn(f"two CTAs have up to {max(over('32 warps, no DMA warps', '16 warps, no DMA warps')):.2f}", page)


class CudaDmaForms(unittest.TestCase):
    def test_the_limit_of_large_tiles_has_the_results_figures(self):
        path = DOCS.parent / "bench/trials/cudadma_2013_H200.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        self.assertIn("64 CTAs an SM of one compute warp, 32 tiles each", content["context"]["harness"])
        rows = [row for row in content["benchmarks"] if row["bytes"] >= 4096]
        rates = [132 * 64 * 32 * row["bytes"] / row["us"] / 1e6 for row in rows]  # TB/s
        busy = [row["issue_active_pct"] for row in rows]
        page = " ".join((DOCS / "results/tables.md").read_text(encoding="utf-8").split())
        self.assertIn(f"move {min(rates):.1f} to {max(rates):.1f} TB/s", page)
        self.assertIn(f"with {min(busy):.0f}% to {max(busy):.0f}% of the issue slots busy", page)


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
