"""The pages of `karcher report` in a browser: with scripts switched off, on a wide screen, on a phone, by night and on
paper. Nothing is fetched, nothing runs, nothing is wider than a phone, everything is printed, and every visible element
has a name for screen readers.

    python oracles/report_in_browser.py target/debug/karcher [FOLDER FOR PICTURES OF THE PAGES]

It takes chromium, or chrome, and pypdf. Without a browser it says SKIPPED and checks nothing.
"""

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pypdf
from browser import VIEWS, Browser, check_quiet, program

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
HTML = "{http://www.w3.org/1999/xhtml}"


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
    nodes = browser.nodes()
    roles = {role for role, _, _ in nodes}
    parts = ("heading", "table", "rowheader", "columnheader", "image")
    for landmark in ("banner", "main", "contentinfo", "navigation", *parts):
        assert landmark in roles or (landmark == "image" and "img" in roles), (landmark, roles)
    for role, name, _ in nodes:
        if role in ("heading", "image", "img", "link", "region", "table", "navigation"):
            assert name, role


def words_of(text):
    return "".join(text.split())


def check_paper(pdf, page):
    """Every heading and every table of the page is printed, but neither all digits nor the JSON, which are folded."""
    printed = words_of("".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(pdf)).pages))
    root = ElementTree.fromstring(page)
    kept = [details for details in root.iter(HTML + "details") if details.get("class") != "printed"]
    not_printed = {heading for details in kept for heading in details.iter()}
    for level in ("h1", "h2", "h3", "h4", "caption"):
        for heading in set(root.iter(HTML + level)) - not_printed:
            assert words_of("".join(heading.itertext())) in printed, ElementTree.tostring(heading)
    unfolded = [details for details in root.iter(HTML + "details") if details.get("class") == "printed"]
    folded = [cell for details in unfolded for cell in details.iter(HTML + "td")]
    assert folded and all(words_of("".join(cell.itertext())) in printed for cell in folded)
    assert '"schema"' not in printed


def main(karcher, pictures=None):
    found = program()
    if found is None:
        return
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
        folder = Path(folder)
        releases(Path(karcher).resolve(), folder)
        browser = Browser(found, profile)
        try:
            check_checks(browser, folder)
            for name in ("all", "mean", "hostile"):
                path = folder / f"{name}.html"
                for scripts in (False, True):
                    for view, screen, scheme in VIEWS:
                        browser.open(path, scripts, scheme=scheme, screen=screen)
                        check_quiet(browser, path)
                        assert not browser.is_wider_than(screen), f"{name} is too wide on the {view}"
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
    print("pages are quiet, narrow, named and printed in", Path(found).name)


if __name__ == "__main__":
    main(*sys.argv[1:])
