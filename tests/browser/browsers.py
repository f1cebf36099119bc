"""Pages in browsers without a window: what a page posts to /report of the server that it comes from."""

import functools
import http.server
import queue
import shutil
import subprocess
import tempfile
import threading

PROGRAMS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")
FIREFOX = ("--headless", "--no-remote")


def program_of(browser):
    """Its path; None where it is not installed."""
    return next(filter(None, map(shutil.which, PROGRAMS[browser])), None)


class Reports:
    """Serves a folder, and collects what its pages report."""

    def __init__(self, folder):
        reports = self.reports = queue.Queue()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                reports.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, browser, page, seconds=100):
        """The first report of a page."""
        url = f"http://127.0.0.1:{self.server.server_port}/{page}"
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            if browser == "chromium":
                command = [program_of(browser), *CHROMIUM, f"--user-data-dir={profile}", url]
            else:
                command = [program_of(browser), *FIREFOX, "--profile", profile, url]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                return self.reports.get(timeout=seconds)
            except queue.Empty:
                raise SystemExit(f"{browser}: {page} reported nothing in {seconds} s") from None
            finally:
                process.terminate()
                process.wait()
