"""Private PCA, against scikit-learn's."""

import karcher
import numpy as np
import pandas
import pytest
from karcher import PrivatePCA, errors
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

PRECISE = {"radius": 12.0, "mu": 1e4, "random_state": 0}


def records(n=4_000, d=4, seed=0):
    deviations = [2.0, 1.0, 0.5, 0.2][:d]
    return np.random.default_rng(seed).normal(size=(n, d)) * deviations + np.arange(d)


def test_with_hardly_any_noise_it_is_the_pca_of_scikit_learn():
    x = records()
    for kept in (None, 1, 3, 0.9):
        private, own = PrivatePCA(kept, **PRECISE).fit(x), PCA(kept).fit(x)
        assert private.components_.shape == own.components_.shape == (private.n_components_, 4)
        bias = len(x) / (len(x) - 1)
        for name in ("mean_", "components_", "explained_variance_ratio_", "singular_values_"):
            assert_allclose(getattr(private, name), getattr(own, name), rtol=1e-3, atol=2e-3, err_msg=name)
        assert_allclose(private.explained_variance_ * bias, own.explained_variance_, rtol=1e-3)
        assert_allclose(private.noise_variance_ * bias, own.noise_variance_, atol=1e-3)
        assert_allclose(private.get_covariance() * bias, own.get_covariance(), atol=5e-3)
        assert_allclose(private.transform(x), own.transform(x), atol=2e-2)
        assert_allclose(private.inverse_transform(own.transform(x)), own.inverse_transform(own.transform(x)), atol=2e-2)
        assert private.n_features_in_ == own.n_features_in_


def test_signs_are_those_of_the_release_and_of_its_largest_numbers():
    pca = PrivatePCA(radius=12.0, mu=1.0).fit(records())
    largest = np.abs(pca.components_).argmax(axis=1)
    assert (pca.components_[np.arange(4), largest] > 0).all()
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(4), atol=1e-12)
    found = pca.release_
    assert_allclose((found.directions.T * found.variances) @ found.directions, found.covariance, atol=1e-9)
    assert karcher.CovarianceRelease.from_json(found.to_json()) == found
    assert found.statistic == "covariance" and found.sensitivity.bound == "vector-and-square"


def test_negative_variances_are_of_the_release_alone():
    pca = PrivatePCA(radius=100.0, epsilon=0.1, random_state=0).fit(records(200))
    assert min(pca.release_.variances) < 0.0 <= pca.explained_variance_.min()
    assert 0.0 <= pca.explained_variance_ratio_.min() and pca.explained_variance_ratio_.max() <= 1.0
    assert np.isfinite(pca.singular_values_).all() and pca.noise_level_ > 1.0
    assert pca.set_params(n_components=1).fit(records(200)).noise_variance_ >= 0.0


def test_it_is_a_step_of_pipelines_and_searches():
    x = records()
    y = x[:, 0] > 0
    pipeline = make_pipeline(PrivatePCA(2, radius=12.0, mu=5.0), LogisticRegression())
    assert pipeline.fit(x, y).score(x, y) > 0.9
    search = GridSearchCV(pipeline, {"privatepca__n_components": [1, 2]}, cv=2).fit(x, y)
    assert search.best_score_ > 0.8
    assert clone(PrivatePCA(2, radius=3.0)).get_params()["n_components"] == 2


def test_frames_give_names_and_set_output_takes_them():
    frame = pandas.DataFrame(records().astype(np.float32), columns=list("abcd"))
    pca = PrivatePCA(2, **PRECISE).set_output(transform="pandas")
    assert list(pca.fit_transform(frame).columns) == list(pca.get_feature_names_out()) == ["privatepca0", "privatepca1"]
    assert list(pca.feature_names_in_) == list("abcd")
    assert_allclose(pca.transform(frame).to_numpy(), PCA(2).fit_transform(records()), atol=3e-2)
    with pytest.raises(ValueError, match="feature names"):
        pca.transform(frame.rename(columns={"a": "z"}))


@pytest.mark.filterwarnings("ignore")
def test_check_estimator_finds_nothing():
    check_estimator(PrivatePCA(radius=10.0, epsilon=1.0))


