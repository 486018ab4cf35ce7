"""The pages of `karcher plan --html` in a browser: by keyboard alone, with the names that screen readers read, by day
and night, on a wide screen and a phone, and without scripts. Nothing is fetched. The command and the Python lines that
a page shows are run, and give the errors that it shows.

    python oracles/planner_in_browser.py target/debug/karcher [FOLDER FOR PICTURES OF THE PAGES]

It takes chromium, or chrome. Without a browser it says SKIPPED and checks nothing. Without the Python package it says
so and leaves the Python lines out.
"""

import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import PHONE, VIEWS, Browser, check_quiet, program

PLANS = {
    "sphere": "plan --manifold sphere:2 --radius 2000km --n 100 --epsilon 1 --delta 1e-6",
    "tensors": "plan --manifold spd-log-euclidean:3 --radius 2 --n 500 --mu 1 --spread",
    "line": "plan --manifold euclidean:1 --radius 1 --rho 0.5 --adjacency add-remove --n-guess 50",
    "product": "plan --manifold sphere:2*euclidean:1 --radius 20deg,2 --n 1000 --epsilon 1",
    "directions": "plan --manifold sphere:2 --n 200 --epsilon 1",
    "regression": "plan --manifold sphere:2 --radius 0.5 --n 1000 --epsilon 1 --slope-bound 0.5",
}
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Home": 36, "Tab": 9}


def press(browser, key):
    for kind in ("rawKeyDown", "keyUp"):
        browser.tell("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])


def value(browser, expression):
    answer = browser.tell("Runtime.evaluate", expression=expression, returnByValue=True)
    assert "exceptionDetails" not in answer, answer
    return answer["result"].get("value")


def text(browser, name):
    return value(browser, f"(document.getElementById({name!r}) || {{}}).textContent || ''")


def shown(browser):
    """The rows of the table: mechanism, error or None, notes."""
    rows = "[...document.querySelectorAll('#errors tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"
    rows = value(browser, rows)
    return {name: (None if error == "–" else float(error), notes) for name, error, notes in rows}


def check_command(karcher, browser):
    """The command of the page gives its errors, rounded up to four digits."""
    command = shlex.split(text(browser, "command"))
    assert command[0] == "karcher"
    done = subprocess.run([karcher, *command[1:], "--json"], capture_output=True, text=True, check=False)
    errors = shown(browser)
    if done.returncode:
        assert all(error is None for error, _ in errors.values()), (command, done.stderr, errors)
        return 0
    report = json.loads(done.stdout)
    unit = value(browser, "JSON.parse(document.getElementById('plan').textContent).unitSize")
    planned = {entry["mechanism"]: entry for entry in report["mechanisms"]}
    for name, (error, notes) in errors.items():
        entry = planned[name]
        if error is None:
            assert "reason" not in entry or notes == f"does not apply: {entry['reason']}", (notes, entry)
            continue
        expected = (entry["expected_distance"] + (entry.get("bias_bound") or 0.0)) / unit
        assert expected * (1 - 1e-12) <= error <= expected * 1.0011, (command, name, error, expected)
        assert (name == report["best"]) == notes.startswith("best"), (name, notes, report["best"])
    return 1


def check_python(browser):
    """The Python lines of the page print its best mechanism."""
    lines = text(browser, "python")
    if not lines:
        return 0
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=False)
    best = [name for name, (_, notes) in shown(browser).items() if notes.startswith("best")]
    if not best:
        return 0
    assert done.returncode == 0, (lines, done.stderr)
    assert done.stdout.split()[0] == best[0], (lines, done.stdout, best)
    return 1


def check_keyboard(karcher, browser, name, has_python):
    """Every slider is reached with Tab and moved with arrows; sentence, table and command follow."""
    sliders = [node for node in browser.nodes() if node[0] == "slider"]
    assert sliders and all(label for _, label, _ in sliders), sliders
    runs = [0, 0]
    for _ in sliders:
        press(browser, "Tab")
        here = value(browser, "document.activeElement.id")
        assert here in ("radius", "records", "budget"), here
        for key in ("ArrowLeft", "Home", "ArrowRight", "End"):
            before = [text(browser, part) for part in ("summary", "command", f"{here}-words")]
            press(browser, key)
            after = [text(browser, part) for part in ("summary", "command", f"{here}-words")]
            assert all(a != b for a, b in zip(before, after, strict=True)), (name, here, key, before, after)
            spoken = value(browser, "document.activeElement.getAttribute('aria-valuetext')")
            assert spoken == after[2] and after[0].startswith(spoken) or spoken in after[0], (spoken, after)
            runs[0] += check_command(karcher, browser)
            if has_python and key == "ArrowRight":
                runs[1] += check_python(browser)
        # back to the middle
        press(browser, "Home")
        for _ in range(value(browser, "Math.floor(document.activeElement.max / 2)")):
            press(browser, "ArrowRight")
    return runs


def check_names(browser, name):
    nodes = browser.nodes()
    roles = {role for role, _, _ in nodes}
    for part in ("banner", "main", "contentinfo", "heading", "table", "slider", "status", "rowheader", "columnheader"):
        assert part in roles, (name, part, roles)
    assert roles & {"image", "img"}, roles
    for role, label, _ in nodes:
        if role in ("heading", "image", "img", "region", "table", "slider", "rowheader"):
            assert label, (name, role)


def main(karcher, pictures=None):
    found = program()
    if found is None:
        return
    karcher = Path(karcher).resolve()
    imported = subprocess.run([sys.executable, "-c", "import karcher"], capture_output=True, check=False)
    has_python = imported.returncode == 0
    if not has_python:
        print("SKIPPED: the Python lines of the planner, because karcher is not installed in Python")
    runs = [0, 0]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
        browser = Browser(found, profile)
        try:
            for name, plan in PLANS.items():
                path = Path(folder) / f"{name}.html"
                subprocess.run([karcher, *plan.split(), "--html", path], check=True, stdout=subprocess.DEVNULL)
                for view, screen, scheme in VIEWS:
                    browser.open(path, scripts=True, scheme=scheme, screen=screen)
                    check_quiet(browser, path)
                    assert not browser.is_wider_than(screen), f"{name} is too wide on the {view}"
                    check_names(browser, name)
                    if pictures:
                        (Path(pictures) / f"planner-{name}-{view}.png").write_bytes(browser.picture())
                browser.open(path, scripts=True)
                check_command(karcher, browser)
                made = check_keyboard(karcher, browser, name, has_python)
                runs = [a + b for a, b in zip(runs, made, strict=True)]
                check_quiet(browser, path)
                browser.open(path, scripts=False, screen=PHONE)
                assert any(role == "table" for role, _, _ in browser.nodes()), "no table without scripts"
                assert not any(role == "slider" for role, _, _ in browser.nodes())
                check_quiet(browser, path)
        finally:
            browser.close()
    print(f"{len(PLANS)} planners move by keyboard, are quiet, narrow and named in {Path(found).name};",
          f"{runs[0]} commands and {runs[1]} calls in Python gave their errors")  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
