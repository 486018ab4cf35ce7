"""The traceback of an error holds no release that the error withheld."""

import traceback

import karcher
import numpy as np
import pytest
from karcher import _spending, errors, release
from karcher.classification import PrivateMDM, PrivateTangentClassifier
from sklearn.pipeline import make_pipeline

from every_estimator import RELEASING, fitted

POINTS = karcher.Sphere(2).random_point(300, center=[0, 0, 1], scale=0.2, random_state=1)
MATRICES = np.tile(np.diag([2.0, 1.0]), (40, 1, 1))
LABELS = np.repeat(["a", "b"], 20)
BALL = {"radius": 0.8, "center": [0, 0, 1], "epsilon": 0.5}


def mean():
    return karcher.PrivateFrechetMean("sphere:2", **BALL)


def mdm():
    return PrivateMDM(2.0, np.eye(2), epsilon=1.0)


FITS = {
    **{name: lambda kind=kind: fitted(kind) for name, kind in RELEASING.items()},
    "tangent classes": lambda: PrivateTangentClassifier("sphere:2", [0, 1], **BALL).fit(
        POINTS, np.arange(len(POINTS)) % 2
    ),
    "classes": lambda: mdm().fit(MATRICES, LABELS),
    "tangent space": lambda: karcher.TangentSpace(reference=mean()).fit(POINTS),
    "pipeline": lambda: make_pipeline(
        karcher.TangentSpace("sphere:2", reference=[0, 0, 1]),
        karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=0.5),
    ).fit(POINTS),
}


def releases_in(given, depth=4):
    """The releases, or what their JSON says, in a variable."""
    if isinstance(given, (release._Released, release.CountRelease)):
        return [given]
    if isinstance(given, str):
        return [given] if '"guarantee"' in given else []
    if isinstance(given, dict):
        given = list(given.values())
    if isinstance(given, (list, tuple)) and depth:
        return [found for part in given for found in releases_in(part, depth - 1)]
    return releases_in(vars(given), depth - 1) if hasattr(given, "release_") and depth else []


def left_in(error):
    """The releases in the variables of all functions that an error, or one before it, passed."""
    found = []
    while error is not None:
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_globals["__name__"] != __name__:
                found += [left for value in frame.f_locals.values() for left in releases_in(value)]
        error = error.__cause__ or error.__context__
    return found


@pytest.mark.parametrize("name", [name for name in FITS if name != "PrivateCount"])  # which does nothing after it
def test_what_fails_after_a_release_leaves_none(name, monkeypatch):
    def fails(estimator, records):
        raise KeyboardInterrupt

    monkeypatch.setattr(_spending, "trained", fails)
    with pytest.raises(KeyboardInterrupt) as refused:
        FITS[name]()
    assert left_in(refused.value) == []
    # the frames are those of the package
    names = {frame.f_globals["__name__"] for frame, _ in traceback.walk_tb(refused.value.__traceback__)}
    assert any(name.startswith("karcher.") for name in names)


def test_a_class_that_is_refused_leaves_no_release_of_those_before():
    matrices = MATRICES.copy()
    matrices[-1] = np.diag([1.0, -1.0])
    with pytest.raises(errors.InvalidPointError, match="record 40") as refused:
        mdm().fit(matrices, LABELS)
    assert left_in(refused.value) == []


def test_a_mistake_of_this_test_would_be_seen():
    def fit():
        withheld = mean().fit(POINTS).release_
        raise ValueError("after " + withheld.mechanism)

    space = {"__name__": "elsewhere", "fit": fit}
    fit = type(fit)(fit.__code__, {**globals(), **space}, closure=fit.__closure__)
    with pytest.raises(ValueError) as refused:
        fit()
    assert len(left_in(refused.value)) == 1
