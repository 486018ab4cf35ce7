"""The notebooks of the examples run from scratch, and display what is stored, except the noise."""

import importlib.util
import pathlib
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import nbformat
import pytest

FOLDER = pathlib.Path(__file__).parents[3] / "examples/notebooks"
NAMES = ("budget", "directions", "eeg", "shapes")
MOST = 60_000


def module():
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def books():
    """Each notebook as it is stored, and as it runs now."""
    paths = [FOLDER / f"{name}.ipynb" for name in NAMES]
    with ThreadPoolExecutor(2) as threads:
        fresh = list(threads.map(module().executed, paths))
    return {path.stem: (nbformat.read(path, as_version=4), book) for path, book in zip(paths, fresh)}


def outputs(book):
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


def displays(output):
    """What an output shows, by its type."""
    return dict(output.data) if "data" in output else {output.get("name", output.output_type): output.get("text", "")}


def words(text):
    """What can be read of a display, with 0 for every number, with its sign, and for the name of a ledger."""
    text = re.sub(r"<style.*?</style>|<[^>]*>", " ", text, flags=re.S)
    text = re.sub(r"\b[0-9a-f]{32}\b", "0", text).replace("[", " [ ").replace("]", " ] ")
    return re.sub(r"[-−]?\d+(?:\.\d+)?(?:e[-+−]?\d+)?", "0", unescape(text)).split()


def alike(stored, fresh):
    """The same types and words; sizes within a fifth, as more or less of a line is in sight."""
    if stored.output_type != fresh.output_type or displays(stored).keys() != displays(fresh).keys():
        return False
    pairs = [(text, displays(fresh)[kind]) for kind, text in displays(stored).items()]
    return all(words(a) == words(b) and abs(len(a) - len(b)) < 0.2 * len(a) + 100 for a, b in pairs)


def test_there_are_no_others():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_outputs_are_those_of_a_run(name, books):
    stored, fresh = books[name]
    assert [cell.get("execution_count") for cell in stored.cells] == [c.get("execution_count") for c in fresh.cells]
    assert len(outputs(stored)) == len(outputs(fresh)) >= 4
    for a, b in zip(outputs(stored), outputs(fresh)):
        told = [f"{kind}: {len(text)} {set(words(text))}" for each in (a, b) for kind, text in displays(each).items()]
        assert alike(a, b), told


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", [0, 1], ids=["stored", "run"])
def test_displays_are_small_and_no_error(name, which, books):
    for output in outputs(books[name][which]):
        assert output.output_type in ("execute_result", "display_data") or output.get("name") == "stdout", output
        assert sum(len(text.encode()) for text in displays(output).values()) < MOST, displays(output).keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_says_nothing_of_a_machine_and_its_releases_are_private(name, books):
    stored, _ = books[name]
    text = re.sub(r"base64,[\w+/=]*", "", (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert not re.search(r"/home/|/tmp/|/root/|/Users/|[A-Z]:\\\\", text)
    assert set(stored.metadata) == {"kernelspec", "language_info"} and set(stored.metadata.language_info) == {"name"}
    assert not any(cell.metadata for cell in stored.cells) and not any(o.get("metadata") for o in outputs(stored))
    assert "random_state" not in text and "seeded" not in text
    prose = " ".join(cell.source for cell in stored.cells if cell.cell_type == "markdown")
    assert len(prose.split()) < 300


def test_a_difference_is_noticed():
    def shown(**data):
        data = {kind.replace("_", "/"): text for kind, text in data.items()}
        return nbformat.v4.new_output("display_data", data=data)

    assert alike(shown(text_plain="within 2.4° of it"), shown(text_plain="within 11° of it"))
    assert not alike(shown(text_plain="within 2.4° of it"), shown(text_plain="within 2.4 of it"))
    assert not alike(shown(text_plain="a"), shown(text_html="a"))
    assert not alike(shown(image_png="a" * 1000), shown(image_png="a" * 2000))
    assert not alike(shown(text_html="<b>a</b>"), shown(text_html="<b>b</b>"))
