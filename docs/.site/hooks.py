"""What the site adds to MkDocs: links out of the guide, tabs that are plain headed blocks elsewhere, formulas, and the
order of a chapter: words first.

The Markdown of the guide is made to be read in the repository as well. So a link may leave the folder `docs`, to a
script or to CONTRIBUTING.md: what it names is copied into the site. Between `<!-- tabs -->` and `<!-- /tabs -->` a line
in bold begins a tab. A chapter of `docs/proofs` says what holds in a paragraph of words before anything else. Below the
heading of a label the site lists the files of code that cite it.
"""

import os
import posixpath
import re
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.append(str(Path(__file__).parent))
import commands
import formulas

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "debug/karcher"
SHEET = ROOT / "docs/pictures/cheat-sheet.pdf"  # which a workflow makes
LINK = re.compile(r"(\]\(|^\[[^\]\n]+\]: )(?!\w+:|#)([^)\s#]+)(#[^)\s]*)?", re.M)
CODE = re.compile(r"^(```.*?^```|    .*?$)", re.M | re.S)
LABELS = re.compile(r"(\[[A-Z]\d′?\]) (?=\[[A-Z]\d)")  # "[S1] [S2]" are two labels, and not a link
FORMULA = re.compile(r"[=<>≤≥∝√Σ∫‖]|\$`[^`]*(?:[=<>]|\\(?:[lg]e|propto|sqrt|sum|int|lVert)\b)")
CITATION = re.compile(r"ser guide, ([^.]{,90})", re.S)
LABEL = re.compile(r"(?<!\w)([A-Z])(\d)(′?)(?:–\1(\d))?")
LABELLED = re.compile(r"^#+ (?:\d+\. )?.*\[[A-Z]\d′?\].*$", re.M)
INLINE_CODE = re.compile(r"(?<!\$)`[^`]*`(?!\$)")
TABS = re.compile(r"^<!-- tabs -->\n(.*?)^<!-- /tabs -->\n", re.M | re.S)


def repository_path(uri):
    """Where in the repository the page with this address in the site is."""
    return uri.removeprefix("repository/") if uri.startswith("repository/") else posixpath.join("docs", uri)


def site_uri(path):
    """The inverse of `repository_path`."""
    return posixpath.relpath(path, "docs") if path.startswith("docs/") else posixpath.join("repository", path)


def targets(text, uri):
    """The files of the repository that the links of a page lead to."""
    folder = posixpath.dirname(repository_path(uri))
    return [posixpath.normpath(posixpath.join(folder, link[2])) for link in LINK.finditer(CODE.sub("", text))]


def cited():
    """The files of code that cite each label."""
    found = {}
    for path in sorted((ROOT / "crates").glob("*/src/**/*.rs")):
        for citation in CITATION.findall(path.read_text(encoding="utf-8")):
            for letter, first, prime, last in LABEL.findall(citation):
                for number in range(int(first), int(last or first) + 1):
                    found.setdefault(f"{letter}{number}{prime}", []).append(path.relative_to(ROOT).as_posix())
    return {label: list(dict.fromkeys(paths)) for label, paths in found.items()}


CITED = cited()


def with_code(heading):
    """A heading with labels, and links to the code that cites them."""
    labels = ["".join(label[:3]) for label in LABEL.findall(heading[0])]
    paths = dict.fromkeys(path for label in labels for path in CITED.get(label, []))
    links = ", ".join(f"[`{path.split('/src/')[1]}`](../../{path})" for path in paths)
    return f"{heading[0]}\n\n*Cited by* {links}\n" if links else heading[0]


def on_config(config):
    config.markdown_extensions.append(formulas.Formulas())
    fence = {"name": "math", "class": "formula", "format": formulas.block}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config


def on_page_content(html, page, config, files):
    if rest := formulas.unrendered(html):
        raise PluginError(f"{page.file.src_uri} has a formula that is not rendered: {rest}")


def on_files(files, config):
    """Adds the page of all commands, and files outside of `docs` that pages link to, with those that they link to."""
    if not PROGRAM.is_file():
        raise PluginError(f"the page of all commands needs {PROGRAM}: run `make site`, which builds it")
    files.append(File.generated(config, "reference/commands.md", content=commands.page(PROGRAM)))
    pages = [(file.src_uri, file.content_string) for file in files if file.is_documentation_page()]
    for path in {path for paths in CITED.values() for path in paths}:
        files.append(File.generated(config, site_uri(path), content=(ROOT / path).read_bytes()))
    while pages:
        uri, text = pages.pop()
        for path in targets(text, uri):
            if path.startswith("docs/") or files.get_file_from_path(site_uri(path)) is not None:
                continue
            if not (ROOT / path).is_file():
                raise PluginError(f"{repository_path(uri)} links to {path}, which is no file of the repository")
            content = (ROOT / path).read_bytes()
            files.append(File.generated(config, site_uri(path), content=content))
            if path.endswith(".md"):
                pages.append((site_uri(path), content.decode()))
    return files


def tabbed(match):
    """Blocks that begin with a line in bold, as tabs."""
    blocks = re.split(r"^\*\*(.+)\*\*$", match[1], flags=re.M)[1:]
    lines = []
    for title, body in zip(blocks[::2], blocks[1::2]):
        lines.append(f'=== "{title}"\n')
        lines += [f"    {line}" if line else "" for line in body.strip("\n").split("\n")] + [""]
    return "\n".join(lines) + "\n"


def check_that_words_come_first(markdown, path):
    """Refuses a chapter whose title is not followed by a paragraph without a formula."""
    _, first, *_ = markdown.strip().split("\n\n", 2)
    if not first[0].isalpha() or FORMULA.search(INLINE_CODE.sub("", first)):
        raise PluginError(f"{path} has to begin with a paragraph of words: what holds, for whom, and what it rests on")


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    here = posixpath.dirname(uri)
    if here == "proofs":
        check_that_words_come_first(markdown, repository_path(uri))
        markdown = LABELLED.sub(with_code, markdown)

    def moved(link):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(repository_path(uri)), link[2]))
        return f"{link[1]}{posixpath.relpath(site_uri(path), here or '.')}{link[3] or ''}"

    def prose(part):
        return part if CODE.fullmatch(part) else LABELS.sub(r"\1&#32;", LINK.sub(moved, part))

    markdown = "".join(map(prose, CODE.split(markdown)))
    if uri == "reference/cheat-sheet.md" and SHEET.is_file():
        markdown += f"\n[The page as a PDF](../pictures/{SHEET.name})\n"
    return TABS.sub(tabbed, markdown)
