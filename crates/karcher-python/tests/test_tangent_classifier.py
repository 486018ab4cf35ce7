"""Linear classifiers in the tangent space at a private mean."""

import karcher
import numpy as np
import pandas as pd
import polars as pl
import pytest
from karcher.classification import PrivateTangentClassifier

SPD = karcher.SPD(3, "affine-invariant")


def made_up(n, classes, apart, seed):
    """Matrices around one center for each class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    centers = np.zeros((classes, 3, 3))
    for k in range(classes):
        centers[k, k % 3, k % 3] = apart
    noise = 0.25 * rng.normal(size=(n, 3, 3))
    logs = centers[y] + (noise + noise.transpose(0, 2, 1)) / 2
    return SPD.exp(np.eye(3), logs), y


def model(k, method, **options):
    given = {"radius": 2.0, "center": np.eye(3), "method": method, "mu": 2.0, **options}
    return PrivateTangentClassifier(SPD, range(k), **given)


@pytest.mark.parametrize("method", ["lda", "logistic"])
@pytest.mark.parametrize("k", [2, 3])
def test_classes_are_told_apart_nearly_as_well_as_without_privacy(method, k):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = made_up(4000, k, 0.6, 0)
    new, labels = made_up(2000, k, 0.6, 1)
    space = karcher.TangentSpace(SPD, reference=np.eye(3)).fit(X)
    best = LinearDiscriminantAnalysis().fit(space.transform(X), y).score(space.transform(new), labels)
    fitted = model(k, method, mu=3.0, random_state=1).fit(X, y)
    assert fitted.score(new, labels) > best - 0.05
    proba = fitted.predict_proba(new)
    assert proba.shape == (2000, k) and np.allclose(proba.sum(axis=1), 1)
    assert fitted.decision_function(new).shape == ((2000,) if k == 2 else (2000, k))
    # the parts keep the whole
    assert len(fitted.releases_) == 2
    together = karcher.compose(*[release.guarantee for release in fitted.releases_])
    assert together.mu <= fitted.guarantee_.mu == 3.0


def test_the_center_may_be_the_reference():
    X, y = made_up(2000, 2, 0.6, 2)
    fitted = model(2, "lda", of_reference=None).fit(X, y)
    assert len(fitted.releases_) == 1 and np.array_equal(fitted.reference_, np.eye(3))


def test_persons_and_a_ledger(tmp_path):
    X, y = made_up(2000, 2, 0.6, 3)
    ledger = karcher.Ledger.new(tmp_path / "ledger", data="made up", unit="person", mu=2.0)
    persons = np.arange(2000) // 2
    with pytest.raises(karcher.Error, match="one record of each person"):
        model(2, "lda", ledger=ledger).fit(X, y, groups=persons)
    fitted = model(2, "logistic", ledger=ledger).fit(X, y, groups=persons)
    assert {release.unit for release in fitted.releases_} == {"person"}
    assert fitted.score(*made_up(1000, 2, 0.6, 9)) > 0.8
    assert len(ledger.entries) == 2 and ledger.left["mu"] < 1e-4


def test_records_without_a_logarithm_at_the_reference_count_as_the_reference():
    """Antipodes: which record has no logarithm depends on the private reference, so nothing may be said of it."""
    y = np.arange(400) % 2
    X = karcher.Sphere(2).random_point(400, center=[0, 0, 1], scale=0.2, random_state=1)
    X[:20] = [0.0, 0.0, -1.0]
    given = {"radius": 3.0, "center": [0, 0, 1], "mu": 2.0, "of_reference": None}
    assert PrivateTangentClassifier("sphere:2", [0, 1], **given).fit(X, y).coef_.shape == (2, 2)
    with pytest.raises(karcher.errors.InvalidPointError, match="row 21"):
        PrivateTangentClassifier("sphere:2", [0, 1], **given).fit(np.r_[X[:20], [[1.0, 1.0, 1.0]], X[21:]], y)


def test_nothing_is_spent_where_the_second_part_is_refused(tmp_path):
    X, y = made_up(200, 2, 0.6, 6)
    ledger = karcher.Ledger.new(tmp_path / "ledger", data="made up", mu=1.0)
    for options in ({"mu": 2.0}, {"mu": 1.0, "steps": 0}, {"mu": 1.0, "norm_bound": -1.0}, {"mu": 1.0, "clip": -1.0}):
        with pytest.raises((karcher.Error, ValueError)):
            model(2, "logistic", ledger=ledger, **options).fit(X, y)
    assert not ledger.entries


def test_what_is_wrong_is_named():
    X, y = made_up(100, 2, 0.6, 5)
    with pytest.raises(TypeError, match="classes is missing"):
        PrivateTangentClassifier(SPD, radius=2.0, center=np.eye(3), mu=1.0).fit(X, y)
    with pytest.raises(karcher.Error, match="not among classes"):
        model(2, "lda").fit(X, y + 1)
    with pytest.raises(karcher.Error, match="one label for each"):
        model(2, "lda").fit(X, y[:-1])
    with pytest.raises(karcher.Error, match="of_reference"):
        model(2, "lda", of_reference=1.0).fit(X, y)
    with pytest.raises(karcher.Error, match="not fitted"):
        model(2, "lda").predict(X)


@pytest.mark.parametrize("method", ["lda", "logistic"])
def test_no_record_decides_whether_there_is_a_warning(method, recwarn):
    X = np.random.default_rng(0).normal(size=(60, 3))
    X[3] = 1e200
    classifier = PrivateTangentClassifier(
        "euclidean:3", radius=2.0, center=[0, 0, 0], classes=[0, 1], epsilon=3.0, method=method
    )
    classifier.fit(X, np.arange(60) % 2)
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]


@pytest.mark.parametrize(
    "kind", [list, lambda y: y.astype(object), pd.Series, pd.Categorical, lambda y: pl.Series(y, dtype=pl.Categorical)]
)
def test_labels_are_texts_in_any_container(kind):
    y = np.repeat(["f", "m"], 200)
    x = np.random.default_rng(0).normal(size=(400, 2)) + 3.0 * (y == "m")[:, np.newaxis]
    model = PrivateTangentClassifier("euclidean:2", ["f", "m"], radius=9.0, epsilon=9.0, random_state=1)
    expected = model.fit(x, y).coef_
    np.testing.assert_array_equal(model.fit(x, kind(y)).coef_, expected)
    model.classes = kind(np.array(["f", "m"]))
    np.testing.assert_array_equal(model.fit(x, y).coef_, expected)


def test_labels_that_are_missing_or_of_several_types_are_refused():
    x, options = np.zeros((3, 2)), {"radius": 1.0, "epsilon": 1.0}
    model = PrivateTangentClassifier("euclidean:2", ["f", "m"], **options)
    centroid = karcher.classification.PrivateNearestCentroid("euclidean:2", **options)
    for y in (["f", float("nan"), "m"], pd.Series(["f", None, "m"])):
        with pytest.raises(karcher.Error, match="y has missing labels, the first in row 2"):
            centroid.fit(x, y)  # where labels are public
        with pytest.raises(karcher.errors.InvalidPointError, match="y, row 2: the label is missing, or not among"):
            model.fit(x, y)
    with pytest.raises(karcher.Error, match="y must hold texts or whole numbers, all of one kind"):
        centroid.fit(x, [1, "1", 2])
    with pytest.raises(karcher.Error, match="y holds numbers, and classes holds texts"):
        model.fit(x, np.array([0, 1, 1]))  # an array of a type, which is public


@pytest.mark.parametrize("method", ["lda", "logistic"])
def test_a_record_without_a_class_counts_for_none(method):
    """Its weights are those of a record whose gradient, or whose centered indicator, is 0."""
    x = np.random.default_rng(0).normal(size=(400, 2))
    y = np.where(x[:, 0] > 0, "f", "m").astype(object)
    options = {"radius": 2.0, "mu": 1e4, "method": method, "of_reference": None, "on_invalid": "replace-with-center"}
    fitted = lambda y: PrivateTangentClassifier("euclidean:2", ["f", "m"], **options, random_state=1).fit(x, y)
    gone = y.copy()
    gone[:3] = [None, "other", 7]
    usual, found = fitted(y), fitted(gone)
    assert found.predict(x[3:]).tolist() == usual.predict(x[3:]).tolist() or np.allclose(
        found.coef_, usual.coef_, atol=0.1 * np.abs(usual.coef_).max()
    )
    with pytest.raises(karcher.errors.InvalidPointError, match="y, row 1"):
        fitted_with_errors = PrivateTangentClassifier("euclidean:2", ["f", "m"], radius=2.0, mu=1.0)
        fitted_with_errors.fit(x, gone)
