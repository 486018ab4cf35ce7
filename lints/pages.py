"""Checks that rows of tables have the columns of their header, that formulas are rendered, and that named pages exist.

A page is named by its path, such as `docs/README.md`, with or without `docs/`. Titles of pages in documentation are
checked by `crates/karcher/tests/guide.rs`; links, and the names in `mkdocs.yml`, by `make site`. Prints a line for each
finding and exits with 1 if there is one.

    python3 lints/pages.py [FILE...]
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXTS = {".md", ".Rmd", ".py", ".pyi", ".rs", ".R", ".Rd", ".toml", ".yml", ".yaml", ".json", ".css", ""}
FOLDERS = "|".join(folder.name for folder in (ROOT / "docs").iterdir() if folder.is_dir())
PAGE = re.compile(rf"(?<![\w./-])(?:docs/((?:[\w-]+/)*[\w.-]+\.(?:md|csv|json))|((?:{FOLDERS})/[\w/-]+\.md))\b")
UNRENDERED = re.compile(r"[\w-]\$`[^`]*`\$|`\$\w|\[[^\]`]*\$`[^\]]*\]\(")
GENERATED = {"reference/commands.md"}
SEPARATOR = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?")
FENCE = re.compile(r"[\s>]*(?:```|~~~)")


def columns(row: str) -> int:
    """The cells of a row, as CommonMark's tables count them: a bar in code is one too, unless it is escaped."""
    row = re.sub(r"\\.", "", row.strip())
    return len(row.removeprefix("|").removesuffix("|").split("|"))


def tables(text: str) -> Iterator[tuple[int, str]]:
    """Rows that have more or fewer cells than the header of their table."""
    lines, header, fenced = [re.sub(r"^[\s>]*", "", line) for line in text.split("\n")], 0, False
    for number, line in enumerate(lines, 1):
        fenced ^= bool(FENCE.match(line))
        if fenced or "|" not in line:
            header = 0
        elif SEPARATOR.fullmatch(line.strip()) and number > 1 and "|" in lines[number - 2]:
            header = columns(lines[number - 2])
        if header and columns(line) != header:
            yield number, f"{columns(line)} cells in a table of {header} columns: {line[:80]}"


def missing_pages(text: str) -> Iterator[tuple[int, str]]:
    """Pages that are named and do not exist."""
    for number, line in enumerate(text.split("\n"), 1):
        for page in map("".join, PAGE.findall(line)):
            if page not in GENERATED and not (ROOT / "docs" / page).is_file():
                yield number, f"there is no docs/{page}"


def unrendered(text: str) -> Iterator[tuple[int, str]]:
    """Formulas that hosts of repositories do not render: in the text of a link, or next to a letter or a hyphen."""
    for found in UNRENDERED.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, f"a formula that is not rendered: {found[0]}"


def main() -> int:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = sys.argv[1:] or listed.splitlines()
    found = 0
    for path in (ROOT / name for name in names):
        if path.suffix not in TEXTS or path.name == "mkdocs.yml" or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        findings = list(missing_pages(text))
        if path.suffix in (".md", ".Rmd"):
            findings += [*tables(text), *unrendered(text)]
        for line, finding in findings:
            print(f"{path.relative_to(ROOT)}:{line}: {finding}")
        found += len(findings)
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main())
