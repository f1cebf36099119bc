"""Chromium without a window, driven by its own protocol over a pipe: no package is needed.

    with Chromium(program, folder) as browser:
        page = browser.page(width=1280, height=900, dark=False)
        page.open("http://127.0.0.1:8000/index.html")
        print(page.run("document.title"))

`serve` is a server of a folder on this machine.
"""

import base64
import contextlib
import functools
import http.server
import json
import os
import re
import select
import shutil
import subprocess
import sys
import threading
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"Enter": 13, "Escape": 27, "End": 35}


def skip_without(site):
    """Ends the program with the reason where the site was not built, as its environment could not be made."""
    if not (site / "index.html").exists():
        reason = site.with_name("site_venv.reason")
        print(f"skipped: {reason.read_text(encoding='utf-8') if reason.exists() else f'there is no {site}; build the target site'}")
        sys.exit(4)


def find():
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve(folder):
    """The address of a server of a folder, with a slash at its end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


class Chromium:
    """`folder` gets the browser's profile."""

    def __init__(self, program, folder):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                   "--no-first-run", "--disable-background-networking", f"--user-data-dir={folder}", "about:blank"]  # fmt: skip
        # The browser reads file 3 and writes file 4; a shell puts the pipe's ends there, whatever their numbers are.
        joined = ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", *command]
        self.process = subprocess.Popen(joined, pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.unread, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        self.process.kill()
        self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)

    def receive(self, until):
        """The browser's next message; TimeoutError when there is none at that time."""
        while b"\0" not in self.unread:
            if not select.select([self.read_end], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser did not answer")
            read = os.read(self.read_end, 1 << 20)
            if not read:
                raise ConnectionError("the browser ended")
            self.unread += read
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, seconds=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + seconds
        while (answer := self.receive(until)).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def page(self, width=1280, height=900, dark=False):
        return Page(self, width, height, dark)


class Page:
    def __init__(self, browser, width, height, dark):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self.call(f"{domain}.enable")
        self.show(width, height, dark)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def show(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, url):
        """Returns when all that the page names is loaded."""
        self.browser.events = [event for event in self.browser.events if event.get("method") != "Page.loadEventFired"]
        answer = self.call("Page.navigate", url=url)
        if "loaderId" in answer:
            self.await_event("Page.loadEventFired")

    def await_event(self, method, seconds=60):
        until = time.monotonic() + seconds
        while not any(e.get("method") == method and e.get("sessionId") == self.session for e in self.browser.events):
            self.browser.events.append(self.browser.receive(until))

    def run(self, expression):
        """The value of an expression of JavaScript; of a promise, what it becomes."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def until(self, expression, seconds=20):
        """The expression's value as soon as it is true; its last value where it never is."""
        end = time.monotonic() + seconds
        while not (value := self.run(expression)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def type(self, text):
        self.call("Input.insertText", text=text)

    def press(self, key):
        code = KEYS.get(key) or ord(key.upper())
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **(text if kind == "keyDown" else {}))

    def requests(self):
        """Addresses that pages asked for since the last call, and what their scripts complained of."""
        events, self.browser.events = [e for e in self.browser.events if e.get("sessionId") == self.session], []
        asked = [e["params"]["request"]["url"] for e in events if e.get("method") == "Network.requestWillBeSent"]
        thrown = [e["params"]["exceptionDetails"]["exception"].get("description", "?") for e in events if e.get("method") == "Runtime.exceptionThrown"]
        return asked, thrown

    def print(self, path):
        """Prints on A4, and returns how many sheets that takes."""
        content = base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
        path.write_bytes(content)
        return len(re.findall(rb"/Type\s*/Page\b", content))

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
