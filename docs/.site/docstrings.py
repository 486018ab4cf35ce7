"""Docstrings as the package has them at run time, for mkdocstrings, which reads the files without running them.

`karcher._docs.completed` puts shared texts, related names, references and examples into them. Roles, `:func:`plan``,
become names in code. Constructors of estimators are made of annotated names, as `karcher._parameters` makes them. Names
that the gallery uses get links back to it.
"""

import importlib.util
import re
from pathlib import Path

import griffe

PACKAGE = Path(__file__).parents[2] / "crates/karcher-python/python/karcher"
TYPE = re.compile(r"^(\w[\w, ]* : )(.*)$", re.M)
ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([\w.]+)`")
GALLERY = Path(__file__).parents[1] / "tutorials/gallery.md"
USED = re.compile(r"python-api\.md#karcher\.([\w.]+)\)")
RELATED = re.compile(r"^See Also\n-+\n(?:.+\n?)+", re.M)


def loaded(name):
    """A module that imports the standard library alone."""
    spec = importlib.util.spec_from_file_location(f"karcher.{name}", PACKAGE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_estimator(kind):
    return any(str(decorator.value) == "estimator" for decorator in kind.decorators)


def constructor(kind, order):
    """The constructor of an estimator."""
    by_place, by_name = [], {}
    for one in filter(is_estimator, [kind, *kind.mro()]):
        own = [member for member in one.members.values() if member.is_attribute and member.annotation is not None]
        own = [member for member in own if not str(member.value).startswith("derived(")]
        at = [member.name for member in own].index("_")
        by_place = by_place or own[:at]
        for member in own[at + 1 :]:
            by_name.setdefault(member.name, member)
    placed = {member.name for member in by_place}
    names = [name for name in by_name if name not in placed]
    names.sort(key=lambda name: (by_name[name].value is not None, order.index(name if name in order else "")))
    kinds = griffe.ParameterKind.positional_or_keyword, griffe.ParameterKind.keyword_only
    both = (by_place, [by_name[name] for name in names])
    parameters = [
        griffe.Parameter(member.name, annotation=member.annotation, default=member.value, kind=how)
        for how, members in zip(kinds, both)
        for member in members
    ]
    return griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=kind)


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
        self.docs, self.order, self.shown = loaded("_docs"), loaded("_parameters").ORDER, shown()

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

    def on_package(self, *, pkg, **_):
        for kind in [kind for module in pkg.modules.values() for kind in module.classes.values()]:
            if not kind.is_alias and is_estimator(kind):
                kind.set_member("__init__", constructor(kind, self.order))
