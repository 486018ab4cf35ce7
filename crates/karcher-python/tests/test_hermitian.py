"""Hermitian positive definite matrices: every operation against pyRiemann to 1e-10, and complex arrays in and out."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import karcher
from karcher import HPD, SPD, errors

try:
    from pyriemann.geometry import distance, geodesic, mean, tangentspace
except ImportError:  # before pyRiemann 0.12
    from pyriemann.utils import distance, geodesic, mean, tangentspace

TOLERANCE = {"rtol": 1e-10, "atol": 1e-10}
METRICS = [("affine-invariant", "riemann"), ("log-euclidean", "logeuclid")]
SIZES = [1, 2, 3, 5, 12]


def hermitian(k, n, seed=0):
    """Random matrices as pyRiemann's tests have them, ``A A*`` of complex normal numbers, well away from singular."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, k, 2 * k)) + 1j * rng.normal(size=(n, k, 2 * k))
    return a @ a.conj().swapaxes(1, 2) / (2 * k) + 0.1 * np.eye(k)


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("ours, theirs", METRICS)
class TestAgainstPyriemann:
    def test_distances(self, ours, theirs, k):
        x, y = hermitian(k, 20), hermitian(k, 20, 1)
        space = HPD(k, metric=ours)
        expected = [distance.distance(a, b, metric=theirs) for a, b in zip(x, y)]
        assert_allclose(space.dist(x, y), expected, **TOLERANCE)
        assert_allclose(space.dist(x[:, None], y[None]), distance.pairwise_distance(x, y, metric=theirs), **TOLERANCE)

    def test_geodesics(self, ours, theirs, k):
        (a,), (b,) = hermitian(k, 1), hermitian(k, 1, 1)
        space = HPD(k, metric=ours)
        for t in (0.0, 0.25, 0.5, 1.0):
            found = space.exp(a, t * space.log(a, b))
            assert_allclose(found, geodesic.geodesic(a, b, t, metric=theirs), **TOLERANCE)

    def test_logarithms_and_exponentials(self, ours, theirs, k):
        x, (p,) = hermitian(k, 20), hermitian(k, 1, 1)
        space = HPD(k, metric=ours)
        v = space.log(p, x)
        assert (v.dtype, v.shape) == (np.complex128, (20, k, k))
        options = {"C12": True} if theirs == "riemann" else {}
        assert_allclose(v, getattr(tangentspace, f"log_map_{theirs}")(x, p, **options), **TOLERANCE)
        options = {"Cm12": True} if theirs == "riemann" else {}
        assert_allclose(space.exp(p, v), getattr(tangentspace, f"exp_map_{theirs}")(v, p, **options), **TOLERANCE)
        assert_allclose(space.exp(p, v), x, **TOLERANCE)

    def test_products_and_transport(self, ours, theirs, k):
        x, (p, q) = hermitian(k, 20), hermitian(k, 2, 1)
        space = HPD(k, metric=ours)
        v = space.log(p, x)
        inner = getattr(tangentspace, f"innerproduct_{theirs}", None)
        if inner is not None:
            assert_allclose(space.inner(p, v, v[0]), [np.real(inner(u, v[0], p)) for u in v], **TOLERANCE)
        transport = getattr(tangentspace, f"transport_{theirs}", None)
        if transport is not None:
            assert_allclose(space.transport(p, q, v), transport(v, p, q), **TOLERANCE)

    def test_means(self, ours, theirs, k):
        x = hermitian(k, 30)
        options = {"tol": 1e-13, "maxiter": 200} if theirs == "riemann" else {}
        expected = getattr(mean, f"mean_{theirs}")(x, **options)
        found = karcher.FrechetMean(HPD(k, metric=ours)).fit(x).estimate_
        assert found.dtype == np.complex128
        assert_allclose(found, expected, **TOLERANCE)


@pytest.mark.parametrize("metric", ["affine-invariant", "log-euclidean"])
def test_real_matrices_are_as_in_the_real_space(metric):
    x = hermitian(4, 10).real.copy()
    real, complex_ = SPD(4, metric=metric), HPD(4, metric=metric)
    assert_allclose(complex_.dist(x[0], x), real.dist(x[0], x), **TOLERANCE)
    v = complex_.log(x[0], x)
    assert_allclose(v.real, real.log(x[0], x), **TOLERANCE)
    assert_allclose(v.imag, 0.0, atol=1e-13)


