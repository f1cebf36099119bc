"""browser_test.py SITE OUTPUT: opens the site in Chromium without a window. Exits with 4 where there is none.

Each page at a desktop's and a phone's width, by day and by night: nothing is wider than the window, no picture is missing,
no script throws, nothing is asked of another host. The search finds what readers look for. Pictures of some go to OUTPUT.
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

import chromium

SITE, OUTPUT = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
PAGES = ("index.html", "guide/errors.html", "guide/pipelines.html", "guide/patterns/strided.html", "guide/reference/try_ptx.html", "trust/proof.html", "applications/tensor_cores.html",
         "results/benchmarks.html", "ref/index.html", "ref/DmaPipeline.html", "ref/TransferPattern.html", "ref/python.html",
         "source/examples/index.html", "source/examples/scale/scale.cuh.html")  # fmt: skip
SEARCHES = {"deadlock": "Deadlock.html", "install": "install", "nvrtc": "install", "cudadma": "guide/reference/cudadma",
            "DmaPipeline": "ref/DmaPipeline.html", "for_each_tile": "DmaPipeline.html"}  # fmt: skip
MESSAGE = """a.cu(7): error: static assertion failed with "dma::Slot: a slot is a scope and is released once, so it cannot be copied;
 pass it by reference" detected during instantiation of class "dma::v0_1::Slot<dma::DmaPipeline<dma::Strided<float, 32, 16>>>\""""
FIRST = 6  # results in which it is to be
PICTURES = {"home": ("index.html", "desktop", False), "home_dark": ("index.html", "desktop", True), "home_phone": ("index.html", "phone", False),
            "pattern": ("guide/patterns/strided.html", "desktop", False), "pattern_dark": ("guide/patterns/strided.html", "desktop", True),
            "pipeline": ("ref/DmaPipeline.html", "desktop", False), "pipeline_phone": ("ref/DmaPipeline.html", "phone", True),
            "reference": ("ref/index.html", "desktop", False), "python": ("ref/python.html", "desktop", False),
            "results": ("results/benchmarks.html", "phone", False)}  # fmt: skip
WIDER = """(() => { const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("article *")].filter(e => e.getBoundingClientRect().right > width + 1).slice(0, 3).map(e => e.outerHTML.slice(0, 80)); })()"""
LOADED = """Promise.all([...document.images].map(image => { image.loading = "eager"; return image.decode().catch(() => null); }))
  .then(() => [...document.images].filter(image => !image.naturalWidth).map(image => image.src))"""
IS_DARK = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).every(part => part < 100)"
# The search of one generator is in a tree of its own.
IN_ALL_TREES = """const all = (root, found = []) => { root.querySelectorAll("*").forEach(e => { found.push(e); if (e.shadowRoot) all(e.shadowRoot, found); }); return found; };"""
BOX = f"(() => {{ {IN_ALL_TREES} const box = all(document).find(e => e.tagName == 'INPUT' && e.type == 'text' && e.getClientRects().length); if (box) box.focus(); return !!box; }})()"
FOUND = f"(() => {{ {IN_ALL_TREES} return all(document).filter(e => e.tagName == 'A' && e.href.includes('h=')).map(e => e.href); }})()"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        OUTPUT.mkdir(parents=True, exist_ok=True)
        cls.profile = tempfile.mkdtemp(dir=OUTPUT)
        cls.server = chromium.serve(SITE)
        cls.base = cls.server.__enter__()
        cls.browser = chromium.Chromium(chromium.find(), cls.profile)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.server.__exit__(None, None, None)
        shutil.rmtree(cls.profile, ignore_errors=True)

    def test_pages_fit_their_window_and_have_their_pictures(self):
        page = self.browser.page()
        for size in WIDTHS.values():
            for name in PAGES:
                with self.subTest(page=name, width=size[0]):
                    page.show(*size, dark=False)
                    page.open(self.base + name)
                    self.assertEqual(page.run(WIDER), [])
                    self.assertEqual(page.run(LOADED), [])
        asked, thrown = page.requests()
        self.assertEqual({url for url in asked if not url.startswith((self.base, "data:", "blob:"))}, set())
        self.assertGreater(len(asked), len(PAGES))
        self.assertEqual(thrown, [])

    def test_the_system_decides_between_day_and_night(self):
        page = self.browser.page()
        for dark in (False, True):
            page.show(*WIDTHS["desktop"], dark=dark)
            page.open(self.base + "index.html")
            self.assertEqual(page.run(IS_DARK), dark)

    def test_the_search_finds_what_readers_look_for(self):
        page = self.browser.page()
        for words, wanted in SEARCHES.items():
            with self.subTest(words=words):
                page.open(self.base + "index.html")
                page.press("/")
                self.assertTrue(page.until(BOX), "no box to search in")
                page.type(words)
                page.press("End")
                page.until(f"{FOUND}.some(link => link.includes({wanted!r}))", seconds=5)
                found = page.run(FOUND)[:FIRST]
                self.assertTrue(any(wanted in link for link in found), found)
        page.picture(OUTPUT / "search.png")

    def test_a_pasted_message_is_found_in_the_error_index(self):
        page = self.browser.page()
        for base in (SITE.as_uri() + "/", self.base):  # also without a server
            page.open(base + "guide/errors.html")
            self.assertTrue(page.until("!!document.querySelector('.site-messages textarea')"))
            page.run("document.querySelector('.site-messages textarea').focus()")
            page.type(MESSAGE)
            self.assertIn("a slot is a scope", page.until("document.querySelector('.site-messages li')?.textContent") or "nothing")
            page.picture(OUTPUT / "messages.png")
            page.run("document.querySelector('.site-messages li a').click()")
            self.assertTrue(page.run("document.getElementById(location.hash.slice(1)).closest('li').textContent.includes('a slot is a scope')"))

    @unittest.skipUnless((SITE / "prove").is_dir(), "the prover in the browser was not built: the target prove_page needs emscripten")
    def test_kernels_of_the_home_page_and_the_tutorial_are_proved_and_broken(self):
        for name in ("index.html", "guide/tutorial/prove.html"):
            page = self.browser.page()
            page.open(self.base + name)
            page.run("document.querySelector('.site-prove').scrollIntoView()")
            self.assertEqual(page.until("document.querySelector('.site-prove .kind')?.textContent", seconds=60), "proved")
            page.run("document.querySelectorAll('.site-prove button')[1].click()")
            failed = page.until("document.querySelector('.site-prove .kind.failed')?.textContent", seconds=60)
            self.assertIn(failed, ("race", "broken contract"))
            page.picture(OUTPUT / f"prove_{pathlib.Path(name).stem}.png")
            self.assertEqual(page.requests()[1], [])

    @unittest.skipUnless((SITE / "ptx").is_dir(), "the prover of PTX in the browser was not built: the target ptx_page needs emscripten")
    def test_ptx_is_proved_by_day_at_night_and_on_a_phone(self):
        page = self.browser.page()
        for name, (width, dark) in {"ptx": ("desktop", False), "ptx_dark": ("desktop", True), "ptx_phone": ("phone", False)}.items():
            page.show(*WIDTHS[width], dark=dark)
            page.open(self.base + "guide/reference/try_ptx.html")
            page.run("document.querySelector('.site-ptx').scrollIntoView()")
            self.assertEqual(page.until("document.querySelector('.site-ptx .kind.failed')?.textContent", seconds=60), "reverse: race")
            self.assertEqual(page.run(WIDER), [])
            page.run("document.querySelector('.site-ptx .mend').click()")
            self.assertEqual(page.until("document.querySelector('.site-ptx .kind.proved')?.textContent", seconds=60), "reverse: proved")
            page.picture(OUTPUT / f"{name}.png")
            self.assertEqual(page.requests()[1], [])

    def test_the_cheat_sheet_is_printed_on_one_page(self):
        page = self.browser.page()
        page.open(self.base + "guide/reference/cheat_sheet.html")
        self.assertEqual(page.print(OUTPUT / "cheat_sheet.pdf"), 1)
        page.open(self.base + "trust/proof.html")
        self.assertGreater(page.print(OUTPUT / "proof.pdf"), 2)

    def test_a_phone_has_the_navigation_behind_a_button(self):
        page = self.browser.page(*WIDTHS["phone"])
        page.open(self.base + "guide/pipelines.html")
        page.run("document.querySelector('label[for=__drawer]').click()")
        inside = "(() => { const at = document.querySelector('.md-sidebar--primary').getBoundingClientRect(); return at.left >= 0 && at.width > 200; })()"
        self.assertTrue(page.until(inside))

    def test_pictures_of_pages(self):
        page = self.browser.page()
        for name, (address, width, dark) in PICTURES.items():
            page.show(*WIDTHS[width], dark=dark)
            page.open(self.base + address)
            page.run(LOADED)
            page.picture(OUTPUT / f"{name}.png")
            self.assertGreater((OUTPUT / f"{name}.png").stat().st_size, 15_000, name)


if __name__ == "__main__":
    chromium.skip_without(SITE)
    if chromium.find() is None:
        print("skipped: there is no Chromium; install Debian's chromium")
        sys.exit(4)
    unittest.main(argv=sys.argv[:1])
