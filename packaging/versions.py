"""Whether all places say one version and one repository; with a tag, whether that version may be released.

    python3 packaging/versions.py           what `make packaging` asks
    python3 packaging/versions.py v0.2.0    what a release asks besides: make release-check TAG=v0.2.0
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[1]


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def said(pattern, path):
    """What a file says in a place that it has once, or None."""
    found = re.search(pattern, text(path), re.M)
    return found and found[1]


VERSION = said(r'^version = "(.*)"', "Cargo.toml")
REPOSITORY = said(r'^repository = "(.*)"', "Cargo.toml")
DESCRIPTION = "crates/karcher-r/DESCRIPTION"
CITATION = "crates/karcher-r/inst/CITATION"
RECIPE = "packaging/conda/recipe.yaml"
NEWEST = said(r"^## (.*)$", "CHANGELOG.md")  # the first heading


def other_versions():
    """Every place that says another version, in a sentence."""
    places = {
        "Cargo.toml": r'^karcher[\w-]* = \{ path = .*, version = "([^"]*)"',
        "Cargo.lock": r'^name = "karcher[\w-]*"\nversion = "([^"]*)"',
        "CITATION.cff": r"^version: (.*)$",
        DESCRIPTION: r"^Version: (.*)$",
        "crates/karcher-r/src/rust/Cargo.toml": r'^version = "(.*)"$',
        RECIPE: r'^  version: "(.*)"$',
    }
    found = [(path, re.findall(pattern, text(path), re.M) or ["no version"]) for path, pattern in places.items()]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        path = page.relative_to(ROOT)
        found.append((path, re.findall(r'\bkarcher(?:": "| |-|_)(\d+\.\d+\.\d+)', text(path))))
    for path, versions in found:
        for version in versions:
            if version != VERSION:
                yield f"{path} says {version}, Cargo.toml {VERSION}."
    for needed in re.findall(r'"([^"]+)"', said(r"^dependencies = \[(.*)\]$", "pyproject.toml")):
        if needed.replace(">", " >") not in text(RECIPE):
            yield f"{RECIPE} lacks {needed}, which pyproject.toml asks for."
    if not NEWEST.startswith(f"[{VERSION}] - "):
        yield f"CHANGELOG.md begins with {NEWEST}, and not with [{VERSION}]."
    for path, pattern in (("CITATION.cff", r"^repository-code: (\S+)$"), (DESCRIPTION, r"^URL: (\S+)$")):
        if (found := said(pattern, path)) != REPOSITORY:
            yield f"{path} says that the repository is {found}, Cargo.toml {REPOSITORY}."
    year = said(r"^  year: (\d{4})$", "CITATION.cff")
    for path, pattern in (
        ("crates/karcher-report/src/cite.rs", r'^const YEAR: &str = "(.*)";$'),
        (CITATION, r'^  year = "(.*)",$'),
    ):
        if (found := said(pattern, path)) != year:
            yield f"{path} says that this version is of {found}, CITATION.cff {year}."
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")) if REPOSITORY else []:
        if "\nrepository.workspace = true\n" not in manifest.read_text(encoding="utf-8"):
            yield f"{manifest.relative_to(ROOT)} lacks the line repository.workspace = true."


def obstacles(tag):
    """What stands against releasing this state under a tag, in sentences."""
    if "example.org" in text(DESCRIPTION):
        yield f"{DESCRIPTION} lacks its maintainer: CRAN asks for the name and the address of one person."
    if "@" not in text("CODE_OF_CONDUCT.md"):
        yield "CODE_OF_CONDUCT.md lacks an address for reports."
    if tag != f"v{VERSION}":
        yield f"The tag is {tag}; the version {VERSION} takes the tag v{VERSION}."
    date = NEWEST.removeprefix(f"[{VERSION}] - ")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f"CHANGELOG.md is to begin with [{VERSION}] - YYYY-MM-DD, the day of the release, and not with {NEWEST}."
    if said(r"^date-released: (\S+)$", "CITATION.cff") != date:
        yield "CITATION.cff needs a line date-released: YYYY-MM-DD, with the day that CHANGELOG.md says."
    if said(r"^  year: (\d{4})$", "CITATION.cff") != date[:4]:
        yield f"CITATION.cff is to have the year of {date}."
    if REPOSITORY is None:
        yield "Cargo.toml has no 'repository' under [workspace.package]: package pages would not say where it is."
    own = sorted(path.relative_to(ROOT) for path in ROOT.glob("crates/*/README.md"))
    for path in own:
        if re.search(r"(?<!\[)the\s+repository", text(path)):
            yield f"{path} says 'the repository' without a link to it."
    for path in ["README.md", *own, *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))]:
        if found := re.search(r"\b(?:not|[Nn]othing)(?:\s+\w+)*\s+on\s+(?:PyPI|crates\.io|CRAN)", text(path)):
            yield f"{path} says '{' '.join(found[0].split())}'."


if __name__ == "__main__":
    wrong = [*other_versions(), *(line for tag in sys.argv[1:] for line in obstacles(tag))]
    print("\n".join(wrong) or VERSION)
    sys.exit(bool(wrong))
