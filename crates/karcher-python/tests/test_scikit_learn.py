"""scikit-learn's own checks, of every estimator, and those that pyRiemann makes of its MDM and TangentSpace."""

import importlib
import inspect
import json
import os
import pickle
import pkgutil
import subprocess
import sys
import warnings

import karcher
import numpy as np
import pandas
import pytest
from karcher import errors
from karcher.classification import PrivateMDM, PrivateNearestCentroid, PrivateTangentClassifier
from karcher.fields import PrivateFieldMean, PrivateFieldRegression
from karcher.preprocessing import ShrinkTrace
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

warnings.simplefilter("ignore", DeprecationWarning)
from pyriemann.classification import MDM  # noqa: E402
from pyriemann.tangentspace import TangentSpace as TheirTangentSpace  # noqa: E402


def matrices(X):
    """The diagonal matrices of the exponentials of vectors; any other input is returned unchanged."""
    x = np.asarray(X)
    if x.ndim != 2 or 0 in x.shape or x.dtype.kind not in "iufO" or any(isinstance(entry, str) for entry in x.flat):
        return X
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(x), np.exp(np.clip(x, -30.0, 30.0)), x)[:, :, None] * np.eye(x.shape[1])


class OfVectors:
    """An estimator of matrices that takes vectors instead, as scikit-learn's checks give no matrices."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = True, False
        return tags


class ShrinkTraceOfVectors(OfVectors, ShrinkTrace):
    def fit(self, X, y=None):
        return super().fit(matrices(X))

    def transform(self, X):
        shrunk = super().transform(matrices(X))
        return shrunk.reshape(len(shrunk), -1)


class TangentSpaceOfVectors(OfVectors, karcher.TangentSpace):
    def fit(self, X, y=None, **options):
        return super().fit(matrices(X), y, **options)

    def transform(self, X):
        return super().transform(matrices(X))


class PrivateMDMOfVectors(OfVectors, PrivateMDM):
    def fit(self, X, y, groups=None):
        x, center = matrices(X), self.center
        self.center = np.eye(x.shape[1]) if np.ndim(x) == 3 else center  # of whatever size a check has
        try:
            return super().fit(x, y, groups)
        finally:
            self.center = center

    def _distances(self, X):
        return super()._distances(matrices(X))


class PrivateTangentClassifierOfAllLabels(PrivateTangentClassifier):
    """One whose public classes are those of the labels, which differ from check to check."""

    def fit(self, X, y, groups=None):
        self._classes = [0, 1] if y is None else np.unique(np.asarray(y))
        return super().fit(X, y, groups)

    def _public_classes(self):
        self.classes, given = self._classes, self.classes
        try:
            return super()._public_classes()
        finally:
            self.classes = given


class PrivateKMeansOfTwo(karcher.PrivateKMeans):
    """One with two clusters where a check asks for one, which is a mean."""

    def _spec(self, space, unit):
        given, self.n_clusters = self.n_clusters, max(self.n_clusters, 2)
        try:
            return super()._spec(space, unit)
        finally:
            self.n_clusters = given


class OfOneColumn:
    """A regression that takes the first of several columns: a predictor is one number, and some checks give several."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # one column of ten says little
        return tags

    def fit(self, X, y=None):
        return super().fit(first(X), y)

    def _predict(self, X):
        return super()._predict(first(X))


def first(X):
    x = X if hasattr(X, "toarray") else np.asarray(X)
    return x[:, :1] if getattr(x, "ndim", 0) == 2 and not hasattr(X, "toarray") else X


def one_column(estimator, X, kernel=None):
    """What scikit-learn's checks make of their data for an estimator of one predictor: a column."""
    return X[:, :1]


class GeodesicRegressionOfOneColumn(OfOneColumn, karcher.GeodesicRegression):
    pass


class PrivateGeodesicRegressionOfOneColumn(OfOneColumn, karcher.PrivateGeodesicRegression):
    pass


