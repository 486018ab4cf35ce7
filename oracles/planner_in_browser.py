"""The pages of `karcher plan --html` in a browser: by keyboard alone, with the names that screen readers read, by day
and night, on a wide screen and a phone, and without scripts. Nothing is fetched. The command and the Python lines that
a page shows are run, and give the errors that it shows.

    python oracles/planner_in_browser.py target/debug/karcher [FOLDER FOR PICTURES OF THE PAGES]

A file that a user chooses is read in the browser alone. The page proposes what `karcher start` proposes, and that
command, as the page writes it, makes a specification.

It takes chromium, or chrome. Without a browser it says SKIPPED and checks nothing. Without the Python package it says
so and leaves the Python lines out.
"""

import json
import shlex
import subprocess
import sys
import tempfile
import time
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
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"

# A plan, a file for it, the column of persons and the center; and whether the file is for the space of the plan.
FILES = [
    ("sphere", "cities.csv", None, "25,80", True),
    ("sphere", "gaze.csv", "participant", "0,0", True),
    ("tensors", "tensors.csv", None, "1*identity", True),
    ("directions", "vessels.csv", None, None, True),
    ("sphere", "tensors.csv", None, "25,80", False),
]

# Headers that the page and the command read alike.
HEADERS = [
    "city,country,latitude,longitude,population",
    "id;decimalLongitude;decimalLatitude;when",
    "participant\televation\tazimuth",
    "trend,plunge",
    "strike,dip",
    "name,RA,Dec,magnitude",
    "Dxx,Dyy,Dzz,Dxy,Dxz,Dyz",
    "age,sex,site,dxx,dxy,dxz,dyy,dyz,dzz",
    "id,c11,c12,c13,c22,c23,c33",
    "t,qx,qy,qz,qw",
    "subject,tx,ty,tz,qx,qy,qz,qw",
    "name,latitude,longitude,x,y,z,population",
]
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


def choose(browser, path):
    """Chooses a file, as a user does, and waits until its header is read."""
    chooser = browser.tell("Runtime.evaluate", expression="document.getElementById('table')")["result"]["objectId"]
    browser.tell("DOM.setFileInputFiles", files=[str(path)], objectId=chooser)
    end = time.monotonic() + 20
    while not text(browser, "file-words").startswith(f"{path.name} ") and time.monotonic() < end:
        time.sleep(0.02)
    words = text(browser, "file-words")
    assert words.startswith(f"{path.name} "), words
    return words


def answer(browser, name, value_of):
    """Answers a question, as a user does."""
    change = f"Object.assign(document.getElementById({name!r}), {{value: {value_of!r}}})"
    value(browser, f"{change}.dispatchEvent(new Event({'input' if name == 'center' else 'change'!r})) && 1")


def check_file(karcher, browser, name, person, center, is_own):
    """The page reads the header alone, and the command that it writes makes a specification."""
    words = choose(browser, EXAMPLES / name)
    assert "Nothing else of it is looked at, and nothing leaves this page." in words, words
    if person:
        choice = "[...document.getElementById('person').options].find(one => one.text.includes({!r})).value"
        answer(browser, "person", value(browser, choice.format(person)))
    if center:
        answer(browser, "center", center)
    command = shlex.split(text(browser, "start"))
    if not is_own:
        assert "--statistic" not in command and "This page plans for" in text(browser, "start-words"), command
        return
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, "spec.json")
        done = subprocess.run([karcher, *command[1:], "--output", spec],
                              capture_output=True, text=True, cwd=EXAMPLES, check=False)  # fmt: skip
        assert done.returncode == 0 and "For a protocol:" in done.stdout, (command, done.stderr)
        assert json.loads(spec.read_text())["unit"] == ("person" if person else "record"), command


def check_header(karcher, browser, header, path):
    """The first proposal of the page is that of the command."""
    path.write_text(header + "\n")
    done = subprocess.run([karcher, "start", path],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    suggested = done.stderr.partition("the header suggests ")[2].strip()
    assert suggested, (header, done.stderr)
    choose(browser, path)
    command = text(browser, "start").partition(" --one-record-each")[0]
    assert command == f"karcher start {path.name} {suggested}", (header, command, suggested)


def check_arrays_and_others(browser, folder):
    """The shape of an array says the number of records. No value is shown, and other formats are the command's."""
    array = Path(folder, "tensors.npy")
    form = "{'descr': '<f8', 'fortran_order': False, 'shape': (500, 3, 3), }".ljust(117) + "\n"
    array.write_bytes(b"\x93NUMPY\x01\x00" + len(form).to_bytes(2, "little") + form.encode() + bytes(500 * 72))
    words = choose(browser, array)
    assert "(500, 3, 3)" in words and "--n 500" in text(browser, "start"), (words, text(browser, "start"))
    numbers = Path(folder, "numbers.csv")
    numbers.write_text("11.25,12.5,13.75\n21.25,22.5,23.75\n")
    words = choose(browser, numbers)
    assert "3 columns without names" in words and "12.5" not in words + text(browser, "start"), words
    other = Path(folder, "other.parquet")
    other.write_bytes(b"PAR1" + bytes(100))
    assert "give it to karcher start" in choose(browser, other)


def main(karcher, pictures=None):
    found = program()
    if found is None:
        return
    karcher = Path(karcher).resolve()
    imported = subprocess.run([sys.executable, "-c", "import karcher"], capture_output=True, check=False)
    has_python = imported.returncode == 0
    if not has_python:
        print("SKIPPED: the Python lines of the planner, because karcher is not installed in Python")
    runs, files = [0, 0], 0
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
                for plan_of, *of_file in FILES:
                    if plan_of == name:
                        check_file(karcher, browser, *of_file)
                        files += 1
                has_start = value(browser, "document.getElementById('table') !== null")
                assert has_start == (name not in ("line", "regression")), name
                if name == "sphere":
                    for i, header in enumerate(HEADERS):
                        check_header(karcher, browser, header, Path(folder, f"table{i}.csv"))
                if name == "tensors":
                    check_arrays_and_others(browser, folder)
                check_quiet(browser, path)
                browser.open(path, scripts=False, screen=PHONE)
                assert any(role == "table" for role, _, _ in browser.nodes()), "no table without scripts"
                assert not any(role == "slider" for role, _, _ in browser.nodes())
                check_quiet(browser, path)
        finally:
            browser.close()
    print(f"{len(PLANS)} planners move by keyboard, are quiet, narrow and named in {Path(found).name};",
          f"{runs[0]} commands and {runs[1]} calls in Python gave their errors;",
          f"{files} files and {len(HEADERS)} headers are read as karcher start reads them")  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
