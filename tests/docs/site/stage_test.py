"""Stages the pages of a small repository. No package is needed."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "docs/site"))
from reference import Reference, broken, examples_of
from stage import Stage, indented, yaml

FILES = {
    "README.md": "# dma\n\nSee [strided](docs/guide/strided.md#use), [a test](tests/a.cpp) and [tests](tests).\n",
    "CHANGELOG.md": "# Changelog\n",
    "examples/README.md": "# Examples\n\n[scale](scale/scale.hpp)\n",
    "examples/scale/scale.hpp": "int a = 1;\nint b = 2;\nint c = 3;\n",
    "applications/README.md": "# Applications\n",
    "applications/large/large.hpp": "int b = 2;\nint c = 3;\n",
    "tests/a.cpp": "int main() {}\n",
    "bench/results/x.json": "{}\n",
    "docs/guide/README.md": "# The guide\n\n[Tiles](tiles.md)\n\n## How to\n\n1. [b](strided.md#use)\n2. [Tiles](tiles.md)\n3. [a](inner/README.md)\n"
    "\n## One\n\n[Two](two.md)\n",
    "docs/guide/two.md": "# Two\n",
    "docs/guide/inner/README.md": "# Inner\n",
    "docs/guide/inner/leaf.md": "# Leaf\n",
    "docs/guide/other_folder/leaf.md": "# Leaf\n",
    "docs/guide/strided.md": "# Strided\n\n![runs](runs.svg) `Strided` and `dma::Strided<T>`, [the figures](../../bench/results/x.json).\n\n## Use\n\n"
    "`Strided` again.\n\n```cpp\nint b = 2;\nint c = 3;\n```\n\n<!-- site: prove scale -->\n",
    "docs/guide/runs.svg": "<svg/>\n",
    "docs/guide/tiles.md": "# Tiles: a title that is longer than an entry can be\n",
    "docs/guide/another.md": "# Another\n\n<!-- site: prove scale -->\n\n<!-- site: prove axpy -->\n",
    "docs/trust/proof.md": "# Proofs\n",
}


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "repository")
        for name, text in FILES.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        self.stage = Stage(self.root, pathlib.Path(folder.name, "stage"), {"Strided": "guide/strided.md"}, [("What", ["Strided"])], examples_of(self.root))
        self.stage.names = {"Strided": "ref/Strided.md"}
        self.stage.programs["prove"] = "defer"
        self.stage.write("ref/Strided.md", "# Strided\n\nlinks\n\nA block of rows.\n")

    def page(self, at):
        return (self.stage.stage / at).read_text(encoding="utf-8")

    def write(self):
        self.stage.write_pages()
        self.stage.write_files()

    def test_links_lead_to_pages_and_to_files_as_pages(self):
        self.write()
        self.assertIn("[strided](guide/strided.md#use), [a test](source/tests/a.cpp.md) and [tests](source/tests/index.md)", self.page("index.md"))
        self.assertIn("int main() {}", self.page("source/tests/a.cpp.md"))
        self.assertIn("- [a.cpp](a.cpp.md)", self.page("source/tests/index.md"))
        self.assertIn("[scale](scale/scale.hpp.md)", self.page("source/examples/index.md"))
        self.assertIn("![runs](runs.svg)", self.page("guide/strided.md"))
        self.assertIn("[the figures](../source/bench/results/x.json)", self.page("guide/strided.md"))
        self.assertEqual(self.page("source/bench/results/x.json"), "{}\n")
        self.assertEqual(self.stage.unknown, [])

    def test_a_link_to_nothing_is_a_fault(self):
        self.stage.text("README.md", "index.md", "[gone](docs/gone.md)")
        self.assertEqual(self.stage.unknown, ["README.md: docs/gone.md"])

    def test_the_first_mention_of_a_name_in_a_section_is_a_link(self):
        self.write()
        text = self.page("guide/strided.md")
        self.assertIn("[`Strided`](../ref/Strided.md) and `dma::Strided<T>`", text)
        self.assertIn("[`Strided`](../ref/Strided.md) again", text)

    def test_a_snippet_names_the_shortest_example_that_has_it(self):
        self.write()
        self.assertIn("```\n\n[examples/scale/scale.hpp](../source/examples/scale/scale.hpp.md){ .origin", self.page("guide/strided.md"))
        self.assertIsNone(self.stage.origin("```cpp\nint b = 2;\nint d = 4;\n```"))

    def test_a_place_is_a_program_where_the_build_has_it(self):
        self.write()
        text = self.page("guide/another.md")
        self.assertIn('<div class="site-prove" data-name="scale"></div>', text)
        self.assertIn('<div class="site-prove" data-name="axpy"></div>', text)
        self.assertEqual(text.count('<script defer src="../prove/prove.js"></script>'), 1)
        self.stage.programs.clear()
        self.assertEqual(self.stage.text("x.md", "x.md", "a\n\n<!-- site: prove scale -->\n"), "a\n\n\n")

    def test_the_navigation_is_what_the_rooms_page_links_to_then_all_others(self):
        self.write()
        self.stage.write_reference_index()
        nav = self.stage.navigation(indented("# order\nguide\n  examples/README.md\nreference\n"), [("What", [("Strided", "ref/Strided.md")])])
        how = [("Strided", "guide/strided.md"), ("Inner", ["guide/inner/index.md", ("Leaf", "guide/inner/leaf.md")])]
        guide = ["guide/index.md", ("Tiles", "guide/tiles.md"), ("How to", how), ("Two", "guide/two.md"), ("Another", "guide/another.md"),
                 ("Other folder", [("Leaf", "guide/other_folder/leaf.md")]), ("Examples", "source/examples/index.md")]  # fmt: skip
        self.assertEqual(dict(nav)["Guide"], guide)
        self.assertEqual([title for title, _ in nav], ["Home", "Guide", "Reference", "Trust"])
        self.assertIn("  - 'Tiles': guide/tiles.md", yaml([("Guide", [("Tiles", "guide/tiles.md")])]))
        self.stage.navigation(indented("guide\n  gone\n"), [])
        self.assertEqual(self.stage.unknown, ["order.txt: gone"])

    def test_the_reference_lists_what_each_name_is(self):
        self.write()
        self.stage.write_reference_index()
        self.assertIn("| [`Strided`](Strided.md) | A block of rows. | [Strided](../guide/strided.md) |", self.page("ref/index.md"))


class Declarations(unittest.TestCase):
    def test_a_long_one_has_a_line_for_each_parameter(self):
        line = "void store(const Destination<Element, Rows>& destination_of_the_tile, const Pattern& pattern_of_the_tile = {});"
        self.assertEqual(
            broken(line),
            "void store(\n    const Destination<Element, Rows>& destination_of_the_tile,\n    const Pattern& pattern_of_the_tile = {});",
        )
        self.assertEqual(broken("void f(int a, int b);"), "void f(int a, int b);")

    def test_instructions_have_their_signature_and_text(self):
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "include/dma/machine/machine.hpp")
            header.parent.mkdir(parents=True)
            header.write_text("/// bool elect(): true in one lane\n/// of a warp.\nusing model::elect;\n/// void other(): no.\nusing model::other;\n")
            text, described = Reference(pathlib.Path(folder), pathlib.Path(folder), {}, {}).instructions({"elect"})
        self.assertEqual(described, {"elect"})
        self.assertIn("### elect\n\n```cpp\nbool elect()\n```\n\nTrue in one lane of a warp.", text)
        self.assertNotIn("other", text)


if __name__ == "__main__":
    unittest.main()