def everything(point, X, y=None):
    """A gradient, of half the squared distance to the first number of a record."""
    return point - X[:, :1]


#: They take fitted models and their records, which the checks do not give.
OF_MODELS = {karcher.PrivateScore, karcher.PrivateSelection}


def public_estimators():
    """The estimators of the package, wherever they are."""
    for module in pkgutil.walk_packages(karcher.__path__, "karcher."):
        if "._" not in module.name:
            for name, found in vars(importlib.import_module(module.name)).items():
                if inspect.isclass(found) and issubclass(found, BaseEstimator) and found.__module__ == module.name:
                    if not name.startswith("_") and found not in OF_MODELS:
                        yield found


ADAPTED = {
    karcher.GeodesicRegression: GeodesicRegressionOfOneColumn,
    karcher.PrivateGeodesicRegression: PrivateGeodesicRegressionOfOneColumn,
    karcher.PrivateKMeans: PrivateKMeansOfTwo,
    PrivateMDM: PrivateMDMOfVectors,
    PrivateTangentClassifier: PrivateTangentClassifierOfAllLabels,
    ShrinkTrace: ShrinkTraceOfVectors,
}
"""Estimators that take what scikit-learn's checks give: vectors, several columns, any labels."""

GIVEN = {
    "manifold": "euclidean",
    "radius": 100.0,
    "center": "origin",
    "clip": 10.0,
    "mu": 100.0,
    "random_state": 0,
    "n_clusters": 2,
    "reference": "origin",
    "predictor_range": (-3, 3),
    "slope_bound": 200.0,
    "gradient": everything,
    "step_size": [0.5, 0.5, 0.5],
}
"""The parameters that an estimator is made with, by name."""

OTHERS = {
    karcher.PrivateBall: {"within": 100.0},
    karcher.PrivateDescent: {"manifold": "euclidean:1"},
    PrivateFieldMean: {"basis": np.ones((1, 8))},
    PrivateFieldRegression: {"basis": np.ones((1, 8)), "features": []},
    PrivateMDM: {"center": None, "radius": 12.0},
    PrivateNearestCentroid: {"radius": 12.0},
}
"""The same where an estimator takes another value."""


def made(kind, **options):
    names = inspect.signature(kind).parameters
    given = {name: value for name, value in {**GIVEN, **OTHERS.get(kind, {})}.items() if name in names}
    return ADAPTED.get(kind, kind)(**{**given, **options})


ESTIMATORS = [
    *[made(kind) for kind in public_estimators()],
    made(karcher.PrivateFrechetMean, on_invalid="replace-with-center", n_jobs=1),
    karcher.TangentSpace(reference=karcher.FrechetMean("euclidean")),
    karcher.TangentSpace(reference=made(karcher.PrivateFrechetMean)),
    TangentSpaceOfVectors("spd-affine-invariant", reference="origin"),
    TangentSpaceOfVectors(reference=karcher.FrechetMean("spd-log-euclidean")),
]

ONE = "the predictor is one number a record, in a column or in none: an array (n,) is one"
OTHER = "it compares with another column, and a predictor has one"
REFUSED = "fit_predict and fit_transform would reveal the training records: they are refused"
LABELS = "labels_ would reveal the training records: there are none"
EXPECTED = {
    "PrivateFrechetMean replace-with-center": {"check_dtype_object": "what a cell holds decides no refusal"},
    **dict.fromkeys(["PrivateMDM", "PrivateNearestCentroid"], {
        "check_fit_score_takes_y": REFUSED,
        "check_pipeline_consistency": REFUSED,
        "check_transformer_data_not_an_array": REFUSED,
        "check_transformer_general": REFUSED,
        "check_transformer_preserve_dtypes": REFUSED,
    }),
    "PrivateKMeans": {"check_fit_score_takes_y": REFUSED, "check_clustering": LABELS},
    **dict.fromkeys(["GeodesicRegression", "PrivateGeodesicRegression"], {
        "check_n_features_in_after_fitting": OTHER,
        "check_fit1d": ONE,
        "check_fit2d_predict1d": ONE,
    }),
}  # fmt: skip
"""The checks that fail, with the reason. One that passes is an error, as is one that is not made."""


