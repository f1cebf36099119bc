"""not_found_test.py CMAKE SCRATCH PREFIX: where find_package(dma) fails it says what to do, and docs/guide/installing.md has it."""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

CMAKE, SCRATCH, PREFIX = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/installing.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## When CMake does not find it\n")[2].partition("\n## ")[0]
DOCUMENTED = re.findall(r"^\| `(.*?)` \|", SECTION, re.MULTILINE)  # what its readers search for


def configured(project, prefix=PREFIX):
    """Whether a project configures, and what CMake writes, with one space for each run of them."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    (SCRATCH / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.26)\n{project}\n", encoding="utf-8")
    command = [CMAKE, "-S", SCRATCH, "-B", SCRATCH / "build", "-D", f"CMAKE_PREFIX_PATH={prefix}"]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    return run.returncode == 0, " ".join((run.stdout + run.stderr).split())


class NotFound(unittest.TestCase):
    def refuses(self, project, what, **options):
        works, text = configured(project, **options)
        self.assertFalse(works, text)
        self.assertIn(what, text)
        self.assertEqual(len([row for row in DOCUMENTED if row in text]), 1, text)

    def test_every_row_of_the_page_is_a_case_here(self):
        cases = [name for name in dir(self) if name.startswith("test_a")]
        self.assertEqual(len(cases), len(DOCUMENTED))

    def test_a_prefix_that_cmake_does_not_know(self):
        self.refuses(
            "project(app LANGUAGES CXX)\nfind_package(dma REQUIRED)",
            'Add the installation prefix of "dma" to CMAKE_PREFIX_PATH',
            prefix=SCRATCH / "nothing",
        )

    def test_another_minor_version(self):
        self.refuses("project(app LANGUAGES CXX)\nfind_package(dma 999.0 REQUIRED)", "dmaConfig.cmake, version: ")

    def test_it_is_found(self):
        works, text = configured("project(app LANGUAGES CXX)\nfind_package(dma REQUIRED COMPONENTS host OPTIONAL_COMPONENTS other)")
        self.assertTrue(works, text)

    def test_a_component_that_there_is_not(self):
        self.refuses(
            "project(app LANGUAGES CXX)\nfind_package(dma REQUIRED COMPONENTS proofs)",
            "dma: there is no component proofs; ask for dma, host or proof, or for none: the targets are dma::dma, dma::host and dma::proof",
        )

    def test_a_project_without_cxx(self):
        fix = "project(<name> LANGUAGES CXX CUDA)"
        self.refuses(
            "project(app LANGUAGES NONE)\nfind_package(dma REQUIRED)",
            f"dma: the project has not enabled C++, which gives CUDA its C++20 too; write {fix}",
        )

    def test_an_older_cmake(self):
        self.refuses(
            "project(app LANGUAGES CXX)\nset(CMAKE_VERSION 3.25.1)\nfind_package(dma REQUIRED)",
            "dma: CMake 3.25.1 compiles CUDA as C++17 where C++20 is asked for; install CMake 3.26 or newer",
        )

    def test_a_package_without_its_headers(self):
        package = SCRATCH.with_name(SCRATCH.name + "_package")
        shutil.copytree(PREFIX / "share/cmake", package / "share/cmake", dirs_exist_ok=True)
        self.refuses(
            "project(app LANGUAGES CXX)\nfind_package(dma REQUIRED)",
            f"dma: the headers are not in {package.resolve()}/include; install them there too: "
            "cmake --install <build> --component dma_headers",
            prefix=package,
        )


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
