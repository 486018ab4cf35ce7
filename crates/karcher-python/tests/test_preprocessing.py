"""ShrinkTrace: a public ball that holds every covariance matrix."""

import pickle

import numpy as np
import pytest
from karcher import SPD, PrivateFrechetMean, errors
from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.pipeline import make_pipeline


def covariances(k, rng):
    """Ordinary and adversarial ones."""
    yield from (a @ a.T for a in rng.normal(size=(20, k, 3 * k)))
    # rank one, in a random direction and along an axis, in every unit
    for scale in (1e-300, 1e-20, 1e-12, 1.0, 1e150, 1e300):
        v = rng.normal(size=k)
        yield scale * np.outer(v, v) / (v @ v)
        yield scale * np.diag(np.arange(k) == k - 1).astype(float)
    # all ranks, and spread over as many orders of magnitude as there are
    for rank in range(1, k + 1):
        v = rng.normal(size=(k, rank))
        yield v @ v.T
    turn = np.linalg.qr(rng.normal(size=(k, k)))[0]
    yield turn @ np.diag(np.geomspace(1e-15, 1e15, k)) @ turn.T
    yield np.eye(k)
    # singular, with rounding of single precision
    v = rng.normal(size=(k, 1)).astype(np.float32)
    yield (v @ v.T).astype(np.float64)


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("k", [1, 2, 5, 22])
@pytest.mark.parametrize("metric", ["log-euclidean", "affine-invariant"])
def test_the_public_ball_holds_every_covariance_matrix(k, alpha, metric):
    records = np.array([0.5 * (c + c.T) for c in covariances(k, np.random.default_rng(k))])
    shrink = ShrinkTrace(alpha)
    ball, shrunk = shrink.ball(k), shrink.fit_transform(records)
    assert_allclose(np.trace(shrunk, axis1=1, axis2=2), k, rtol=1e-12)
    eigenvalues = np.linalg.eigvalsh(shrunk)
    assert eigenvalues.min() >= alpha * (1 - 1e-8) and eigenvalues.max() <= (alpha + (1 - alpha) * k) * (1 + 1e-12)
    distance = SPD(k, metric=metric).dist(ball["center"], shrunk)
    # rounding of matrices of norm k in the smallest eigenvalue alpha
    assert distance.max() <= ball["radius"] + 1e-15 * k**1.5 / alpha + 1e-12
    # and it is no larger than it has to be: matrices of rank one are on its edge if every other eigenvalue is
    if k > 1:
        assert distance.max() >= ball["radius"] * (1 - 1e-6)


def test_the_unit_does_not_matter_and_matrices_are_treated_one_by_one():
    x = SPD(3).random_point(30, scale=0.5, random_state=1)
    shrink = ShrinkTrace(0.2)
    expected = shrink.fit_transform(x)
    assert_allclose(shrink.transform(1e-12 * x), expected, rtol=1e-12)
    assert_allclose(shrink.transform(x[7:8])[0], expected[7], rtol=1e-15)
    # by the formula
    assert_allclose(expected[0], 0.8 * 3 / np.trace(x[0]) * x[0] + 0.2 * np.eye(3), rtol=1e-13)
    before = x.copy()
    shrink.transform(x)
    assert np.array_equal(before, x)
    again = pickle.loads(pickle.dumps(clone(shrink)))
    assert again.alpha == 0.2 and np.array_equal(again.fit(x).transform(x), expected)


def test_classification_of_covariances_in_volts():
    rng = np.random.default_rng(0)
    signals = 1e-5 * rng.normal(size=(600, 4, 100))
    signals[::2, 0] *= 3.0
    x, y = signals @ signals.swapaxes(1, 2) / 100, np.tile(["rest", "move"], 300)
    shrink = ShrinkTrace(0.1)
    model = make_pipeline(shrink, PrivateMDM(**shrink.ball(4), epsilon=2.0)).fit(x[:400], y[:400])
    assert model.score(x[400:], y[400:]) > 0.9
    # the private means are covariances of trace about 4, not 3.5e9
    assert all(1.0 < np.trace(mean) < 16.0 for mean in model[-1].covmeans_)
    # without it nothing is guessed
    with pytest.raises(errors.Error, match="center is missing: .*square volts"):
        PrivateMDM(2.0, epsilon=2.0).fit(x, y)
    PrivateFrechetMean("spd-affine-invariant", **shrink.ball(4), epsilon=2.0).fit(shrink.transform(x[400:]))


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((2, 2)), "trace is not above 0"),
        (-np.eye(2), "trace is not above 0"),
        (np.diag([1.0, -0.5]), "eigenvalue below 0"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (np.diag([1.0, np.nan]), "NaN"),
        (np.diag([np.inf, 1.0]), "infinite"),
    ],
)
def test_what_is_no_covariance_matrix_is_refused_or_replaced(bad, words):
    x = np.array([np.eye(2), bad, np.diag([3.0, 1.0])])
    with pytest.raises(errors.InvalidPointError, match=f"row 2: .*{words}"):
        ShrinkTrace(0.1).fit_transform(x)
    shrunk = ShrinkTrace(0.1, on_invalid="replace-with-center").fit_transform(x)
    assert np.array_equal(shrunk[1], ShrinkTrace(0.1).ball(2)["center"])
    assert np.array_equal(shrunk[[0, 2]], ShrinkTrace(0.1).fit_transform(x[[0, 2]]))


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, 1e-7, np.nan, "x", None])
def test_alpha_is_checked(alpha):
    with pytest.raises(errors.Error, match="alpha"):
        ShrinkTrace(alpha).ball(3)
    with pytest.raises(errors.Error, match="alpha"):
        ShrinkTrace(alpha).fit(np.eye(3)[None])
    with pytest.raises(errors.Error, match="must be \\(n, k, k\\)"):
        ShrinkTrace().fit(np.eye(3))
