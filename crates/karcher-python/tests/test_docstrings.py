"""Docstrings of every public name: numpydoc's own validation, and what the project asks beyond it."""

import ast
import importlib
import inspect
import re
import textwrap

import karcher
import pytest
from karcher import _docs
from numpydoc.validate import validate

MODULES = [*_docs._PUBLIC, "interop"]

ALWAYS = {
    "GL03", "GL06", "GL07", "GL08",  # blank lines, names and order of sections, and that there is a docstring
    "SS01", "SS02", "SS03",  # a summary that begins with a capital and ends with a period
    "PR02", "PR03", "PR04", "PR05", "PR06", "PR09", "PR10",  # parameters that exist, in order, with their types
    "RT02", "RT04", "RT05",  # what is returned
    "SA02", "SA03", "SA04",  # related names, with what they are
}  # fmt: skip
OF_FUNCTIONS = {"PR01"}  # every parameter; methods say it in their summary where it is short
OF_NAMES = {"SA01"}  # related names of everything but methods and modules
OF_CLASSES = {"EX01"}  # an example


def public():
    """The public names after ``karcher.``, with what they are: modules, classes, functions and methods."""
    found = {name: importlib.import_module(f"karcher.{name}") for name in MODULES}
    for name in karcher.__all__:
        found.setdefault(name, getattr(karcher, name))
    for module in MODULES:
        found.update({f"{module}.{name}": getattr(found[module], name) for name in dir(found[module])})
    methods = {}  # one that several classes have is there once, of the one that defines it
    kinds = [(name, value, kind) for name, value in found.items() if inspect.isclass(value) for kind in value.__mro__]
    for name, _, kind in sorted(kinds, key=lambda one: one[1] is not one[2]):
        for method, own in vars(kind).items() if kind.__module__.startswith("karcher") else ():
            function = getattr(own, "__func__", own)
            if inspect.isfunction(function) and not method.startswith("_"):
                methods.setdefault(function, f"{name}.{method}")
    found.update({name: function for function, name in methods.items()})
    return {name: value for name, value in found.items() if callable(value) or inspect.ismodule(value)}


PUBLIC = public()


def checks_of(name):
    value, checks = PUBLIC[name], set(ALWAYS)
    is_method = name.rpartition(".")[0] in PUBLIC and inspect.isclass(PUBLIC[name.rpartition(".")[0]])
    if inspect.ismodule(value) or is_method:
        return checks
    return checks | OF_NAMES | (OF_CLASSES if inspect.isclass(value) else OF_FUNCTIONS)


@pytest.mark.parametrize("name", PUBLIC)
def test_numpydoc_finds_nothing(name):
    found = validate(f"karcher.{name}")["errors"]
    assert not [f"{code}: {what}" for code, what in found if code in checks_of(name)]


def test_a_docstring_without_its_sections_is_found(monkeypatch):
    monkeypatch.setattr(karcher.Sphere, "__doc__", "a sphere")
    found = {code for code, _ in validate("karcher.Sphere")["errors"]} & checks_of("Sphere")
    assert found == {"SS02", "SS03", "SA01", "EX01"}
    monkeypatch.setattr(karcher.plan, "__doc__", "Plans.\n\nParameters\n----------\nradii : float\n    R.\n")
    found = {code for code, _ in validate("karcher.plan")["errors"]} & checks_of("plan")
    assert found == {"PR01", "PR02", "SA01"}


REFUSE = re.compile(r"raise |\b_arguments\.|\bnumbers\(|\bcheck_\w+\(|\bseen_records\(|\bresolve\(")


@pytest.mark.parametrize("name", [name for name, value in PUBLIC.items() if inspect.isroutine(value)])
def test_a_function_that_refuses_says_what_it_raises(name):
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(PUBLIC[name]))))
    if any(REFUSE.search(ast.unparse(node)) for node in tree.body[0].body[1:]):  # after the docstring
        assert "\nRaises\n------\n" in PUBLIC[name].__doc__


BUDGET = {"epsilon", "delta", "mu", "rho"}


def test_each_parameter_of_a_budget_has_a_sentence_of_its_own():
    for name, value in PUBLIC.items():
        if not inspect.ismodule(value):
            documented = re.findall(r"(?m)^([\w, ]+) : ", (value.__doc__ or "").partition("\nAttributes\n")[0])
            assert not [one for one in documented if "," in one and BUDGET & set(one.split(", "))], name


def test_related_names_references_and_examples_are_of_public_names():
    tables = [_docs._REFERENCES, _docs._GROUPS, _docs._RAISES]
    lists = [row[-1] for table in tables for row in table] + [names for row in _docs._RELATED for names in row[:2]]
    named = {name for names in lists for name in names.split()} | {*_docs._REFUSED}
    named |= set(re.findall(r"(?:^:| \|) ([\w.]+) = ", _docs._EXAMPLES, re.M))
    assert named <= set(PUBLIC), named - set(PUBLIC)
    assert len(named) > 150 and "Region" in named


def test_every_citation_has_its_reference():
    texts = " ".join(" ".join((value.__doc__ or "").split()) for value in PUBLIC.values())
    author = r"[A-Z][^\W\d_]+(?:(?:, [A-Z]\w+)* and [A-Z]\w+| et al\.)?"
    cited = set(re.findall(rf"[(;] ?({author} (?:19|20)\d\d)(?=[;)])", texts))
    assert cited <= {key for key, _, _ in _docs._REFERENCES} and "Fletcher 2013" in cited


@pytest.mark.parametrize("module", MODULES)
def test_completion_shows_public_names_alone(module):
    found = importlib.import_module(f"karcher.{module}")
    own = [name for name, value in vars(found).items() if getattr(value, "__module__", "") == found.__name__]
    shown = set(dir(found))
    assert shown >= {name for name in getattr(found, "__all__", own) if not name.startswith("_")} != set()
    assert not shown & {"np", "annotations", "Any", "TYPE_CHECKING", "Optional", "numbers"}
    assert not [name for name in shown if name.startswith("_")]
