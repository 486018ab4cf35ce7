"""The pages of `karcher report` in a browser: with scripts switched off, on a wide screen, on a phone, by night and on
paper. Nothing is fetched, nothing runs, nothing is wider than a phone, everything is printed, and every visible element
has a name for screen readers.

    python oracles/report_in_browser.py target/debug/karcher [FOLDER FOR PICTURES OF THE PAGES]

It takes chromium, or chrome, and pypdf. Without a browser it says SKIPPED and checks nothing.
"""

import base64
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pypdf

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
HTML = "{http://www.w3.org/1999/xhtml}"

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}


class Browser:
    """A browser that is told what to do through a pair of pipes, by the protocol of its developer tools."""

    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def pipes():  # the browser reads from 3 and writes to 4
            for end, number in ((os.dup(to_browser), 3), (os.dup(from_browser), 4)):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
             "--no-first-run", f"--user-data-dir={profile}", "--remote-debugging-pipe"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session, self.events = b"", 0, None, []

    def close(self):
        self.tell("Browser.close", session=None)
        self.process.wait()

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def tell(self, method, session="own", **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session and self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self, path, scripts, media="screen", scheme="light", screen=DESK):
        """Loads a page in a tab of its own; afterwards `events` holds all that happened."""
        self.session, self.events = None, []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "Accessibility"):
            self.tell(f"{domain}.enable")
        self.tell("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.tell("Emulation.setDeviceMetricsOverride", **screen)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.tell("Emulation.setEmulatedMedia", media=media, features=features)
        self.events = []
        self.tell("Page.navigate", url=path.resolve().as_uri())
        self.wait("Page.loadEventFired")
        self.tell("Page.getLayoutMetrics")  # what is there is laid out

    def happened(self, method):
        return [event["params"] for event in self.events if event.get("method") == method]

    def picture(self):
        size = self.tell("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12_000), "scale": 1}
        return base64.b64decode(self.tell("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"])

    def pdf(self):
        self.tell("Emulation.setEmulatedMedia", media="print")
        return base64.b64decode(self.tell("Page.printToPDF", preferCSSPageSize=True)["data"])


def releases(karcher, folder):
    """Releases of the examples, of many kinds, and their pages."""

    def run(*arguments):
        subprocess.run([karcher, *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    globe = ("--layout", "latlon", "--manifold", "sphere:2")
    ball = ("--center", "25,80", "--radius", "0.9")
    cities = (EXAMPLES / "cities.csv", "--columns", "latitude,longitude", *globe, *ball)
    run("ledger", "new", "cities.db", "--data", "cities", "--epsilon", "6")
    run("mean", *cities, "--epsilon", "1", "--ledger", "cities.db", "--output", "mean.json")
    run("mean", *cities, "--epsilon", "4", "--spread", "--ledger", "cities.db", "--output", "spread.json")
    run("components", *cities, "--mu", "4", "--output", "components.json")
    run("mean", *cities, "--epsilon", "4", "--adjacency", "add-remove", "--n-guess", "20", "--by", "country",
        "--groups", "China,India", "--output", "groups.json")  # fmt: skip
    run("count", EXAMPLES / "cities.csv", "--columns", "latitude", "--epsilon", "1", "--output", "count.json")
    rows = "".join(f"{1 + i % 7 / 10},{i % 5 / 50},{i % 3 / 40},{1 + i % 4 / 20},0.1,1.5\n" for i in range(500))
    (folder / "tensors.csv").write_text(rows)
    run("mean", "tensors.csv", "--header", "no", "--manifold", "spd-log-euclidean:3", "--layout", "upper-row",
        "--center", "1*identity", "--radius", "1.5", "--mu", "1", "--output", "tensor.json")  # fmt: skip
    outline = "0,0,2,0.1,1.9,1,0.1,1.1,-0.5,0.5\n"
    (folder / "shapes.csv").write_text(outline * 500)
    run("mean", "shapes.csv", "--header", "no", "--manifold", "kendall:5", "--center", outline.strip(),
        "--radius", "0.3", "--epsilon", "2", "--output", "shape.json")  # fmt: skip
    wide = "".join(",".join(f"{i * j % 11 / 40}" for j in range(12)) + "\n" for i in range(500))
    (folder / "wide.csv").write_text(wide)
    run("mean", "wide.csv", "--header", "no", "--manifold", "euclidean:12", "--radius", "2", "--mu", "1",
        "--output", "wide.json")  # fmt: skip
    kinds = [f"{kind}.json" for kind in ("mean", "spread", "components", "groups", "count", "tensor", "shape", "wide")]
    run("report", *kinds, "--ledger", "cities.db", "--output", "all.html")
    run("report", "mean.json", "--output", "mean.html")
    hostile = json.loads((folder / "groups.json").read_text())
    hostile["by"] = "</title></pre><script>alert(1)</script><img src='http://127.0.0.1:9/x' onerror='alert(2)'>"
    hostile["groups"][0]["group"] = "\"><svg onload='alert(3)'>"
    (folder / "hostile.json").write_text(json.dumps(hostile))
    run("report", "hostile.json", "--title", hostile["by"], "--output", "hostile.html")


def check_quiet(browser, path):
    """A page asked for nothing but itself, and nothing was wrong with it."""
    asked = {event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")}
    assert asked == {path.resolve().as_uri()}, asked
    troubles = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    for trouble in (*troubles, "Page.javascriptDialogOpening"):
        assert not browser.happened(trouble), browser.happened(trouble)


def check_checks(browser, folder):
    """The checks notice a fault."""
    bad = folder / "bad.html"
    bad.write_text("<!DOCTYPE html><img src='http://127.0.0.1:9/x.png'><script>console.log(1)</script>")
    browser.open(bad, scripts=True)
    assert len({event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")}) == 2
    assert browser.happened("Runtime.consoleAPICalled")
    browser.open(bad, scripts=False)
    assert not browser.happened("Runtime.consoleAPICalled")


def check_names(browser):
    """Landmarks, headings, tables and pictures have names and are in the tree that screen readers read."""
    nodes = [node for node in browser.tell("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    role = lambda node: node.get("role", {}).get("value", "")  # noqa: E731
    name = lambda node: node.get("name", {}).get("value", "")  # noqa: E731
    roles = {role(node) for node in nodes}
    parts = ("heading", "table", "rowheader", "columnheader", "image")
    for landmark in ("banner", "main", "contentinfo", "navigation", *parts):
        assert landmark in roles or (landmark == "image" and "img" in roles), (landmark, roles)
    for node in nodes:
        if role(node) in ("heading", "image", "img", "link", "region", "table", "navigation"):
            assert name(node), node


def words_of(text):
    return "".join(text.split())


def check_paper(pdf, page):
    """Every heading and every table of the page is printed, but not the JSON."""
    printed = words_of("".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(pdf)).pages))
    root = ElementTree.fromstring(page)
    for level in ("h1", "h2", "h3", "h4", "caption"):
        for heading in root.iter(HTML + level):
            assert words_of("".join(heading.itertext())) in printed, ElementTree.tostring(heading)
    unfolded = [details for details in root.iter(HTML + "details") if details.get("class") == "printed"]
    folded = [cell for details in unfolded for cell in details.iter(HTML + "td")]
    assert folded and all(words_of("".join(cell.itertext())) in printed for cell in folded)
    assert '"schema"' not in printed


def main(karcher, pictures=None):
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("SKIPPED: pages in a browser, because there is no chromium (apt-get install chromium)")
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
        folder = Path(folder)
        releases(Path(karcher).resolve(), folder)
        browser = Browser(program, profile)
        try:
            check_checks(browser, folder)
            for name in ("all", "mean", "hostile"):
                path = folder / f"{name}.html"
                for scripts in (False, True):
                    views = (("desk", DESK, "light"), ("night", DESK, "dark"), ("phone", PHONE, "light"))
                    for view, screen, scheme in views:
                        browser.open(path, scripts, scheme=scheme, screen=screen)
                        check_quiet(browser, path)
                        wide = browser.tell("Page.getLayoutMetrics")["cssContentSize"]["width"]
                        assert wide <= screen["width"], f"{name} is {wide} wide on the {view}"
                        if pictures and not scripts:
                            (Path(pictures) / f"{name}-{view}.png").write_bytes(browser.picture())
                browser.open(path, scripts=False)
                if name == "all":
                    check_names(browser)
                pdf = browser.pdf()
                check_paper(pdf, path.read_text())
                if pictures:
                    (Path(pictures) / f"{name}.pdf").write_bytes(pdf)
                    browser.open(path, scripts=False, media="print")
                    (Path(pictures) / f"{name}-print.png").write_bytes(browser.picture())
        finally:
            browser.close()
    print("pages are quiet, narrow, named and printed in", Path(program).name)


if __name__ == "__main__":
    main(*sys.argv[1:])