def name_of(estimator):
    """The name of the public class, and what differs from the usual parameters."""
    kind = next(kind for kind in type(estimator).__mro__ if kind.__module__.startswith("karcher."))
    replaces = getattr(estimator, "on_invalid", None) == "replace-with-center"
    return kind.__name__ + " replace-with-center" * replaces


def checks():
    for estimator in ESTIMATORS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SkipTestWarning)  # of images there are no checks but one
            generated = list(estimator_checks_generator(estimator, legacy=True))
        for made, check in generated:
            called = getattr(check, "func", check).__name__
            if called == "check_array_api_input":
                continue  # arrays are NumPy's
            reason = EXPECTED.get(name_of(estimator), {}).get(called)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            yield pytest.param(made, check, id=f"{name_of(estimator)}-{called}", marks=marks)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), checks())
def test_scikit_learns_checks(estimator, check, monkeypatch):
    if isinstance(estimator, OfOneColumn):
        monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_X", one_column)
    check(estimator)


def test_every_expected_failure_is_of_a_check_that_is_made():
    made = {parameters.id for parameters in checks()}
    assert {f"{name}-{check}" for name, failing in EXPECTED.items() for check in failing} <= made
    assert len({identity.partition("-check")[0] for identity in made}) > 20


@pytest.mark.parametrize("private", [False, True])
def test_a_regression_knows_the_column_of_its_predictor(private):
    line = karcher.GeodesicRegression("euclidean")
    if private:
        bounds = {"predictor_range": (0, 1), "radius": 5.0, "slope_bound": 5.0, "mu": 1.0}
        line = karcher.PrivateGeodesicRegression("euclidean", **bounds)
    dose, response = pandas.DataFrame({"dose": np.linspace(0.0, 1.0, 40)}), np.zeros((40, 2))
    line.fit(dose, response)
    assert line.n_features_in_ == 1 and list(line.feature_names_in_) == ["dose"]
    assert line.predict(dose).shape == line.predict(dose["dose"]).shape == (40, 2)
    with pytest.raises(errors.Error, match="feature names should match"):
        line.predict(dose.rename(columns={"dose": "age"}))
    with pytest.raises(errors.Error, match="X has 2 features, but .* is expecting 1"):
        line.predict(np.zeros((3, 2)))
    with pytest.raises(errors.Error, match="1 sample"):
        line.fit([0.5], [[0.0, 0.0]])
    with pytest.raises(errors.Error, match="X, row 1|record 1"):
        line.fit([np.nan, *np.linspace(0.0, 1.0, 39)], response)


def test_tags_say_how_many_axes_records_have():
    axes = lambda estimator: (lambda tags: (tags.two_d_array, tags.three_d_array))(get_tags(estimator).input_tags)
    for flat in ("euclidean", "sphere:2", "sphere:2*spd-affine-invariant:2", karcher.Rotations()):
        assert axes(karcher.PrivateFrechetMean(flat)) == axes(karcher.FrechetMean(flat)) == (True, False)
    for square in ("spd-affine-invariant", "kendall:5", karcher.Grassmannian(4, 2)):
        assert axes(karcher.PrivateBall(square)) == axes(karcher.TangentSpace(square)) == (False, True)
    mean = karcher.FrechetMean("spd-affine-invariant")
    for estimator in (PrivateMDM(), ShrinkTrace(), karcher.TangentSpace(reference=mean)):
        assert axes(estimator) == (False, True)
        with pytest.warns(SkipTestWarning):  # its own checks have no matrices
            assert len(list(estimator_checks_generator(estimator, legacy=True))) == 1
    replaced = {"on_invalid": "replace-with-center"}
    for estimator in (karcher.PrivateFrechetMean(**replaced), PrivateMDM(**replaced), ShrinkTrace(**replaced)):
        assert get_tags(estimator).input_tags.allow_nan
        assert not get_tags(estimator.set_params(on_invalid="error")).input_tags.allow_nan


