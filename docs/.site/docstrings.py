"""Docstrings as the package has them at run time, for mkdocstrings, which reads the files without running them.

`karcher._docs.completed` puts shared texts, related names, references and examples into them. Roles, `:func:`plan``,
become names in code. Names that the gallery uses get links back to it.
"""

import importlib.util
import re
from pathlib import Path

import griffe

FILE = Path(__file__).parents[2] / "crates/karcher-python/python/karcher/_docs.py"
TYPE = re.compile(r"^(\w[\w, ]* : )(.*)$", re.M)
ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([\w.]+)`")
GALLERY = Path(__file__).parents[1] / "tutorials/gallery.md"
USED = re.compile(r"python-api\.md#karcher\.([\w.]+)\)")
RELATED = re.compile(r"^See Also\n-+\n(?:.+\n?)+", re.M)


def docs():
    """The module, which imports the standard library alone."""
    spec = importlib.util.spec_from_file_location("karcher._docs", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown():
    """The titles in the gallery under which each name stands."""
    found = {}
    for section in GALLERY.read_text(encoding="utf-8").split("\n## ")[1:]:
        for name in USED.findall(section):
            found.setdefault(name, []).append(section.partition("\n")[0])
    return found


def in_gallery(titles):
    """Links to sections of the gallery, in a paragraph."""
    anchors = [re.sub(r"[^\w-]", "", title.lower().replace(" ", "-")) for title in titles]
    links = [f"[{title}](../tutorials/gallery.md#{anchor})" for title, anchor in zip(titles, anchors)]
    return f"*In the gallery*: {', '.join(links)}.\n\n"


def listed(section):
    """Related names as a list."""
    title, line, *rows = section[0].strip().split("\n")
    pairs = [row.split(" : ", 1) for row in rows]
    items = [f"- {', '.join(f'`{name}`' for name in names.split(', '))}: {how}" for names, how in pairs]
    return "\n".join([title, line, *items]) + "\n"


class Docstrings(griffe.Extension):
    def __init__(self):
        self.docs, self.shown = docs(), shown()

    def on_instance(self, *, obj, **_):
        if obj.docstring is None:
            return
        text = obj.docstring.value
        if obj.is_class or obj.is_function:
            name = self.docs.public_name(obj.module.path, obj.path[len(obj.module.path) + 1 :])
            text = self.docs.completed(name, text)
            if name in self.shown:
                summary, _, rest = text.partition("\n\n")
                text = f"{summary}\n\n{in_gallery(self.shown[name])}{rest}"
        # a choice in braces would be shown as if its first were the default
        text = TYPE.sub(lambda match: match[1] + re.sub("[{}]|``", "", match[2]), text)
        text = re.sub(r"^\.\. \[\d+\] ", "- ", RELATED.sub(listed, text), flags=re.M)
        obj.docstring.value = ROLE.sub(r"`\1`", text).replace("``", "`")
