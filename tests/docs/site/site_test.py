"""site_test.py SOURCE SITE: what the pages of a built site have. No browser is needed. Exits with 4 where none was built."""

import ast
import functools
import html
import html.parser
import json
import pathlib
import re
import sys
import unittest
import urllib.parse

import chromium

SOURCE, SITE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "object": "data"}
GENERATORS_OWN = {"404.html"}  # its links are those of a page at the root of a host
NO_PAGE = {"stdlib", "operator<<", "proof::operator<<"}  # an alias of a namespace, and operators


TAG = re.compile(r"<(a|img|script|link|iframe|source|object)\b([^>]*)>")
ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
PLACE = re.compile(r"""<\w+\b[^>]*?\b(?:id|name)=["']?([^\s"'>]+)""")


class Words(html.parser.HTMLParser):
    """The words of a page's article, and those of its definition terms."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.terms = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, _):
        if tag not in ("img", "link", "meta", "br", "input", "hr"):
            self.open.append(tag)
        if tag == "dt":
            self.terms.append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, text):
        if "article" in self.open:
            self.words.append(text)
            if "dt" in self.open:
                self.terms[-1] += text


class Page:
    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")
        self.ids = set(map(html.unescape, PLACE.findall(self.source)))
        self.links = []  # (tag, address, classes)
        for tag, text in TAG.findall(self.source):
            attributes = {name: html.unescape("".join(values)) for name, *values in ATTRIBUTE.findall(text)}
            address = attributes.get(LOADED.get(tag, "href"))
            if address is not None and attributes.get("rel") != "canonical":
                self.links.append((tag, address, attributes.get("class", "")))

    @functools.cached_property
    def words(self):
        return Words(self.source)

    @property
    def text(self):
        return re.sub(r"\s+", " ", "".join(self.words.words))


@functools.cache
def pages():
    return {path.relative_to(SITE).as_posix(): Page(path) for path in sorted(SITE.rglob("*.html"))}


def faults_of_links():
    for name, page in pages().items():
        for tag, link, _ in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                if tag != "a" and url.scheme != "data":
                    yield f"{name}: <{tag}> is loaded from elsewhere: {link}"
            elif name not in GENERATORS_OWN:
                path = ((SITE / name).parent / urllib.parse.unquote(url.path)).resolve() if url.path else SITE / name
                mark = urllib.parse.unquote(url.fragment)
                if not path.exists():
                    yield f"{name}: {link} does not exist"
                elif path.suffix == ".html" and mark and mark not in pages()[path.relative_to(SITE).as_posix()].ids:
                    yield f"{name}: {link}: that page has no such place"


def listed_names():
    lines = (SOURCE / "tests/docs/public_names.txt").read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def search_entries():
    """The addresses that the search knows; Zensical's file and MkDocs's are in two places."""
    file = next(path for path in (SITE / "search.json", SITE / "search/search_index.json") if path.exists())
    index = json.loads(file.read_text(encoding="utf-8"))
    return [entry["location"] for entry in index.get("docs") or index["items"]]


class Site(unittest.TestCase):
    def test_what_pages_link_to_is_there(self):
        faults = list(faults_of_links())
        self.assertEqual(faults[:20], [], f"{len(faults)} faults")
        self.assertGreater(sum(len(page.links) for page in pages().values()), 10_000)

    def test_each_page_of_the_repository_is_one_of_the_site_and_in_the_navigation(self):
        tabs = {link for _, link, classes in pages()["index.html"].links if "md-tabs__link" in classes}
        self.assertGreaterEqual(len(tabs), 6)
        for page in (SOURCE / "docs").rglob("*.md"):
            name = page.relative_to(SOURCE / "docs").as_posix().replace("README.md", "index.md").replace(".md", ".html")
            self.assertIn(name, pages())
            room = {link for _, link, classes in pages()[name].links if "md-nav__link" in classes}
            self.assertTrue(any(link.partition("#")[0] in ("", "./", name.rpartition("/")[2]) for link in room), name)

    def test_each_public_name_has_its_page(self):
        index = {link for _, link, _ in pages()["ref/index.html"].links}
        for name in listed_names():
            if name not in NO_PAGE:
                page = name.replace("::", "-") + ".html"
                mark = "#" + name.removeprefix("machine::").lower()
                self.assertTrue(page in index or "macros.html" + mark in index or "instructions.html" + mark in index, name)

    def test_a_pipelines_page_has_its_members(self):
        page = pages()["ref/DmaPipeline.html"]
        self.assertLess(page.text.index("Streams tiles between global and shared memory"), page.text.index("Replaces a pipeline"))
        self.assertNotIn("StandIn", page.text[: page.text.index("Streams tiles between global and shared memory")])
        members = re.findall(r'<h3 id="([\w-]+)"', page.source)
        self.assertEqual(members[:5], ["as_dma", "as_compute", "for_each_tile", "is_dma-is_compute", "close"])
        self.assertLess(page.text.count("static constexpr"), 12)

    def test_labels_of_doc_comments_are_labels(self):
        terms = [term.strip() for term in pages()["ref/Strided.html"].words.terms]
        self.assertEqual([term for term in terms if term in ("Global", "Shared", "Cost", "Source")][:4], ["Global", "Shared", "Cost", "Source"])

    def test_no_page_of_the_reference_has_a_versions_namespace(self):
        for name, page in pages().items():
            if name.startswith("ref/"):
                self.assertNotRegex(page.text, r"\bv\d+_\d+\b", name)

    def test_a_snippet_links_to_the_file_that_it_is_from(self):
        origins = [link for _, link, classes in pages()["guide/patterns/strided.html"].links if "origin" in classes]
        self.assertIn("../../source/examples/patterns/rows/strided.hpp.html", origins)

    def test_each_parameter_of_pythons_functions_is_described(self):
        modules = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in sorted((SOURCE / "python/dma").glob("*.py"))}
        assigned = [node for node in modules["__init__"].body if isinstance(node, ast.Assign)]
        exported = next(ast.literal_eval(node.value) for node in assigned if node.targets[0].id == "__all__")
        functions = []
        for node in (node for module in modules.values() for node in module.body if getattr(node, "name", "") in exported):
            inner = node.body if isinstance(node, ast.ClassDef) else [node]
            functions += [each for each in inner if isinstance(each, ast.FunctionDef) and (each.name == "__call__" or each.name[0] != "_")]
        self.assertGreater(len(functions), 12)
        for function in functions:
            arguments = function.args
            names = [each.arg for each in (*arguments.args, *arguments.kwonlyargs) if each.arg != "self"]
            names += [stars + each.arg for stars, each in (("*", arguments.vararg), ("**", arguments.kwarg)) if each]
            section = re.search(r"^Args:\n((?: +.*\n?)+)", ast.get_docstring(function), re.MULTILINE)
            described = re.findall(r"^    ([*\w]+): ", section[1], re.MULTILINE) if section else []
            self.assertEqual(sorted(described), sorted(names), function.name)

    def test_python_has_its_reference(self):
        page = pages()["ref/python.html"]
        self.assertLessEqual({"dma.kernel", "dma.Kernel.prove", "dma.Verdict", "dma.ArgumentError"}, page.ids)
        self.assertIn("__global__ function of a source", page.text)

    def test_the_search_knows_pages_and_not_files(self):
        entries = search_entries()
        self.assertTrue(any(entry.startswith("trust/proof.html") for entry in entries))
        self.assertEqual([entry for entry in entries if entry.startswith("source/") and not entry.partition("#")[0].endswith("index.html")], [])


if __name__ == "__main__":
    chromium.skip_without(SITE)
    unittest.main(argv=sys.argv[:1])
