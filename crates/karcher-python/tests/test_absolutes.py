"""The list `absolutes.tsv` has each absolute sentence of the README, the how-to pages and the sign-off, with tests that
fail if it is false. `definition` stands for a sentence that defines a term, tells the reader what to do, or is a
pattern to fill in. Headings, code, pictures, quotations, proofs and cells of up to three words do not count."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "docs/tutorials/sign-off.md", *sorted((ROOT / "docs/how-to").glob("*.md"))]
LIST = ROOT / "crates/karcher-cli/tests/guide/absolutes.tsv"

ABSOLUTE = re.compile(
    r"\b(every|never|always|nothing|any|no|only|all|must|cannot|exactly|the same|to the last bit)\b", re.I
)
NO_PROSE = re.compile(
    r"^```.*?^```$"  # code
    r"|^    (?![*\d]).*?$"  # a formula, or a line of a diagram
    r"|<!--.*?-->|!\[[^]]*\]\([^)]*\)"  # comments and pictures
    r"|^(?:#|>).*?$"  # headings and quotations
    r"|^\*Proof\.\*.*?∎",
    re.M | re.S,
)
BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.)\s)")
END = re.compile(r"(?<=[.!?])[)\"]?\s+(?=[(\"]?[A-Z`αμε]|n\b)")


def sentences(page):
    """The sentences of a page, and the cells of its tables, without links and stress."""
    text = NO_PROSE.sub("", page)
    cells = [cell for row in re.findall(r"^\|.*$", text, re.M) for cell in re.split(r"\s\|\s", row.strip("| "))]
    blocks = BLOCK.split(re.sub(r"^\|.*$", "", text, flags=re.M))
    for block, shortest in [(cell, 4) for cell in cells] + [(block, 1) for block in blocks]:
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", block).replace("*", "")
        words = re.sub(r"^(?:-|\d+\.)\s+", "", " ".join(words.split()))
        yield from (sentence for sentence in END.split(words) if len(sentence.split()) >= shortest)


def absolutes(page):
    """How the absolute sentences of a page begin. A word in code is none of its own."""
    absolute = [sentence for sentence in sentences(page) if ABSOLUTE.search(re.sub(r"`[^`]*`", "", sentence))]
    return sorted(" ".join(sentence.split()[:8]) for sentence in absolute)


def listed():
    """Beginning, page and tests of each line of the list, below that of the names."""
    return [line.split("\t") for line in LIST.read_text(encoding="utf-8").splitlines()[1:]]


def names_of_tests():
    """The tests of the repository as `file::name`."""
    names = set()
    for file in (ROOT / "crates").rglob("*.rs"):
        found = re.findall(r"#\[test\][^{;]*?\bfn (\w+)", file.read_text(encoding="utf-8"))
        names |= {f"{file.name}::{name}" for name in found}
    for file in pathlib.Path(__file__).parent.glob("test_*.py"):
        found = re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.M)
        names |= {f"{file.name}::{name}" for name in found}
    return names


def test_every_absolute_sentence_is_on_the_list_and_no_other():
    texts = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
    found = sorted((page, start) for page, text in texts.items() for start in absolutes(text))
    known = sorted((page, start) for start, page, _ in listed())
    new = [f"{page}: {start}" for page, start in found if (page, start) not in known]
    gone = [f"{page}: {start}" for page, start in known if (page, start) not in found]
    assert not new, "\n".join(["name a test in absolutes.tsv, or say less:", *new])
    assert not gone, "\n".join(["take off absolutes.tsv:", *gone])
    assert found == known, "two sentences of one page that begin alike need two lines"


def test_the_tests_of_the_list_exist():
    there = names_of_tests()
    named = [(start, test) for start, _, held in listed() for test in held.split(", ") if test != "definition"]
    assert len(named) > 50
    missing = [f"{start}: {test}" for start, test in named if test not in there]
    assert not missing, "\n".join(missing)


SAMPLE = """# No heading

Some. It *never*
ends. (All do.)

* Only `one`: `no`.

| no | a cell that must be read |

```sh
every word
```

> Any quotation.

*Proof.* Nothing. ∎

A `must`. Read [the
same](page.md).
"""


def test_an_absolute_sentence_is_found_wherever_it_stands():
    found = ["(All do.)", "It never ends.", "Only `one`: `no`.", "Read the same.", "a cell that must be read"]
    assert absolutes(SAMPLE) == found
