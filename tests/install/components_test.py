"""components_test.py CMAKE BUILD SCRATCH: each install component has its files and no others, and all of them have all.

The pages' component has pages whose links are those of the sources where their files are installed, and whose snippets
are unchanged.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

CMAKE, BUILD, SCRATCH = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
PROJECT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def installed(*component):
    """The files of a component below a prefix of its own; of all of them without one."""
    prefix = SCRATCH / "-".join(("prefix", *component))
    shutil.rmtree(prefix, ignore_errors=True)
    options = ["--component", *component] if component else []
    subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix, *options], check=True, capture_output=True)
    return {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}


class Components(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = installed()
        cls.headers, cls.package, cls.docs = (installed(name) for name in ("dma_headers", "dma_package", "dma_docs"))

    def test_the_headers_are_a_component_of_their_own(self):
        own = {str(path.relative_to(PROJECT)) for path in (PROJECT / "include").rglob("*.hpp")}
        self.assertGreater(len(own), 100)
        self.assertEqual(self.headers, own)

    def test_the_package_has_what_find_package_and_pkg_config_read(self):
        folders = {str(pathlib.PurePath(path).parent) for path in self.package}
        self.assertEqual(folders, {"share/cmake/dma", "share/pkgconfig"})

    def test_the_pages_are_a_component_of_their_own(self):
        self.assertIn("share/doc/dma/README.md", self.docs)
        self.assertEqual({path for path in self.docs if not path.startswith("share/doc/dma/")}, set())

    def test_every_file_is_in_one_component(self):
        parts = (self.headers, self.package, self.docs)
        self.assertEqual(set.union(*parts), self.all)
        self.assertEqual(sum(map(len, parts)), len(self.all))

    def test_snippets_of_installed_pages_are_those_of_the_sources(self):
        pages = SCRATCH / "prefix-dma_docs/share/doc/dma"
        compared = 0
        for page in [*pages.glob("*.md"), *pages.glob("docs/**/*.md")]:
            source = PROJECT / page.relative_to(pages)
            here, there = (FENCE.findall(each.read_text(encoding="utf-8")) for each in (page, source))
            self.assertEqual(here, there, page)
            compared += len(here)
        self.assertGreater(compared, 100)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
