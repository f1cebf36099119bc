"""Files that hosts, editors and readers of the project look for: they say what the project says elsewhere."""

import json
import os
import pathlib
import re
import shutil
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
        self.assertIn(f'title: "{re.search(chr(34) + "(CudaDMA: .+?)" + chr(34), text_of("docs/results/paper.md"))[1]}"', paper)
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


class Promises(unittest.TestCase):
    promises = text_of("docs/project/support.md").partition("## What a version promises\n")[2].partition("\n## ")[0]
    table = [line for line in promises.splitlines() if line.startswith("| ")]

    def test_what_the_table_names_is_there(self):
        headers = "".join(path.read_text(encoding="utf-8") for path in (PROJECT / "include").rglob("*.hpp"))
        names = [name for line in self.table for name in re.findall(r"`([^`]+)`", line.split(" | ")[0])]
        cmake = "".join(map(text_of, ("CMakeLists.txt", "cmake/DmaEveryAccess.cmake", "cmake/DmaJudgePtx.cmake")))
        found = 0
        for name in names:
            if re.fullmatch(r"<dma/.*>", name):
                self.assertTrue((PROJECT / "include" / name[1:-1]).exists(), name)
            elif re.fullmatch(r"DMA_(?!BUILD|CAN)\w+", name):
                self.assertRegex(headers, rf"(?m)^#define {name}\b")
            elif re.fullmatch(r"dma::\w+|dma_(see|judge)\w+|DMA_\w+", name):
                self.assertIn(name, cmake + headers, name)
            else:
                continue
            found += 1
        self.assertGreater(found, 15)

    def test_every_row_says_when_it_may_change(self):
        whens = [line.split(" | ")[1] for line in self.table[2:]]
        self.assertGreater(len(whens), 10)
        self.assertLessEqual(set(whens), {"minor", "any version"})

    def test_readme_says_that_there_is_no_licence_until_there_is_one(self):
        says_none = "**Licence.** There is none yet" in text_of("README.md")
        self.assertNotEqual(says_none, (PROJECT / "LICENSE").exists())


class Editors(unittest.TestCase):
    def test_its_lines_are_as_long_as_those_of_clang_format(self):
        columns = re.search(r"^ColumnLimit: (\d+)", text_of(".clang-format"), re.MULTILINE)[1]
        self.assertRegex(text_of(".editorconfig"), rf"(?m)^\[\*\.\{{.*hpp.*\}}\]\nmax_line_length = {columns}$")

    def test_the_files_are_as_it_says(self):
        if not shutil.which("git"):
            self.skipTest("there is no git")
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
