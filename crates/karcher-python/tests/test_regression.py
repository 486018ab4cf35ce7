"""Geodesic regression, against least squares by SciPy and scikit-learn, and its private releases."""

import json
import math
import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import least_squares
from sklearn.base import clone, is_regressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import karcher
from karcher import SPD, GeodesicRegression, PrivateGeodesicRegression, Sphere, errors


def drift(n=300, noise=0.1, seed=1):
    """Ages, and directions along a geodesic that goes 1 radian in 60 years, with noise."""
    space, rng = Sphere(2), np.random.default_rng(seed)
    age = rng.uniform(20, 80, size=n)
    on_path = space.exp([0.6, 0.0, 0.8], np.multiply.outer(age - 50, [0.0, 1 / 60, 0.0]))
    turn = noise * rng.normal(size=(n, 3))
    turn -= np.sum(turn * on_path, axis=1, keepdims=True) * on_path
    return age, space.exp(on_path, turn)


def test_regression_on_the_sphere_agrees_with_scipy():
    """Four unknowns, the sphere's formulas written out: nothing of karcher is in the reference."""
    age, y = drift()

    def geodesic(unknowns):
        polar, azimuth, north, east = unknowns
        p = np.array([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)])
        e = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
        return p, north * np.cross(p, e) + east * e

    def residuals(unknowns):
        p, v = geodesic(unknowns)
        t = np.outer((age - 50) / 30, v)
        length = np.linalg.norm(t, axis=1, keepdims=True)
        at = np.cos(length) * p + np.sinc(length / np.pi) * t
        cosine = np.sum(at * y, axis=1, keepdims=True)
        across = y - cosine * at
        sine = np.linalg.norm(across, axis=1, keepdims=True)
        return (np.arctan2(sine, cosine) / sine * across).ravel()

    found = least_squares(residuals, [0.6, 0.1, 0.1, 0.1], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    p, v = geodesic(found.x)
    ours = GeodesicRegression("sphere").fit((age - 50) / 30, y)
    assert_allclose(ours.footpoint_, p, atol=1e-7)
    assert_allclose(ours.velocity_, v, atol=1e-7)
    # with the predictor as it is the geodesic is the same
    assert_allclose(GeodesicRegression(Sphere(2)).fit(age, y).predict([50.0])[0], p, atol=1e-7)
    middle = karcher.FrechetMean("sphere").fit(y).estimate_
    explained = 1 - 2 * found.cost / np.sum(Sphere(2).dist(middle, y) ** 2)
    assert_allclose(ours.score((age - 50) / 30, y), explained, atol=1e-9)
    assert explained > 0.5
    # records that are all the same leave nothing to explain
    assert ours.score([0.0, 1.0], np.tile(p, (2, 1))) == 0.0


def test_regression_on_flat_spaces_is_linear_regression():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 1)), rng.normal(size=(50, 3))
    ours, theirs = GeodesicRegression("euclidean").fit(x, y), LinearRegression().fit(x, y)
    assert_allclose(ours.footpoint_, theirs.intercept_, atol=1e-12)
    assert_allclose(ours.velocity_, theirs.coef_[:, 0], atol=1e-12)
    assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-12)
    # matrices with the log-Euclidean metric: linear regression of their logarithms
    logarithms = 0.1 * (y[:, :, None] + y[:, None, :])
    matrices = SPD(3).exp(np.eye(3), logarithms)
    fitted = GeodesicRegression(SPD(3)).fit(x, matrices).predict([[0.3]])
    line = LinearRegression().fit(x, logarithms.reshape(50, 9)).predict([[0.3]])
    assert_allclose(SPD(3).log(np.eye(3), fitted[0]).ravel(), line[0], atol=1e-10)


PRIVATE = {"predictor_range": (20, 80), "radius": 0.9, "center": [0.6, 0.0, 0.8]}
PRIVATE |= {"slope_bound": 1.5, "residual_bound": 0.5}


def test_private_regression_is_as_far_off_as_it_says():
    x = np.linspace(0, 1, 400)
    y = np.multiply.outer(x - 0.5, [0.5, 0.4]) + 0.05 * np.random.default_rng(0).normal(size=(400, 2)) + [0.3, -0.2]
    line = LinearRegression().fit(x[:, None], y).predict(x[:, None])  # no record and no residual is clipped
    estimator = PrivateGeodesicRegression(
        "euclidean", predictor_range=(0, 1), radius=1.0, slope_bound=1.5, residual_bound=0.3, mu=1.0
    )
    squares = np.array([np.mean(np.sum((estimator.fit(x, y).predict(x) - line) ** 2, axis=1)) for _ in range(400)])
    ratio = squares.mean() / estimator.release_.expected_distance**2
    # what is stated assumes footpoints and slopes at their bounds, so it is no exact distance: within a fifth. The
    # standard deviation of a square is 0.75 of its mean, and so that of this root is 2 % of it
    assert 0.8 < math.sqrt(ratio) < 1.2 and not 0.8 < math.sqrt(ratio) / 1.3 < 1.2
    assert estimator.release_.numerics == "exact"
    assert not {"idealized-numerics", "seeded"} & set(estimator.release_.flags)