# What pyRiemann checks of its own.

METRICS = ["riemann", "logeuclid", "log-euclidean", "affine-invariant"]


def covariances(n, k, seed=0):
    factors = np.random.default_rng(seed).standard_normal((n, k, 3 * k))
    return factors @ factors.swapaxes(1, 2) / (3 * k)


def mdm(k, **options):
    return PrivateMDM(4.0, np.eye(k), **{"epsilon": 1e6, "random_state": 0, **options})


@pytest.mark.filterwarnings("ignore::karcher.errors.TrainingRecordsWarning")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("classes", [2, 3])
def test_pyriemanns_checks_of_classifiers(metric, classes):
    x, y, k = covariances(20 * classes, 3), np.arange(20 * classes) % classes, 3
    fitted = mdm(k, metric=metric).fit(x, y)
    assert np.array_equal(fitted.classes_, np.unique(y)) and fitted.covmeans_.shape == (classes, k, k)
    assert fitted.predict(x).shape == (len(x),) and set(fitted.predict(x)) <= set(y)
    assert fitted.transform(x).shape == fitted.predict_proba(x).shape == (len(x), classes)
    assert_allclose(fitted.predict_proba(x).sum(axis=1), 1.0)
    assert 0.0 <= fitted.score(x, y) <= 1.0
    # a new fit, to matrices of another size, replaces the old one
    again = fitted.set_params(center=np.eye(k - 1)).fit(x[:, :-1, :-1], y)
    assert again.predict(x[:, :-1, :-1]).shape == (len(x),) and again.n_features_in_ == k - 1
    # in threads, the same
    for jobs in (1, 2, -1):
        other = mdm(k, metric=metric, n_jobs=jobs).fit(x, y)
        assert np.array_equal(other.covmeans_, mdm(k, metric=metric).fit(x, y).covmeans_)
        assert np.array_equal(other.transform(x), mdm(k, metric=metric).fit(x, y).transform(x))
    assert np.array_equal(pickle.loads(pickle.dumps(again)).covmeans_, again.covmeans_)
    assert np.array_equal(clone(again).fit(x[:, :-1, :-1], y).covmeans_, again.covmeans_)


@pytest.mark.parametrize("metric", [42, "faulty", {"foo": "bar"}, {"mean": "riemann", "distance": 1}, None])
def test_a_metric_that_is_none_is_refused(metric):
    with pytest.raises(errors.Error):
        mdm(3, metric=metric).fit(covariances(6, 3), [0, 1] * 3)


def test_it_searches_and_validates_as_pyriemanns_does():
    x, y = np.concatenate([covariances(60, 3), covariances(60, 3, seed=1) * 4.0]), np.repeat(["a", "b"], 60)
    ours, theirs = mdm(3, metric="riemann"), MDM(metric="riemann")
    assert_allclose(cross_val_score(ours, x, y, cv=4), cross_val_score(theirs, x, y, cv=4))
    grid = {"metric": ["riemann", "logeuclid"]}
    searched = GridSearchCV(ours, grid, cv=3).fit(x, y)
    assert searched.best_score_ == GridSearchCV(theirs, grid, cv=3).fit(x, y).best_score_
    pipeline = make_pipeline(ShrinkTrace(0.1), PrivateMDM(**ShrinkTrace(0.1).ball(3), epsilon=1e6))
    assert pipeline.fit(x, y).predict(x[:5]).shape == (5,)


