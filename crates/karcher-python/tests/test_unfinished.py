"""The iterations of estimators without privacy: how many there are, and the warning that one did not end."""

import warnings

import karcher
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigvalsh, expm, logm
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning


def covariances(n, k, seed=0):
    factors = np.random.default_rng(seed).standard_normal((n, k, 3 * k))
    return factors @ factors.swapaxes(1, 2) / (3 * k)


MATRICES = covariances(60, 3)
AGE = np.linspace(0.0, 1.0, 60)


@pytest.mark.parametrize(
    ("estimator", "given", "results"),
    [
        (karcher.FrechetMean("spd-affine-invariant"), (MATRICES,), ["estimate_"]),
        (karcher.GeometricMedian("spd-affine-invariant"), (MATRICES,), ["estimate_"]),
        (karcher.GeometricMedian("euclidean"), (MATRICES[:, 0],), ["estimate_"]),
        (karcher.GeodesicRegression("spd-affine-invariant"), (AGE, MATRICES), ["footpoint_", "velocity_"]),
    ],
)
def test_max_iter_ends_with_a_warning_and_the_last_iterate(estimator, given, results):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = [getattr(estimator.fit(*given), name).copy() for name in results]
    assert estimator.n_iter_ > 2
    short = estimator.set_params(max_iter=1, **({"tolerance": 1e-300} if len(given) == 1 else {}))
    with pytest.warns(ConvergenceWarning, match=f"{type(estimator).__name__} ended after .* raise max_iter") as told:
        short.fit(*given)
    assert told[0].filename == __file__
    assert all(np.isfinite(getattr(short, name)).all() for name in results)
    if not isinstance(estimator, karcher.FrechetMean):  # behind whose fast iteration there is a slow one
        assert short.n_iter_ == 1
        assert any(not np.allclose(getattr(short, name), end, atol=1e-9) for name, end in zip(results, whole))


def test_a_formula_is_one_iteration():
    for estimator, given in (
        (karcher.FrechetMean("euclidean"), (MATRICES[:, 0],)),
        (karcher.FrechetMean("spd-log-euclidean"), (MATRICES,)),
        (karcher.GeodesicRegression("euclidean"), (AGE, MATRICES[:, 0])),
    ):
        assert estimator.fit(*given).n_iter_ == 1


def test_a_private_release_says_nothing_of_its_iterations():
    for steps in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            mean = karcher.PrivateFrechetMean(
                "spd-affine-invariant", 3.0, np.eye(3), mechanism="karcher-flow", steps=steps, mu=1.0
            )
            assert not hasattr(mean.fit(MATRICES), "n_iter_")


def arc(p, q):
    """Angles between unit vectors, by their chord."""
    return 2.0 * np.arcsin(np.minimum(np.linalg.norm(p - q, axis=-1) / 2.0, 1.0))


def affine(p, q):
    """Affine-invariant distances, by generalized eigenvalues."""
    return np.array([np.sqrt((np.log(eigvalsh(x, p)) ** 2).sum()) for x in q])


def unit(c):
    return c / np.linalg.norm(c)


def symmetric(c):
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3)] = c
    return expm(matrix + np.triu(matrix, 1).T)


SPREAD_OUT = np.random.default_rng(2).standard_normal((40, 3)) + [3.0, 0.0, 0.0]
ON_SPHERE = SPREAD_OUT / np.linalg.norm(SPREAD_OUT, axis=1, keepdims=True)
LOG_MEAN = logm(MATRICES[:40].mean(axis=0))[np.triu_indices(3)]


@pytest.mark.parametrize(
    ("space", "x", "point", "start", "dist"),
    [
        ("euclidean", SPREAD_OUT, lambda c: c, np.mean(SPREAD_OUT, axis=0),
         lambda p, q: np.linalg.norm(p - q, axis=-1)),
        ("sphere", ON_SPHERE, unit, np.array([1.0, 0.0, 0.0]), arc),
        ("spd-affine-invariant", MATRICES[:40], symmetric, LOG_MEAN, affine),
    ],
)  # fmt: skip
def test_the_weighted_median_is_that_of_a_general_minimizer(space, x, point, start, dist):
    weights = np.random.default_rng(3).exponential(size=40) ** 2
    cost = lambda c: weights @ dist(point(c), x) / weights.sum()
    options = {"maxiter": 50_000, "maxfev": 50_000, "xatol": 1e-9, "fatol": 1e-14}
    expected = minimize(cost, start, method="Nelder-Mead", options=options)
    found = karcher.GeometricMedian(space).fit(x, sample_weight=weights).estimate_
    assert_allclose(found, point(expected.x), atol=2e-6)
    assert weights @ dist(found, x) / weights.sum() <= expected.fun + 1e-9
    plain = karcher.GeometricMedian(space).fit(x).estimate_
    assert np.abs(plain - found).max() > 1e-3  # weights change something


@pytest.mark.parametrize("space", ["euclidean", "sphere"])
def test_a_weight_is_a_number_of_records(space):
    x = ON_SPHERE if space == "sphere" else SPREAD_OUT
    weights = np.arange(40) % 4
    weighted = karcher.GeometricMedian(space).fit(x, sample_weight=0.25 * weights).estimate_
    repeated = karcher.GeometricMedian(space).fit(np.repeat(x, weights, axis=0)).estimate_
    assert_allclose(weighted, repeated, atol=1e-8)


@pytest.mark.parametrize("weights", [[1.0] * 39, [-1.0] * 40, [0.0] * 40, [np.nan] * 40, [[1.0]] * 40])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(karcher.Error, match="weight"):
        karcher.GeometricMedian("euclidean").fit(SPREAD_OUT, sample_weight=weights)
