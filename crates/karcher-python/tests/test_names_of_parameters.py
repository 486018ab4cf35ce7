"""An error advises changing only parameters of the estimator that raised it, for all estimators and parameters."""

import inspect
import re
import warnings

import karcher
import numpy as np
import pytest
from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace

from every_estimator import ESTIMATORS

WRONG = [None, "nonsense", "auto", "classical", "shrink", "kng", "karcher-flow", "laplace", "two-stage", "add-remove",
         "private", "sphere", "euclidean:2", -1, 0, 1, 0.3, 2, 9.0, 1e9, True, [1], (1, 0), np.eye(3)]  # fmt: skip

KNOWN = {**vars(karcher), **vars(karcher.classification), "ShrinkTrace": ShrinkTrace}
OTHERS = r"\b(?:np|numpy|pandas|pyarrow|math)[\w.]*\([^()]*(?:\([^()]*\)[^()]*)*\)"


def parameters(kind):
    """Those of the constructor and of ``fit``."""
    of = lambda call: set(inspect.signature(call).parameters)
    return of(kind.__init__) | of(kind.fit) | {"self", "n"}


ALL = set().union(*(parameters(kind) for kind in ESTIMATORS)) - {"refused", "options", "self"}


def strangers(kind, sentence):
    """Names of parameters in a sentence that the estimator does not have."""
    own, rest = parameters(kind), re.sub(OTHERS, "", sentence)
    found = []
    for name, arguments in re.findall(r"\b([A-Z]\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", rest):
        if name in KNOWN and name != kind.__name__:
            found += [f"{name}({given}=" for given in re.findall(r"(\w+)=", arguments)]
    found += [name for name in re.findall(r"(?<![\w.])([a-z_]+)=(?!=)", rest) if name not in own]
    first = re.match(r"\w+", rest)
    found += [first[0]] if first and first[0] in ALL - own else []
    return list(dict.fromkeys(found))


def sentences(kind):
    """The messages for every wrong value of every parameter, and for pairs with a mechanism, a unit or a ball."""
    base, records = ESTIMATORS[kind]
    names = [name for name in inspect.signature(kind.__init__).parameters if name != "self"]
    tried = [{name: wrong} for name in names for wrong in WRONG]
    tried += [{**{name: None for name in base if name != "manifold"}, budget: 1.0} for budget in ("mu", "epsilon")]
    pairs = {"mechanism": ["karcher-flow", "kng", "chart"], "ball": ["auto"], "adjacency": ["add-remove"],
             "labels": ["private"], "spread": [True]}  # fmt: skip
    for second, values in pairs.items():
        if second in names:
            tried += [{name: wrong, second: value} for name in names for wrong in (0.3, 2, "nonsense", None)
                      for value in values if name != second]  # fmt: skip
    for changed in tried:
        given = {**base, **changed}
        given = {name: value for name, value in given.items() if name in names}
        try:
            kind(**given).fit(*records)
        except karcher.Error as error:
            yield changed, str(error)


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_an_error_names_parameters_of_its_own_estimator(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = {sentence: found for _, sentence in sentences(kind) if (found := strangers(kind, sentence))}
    assert not wrong


def test_a_stranger_would_be_seen():
    assert strangers(PrivateMDM, "PrivateFrechetMean(ball='auto') finds one") == ["PrivateFrechetMean(ball=", "ball"]
    assert strangers(karcher.PrivateBall, "radius is -1.0: it must be positive") == ["radius"]
    assert strangers(PrivateMDM, "steps= is wrong") == ["steps"]


def test_every_estimator_is_tried():
    """Those of the package's own module: others have names in front."""
    own = {kind for kind in map(vars(karcher).get, karcher.__all__) if isinstance(kind, type) and hasattr(kind, "fit")}
    apart = {karcher.PrivateFeatureRegression, karcher.PrivateSelection}  # of covariates, of models
    assert own <= set(ESTIMATORS) | apart, "add it to every_estimator.py"