def test_records_far_out_count_as_the_edge_of_the_ball():
    far = np.full((100, 2), 1e9)
    pca = PrivatePCA(radius=1.0, mu=1e4, random_state=0).fit(far)
    assert_allclose(pca.mean_, np.full(2, 0.5**0.5), atol=1e-3)
    assert abs(pca.explained_variance_).max() < 1e-3
    center = PrivatePCA(radius=1e-3, center=[1e6, -1e6], mu=1e4).fit(np.tile([1e6, -1e6], (100, 1)))
    assert_allclose(center.mean_, [1e6, -1e6], atol=1e-3)


def test_a_person_counts_once():
    x = records(300)
    many = np.concatenate([x, np.tile(x[:1], (5_000, 1))])
    persons = np.concatenate([np.arange(300), np.zeros(5_000, dtype=int)])
    pca = PrivatePCA(**PRECISE).fit(many, groups=persons)
    assert pca.release_.unit == "person" and pca.release_.n == 300
    assert_allclose(pca.mean_, x.mean(axis=0), atol=1e-2)


def test_a_confidential_number_of_records_is_released_too():
    x = records()
    pca = PrivatePCA(2, radius=12.0, mu=1e3, adjacency="add-remove", n_guess=3_000, random_state=0).fit(x)
    assert pca.release_.n is None and abs(pca.release_.private_count.value - len(x)) < 1
    own = PCA(2).fit(x)
    assert_allclose(pca.mean_, own.mean_, atol=0.02)
    assert_allclose(pca.singular_values_, own.singular_values_, rtol=0.02)


@pytest.mark.parametrize("d", [1, 100])
def test_lines_and_many_dimensions(d):
    x = np.random.default_rng(0).normal(size=(500, d))
    pca = PrivatePCA(1, radius=20.0, mu=1e4).fit(x)
    assert pca.transform(x).shape == (500, 1) and pca.inverse_transform(pca.transform(x)).shape == (500, d)
    assert abs(pca.explained_variance_[0] / PCA(1).fit(x).explained_variance_[0] - 1) < 0.02


def test_a_plan_knows_the_error_and_a_ledger_the_cost(tmp_path):
    pca = PrivatePCA(2, manifold="euclidean:4", radius=12.0, mu=1.0)
    plan = karcher.plan(pca, n=4_000)
    assert plan.best == "gaussian" and len(plan.candidates) == 2
    ledger = karcher.Ledger.new(tmp_path / "study.db", data="made up", mu=2.0)
    pca.set_params(ledger=ledger).fit(records())
    assert ledger.entries[0].event["statistic"] == "covariance"
    findings = karcher.verify(PrivatePCA(radius=3.0, mu=1.0).fit(records()).release_).findings
    assert findings == () or list(findings) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 5}, "n_components is 5: it must be from 1 to 4, the number of features"),
        ({"n_components": 0}, "n_components is 0: expected a whole number"),
        ({"n_components": 1.5}, "a share of the variance is above 0 and below 1"),
        ({"radius": None}, "radius is missing"),
        ({"manifold": "sphere:3", "center": [0.5] * 4}, "a covariance is of vectors"),
        ({"mechanism": "kng"}, "kng"),
    ],
)
def test_what_is_refused_costs_nothing(options, message, tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "study.db", data="made up", mu=2.0)
    x = np.full((50, 4), 0.5)  # also points of the sphere
    with pytest.raises(errors.Error, match=message):
        PrivatePCA(**{"radius": 1.0, "mu": 1.0, **options}, ledger=ledger).fit(x)
    assert len(ledger.entries) == 0


def test_records_that_are_no_vectors_are_refused():
    pca = PrivatePCA(radius=1.0, mu=1.0)
    for given in ([[np.nan, 1.0]] * 5, [[np.inf, 1.0]] * 5, np.zeros((0, 3)), np.zeros(5), np.zeros((3, 2, 2))):
        with pytest.raises(errors.Error):
            pca.fit(given)
    with pytest.raises(errors.NotFittedError):
        PrivatePCA(radius=1.0, mu=1.0).transform([[0.0, 1.0]])
    assert pca.fit([[0.5, 0.5]]).release_.n == 1


def test_a_plan_asks_for_the_number_of_columns():
    with pytest.raises(errors.Error, match="give manifold='euclidean:3' for 3 columns"):
        karcher.plan(PrivatePCA(radius=1.0, epsilon=1.0), n=100)
    assert karcher.plan(PrivatePCA(manifold="euclidean:3", radius=1.0, epsilon=1.0), n=100).best
