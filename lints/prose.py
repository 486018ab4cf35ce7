"""Checks the sentences of documentation and comments by the rules in `prose.toml`.

Reads Markdown, the comments of Rust and R, the docstrings and comments of Python, and the manual pages and vignettes of
R. Code, tables, headings and formulas are left out. Without a FILE it also counts the words of the README and of the
pages for users. Prints a line for each finding and exits with 1 if there is one.

    python3 lints/prose.py [FILE...]
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
RULES = tomllib.loads((HERE / "prose.toml").read_text())

Paragraph = tuple[int, str]
"""The line on which a paragraph starts, and its text on one line."""

NO_PROSE = re.compile(r"#|\||<|!!!|\?\?\?|\$\$|:::|\[[^\]]+\]:|>>>|\.\.\. |[\w*, ]+ : ")
ITEM = re.compile(r"(?:[-*+>]|\d+\.) +")


def markdown(lines: list[tuple[int, str]]) -> Iterator[Paragraph]:
    """Paragraphs and list items, without fenced code, tables, headings and parameter lines."""
    start, words, fenced = 0, [], False
    for number, line in [*lines, (0, "")]:
        text = line.strip()
        fence = text.startswith(("```", "~~~"))
        item = ITEM.match(text)
        if fenced or fence or not text or item or NO_PROSE.match(text):
            if words:
                yield start, " ".join(words)
            words = []
            fenced ^= fence
            if fenced or fence or not text or (not item and NO_PROSE.match(text)):
                continue
            text = text[item.end() :] if item else text
        if not words:
            start = number
        words.append(text)


def comments(text: str, marks: str) -> Iterator[Paragraph]:
    """Blocks of whole-line comments. `marks` is a pattern for what starts one."""
    block, kind = [], None
    for number, line in enumerate([*text.split("\n"), ""], 1):
        found = re.match(rf"\s*({marks})(?: (.*)|$)", line)
        if block and (not found or found[1] != kind):
            yield from markdown(block)
            block = []
        if found:
            kind = found[1]
            block.append((number, found[2] or ""))


def docstrings(text: str) -> Iterator[Paragraph]:
    """Docstrings, without the titles of their sections."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines = re.sub(r"(?m)^ *\w[\w ]*\n *-{3,} *$", "\n", node.body[0].value.value).split("\n")
            yield from markdown(list(enumerate(lines, node.body[0].lineno)))


def manual(text: str) -> Iterator[Paragraph]:
    """A manual page of R, without its usage and examples; each argument is a paragraph."""
    text = re.sub(r"(?s)\\(usage|examples)\{\n.*?\n\}", lambda found: "\n" * found[0].count("\n"), text)
    text = re.sub(r"^\\\w+\{(?=\n)|^\}$|^\\(?:name|alias|title|encoding)\{.*", "", text, flags=re.M)
    text = re.sub(r"\\item\{[^}]*\}\{", "- ", text)
    text = re.sub(r"\\code\{(?:\\link\{)?[^}]*\}+", "`X`", text)
    yield from markdown(list(enumerate(re.sub(r"\\\w+\{|\\|[{}]", "", text).split("\n"), 1)))


def paragraphs(path: Path) -> Iterator[Paragraph]:
    """All prose of a file."""
    text = path.read_text()
    if path.suffix in (".md", ".Rmd"):
        yield from markdown(list(enumerate(text.split("\n"), 1)))
    elif path.suffix == ".rs":
        yield from comments(text, "///|//!|//")
    elif path.suffix == ".Rd":
        yield from manual(text)
    elif path.suffix == ".R":
        yield from comments(text, "#")
    elif path.suffix == ".py":
        yield from docstrings(text)
        yield from comments(text, "#")


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph, with code, formulas and addresses shortened to one letter each."""
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "X", text)
    text = re.sub(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return re.split(r"(?<=[.!?])\s+(?=[A-Z\"(*])|(?<=:)\s+", text)


def findings(path: Path) -> Iterator[tuple[int, str]]:
    """What the rules do not allow in a file."""
    for line, text in enumerate(path.read_text().split("\n"), 1):
        if text.startswith(("<<<<<<< ", ">>>>>>> ")):
            yield line, f"a merge was not finished: {text}"
    for line, text in paragraphs(path):
        for sentence in sentences(text):
            count = len(re.findall(r"[^\W\d_]{2,}(?:[-'’][^\W\d_]+)*", sentence))
            if count > RULES["longest"]:
                yield line, f"{count} words in a sentence: {sentence}"
            for phrase, instead in RULES["phrases"].items():
                if re.search(rf"\b{phrase}\b", sentence, re.IGNORECASE):
                    yield line, f'"{phrase}" ({instead}): {sentence}'


def words_of(page: Path) -> int:
    """The words of a page, without blocks of code and generated tables."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return len(re.sub(r"<!-- generated: (.*?) -->.*?<!-- /generated: \1 -->", "", text, flags=re.S).split())


def lengths() -> Iterator[str]:
    """Pages that are too long."""
    most = RULES["pages"]
    readme = len((ROOT / "README.md").read_text().split())
    if readme > most["readme"]:
        yield f"README.md: {readme} words, and at most {most['readme']} are allowed"
    total = 0
    for page in (page for folder in most["folders"] for page in sorted((ROOT / "docs" / folder).rglob("*.md"))):
        words = words_of(page)
        total += words
        if words > most["user"]:
            yield f"{page.relative_to(ROOT)}: {words} words without code, and at most {most['user']} are allowed"
    if total > most["all_user"]:
        yield f"pages for users: {total} words without code, and at most {most['all_user']} are allowed"


def main() -> int:
    left_out = {ROOT / name for name in RULES["files"]["except"]}
    found = {path for pattern in RULES["files"]["read"] for path in ROOT.glob(pattern)} - left_out
    files = sorted(Path(name).resolve() for name in sys.argv[1:]) or sorted(found)
    too_long = [] if len(sys.argv) > 1 else list(lengths())
    print("\n".join(too_long), end="\n" if too_long else "")
    count = len(too_long)
    for path in files:
        for line, finding in findings(path):
            print(f"{path.relative_to(ROOT)}:{line}: {finding}")
            count += 1
    return min(count, 1)


if __name__ == "__main__":
    sys.exit(main())
