"""The scripts in examples/python run, and what they assert holds."""

import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import karcher

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def test_the_gallery_shows_every_one():
    names = {path.stem for path in EXAMPLES}
    gallery = (ROOT / "docs/tutorials/gallery.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"examples/python/(\w+)\.py", gallery))
    assert len(shown) >= 6 and shown == names


def public(name):
    """Whether a dotted name is a public one of the package."""
    found = karcher
    for part in name.split("."):
        if part not in dir(found):
            return False
        found = getattr(found, part)
    return True


def test_each_of_the_gallery_has_a_picture_code_a_task_and_public_names():
    page = ROOT / "docs/tutorials/gallery.md"
    sections = page.read_text(encoding="utf-8").split("\n## ")[1:]
    for section in sections:
        title = section.partition("\n")[0]
        assert "![" in section or "It has no picture." in section, title
        words = " ".join(section.split())
        assert all(f"{line}: [" in words for line in ("Code", "Task", "API")), title
        links = re.findall(r"\]\(([^)#]+)(?:#karcher\.([\w.]+))?", section)
        assert all((page.parent / link).is_file() for link, _ in links), title
        names = [name for _, name in links if name]
        assert names and all(map(public, names)), title
    assert len(sections) == 14


def test_the_cheat_sheet_is_drawn_by_its_script_and_names_what_exists():
    script = runpy.run_path(str(ROOT / "docs/pictures/cheat_sheet.py"))
    assert (ROOT / "docs/pictures/cheat-sheet.svg").read_text(encoding="utf-8") == script["drawn"]()
    classes = [name for *_, name in script["STATISTICS"] if name]
    assert all(public(name) or public(f"classification.{name}") for name in classes), classes
    spaces = [re.match(r"\w+", python)[0] for *_, python in script["SPACES"] if python[0].isupper()]
    assert all(map(public, spaces)), spaces


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