@pytest.mark.parametrize("metric", ["affine-invariant", "log-euclidean"])
def test_a_release_is_a_complex_matrix(metric):
    x, space = hermitian(3, 2000), HPD(3, metric=metric)
    center = np.eye(3) * 1.1
    private = karcher.PrivateFrechetMean(space, center=center, radius=3.0, mu=5.0, random_state=1).fit(x)
    value = private.release_.value
    assert (value.dtype, value.shape) == (np.complex128, (3, 3))
    assert np.array_equal(value, value.conj().T)
    assert space.dist(value, karcher.FrechetMean(space).fit(x).estimate_) < 0.2
    numbers = np.array(json.loads(private.release_.to_json())["value"]).ravel()
    assert np.array_equal(numbers, value.view(np.float64).ravel())
    by_name = karcher.PrivateFrechetMean(f"hpd-{metric}", center=center, radius=3.0, mu=5.0, random_state=1)
    assert np.array_equal(by_name.fit(x.astype(np.complex128)).release_.value, value)
    assert np.array_equal(karcher.Release.from_json(private.release_.to_json()).value, value)


def test_arrays_of_every_kind_of_numbers_are_read():
    x, space = hermitian(2, 5), HPD(2)
    expected = space.dist(x[0], x)
    assert np.array_equal(space.dist(np.asfortranarray(x)[0], np.asfortranarray(x)), expected)
    assert_allclose(space.dist(x[0], x.astype(np.complex64)), expected, rtol=0, atol=1e-6)
    assert np.array_equal(space.dist(x[0].tolist(), x.tolist()), expected)
    assert np.array_equal(space.dist(x[0], x.astype(">c16")), expected)
    assert (space.shape, space.dtype, space.dim) == ((2, 2), np.complex128, 4)
    assert SPD(2).dtype == np.float64
    assert np.array_equal(space.origin, np.eye(2))
    assert space.random_point(3, random_state=0).shape == (3, 2, 2)


def test_layouts_hold_real_numbers():
    x, space = hermitian(2, 4), HPD(2)
    assert space.layouts == ["interleaved", "blocked", "upper-row"]
    for layout, numbers in (("interleaved", 8), ("blocked", 8), ("upper-row", 4)):
        records = space.write(x, layout)
        assert (records.dtype, records.shape) == (np.float64, (4, numbers))
        assert_allclose(space.read(records, layout), x, rtol=0, atol=1e-15)
    assert_allclose(space.write(x, "blocked"), np.concatenate([x.real, x.imag], axis=1).reshape(4, 8), atol=1e-15)


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda x: HPD(2).project([[1, 1j], [1j, 1]]), errors.InvalidPointError, r"Hermitian: entry \(2,1\) is 0\+1i"),
        (lambda x: HPD(2).project([[1, 2j], [-2j, 1]]), errors.InvalidPointError, "smallest eigenvalue is -1"),
        (lambda x: SPD(2).dist(x[0], x), errors.Error, "Complex data not supported: p .* only points of hpd-log-"),
        (lambda x: HPD(3).dist(x[0], x), errors.Error, "p has shape"),
        (lambda x: karcher.FrechetMean("spd-log-euclidean").fit(x), errors.Error, "Complex data not supported: X"),
        (lambda x: HPD(2).read(x.reshape(-1, 4), "upper-row"), errors.Error, "Complex data not supported: x"),
    ],
)
def test_what_is_wrong_is_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call(hermitian(2, 4))


def test_errors_show_the_shape_that_was_given_without_an_axis_of_parts():
    hpd, x = HPD(2), hermitian(2, 5)
    wrong = np.tile(np.eye(3), (5, 1, 1))
    for refused in (
        lambda: hpd.dist(np.eye(3), x),
        lambda: hpd.exp(x, wrong),
        lambda: hpd.project(wrong),
        lambda: karcher.FrechetMean("hpd-log-euclidean:2").fit(wrong),
        lambda: karcher.FrechetMean(hpd, start=np.eye(3)).fit(x),
        lambda: karcher.PrivateFrechetMean(hpd, 1.0, np.eye(3), epsilon=1.0).fit(x),
        lambda: karcher.PrivateFrechetMean("hpd-log-euclidean:2", 1.0, np.eye(2), epsilon=1.0).fit(wrong),
    ):
        with pytest.raises(errors.Error, match=r"(5, )?3, 3\): a point of hpd-log-euclidean:2 has shape \(2, 2\)"):
            refused()