@pytest.mark.parametrize("k", [1, 2, 5, 22])
def test_coordinates_are_pyriemanns(k):
    x = covariances(40, k)
    ours = karcher.TangentSpace(reference=karcher.FrechetMean("spd-affine-invariant")).fit(x)
    theirs = TheirTangentSpace(metric="riemann").fit(x)
    theirs.reference_ = ours.reference_
    assert ours.transform(x).shape == (40, k * (k + 1) // 2)
    assert_allclose(ours.transform(x), theirs.transform(x), atol=1e-11)
    assert_allclose(ours.inverse_transform(ours.transform(x)), x, atol=1e-11)
    # with the log-Euclidean metric at the identity, where theirs keep lengths
    flat = karcher.TangentSpace("spd-log-euclidean", reference="origin").fit(x)
    theirs = TheirTangentSpace(metric="logeuclid")
    assert_allclose(flat.transform(x), theirs.transform(x), atol=1e-11)
    assert np.array_equal(flat.transform(x), flat.fit_transform(x))
    assert len(set(ours.get_feature_names_out())) == ours.manifold_.dim


SPACES = [
    "euclidean:3", "sphere:3", "hyperbolic:3", "spd-log-euclidean:3", "spd-affine-invariant:3", "kendall:5",
    "projective:3", "rotations:3", "torus:3", "grassmann:5,2", "sphere:2*spd-affine-invariant:2",
]  # fmt: skip


@pytest.mark.parametrize("name", SPACES)
def test_coordinates_keep_lengths_and_angles_at_the_reference(name):
    space, rng = karcher.manifold(name), np.random.default_rng(0)
    given = rng.standard_normal((300, space.dim))
    given *= 0.5 / np.linalg.norm(given, axis=1, keepdims=True)
    origin = karcher.TangentSpace(name, reference="origin").fit(space.origin[np.newaxis])
    x = origin.inverse_transform(given)
    assert_allclose(origin.transform(x), given, atol=1e-12)
    elsewhere = karcher.TangentSpace(space, reference=x[0]).fit(x)
    c = elsewhere.transform(x)
    assert_allclose(np.linalg.norm(c, axis=1), space.dist(x[0], x), atol=1e-12)
    u, v = space.log(x[0], x[1]), space.log(x[0], x[2])
    assert_allclose(c[1] @ c[2], space.inner(x[0], u, v), atol=1e-12)
    assert space.dist(elsewhere.inverse_transform(c), x).max() < 1e-11


def test_a_private_reference_is_a_release_of_its_own():
    x = covariances(300, 3)
    mean = karcher.PrivateFrechetMean("spd-affine-invariant", 3.0, np.eye(3), epsilon=0.7)
    space = karcher.TangentSpace(reference=mean).fit(x)
    assert space.release_.guarantee == karcher.Guarantee(epsilon=0.7) and not hasattr(mean, "release_")
    assert np.array_equal(space.reference_, space.release_.value)
    # a transform makes no new release, and the reference does not depend on its input
    before = space.reference_.copy()
    space.transform(covariances(10, 3, seed=5))
    assert np.array_equal(space.reference_, before)
    # another estimator can use the release at no cost
    other = karcher.TangentSpace(reference=space.release_).fit(x)
    assert np.array_equal(other.transform(x), space.transform(x)) and not hasattr(other, "release_")
    assert not hasattr(space.set_params(reference=np.eye(3), manifold="spd-affine-invariant").fit(x), "release_")
    # persons, and a ledger, are the business of the reference
    assert karcher.TangentSpace(reference=mean).fit(x, groups=np.arange(300) // 3).release_.n == 100
    searched = GridSearchCV(
        make_pipeline(karcher.TangentSpace(reference=mean), LogisticRegression()),
        {"tangentspace__reference__epsilon": [1.0, 2.0]},
        cv=3,
    ).fit(x, np.arange(300) % 2)
    assert searched.best_estimator_[0].release_.guarantee.epsilon in (1.0, 2.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "reference is not given"),
        ({"reference": [0, 0, 1]}, "manifold is not given"),
        ({"manifold": "sphere", "reference": "nearby"}, "a text other than 'origin'"),
        ({"manifold": "sphere", "reference": [0, 0, 2]}, "its norm is 2"),
        ({"manifold": "sphere", "reference": [0, 1]}, r"reference has shape \(2,\)"),
        ({"manifold": "hyperbolic", "reference": karcher.FrechetMean("sphere")}, "leave manifold out"),
        ({"reference": karcher.PrivateFrechetMean("sphere", 0.5, [0, 0, 1])}, "budget is missing"),
        ({"manifold": "sphere", "reference": karcher.PrivateBall("sphere")}, "reference"),
    ],
)
def test_references_that_are_none_are_refused(options, words):
    with pytest.raises(errors.Error, match=words):
        karcher.TangentSpace(**options).fit(np.tile([0.0, 0.6, 0.8], (10, 1)))


