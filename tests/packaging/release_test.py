"""release_test.py CMAKE BUILD: one command builds what a release has. Exits with 4 where no package index is reached."""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
RELEASE = BUILD / "release"
INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
VERSION = ".".join(
    re.search(rf"DMA_VERSION_{part} (\d+)", (INCLUDE / "dma/config.hpp").read_text())[1] for part in ("MAJOR", "MINOR", "PATCH")
)


class Release(unittest.TestCase):
    def test_it_has_its_files_and_no_others(self):
        python = f"dma_cuda-{VERSION}"
        self.assertEqual(
            {re.sub(r"(?<=-py3-none-)manylinux2014_.*(?=.whl)", "linux", path.name) for path in RELEASE.iterdir()},
            {"dma.hpp", "dma_proof.hpp", "site.tar.gz", f"{python}-py3-none-linux.whl", f"{python}.tar.gz"},
        )

    def test_single_headers_have_the_version_and_need_no_other(self):
        text = (RELEASE / "dma.hpp").read_text(encoding="utf-8")
        self.assertIn(f"#define DMA_VERSION_MINOR {VERSION.split('.')[1]}", text)
        self.assertEqual(re.findall(r"#include [<\"]dma/", text), [])
        self.assertIn("is_proved", (RELEASE / "dma_proof.hpp").read_text(encoding="utf-8"))

    def test_the_wheel_has_a_program_that_needs_no_library(self):
        [wheel] = RELEASE.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(archive.extract("dma/bin/dma-prove", folder))
            program.chmod(0o755)
            listed = subprocess.run(["ldd", program], check=False, capture_output=True, text=True)
            self.assertIn("not a dynamic executable", listed.stdout + listed.stderr)
            self.assertIn("Judges kernels", subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout)

    def test_the_site_has_its_pages(self):
        with tarfile.open(RELEASE / "site.tar.gz") as site:
            names = site.getnames()
        self.assertIn("site/index.html", names)
        self.assertIn("site/guide/installing.html", names)


if __name__ == "__main__":
    shutil.rmtree(RELEASE, ignore_errors=True)
    built = subprocess.run([CMAKE, "--build", BUILD, "--target", "release"], check=False, capture_output=True, text=True)
    if "(from versions: none)" in built.stdout + built.stderr:
        print("skipped: pip reaches no package index, which has what builds the Python package")
        sys.exit(4)
    if built.returncode != 0:
        sys.exit(built.stdout + built.stderr)
    unittest.main(argv=sys.argv[:1])
