"""The scripts in examples/python run, and what they assert holds."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


def test_the_gallery_shows_every_one():
    names = {path.stem for path in EXAMPLES}
    gallery = (ROOT / "docs/tutorials/gallery.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"examples/python/(\w+)\.py", gallery))
    assert len(shown) >= 6 and shown == names


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path):
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
