"""not_found_test.py CMAKE SCRATCH PREFIX: where find_package(dma) fails it says what to do, and that works."""

import pathlib
import shutil
import subprocess
import sys
import unittest

CMAKE, SCRATCH, PREFIX = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


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
