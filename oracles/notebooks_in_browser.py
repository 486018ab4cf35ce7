"""The notebooks of the examples in JupyterLab, in a browser: in the light and the dark theme, trusted or as somebody
else's. Every output is shown, every picture is drawn, and all words have enough contrast with their background. With a
folder it takes all four views, else two.

    python oracles/notebooks_in_browser.py [FOLDER FOR PICTURES OF THE NOTEBOOKS]

It takes jupyterlab, and chromium or chrome. Without them it says SKIPPED and checks nothing.
"""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from browser import BROWSERS, Browser

NOTEBOOKS = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
SCREEN = {"width": 1300, "height": 5000, "deviceScaleFactor": 1, "mobile": False}
SECONDS = 60
LIGHT, DARK = "JupyterLab Light", "JupyterLab Dark"

# WCAG 2.1 at its level AA asks for so much.
CONTRAST = 4.5

# Whether a notebook is trusted, and the theme. A signature holds for a content, so what is not trusted comes first. The
# two in the middle are both of either.
EVERY_VIEW = [(False, LIGHT), (False, DARK), (True, LIGHT), (True, DARK)]

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none", "autoStartDefaultKernel": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

# What a page shows: the theme, the number of outputs, the pictures that are not drawn, and the words with little
# contrast, each with the colors. A background is the first one above that is not transparent.
LOOK = """(() => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = numbers(color).map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const over = (color, below) => {
    const [r, g, b, a = 1] = numbers(color), under = numbers(below);
    return `rgb(${[r, g, b].map((x, i) => a * x + (1 - a) * under[i])})`;
  };
  const behind = element => {
    if (!element) return "rgb(255, 255, 255)";
    const color = getComputedStyle(element).backgroundColor, [, , , a = 1] = numbers(color);
    return a === 1 ? color : over(color, behind(element.parentElement));
  };
  const outputs = [...document.querySelectorAll(".jp-OutputArea-output")], weak = new Set();
  let words = 0;
  for (const output of outputs) {
    output.querySelectorAll("details").forEach(details => details.open = true);
    const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
      if (!text || !element.checkVisibility()) continue;
      words += 1;
      const ground = behind(element), ink = over(getComputedStyle(element).color, ground);
      const [low, high] = [light(ground), light(ink)].sort((a, b) => a - b);
      if ((high + .05) / (low + .05) < LEAST) weak.add(`${text.slice(0, 40)}: ${ink} on ${ground}`);
    }
    output.querySelectorAll("details").forEach(details => details.open = false);
  }
  const images = outputs.flatMap(output => [...output.querySelectorAll("img")]);
  return {
    theme: document.body.dataset.jpThemeName, outputs: outputs.length, words, weak: [...weak], images: images.length,
    missing: images.filter(image => !image.complete || !image.naturalWidth || !image.alt).length,
    wide: outputs.filter(output => output.scrollWidth > output.clientWidth + 1).length,
  };
})()""".replace("LEAST", str(CONTRAST))


class Lab:
    """JupyterLab on this machine with settings, notebooks and signatures of its own, which end with it."""

    def __init__(self, folder):
        self.folder, self.root, self.token = folder, folder / "notebooks", "of-this-check"
        self.root.mkdir()
        places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
        self.environment = {
            **os.environ, **{f"JUPYTER_{name}": str(folder / place) for name, place in places.items()},
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "spaces"),
            "IPYTHONDIR": str(folder / "ipython"),
        }  # fmt: skip
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}"
        options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={self.address.rsplit(':', 1)[1]}"]
        options += [f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}"]
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=self.environment, stdout=self.log, stderr=self.log
        )
        until(self.answers, "JupyterLab does not start")

    def answers(self):
        try:
            return urllib.request.urlopen(f"{self.address}/api?token={self.token}", timeout=5).status == 200
        except (urllib.error.URLError, OSError):
            return False

    def set(self, theme):
        chosen = {**SETTINGS, "apputils-extension/themes": {"theme": theme}}
        for name, settings in chosen.items():
            path = self.folder / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings))

    def add(self, path, trusted):
        name = path.name
        shutil.copy(path, self.root / name)
        if trusted:
            command = [sys.executable, "-m", "nbformat.sign", name]
            subprocess.run(command, env=self.environment, cwd=self.root, check=True, stdout=subprocess.DEVNULL)
        return f"{self.address}/doc/tree/{name}?token={self.token}&reset"

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def until(holds, otherwise):
    """Waits for something that takes a while."""
    end = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(otherwise)
        time.sleep(0.2)


def check(browser, address, path, theme, picture):
    """One notebook as it is seen."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    wanted = sum(len(cell["outputs"]) for cell in cells)
    browser.visit(address, SCREEN)

    def look():
        # there is nothing to look at while the page loads
        return browser.tell("Runtime.evaluate", expression=LOOK, returnByValue=True)["result"].get("value", {})

    def is_there():
        seen = look()
        return (seen.get("theme"), seen.get("outputs"), seen.get("missing")) == (theme, wanted, 0)

    try:
        until(is_there, "")
    except RuntimeError:
        raise AssertionError(f"{path.name}: {look()}, and not {wanted} outputs in {theme}") from None
    seen = look()
    if picture:
        picture.write_bytes(browser.picture())
    assert seen["words"] > 100 and seen["images"] >= 2, seen
    assert not seen["weak"], (path.name, theme, seen["weak"])
    assert not seen["wide"], f"{path.name}: {seen['wide']} outputs are wider than their place"
    return seen["words"]


class Visitor(Browser):
    """A browser that runs the scripts of a server's pages."""

    def visit(self, address, screen):
        self.session, self.events = None, []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tell("Page.enable")
        self.tell("Emulation.setDeviceMetricsOverride", **screen)
        self.tell("Page.navigate", url=address)


def main(pictures=None):
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    lacking = "chromium (apt-get install chromium)" if program is None else ""
    if importlib.util.find_spec("jupyterlab") is None:
        lacking = "JupyterLab (pip install jupyterlab)"
    if lacking:
        print(f"SKIPPED: notebooks in a browser, because there is no {lacking}")
        return
    words = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
        lab, browser = Lab(Path(folder)), Visitor(program, profile)
        try:
            for trusted, theme in EVERY_VIEW if pictures else EVERY_VIEW[1:3]:
                lab.set(theme)
                for path in sorted(NOTEBOOKS.glob("*.ipynb")):
                    view = f"{path.stem}-{theme.split()[1].lower()}-{'own' if trusted else 'foreign'}.png"
                    picture = Path(pictures, view) if pictures else None
                    words += check(browser, lab.add(path, trusted), path, theme, picture)
        finally:
            browser.close()
            lab.close()
    print(f"notebooks are whole and legible in JupyterLab, by day and by night, in {words} places")


if __name__ == "__main__":
    main(*sys.argv[1:])
