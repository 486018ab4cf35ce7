"""Docstrings as the package has them at run time, for mkdocstrings, which reads the files without running them.

`karcher._private.documented` replaces lines such as `{budget}` by shared texts. Roles, `:func:`plan``, become names in
code.
"""

import ast
import re
from pathlib import Path

import griffe

PACKAGE = Path(__file__).parents[2] / "crates/karcher-python/python/karcher"
TYPE = re.compile(r"^(\w[\w, ]* : )(.*)$", re.M)
ROLE = re.compile(r":(?:func|class|meth|mod|attr):`~?([\w.]+)`")


def shared_texts():
    """The dictionary `_TEXTS` of the package."""
    tree = ast.parse((PACKAGE / "_private.py").read_text(encoding="utf-8"))
    [texts] = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "_TEXTS"]
    return ast.literal_eval(texts)


class Docstrings(griffe.Extension):
    def __init__(self):
        self.texts = shared_texts()

    def on_instance(self, *, obj, **_):
        if obj.docstring is None:
            return
        text = re.sub(r"^\{(\w+)\}$", lambda match: self.texts.get(match[1], match[0]), obj.docstring.value, flags=re.M)
        # a choice in braces would be shown as if its first were the default
        text = TYPE.sub(lambda match: match[1] + re.sub("[{}]|``", "", match[2]), text)
        obj.docstring.value = ROLE.sub(r"`\1`", text).replace("``", "`")
