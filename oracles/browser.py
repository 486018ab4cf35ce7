"""A headless browser for the pages that karcher writes, driven by the protocol of its developer tools."""

import base64
import json
import os
import shutil
import subprocess

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
VIEWS = (("desk", DESK, "light"), ("night", DESK, "dark"), ("phone", PHONE, "light"))


def program():
    """A browser, or None, which is said."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        print("SKIPPED: pages in a browser, because there is no chromium (apt-get install chromium)")
    return found


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

    def nodes(self):
        """The tree that screen readers read: the role, the name and the value of each node."""
        text = lambda node, field: node.get(field, {}).get("value", "")  # noqa: E731
        nodes = self.tell("Accessibility.getFullAXTree")["nodes"]
        return [tuple(text(node, field) for field in ("role", "name", "value"))
                for node in nodes if not node.get("ignored")]  # fmt: skip

    def is_wider_than(self, screen):
        return self.tell("Page.getLayoutMetrics")["cssContentSize"]["width"] > screen["width"]


def check_quiet(browser, path):
    """A page asked for nothing but itself, and nothing was wrong with it."""
    asked = {event["request"]["url"] for event in browser.happened("Network.requestWillBeSent")}
    assert asked == {path.resolve().as_uri()}, asked
    troubles = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    for trouble in (*troubles, "Page.javascriptDialogOpening"):
        assert not browser.happened(trouble), browser.happened(trouble)