@pytest.mark.parametrize(
    ("manifold", "options", "mechanism"),
    [
        ("euclidean:3", {"epsilon": 1.0, "mechanism": "linear"}, "linear"),
        ("euclidean:1", {"epsilon": 1.0, "mechanism": "kng"}, "kng"),
        ("sphere:2", {"epsilon": 1.0}, "gradient-descent"),
        ("sphere:2", {"epsilon": 1.0, "mechanism": "kng"}, "kng"),
        ("hyperbolic:2", {"rho": 0.1}, "gradient-descent"),
        ("spd-log-euclidean:3", {"epsilon": 0.5, "delta": 1e-6}, None),
        ("spd-affine-invariant:3", {"mu": 1.0, "mechanism": "gradient-descent", "steps": 2}, "gradient-descent"),
        ("kendall:10", {"mu": 1.0}, "gradient-descent"),
    ],
)
def test_every_space_and_budget(manifold, options, mechanism):
    space = karcher.manifold(manifold)
    y = space.random_point(300, scale=0.1 / space.dim, random_state=1)
    x = np.random.default_rng(0).uniform(-2, 4, size=300)
    public = {"predictor_range": [-2, 4], "radius": 0.5, "center": space.origin, "random_state": 7}
    public |= {"slope_bound": 0.8, "residual_bound": 0.3}
    estimator = PrivateGeodesicRegression(manifold, **public, **options).fit(x, y)
    release = estimator.release_
    assert mechanism in (None, release.mechanism) and release.n == 300 and release.manifold == space
    assert release.guarantee == karcher.Guarantee(
        **{k: v for k, v in options.items() if k in ("epsilon", "delta", "mu", "rho")}
    )
    assert "seeded" in release.flags
    assert (release.numerics == "exact") == (release.mechanism != "kng") == ("idealized-numerics" not in release.flags)
    # a proof about real numbers may be accepted, which changes nothing where the best is about bits
    both = clone(estimator).set_params(numerics="any").fit(x, y)
    assert both.release_.expected_distance <= release.expected_distance * (1 + 1e-5)
    assert ("mcmc-approximate" in release.flags) == (mechanism == "kng" and manifold != "euclidean:1")
    assert (release.steps is None) == (release.mechanism != "gradient-descent")
    assert release.steps is None or "steps" not in options or len(release.steps) == options["steps"]
    # the footpoint is in the ball and where the predictor is 1, the ends are half the shooting vector away
    low, middle, high = estimator.predict([-2.0, 1.0, 4.0])
    assert_allclose(middle, estimator.footpoint_, atol=1e-12)
    assert space.dist(space.origin, middle) <= 0.5 + 1e-9
    speed = space.norm(estimator.footpoint_, estimator.velocity_)
    assert speed <= 0.8 + 1e-9
    assert_allclose(space.dist(middle, [low, high]), speed / 2, atol=1e-9)
    again = clone(estimator).fit(x[:, None], y)
    assert np.array_equal(again.footpoint_, estimator.footpoint_)
    assert np.array_equal(again.velocity_, estimator.velocity_)


def test_large_budgets_find_the_geodesic_and_records_are_clipped():
    age, y = drift(2000)
    truth = GeodesicRegression("sphere").fit(age, y)
    private = PrivateGeodesicRegression("sphere", epsilon=1e6, **PRIVATE).fit(age, y)
    ends = [20.0, 50.0, 80.0]
    assert Sphere(2).dist(private.predict(ends), truth.predict(ends)).max() < 0.01
    assert private.score(age, y) > 0.5
    # one predictor outside of its range counts as its end, one record far away as one on the ball
    far, out = age.copy(), y.copy()
    far[0], out[0] = 1e300, -y[0]
    assert Sphere(2).dist(private.fit(far, out).predict(ends), truth.predict(ends)).max() < 0.01
    far[1], out[2] = np.nan, np.nan
    with pytest.raises(errors.InvalidPointError, match=r"record 3 \(index 2\): "):
        private.fit(far, out)
    with pytest.raises(errors.InvalidPointError, match=r"record 2 \(index 1\): its predictor is NaN"):
        private.fit(far, y)
    private.set_params(on_invalid="replace-with-center").fit(far, out)
    assert private.release_.n == 2000
    assert Sphere(2).dist(private.predict(ends), truth.predict(ends)).max() < 0.01
    assert np.isnan(far[1])  # input is not changed


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, errors.Error, "budget is missing"),
        (
            {"epsilon": 1.0, "slope_bound": 4.0},
            errors.Error,
            "slope_bound is 4: on sphere:2 it must be below the injectivity",
        ),
        ({"epsilon": 1.0, "residual_bound": 0.0}, errors.Error, "residual_bound is 0"),
        ({"epsilon": 1.0, "predictor_range": (1, 1)}, errors.Error, "lower end comes first"),
        ({"epsilon": 1.0, "predictor_range": 3.0}, errors.Error, r"predictor_range is 3.0: expected two numbers"),
        ({"epsilon": 1.0, "radius": -1.0}, errors.Error, "radius is -1"),
        ({"epsilon": 1.0, "center": [0, 0, 2]}, errors.InvalidPointError, "center: .* norm is 2"),
        ({"epsilon": 1.0, "steps": 3}, errors.Error, "steps does not go with"),
        (
            {"epsilon": 1.0, "mechanism": "laplace"},
            errors.UnsupportedError,
            "does not release a geodesic-regression; take one of linear",
        ),
        ({"epsilon": 1.0, "mechanism": "linear"}, errors.UnsupportedError, "sphere:2"),
        ({"epsilon": 1.0, "mechanism": "chart"}, errors.UnsupportedError, "does not release a geodesic-regression"),
        ({"epsilon": 1.0, "numerics": "real"}, errors.Error, "numerics: .*expected `exact` or `any`"),
        ({"epsilon": 1.0, "on_invalid": "skip"}, errors.Error, "on_invalid is 'skip'"),
    ],
)
def test_private_regression_refuses_in_a_sentence(options, error, words):
    age, y = drift(20)
    with pytest.raises(error, match=words):
        PrivateGeodesicRegression("sphere:2", **{**PRIVATE, **options}).fit(age, y)


