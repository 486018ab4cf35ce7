"""The package pages on PyPI and crates.io. Relative links and pictures lead nowhere there."""

import importlib.metadata
import pathlib
import re

import pytest

import karcher

ROOT = pathlib.Path(__file__).parents[3]
READMES = sorted(ROOT.glob("crates/*/README.md"))
LINK = re.compile(r"\]\(([^)\s]*)|^\[[^\]]+\]:\s*(\S+)|(?:href|src)=\"([^\"]*)", re.M)


def relative(text):
    """The links of a page that are not whole addresses."""
    links = ["".join(link) for link in LINK.findall(text)]
    return [link for link in links if not re.match(r"https://|#", link)]


def test_relative_links_are_found():
    text = '[a](docs/README.md) ![b](b.svg) [c](https://c.org) [d](#d)\n[e]: ../e.md\n<img src="f.png">'
    assert relative(text) == ["docs/README.md", "b.svg", "../e.md", "f.png"]


def test_every_published_package_has_a_page():
    published = {path.parent for path in ROOT.glob("crates/*/Cargo.toml") if "publish = false" not in path.read_text()}
    assert {path.parent for path in READMES} == published | {ROOT / "crates/karcher-python"}


def test_every_published_package_has_its_licenses():
    for folder in {path.parent for path in READMES} - {ROOT / "crates/karcher-python"}:
        for name in ("LICENSE-APACHE", "LICENSE-MIT"):
            assert (folder / name).read_bytes() == (ROOT / name).read_bytes(), folder


def test_what_contains_prio_says_its_license():
    for folder in (".", "crates/karcher-aggregate", "crates/karcher-cli", "crates/karcher-python"):
        page = " ".join((ROOT / folder / "README.md").read_text(encoding="utf-8").split())
        assert re.search("`prio`,( which is)? under MPL 2.0", page), folder


def test_no_text_installs_from_pypi_what_is_not_there():
    if "not on PyPI" not in (ROOT / "crates/karcher-python/README.md").read_text(encoding="utf-8"):
        return
    files = (file for folder in ("docs", "examples", "crates") for file in (ROOT / folder).rglob("*"))
    for file in [ROOT / "README.md", *(file for file in files if file.suffix in (".ipynb", ".md", ".py", ".rs"))]:
        assert not re.search(r"pip install [\\\"'`]*karcher\b(?!-)", file.read_text(encoding="utf-8")), file


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.parent.name)
def test_no_page_of_a_package_has_relative_links(page):
    assert relative(page.read_text(encoding="utf-8")) == []


def test_the_installed_package_shows_its_page_and_version():
    metadata = importlib.metadata.metadata("karcher")
    description = metadata.get_payload() or metadata["Description"]
    assert description.strip() == (ROOT / "crates/karcher-python/README.md").read_text(encoding="utf-8").strip()
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    assert metadata["Version"] == karcher.__version__
    assert {"LICENSE-APACHE", "LICENSE-MIT"} <= {pathlib.Path(file).name for file in metadata.get_all("License-File")}