def test_records_without_coordinates_are_refused_by_their_row():
    sphere = karcher.TangentSpace("sphere:2", reference=[0, 0, 1]).fit([[0, 0, 1]])
    with pytest.raises(errors.InvalidPointError, match=r"X, row 2: .* norm is 2"):
        sphere.fit([[0, 0, 1], [0, 0, 2]])
    with pytest.raises(errors.CutLocusError, match="row 300"):
        sphere.transform(np.concatenate([np.tile([0.0, 0.0, 1.0], (299, 1)), [[0.0, 0.0, -1.0]]]))
    with pytest.raises(errors.InvalidPointError, match="X, row 2: its numbers are not all finite"):
        sphere.inverse_transform([[0.0, 1.0], [np.nan, 0.0]])
    for name in ("spd-log-euclidean", "spd-affine-invariant"):
        matrices = karcher.TangentSpace(name, "origin").fit([np.eye(2)])
        with pytest.raises(errors.InvalidPointError, match="X, row 2: .* not positive definite"):
            matrices.transform([np.eye(2), -np.eye(2)])
        many = np.tile(np.eye(2), (400_000, 1, 1))  # more than are worked on at once
        many[-1] *= -1
        with pytest.raises(errors.InvalidPointError, match="X, row 400000: .* not positive definite"):
            matrices.transform(many)
        with pytest.raises(errors.InvalidPointError, match="X, row 1: its numbers"):
            matrices.inverse_transform([[0.0, np.inf, 0.0]])
        with pytest.raises(errors.Error, match=r"must be \(n, 3\)"):
            matrices.inverse_transform(np.zeros((4, 7)))
    with pytest.raises(errors.NotFittedError):
        karcher.TangentSpace("sphere:2", "origin").transform([[0, 0, 1]])


def test_weights_are_those_of_the_mean_or_refused():
    x = karcher.Sphere(2).random_point(50, scale=0.2, random_state=1)
    weights = np.arange(50) % 3
    weighted = karcher.TangentSpace(reference=karcher.FrechetMean("sphere")).fit(x, sample_weight=weights)
    repeated = karcher.FrechetMean("sphere").fit(np.repeat(x, weights, axis=0))
    assert karcher.Sphere(2).dist(weighted.reference_, repeated.estimate_) < 1e-10
    private = karcher.PrivateFrechetMean("sphere", 0.8, [1, 0, 0], epsilon=1.0)
    with pytest.raises(errors.ArgumentTypeError, match="sample_weight is for a reference that fit computes"):
        karcher.TangentSpace("sphere", "origin").fit(x, sample_weight=weights)
    spd, labels = covariances(50, 2), np.arange(50) % 2
    line = {"predictor_range": (0, 1), "radius": 0.8, "center": [1, 0, 0], "slope_bound": 1.0, "mu": 1.0}
    for fit in (
        lambda **w: private.fit(x, **w),
        lambda **w: karcher.TangentSpace(reference=private).fit(x, **w),
        lambda **w: karcher.PrivateBall("sphere", mu=1.0).fit(x, **w),
        lambda **w: karcher.PrivateGeodesicRegression("sphere", **line).fit(weights, x, **w),
        lambda **w: mdm(2).fit(spd, labels, **w),
    ):
        with pytest.raises(errors.Error, match="sample_weight does not go with a private release"):
            fit(sample_weight=weights)
        fit(sample_weight=None)
        with pytest.raises(TypeError, match="weight"):
            fit(weight=weights)