SPACE = HPD(3)
AROUND = {"center": np.array([[1.2, 0.1j, 0.0], [-0.1j, 1.0, 0.0], [0.0, 0.0, 1.0]]), "epsilon": 1e6, "random_state": 1}


def mean_of(x):
    return karcher.FrechetMean(SPACE).fit(x).estimate_


def test_class_means_are_complex_matrices():
    x, y = hermitian(3, 400), np.repeat([0, 1], 200)
    options = {"labels": "private", "classes": [0, 1], "n_guess": 200}
    for more in ({}, options):
        model = karcher.classification.PrivateNearestCentroid(SPACE, 9.0, **AROUND, **more).fit(x, y)
        assert_allclose(model.centroids_, [mean_of(x[:200]), mean_of(x[200:])], atol=1e-4)
        assert model.transform(x[:3].copy()).shape == (3, 2)


def test_records_elsewhere_may_be_complex():
    x = hermitian(3, 100)
    centers = np.stack([AROUND["center"], 2.0 * np.eye(3)])
    for estimator in (
        karcher.PrivateFrechetMean(SPACE, 9.0, **AROUND),
        karcher.PrivateTangentPCA(SPACE, 9.0, **AROUND),
        karcher.PrivateFrechetVariance(SPACE, 9.0, **AROUND),
        karcher.PrivateKMeans(SPACE, 2, 9.0, first_centers=centers, **AROUND),
        karcher.PrivateBall(SPACE, within=9.0, **AROUND),
    ):
        for given in (x, x.real):
            here = estimator.fit(given).release_
            there = estimator.fit(karcher.Remote(lambda question, part=given: karcher.partial(part, question))).release_
            assert there.to_json().replace(",\"remote-sums\"", "") == here.to_json()


def test_gradients_are_complex_matrices():
    x, y = hermitian(3, 200), np.arange(200.0)
    options = {"radius": 9.0, "clip": 9.0, "steps": 8, "step_size": 0.9, **AROUND}
    towards = karcher.PrivateDescent(SPACE, lambda point, X: -SPACE.log(point, X), SPACE, **options).fit(x)
    assert_allclose(towards.estimate_, mean_of(x), atol=1e-4)
    weighed = karcher.PrivateDescent(
        "euclidean:1",
        lambda point, X, y: point - (X[:, 0, 1].imag + y)[:, np.newaxis],
        SPACE,
        **{**options, "center": None, "radius": 500.0, "clip": 500.0},
    ).fit(x, y)
    assert_allclose(weighed.estimate_, x[:, 0, 1].imag.mean() + y.mean(), atol=0.1)


def test_fields_are_of_complex_matrices():
    images = list(hermitian(3, 400).reshape(100, 2, 2, 3, 3))
    expected = np.array([mean_of(np.array(images)[:, i, j]) for i in (0, 1) for j in (0, 1)]).reshape(2, 2, 3, 3)
    options = {"basis": karcher.fields.Modes(4), "clip": 9.0, "mask": np.ones((2, 2)), **AROUND}
    for center in (AROUND["center"], np.eye(3), np.tile(AROUND["center"], (2, 2, 1, 1))):
        mean = karcher.fields.PrivateFieldMean(SPACE, **{**options, "center": center}).fit(images)
        assert_allclose(mean.field_, expected, atol=1e-4)
    regression = karcher.fields.PrivateFieldRegression(SPACE, **options).fit(np.ones((100, 1)), images)
    assert_allclose(regression.predict([[1.0]])[0], expected, atol=1e-3)


def test_a_basis_may_be_of_complex_tangent_vectors():
    x = hermitian(3, 100)
    across = np.zeros((1, 3, 3), complex)
    across[0, 0, 1], across[0, 1, 0] = 1j, -1j
    options = {"radius": 9.0, **AROUND, "center": np.eye(3), "basis": across}
    predicted = karcher.PrivateFeatureRegression(SPACE, **options).fit(np.ones((100, 1)), x).predict([[1.0]])[0]
    found = SPACE.log(np.eye(3), predicted)
    assert abs(found[0, 1].imag) > 1e-3 and np.abs(found * (across[0] == 0)).max() < 1e-6
