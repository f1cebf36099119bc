#!/usr/bin/env python3
"""Opens the site in a browser without a window: browser_test.py SITE OUTPUT. Exits with 4 where there is no Chromium.

A page of the test, served beside the site, has the site in a frame. Its script types into the search box, follows what
it finds to a concept, and goes on to a page with a table and pictures; what it saw is the page's text. Pictures of the
three go to OUTPUT.
"""

import functools
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVER = """<!DOCTYPE html><title>driver</title><iframe id=site width=1200 height=900></iframe><pre id=seen></pre>
<script>
const site = document.getElementById('site');
const open = url => new Promise(done => { site.onload = () => done(site.contentDocument); site.src = url; });
const until = async what => {
  for (let i = 0; i < 200; ++i) {
    const found = what();
    if (found) return found;
    await new Promise(done => setTimeout(done, 50));
  }
  throw new Error('never: ' + what);
};
(async () => {
  const seen = {};
  let page = await open('index.html');
  seen.title = page.title;
  const field = await until(() => page.getElementById('MSearchField'));
  field.focus();
  field.value = 'CopyEngine';
  site.contentWindow.searchBox.OnSearchFieldChange({keyCode: 0});
  const results = await until(() => page.getElementById('MSearchResults'));
  const link = await until(() => [...results.contentDocument.querySelectorAll('a.SRSymbol, a.SRScope')]
    .find(a => a.textContent === 'CopyEngine' && /concept/.test(a.getAttribute('href'))));
  seen.found = link.getAttribute('href').replace(/^.*\\//, '');
  page = await open(seen.found);
  seen.concept = page.querySelector('.contents').innerText;
  page = await open('concepts.html');
  seen.concepts = [...page.querySelectorAll('table.directory b, table.directory a')].map(e => e.textContent);
  const folded = await until(() => page.querySelector('#nav-tree-contents .selected .arrow'));
  folded.click();
  const items = () => [...page.querySelectorAll('#nav-tree-contents .item')].map(e => e.textContent);
  seen.tree = await until(() => items().some(text => text.includes('Kinds of these types')) && items().join());
  page = await open('md_docs_results_benchmarks.html');
  seen.rows = page.querySelectorAll('table.markdownTable tr').length;
  const pictures = [...page.querySelectorAll('.contents img, .contents object')];
  await Promise.all(pictures.map(p => p.complete === false && new Promise(done => p.onload = p.onerror = done)));
  seen.pictures = pictures.length;
  seen.empty = pictures.filter(p => p.tagName === 'IMG' && p.naturalWidth === 0).length;
  document.getElementById('seen').textContent = JSON.stringify(seen);
})().catch(error => { document.getElementById('seen').textContent = JSON.stringify({error: String(error)}); });
</script>"""


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("skipped: there is no Chromium")
        return 4
    site, output = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    (site / "driver.html").write_text(DRIVER, encoding="utf-8")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(page, *arguments):
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1000"]
        url = f"http://127.0.0.1:{server.server_port}/{page}"
        return subprocess.run(
            [*command, f"--user-data-dir={output}/profile", "--virtual-time-budget=20000", *arguments, url],
            check=True, capture_output=True, text=True, timeout=120,
        ).stdout  # fmt: skip

    text = run("driver.html", "--dump-dom")
    (site / "driver.html").unlink()
    found = re.search(r'<pre id="seen">(.*?)</pre>', text, re.DOTALL)
    seen = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") or "{}")
    print(json.dumps({key: value for key, value in seen.items() if key not in ("concept", "concepts", "tree")}))
    pages = {"start": "index.html", "concept": seen.get("found", "index.html"), "benchmarks": "md_docs_results_benchmarks.html"}
    for name, page in pages.items():
        picture = output / f"{name}.png"
        picture.unlink(missing_ok=True)
        run(page, f"--screenshot={picture}")
    expected = {
        "the title names the library": "dma" in seen.get("title", ""),
        "the search finds the concept": seen.get("found", "").startswith("conceptdma_1_1CopyEngine"),
        "the concept's page has its members": "store_completion" in seen.get("concept", ""),
        "an example": "struct RunPerWarp" in seen.get("concept", ""),
        "and what the compiler says of a mistake": "// error: dma::CopyEngine" in seen.get("concept", ""),
        "the list of concepts begins with those of types of one's own": seen.get("concepts", [])[1:6]
        == ["TransferPattern", "CopyEngine", "Barrier", "Buffering", "KernelBody"],
        "and has all of them": len(seen.get("concepts", [])) > 12,
        "the tree beside it has its groups": "Contracts of types of your own" in seen.get("tree", ""),
        "the benchmarks have tables": seen.get("rows", 0) > 30,
        "and pictures": seen.get("pictures", 0) >= 5 and seen.get("empty") == 0,
        "the pictures are drawn": all((output / f"{name}.png").stat().st_size > 20000 for name in pages),
    }
    for what, holds in expected.items():
        print(f"{'ok    ' if holds else 'FAILED'} {what}")
    return 0 if all(expected.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
