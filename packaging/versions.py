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
NEWEST = said(r"^## (.*)$", "CHANGELOG.md")  # the first heading


def other_versions():
    """Every place that says another version, in a sentence."""
    places = {
        "Cargo.toml": r'^karcher[\w-]* = \{ path = .*, version = "([^"]*)"',
        "Cargo.lock": r'^name = "karcher[\w-]*"\nversion = "([^"]*)"',
        "CITATION.cff": r"^version: (.*)$",
        "crates/karcher-r/DESCRIPTION": r"^Version: (.*)$",
        "crates/karcher-r/src/rust/Cargo.toml": r'^version = "(.*)"$',
    }
    found = [(path, re.findall(pattern, text(path), re.M) or ["no version"]) for path, pattern in places.items()]
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        path = page.relative_to(ROOT)
        found.append((path, re.findall(r'\bkarcher(?:": "| |-)(\d+\.\d+\.\d+)', text(path))))
    for path, versions in found:
        for version in versions:
            if version != VERSION:
                yield f"{path} says {version}, Cargo.toml {VERSION}."
    if not NEWEST.startswith(f"[{VERSION}] - "):
        yield f"CHANGELOG.md begins with {NEWEST}, and not with [{VERSION}]."
    cited = said(r"^repository-code: (\S+)$", "CITATION.cff")
    if cited != REPOSITORY:
        yield f"CITATION.cff says that the repository is {cited}, Cargo.toml {REPOSITORY}."
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")) if REPOSITORY else []:
        if "\nrepository.workspace = true\n" not in manifest.read_text(encoding="utf-8"):
            yield f"{manifest.relative_to(ROOT)} lacks the line repository.workspace = true."


def obstacles(tag):
    """What stands against releasing this state under a tag, in sentences."""
    if "example.org" in text("crates/karcher-r/DESCRIPTION"):
        yield "crates/karcher-r/DESCRIPTION lacks the address of its maintainer."
    if tag != f"v{VERSION}":
        yield f"The tag is {tag}; the version {VERSION} takes the tag v{VERSION}."
    date = NEWEST.removeprefix(f"[{VERSION}] - ")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f"CHANGELOG.md is to begin with [{VERSION}] - YYYY-MM-DD, the day of the release, and not with {NEWEST}."
    if said(r"^date-released: (\S+)$", "CITATION.cff") != date:
        yield "CITATION.cff needs a line date-released: YYYY-MM-DD, with the day that CHANGELOG.md says."
    if REPOSITORY is None:
        yield "Cargo.toml has no 'repository' under [workspace.package]: package pages would not say where it is."


if __name__ == "__main__":
    wrong = [*other_versions(), *(line for tag in sys.argv[1:] for line in obstacles(tag))]
    print("\n".join(wrong) or VERSION)
    sys.exit(bool(wrong))
