"""The recipes of package managers name the version and the licence of the project, and files that are there."""

import ast
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = PROJECT / "packaging"


def version():
    text = (PROJECT / "include/dma/config.hpp").read_text()
    return ".".join(re.search(rf"DMA_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def licence():
    """What LICENSE says of itself, or None where the project has no such file."""
    file = PROJECT / "LICENSE"
    return re.search(r"SPDX-License-Identifier: (.+)", file.read_text())[1] if file.exists() else None


def class_of(path):
    [found] = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    return found


def assignments(node):
    return {item.targets[0].id: item.value for item in node.body if isinstance(item, ast.Assign)}


def calls(node, name):
    """The first arguments of the calls of a function in the class itself."""
    return [
        item.value.args[0].value
        for item in node.body
        if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call) and item.value.func.id == name
    ]


def tags_of(node):
    """The tags that versions of a Spack recipe name."""
    keywords = [keyword for call in ast.walk(node) if isinstance(call, ast.Call) for keyword in call.keywords]
    return {keyword.value.value for keyword in keywords if keyword.arg == "tag"}


def tags_of_the_repository():
    if not shutil.which("git"):
        return set()
    command = ["git", "-c", "safe.directory=*", "-C", PROJECT, "tag", "--list"]
    return set(subprocess.run(command, check=False, capture_output=True, text=True).stdout.split())


class Recipes(unittest.TestCase):
    def test_conan(self):
        recipe = class_of(PACKAGING / "conan/conanfile.py")
        values = assignments(recipe)
        self.assertEqual(values["name"].value, "dma")
        self.assertNotIn("version", values)  # read from the header
        self.assertEqual(values["license"].value if "license" in values else None, licence())
        [export] = [item for item in recipe.body if isinstance(item, ast.FunctionDef) and item.name == "export_sources"]
        [patterns] = [node.iter.elts for node in ast.walk(export) if isinstance(node, ast.For)]
        for pattern in [node.value for node in patterns if node.value != "LICENSE"]:
            self.assertTrue(any(PROJECT.glob(pattern)), pattern)

    def test_vcpkg(self):
        port = json.loads((PACKAGING / "vcpkg/dma/vcpkg.json").read_text())
        self.assertEqual((port["name"], port["version"], port["license"]), ("dma", version(), licence()))
        self.assertTrue((PACKAGING / "vcpkg/dma/portfile.cmake").exists())

    def test_spack(self):
        repository = PACKAGING / "spack/spack_repo/dma"
        self.assertIn("namespace: dma", (repository / "repo.yaml").read_text())
        recipe = repository / "packages/dma/package.py"
        self.assertEqual(recipe.resolve().parents[6], PROJECT)
        dma = class_of(recipe)
        self.assertIn("main", calls(dma, "version"))
        self.assertLessEqual(tags_of(dma), tags_of_the_repository())
        self.assertEqual(next(iter(calls(dma, "license")), None), licence())

    def test_libcudacxx(self):
        """Each says where libcu++ is from; those whose package manager has a CUDA Toolkit can ask for it."""
        recipes = ("conan/conanfile.py", "vcpkg/dma/vcpkg.json", "spack/spack_repo/dma/packages/dma/package.py")
        for recipe in recipes:
            self.assertIn("libcu++", (PACKAGING / recipe).read_text(), recipe)
        features = json.loads((PACKAGING / recipes[1]).read_text())["features"]
        self.assertEqual(features["cuda"]["dependencies"], ["cuda"])
        spack = class_of(PACKAGING / recipes[2])
        self.assertIn("cuda", calls(spack, "variant"))
        self.assertIn("cuda@12.6:", calls(spack, "depends_on"))

    def test_python(self):
        """Its setup reads both, so that they need no comparison; what it ships is there."""
        text = (PROJECT / "python/pyproject.toml").read_text()
        self.assertIn('\ndynamic = ["license", "readme", "version"]', text)
        nodes = ast.parse((PROJECT / "python/setup.py").read_text()).body
        run = {"functools": functools, "os": os, "pathlib": pathlib, "re": re, "__file__": str(PROJECT / "python/setup.py")}
        functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.Assign))]
        exec(compile(ast.Module(functions, []), "setup.py", "exec"), run)
        self.assertEqual(run["version"](), version())
        self.assertEqual(run["licence"](), licence() or "")
        [patterns] = re.findall(r"\[tool.setuptools.package-data\]\ndma = (.*)", text)
        for pattern in ast.literal_eval(patterns):
            self.assertTrue(any((PROJECT / "python/dma").glob(pattern)), pattern)

    def test_changelog(self):
        text = (PROJECT / "CHANGELOG.md").read_text()
        self.assertRegex(text, r"(?m)^## \[(Unreleased|" + re.escape(version()) + r")\]")


if __name__ == "__main__":
    unittest.main()
