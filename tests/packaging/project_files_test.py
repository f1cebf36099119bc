"""Files that hosts, editors and readers of the project look for: they say what the project says elsewhere."""

import json
import os
import pathlib
import re
import subprocess
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def text_of(name):
    return (PROJECT / name).read_text(encoding="utf-8")


class Citation(unittest.TestCase):
    text = text_of("CITATION.cff")

    def test_it_names_this_library_and_its_project_and_no_person(self):
        own = self.text.partition("references:")[0]
        self.assertIn('title: "dma: ' + re.search(r'DESCRIPTION "(.+?)"', text_of("CMakeLists.txt"))[1] + '"', own)
        self.assertIn("authors:\n  - name: The dma authors\n", own)
        self.assertNotIn("family-names", own)

    def test_it_names_the_paper(self):
        paper = self.text.partition("references:")[2]
        self.assertIn(f'title: "{re.search(chr(34) + "(CudaDMA: .+?)" + chr(34), text_of("docs/paper.md"))[1]}"', paper)
        self.assertEqual(re.findall(r"family-names: (\w+)", paper), ["Bauer", "Cook", "Khailany"])
        self.assertIn("year: 2011", paper)


class Host(unittest.TestCase):
    def test_the_workflow_runs_every_test(self):
        self.assertRegex(text_of(".github/workflows/tests.yml"), r"(?m)^ +- run: \.ci/run$")
        self.assertTrue(os.access(PROJECT / ".ci/run", os.X_OK))

    def test_the_issue_form_asks_for_explain_and_the_compiler(self):
        fields = text_of(".github/ISSUE_TEMPLATE/bug.yml").split("  - type: ")[1:]
        asked = {re.search(r"^    id: (\w+)$", field, re.MULTILINE)[1]: field for field in fields if "    id: " in field}
        self.assertIn("dma::explain", asked["explain"])
        self.assertIn("nvcc --version", asked["compiler"])
        for name in ("explain", "compiler"):
            self.assertIn("required: true", asked[name], name)

    def test_the_dev_container_has_the_toolkit_that_is_tested_and_builds(self):
        container = json.loads(text_of(".devcontainer/devcontainer.json"))
        toolkit = re.search(r"CUDA Toolkit (\d+\.\d+)", text_of("README.md"))[1]
        self.assertRegex(container["image"], rf"^nvidia/cuda:{re.escape(toolkit)}\.\d+-devel-")
        self.assertRegex(container["postCreateCommand"], r"\./run demo$")

    def test_security_names_no_address(self):
        self.assertNotRegex(text_of("SECURITY.md"), r"@|https?:")


class Editors(unittest.TestCase):
    def test_its_lines_are_as_long_as_those_of_clang_format(self):
        columns = re.search(r"^ColumnLimit: (\d+)", text_of(".clang-format"), re.MULTILINE)[1]
        self.assertRegex(text_of(".editorconfig"), rf"(?m)^\[\*\.\{{.*hpp.*\}}\]\nmax_line_length = {columns}$")

    def test_the_files_are_as_it_says(self):
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", PROJECT, "ls-files"], check=False, capture_output=True, text=True
        )
        if listed.returncode != 0:
            self.skipTest("the sources are no git repository")
        excepted = re.search(r"^\[\{(.+)\}\]\nindent_style = unset$", text_of(".editorconfig"), re.MULTILINE)[1].split(",")
        files = [PROJECT / name for name in listed.stdout.splitlines() if name not in excepted]
        for path in files:
            if not path.is_file() or path.suffix in (".png", ".svg"):
                continue
            text = path.read_bytes()
            self.assertTrue(text == b"" or text.endswith(b"\n"), f"{path} does not end with a line feed")
            self.assertIsNone(re.search(rb"\r|[ \t]$|^ *\t", text, re.MULTILINE), path)
        self.assertGreater(len(files), 500)


if __name__ == "__main__":
    unittest.main()