def test_predictor_is_one_number_a_record():
    age, y = drift(20)
    for regression in (GeodesicRegression("sphere"), PrivateGeodesicRegression("sphere", epsilon=1.0, **PRIVATE)):
        with pytest.raises(ValueError, match="one number a record"):
            regression.fit(np.ones((20, 2)), y)
        with pytest.raises(ValueError, match="number of predictors is 19"):
            regression.fit(age[1:], y)
        with pytest.raises(ValueError, match="not fitted"):
            regression.predict(age)
        with pytest.raises(ValueError, match="one number a record"):
            regression.fit(age, y).predict(5.0)
    with pytest.raises(ValueError, match="y is one point of sphere:2"):
        GeodesicRegression(Sphere(2)).fit(age[:1], y[0])
    with pytest.raises(errors.Error, match="all are equal"):
        GeodesicRegression(Sphere(2)).fit(np.ones(20), y)


def test_scikit_learn_conventions():
    age, y = drift()
    pipeline = make_pipeline(MinMaxScaler(), GeodesicRegression("sphere"))
    assert_allclose(
        pipeline.fit(age[:, None], y).predict(age[:, None]),
        GeodesicRegression("sphere").fit(age, y).predict(age),
        atol=1e-8,
    )
    scores = cross_val_score(GeodesicRegression("sphere"), age, y, cv=KFold(3))
    assert scores.shape == (3,) and scores.min() > 0.5
    for estimator in (pipeline[-1], PrivateGeodesicRegression("sphere", epsilon=1.0, **PRIVATE)):
        cloned = clone(estimator)
        assert is_regressor(cloned) and not hasattr(cloned, "velocity_")
        assert cloned.get_params() == estimator.get_params()
        fitted = pickle.loads(pickle.dumps(cloned.fit(age, y)))
        assert np.array_equal(fitted.predict(age), cloned.predict(age))


def test_release_is_what_the_library_says():
    age, y = drift()
    release = PrivateGeodesicRegression("sphere", epsilon=1.0, **PRIVATE).fit(age, y).release_
    record = json.loads(release.to_json())
    assert record["predictor_range"] == {"low": 20.0, "high": 80.0} and release.predictor_range == (20.0, 80.0)
    assert record["footpoint"] == release.footpoint.tolist()
    assert record["shooting_vector"] == release.shooting_vector.tolist()
    assert (release.slope_bound, release.residual_bound) == (1.5, 0.5) and release.statistic == "geodesic-regression"
    again = karcher.RegressionRelease.from_json(release.to_json())
    assert np.array_equal(again.predict([30.0]), release.predict([[30.0]]))
    assert "where the predictor is 50" in release._repr_html_() and ", residuals " in release._repr_html_()
    with pytest.raises(errors.Error, match="not a Release"):
        karcher.Release.from_json(release.to_json())
    mean = karcher.PrivateFrechetMean("sphere", 0.5, [0.6, 0.0, 0.8], epsilon=1.0).fit(y).release_
    with pytest.raises(errors.Error, match="not a RegressionRelease"):
        karcher.RegressionRelease.from_json(mean.to_json())


def test_a_predictor_may_be_a_column_of_any_library():
    rng = np.random.default_rng(0)
    age, y = rng.uniform(size=200), rng.normal(size=(200, 2))
    line = karcher.PrivateGeodesicRegression(
        "euclidean:2", predictor_range=(0.0, 1.0), radius=9.0, slope_bound=9.0, epsilon=1.0, random_state=1
    )
    expected = line.fit(age, y).release_
    for column in (pl.Series(age), pa.array(age), pa.chunked_array([age])):
        assert line.fit(column, y).release_ == expected
        assert line.predict(column).shape == (200, 2)
