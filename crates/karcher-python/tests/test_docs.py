"""Every block of Python in the guide and the README runs as it is printed, by itself, beside the examples. A block that
begins with `# continued` runs after the one before it."""

import pathlib
import re
import subprocess
import sys

import pytest

import karcher

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def programs(page):
    """The blocks of a page, put together where one goes on from another."""
    whole = []
    for block in re.findall(r"^```(?:python|py)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        if block.startswith("# continued\n"):
            whole[-1] += block
        else:
            whole.append(block)
    return whole


BLOCKS = [
    pytest.param(program, id=f"{page.relative_to(ROOT)}-{i + 1}")
    for page in PAGES
    for i, program in enumerate(programs(page))
]


def test_there_are_some_in_every_part():
    parts = {block.id.split("/")[1] for block in BLOCKS if block.id.startswith("docs/")}
    assert parts >= {"tutorials", "how-to", "reference"} and len(BLOCKS) >= 25


def test_every_public_name_is_on_the_page_of_names():
    page = (ROOT / "docs/reference/python-api.md").read_text(encoding="utf-8").splitlines()
    missing = [name for name in karcher.__all__ if f"::: karcher.{name}" not in page]
    assert set(missing) <= {"Error", "__version__"}, missing  # the first is among the errors


@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs_as_printed(block, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "release.schema.json").symlink_to(ROOT / "docs/release.schema.json")
    script = tmp_path / "block.py"  # a file, as users have it: PySpark takes a program without one for its own tests
    script.write_text(block, encoding="utf-8")
    program = [sys.executable, "-W", "error::UserWarning", str(script)]
    run = subprocess.run(program, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