def test_the_number_of_threads_changes_no_bit():
    x, y = covariances(3000, 6), np.arange(3000) % 2
    shapes = karcher.Kendall(6).random_point(3000, scale=0.05, random_state=1)
    estimators = [
        (karcher.FrechetMean("spd-affine-invariant"), x),
        (karcher.GeometricMedian("kendall"), shapes),
        (karcher.PrivateFrechetMean("kendall", 0.4, karcher.Kendall(6).origin, epsilon=1.0, random_state=0), shapes),
        (karcher.PrivateFrechetMean("spd-affine-invariant", 4.0, np.eye(6), epsilon=1.0, random_state=0), x),
    ]
    for estimator, records in estimators:
        found = [clone(estimator).set_params(n_jobs=jobs).fit(records).estimate_ for jobs in (None, 1, 2, 5, -1, -99)]
        assert all(np.array_equal(found[0], other) for other in found)
    lines = [karcher.GeodesicRegression("spd-log-euclidean", n_jobs=jobs).fit(y, x).velocity_ for jobs in (None, 1, 2)]
    assert np.array_equal(lines[0], lines[1]) and np.array_equal(lines[0], lines[2])


def test_n_jobs_is_a_number_of_threads():
    """Threads that are started, in a process of its own: one for one, and no more than before afterwards."""
    program = """
import os, numpy as np, karcher, karcher.estimators
def threads():
    return len(os.listdir("/proc/self/task"))
before = threads()
x = np.tile([0.6, 0.0, 0.8], (1000, 1))
told = []
for jobs in (1, 3, 1, None):
    karcher.FrechetMean("sphere", n_jobs=jobs).fit(x)
    told.append(threads() - before)
print(told)
"""
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("there is no /proc here")
    environment = {**os.environ, "RAYON_NUM_THREADS": "2"}
    told = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == [1, 4, 4, 6]
    for jobs in (0, 1.5, "2", True):
        with pytest.raises(errors.Error, match="n_jobs is"):
            karcher.FrechetMean("sphere", n_jobs=jobs).fit([[0, 0, 1]])
        with pytest.raises(errors.Error, match="n_jobs is"):
            mdm(2, n_jobs=jobs).fit(covariances(4, 2), [0, 1, 0, 1])


def test_regression_of_numbers_predicts_numbers():
    x = np.linspace(0.0, 1.0, 40)
    for response, shape in ((2 * x, (3,)), (2 * x[:, np.newaxis], (3, 1))):
        line = karcher.GeodesicRegression().fit(x, response)
        assert_allclose(line.predict([0.0, 1.0, 2.0]), np.reshape([0.0, 2.0, 4.0], shape), atol=1e-12)
        assert line.score(x, response) > 1 - 1e-12
        private = karcher.PrivateGeodesicRegression(
            predictor_range=(0, 1), radius=5.0, slope_bound=5.0, mu=100.0, random_state=0
        ).fit(x, response)
        assert private.predict([0.0, 1.0, 0.5]).shape == shape


@pytest.mark.parametrize("many", [39, 41, 60])
def test_as_many_predictors_as_records_wherever_they_are(tmp_path, many):
    np.save(tmp_path / "y.npy", np.zeros((40, 2)))
    on_disk = np.load(tmp_path / "y.npy", mmap_mode="r")
    line = karcher.PrivateGeodesicRegression(predictor_range=(0, 1), radius=5.0, slope_bound=5.0, mu=1.0)
    for y, memory in ((np.zeros((40, 2)), None), (np.zeros((40, 2)), "1kB"), (on_disk, None)):
        with pytest.raises(errors.Error, match=f"number of predictors is {many}: there must be .* 40 in all"):
            line.fit(np.zeros(many), y, memory=memory)
