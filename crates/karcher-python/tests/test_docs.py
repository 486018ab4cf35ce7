"""Every block of Python in the guide and the README runs as printed, by itself, next to the examples. A block that
begins with `# continued` runs after the one before it. A block of text right below one of Python is its output. Numbers
may differ by 3 %: processors differ in the last bits of a logarithm, and success rates with them. Rates written in %
may differ by 6 % of themselves, because private fits have noise that is new each time: of 2,000 runs of each block the
worst differed by 4.1 %, one in 200 by more than 3 %, and each further point was about ten times rarer."""

import pathlib
import pydoc
import re
import subprocess
import sys

import pytest

import karcher

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "crates/karcher-python/README.md", *sorted((ROOT / "docs").rglob("*.md"))]


BLOCK = re.compile(r"^```(?:python|py)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", re.M | re.S)


def programs(page):
    """The blocks of a page and what they print, put together where one goes on from another."""
    whole = []
    for block, printed in BLOCK.findall(page.read_text(encoding="utf-8")):
        if block.startswith("# continued\n"):
            whole[-1] = (whole[-1][0] + block, whole[-1][1] + printed)
        else:
            whole.append((block, printed))
    return whole


NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(%?)")


def agree(printed, shown):
    """The same words, and nearly the same numbers."""
    same_words = NUMBER.sub(r"0\2", printed).split() == NUMBER.sub(r"0\2", shown).split()
    pairs = zip(*(NUMBER.findall(text) for text in (printed, shown)))
    return same_words and all(
        abs(float(a) - float(b)) <= (0.06 if percent else 0.03) * abs(float(b)) for (a, _), (b, percent) in pairs
    )


BLOCKS = [
    pytest.param(*program, id=f"{page.relative_to(ROOT)}-{i + 1}")
    for page in PAGES
    for i, program in enumerate(programs(page))
]


def test_there_are_some_in_every_part():
    parts = {block.id.split("/")[1] for block in BLOCKS if block.id.startswith("docs/")}
    assert parts >= {"tutorials", "how-to", "reference", "evidence"} and len(BLOCKS) >= 25


def test_every_public_name_is_on_the_page_of_names():
    page = (ROOT / "docs/reference/python-api.md").read_text(encoding="utf-8").splitlines()
    missing = [name for name in karcher.__all__ if f"::: karcher.{name}" not in page]
    # the first is among the errors, and of the modules the page has the classes
    assert set(missing) <= {"Error", "__citation__", "__version__", "classification", "preprocessing"}, missing


def test_every_name_of_the_page_is_public_and_there_once():
    page = (ROOT / "docs/reference/python-api.md").read_text(encoding="utf-8")
    names = re.findall(r"^::: karcher\.(\S+)$", page, re.M)
    assert len(names) == len(set(names)) > 80
    modules = {"aggregate", "classification", "directional", "errors", "features", "fields", "plot", "preprocessing"}
    assert {name.split(".")[0] for name in names} <= set(karcher.__all__) | modules
    assert all(pydoc.locate(f"karcher.{name}") is not None for name in names)
    # a module that is not shown as a whole has each of its public names
    for module in modules - set(names):
        found = pydoc.locate(f"karcher.{module}")
        own = {name for name, value in vars(found).items() if getattr(value, "__module__", "") == found.__name__}
        assert {f"{module}.{name}" for name in own if not name.startswith("_")} <= set(names), module


def test_numbers_that_differ_are_noticed():
    assert agree("right in 50.3% of 7", "right in  51.0% of 7")
    assert agree("right for 93%", "right for 97%") and not agree("right for 90%", "right for 97%")
    assert agree("error 0.100", "error 0.102") and not agree("error 0.100", "error 0.105")
    assert not agree("right in 50.3% of 7", "right in 55.3% of 7")
    assert not agree("right in 50.3% of 7", "right in 50.3% of 7, 8")
    assert not agree("passed: True", "passed: False")


@pytest.mark.parametrize(("block", "shown"), BLOCKS)
def test_block_runs_as_printed(block, shown, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for schema in ("release.schema.json", "schemas"):
        (tmp_path / schema).symlink_to(ROOT / "docs" / schema)
    script = tmp_path / "block.py"  # a file, as users have it: PySpark takes a program without one for its own tests
    script.write_text(block, encoding="utf-8")
    program = [sys.executable, "-W", "error::UserWarning", str(script)]
    run = subprocess.run(program, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr
    assert not shown or agree(run.stdout, shown), f"prints\n{run.stdout}\nnot\n{shown}"
