"""Kernels have one name in a page, in its plot and in the script that draws it."""

import pathlib
import re
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PADDED = re.compile(r"padded tile[^|<]*(?=[|<])")


class PaddedTiles(unittest.TestCase):
    def test_the_plot_and_the_table_beside_it_name_the_same_two_kernels(self):
        page = (DOCS / "bandwidth.md").read_text(encoding="utf-8")
        head = page.partition("<!-- table: transposes -->\n")[2].partition("\n")[0]
        in_table = {name.strip() for name in PADDED.findall(head)}
        in_plot = {name.strip() for name in PADDED.findall((DOCS / "plots/transpose.svg").read_text(encoding="utf-8"))}
        self.assertEqual(in_plot, in_table)
        self.assertEqual(len(in_table), 2)

    def test_every_row_and_column_with_a_padded_tile_says_which_one(self):
        page = (DOCS / "bandwidth.md").read_text(encoding="utf-8")
        head = page.partition("<!-- table: transposes -->\n")[2].partition("\n")[0]
        names = {name.strip() for name in PADDED.findall(head)}
        cells = [name.strip() for line in page.splitlines() if line.startswith("| ") for name in PADDED.findall(line)]
        self.assertGreater(len(cells), 3)
        self.assertLessEqual(set(cells), names)


if __name__ == "__main__":
    unittest.main()
