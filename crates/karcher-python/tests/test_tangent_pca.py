"""Coordinates along private components, against formulas of NumPy and SciPy."""

import karcher
import numpy as np
import pandas
import polars
import pytest
from karcher import errors
from numpy.testing import assert_allclose
from scipy.linalg import expm, logm, sqrtm
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

SEEDED = {"epsilon": 5.0, "random_state": 0}


def sphere_records(n=500):
    x = np.random.default_rng(0).standard_normal((n, 3)) * [0.1, 0.4, 0.1] + [1.0, 0.0, 0.0]
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def matrices(n=500):
    factors = np.random.default_rng(0).standard_normal((n, 3, 12))
    return factors @ factors.swapaxes(1, 2) / 12


def test_on_flat_space_they_are_inner_products():
    x = np.random.default_rng(0).standard_normal((500, 4)) * [2.0, 1.0, 0.5, 0.1]
    pca = karcher.PrivateTangentPCA("euclidean", radius=8.0, n_components=2, **SEEDED).fit(x)
    assert_allclose(pca.transform(x), (x - pca.mean_) @ pca.components_.T, atol=1e-12)
    back = pca.inverse_transform(pca.transform(x))
    assert_allclose(back, pca.mean_ + pca.transform(x) @ pca.components_, atol=1e-12)
    assert_allclose(pca.transform(back), pca.transform(x), atol=1e-12)


def test_on_the_sphere_they_are_those_of_logarithms():
    x = sphere_records()
    pca = karcher.PrivateTangentPCA("sphere", radius=1.2, center=[1, 0, 0], **SEEDED).fit(x)
    cosine = x @ pca.mean_
    off = x - cosine[:, np.newaxis] * pca.mean_
    logarithms = off * (np.arccos(cosine) / np.linalg.norm(off, axis=1))[:, np.newaxis]
    assert_allclose(pca.transform(x), logarithms @ pca.components_.T, atol=1e-10)
    # all components together lose nothing
    assert_allclose(pca.inverse_transform(pca.transform(x)), x, atol=1e-12)
    one = pca.set_params(n_components=1).fit(x)
    on_geodesic = one.inverse_transform([[0.5]])[0]
    assert_allclose(on_geodesic, np.cos(0.5) * one.mean_ + np.sin(0.5) * one.components_[0], atol=1e-12)


def test_on_matrices_they_are_those_of_the_metric():
    x = matrices()
    pca = karcher.PrivateTangentPCA(
        "spd-affine-invariant", radius=3.0, center=np.eye(3), n_components=2, epsilon=50.0, random_state=0
    ).fit(x)
    root = np.real(sqrtm(pca.mean_))
    inverse = np.linalg.inv(root)
    whitened = np.array([np.real(logm(inverse @ one @ inverse)) for one in x[:20]])
    components = np.array([inverse @ v @ inverse for v in pca.components_])
    expected = np.einsum("nij,kij->nk", whitened, components)
    assert_allclose(pca.transform(x[:20]), expected, atol=1e-9)
    back = [root @ np.real(expm(np.einsum("k,kij->ij", c, components))) @ root for c in expected]
    assert_allclose(pca.inverse_transform(expected), back, atol=1e-9)


def test_complex_matrices_have_real_coordinates():
    rng = np.random.default_rng(0)
    factors = rng.standard_normal((400, 2, 10)) + 1j * rng.standard_normal((400, 2, 10))
    x = factors @ factors.conj().swapaxes(1, 2) / 20
    pca = karcher.PrivateTangentPCA("hpd-log-euclidean", radius=3.0, center="origin", **SEEDED).fit(x)
    assert pca.transform(x).dtype == np.float64 and pca.transform(x).shape == (400, 4)
    assert_allclose(pca.inverse_transform(pca.transform(x)), x, atol=1e-10)


@pytest.mark.parametrize(("kind", "frame"), [("pandas", pandas.DataFrame), ("polars", polars.DataFrame)])
def test_set_output_names_the_coordinates(kind, frame):
    x = sphere_records()
    pca = karcher.PrivateTangentPCA("sphere", radius=1.2, center=[1, 0, 0], n_components=1, **SEEDED)
    space = karcher.TangentSpace("sphere", reference=[1, 0, 0])
    for estimator, name, many in ((pca, "privatetangentpca", 1), (space, "tangentspace", 2)):
        plain = estimator.fit(x).transform(x)
        names = [f"{name}{i}" for i in range(many)]
        assert list(estimator.get_feature_names_out()) == names
        told = estimator.set_output(transform=kind).transform(x)
        assert isinstance(told, frame) and list(told.columns) == names
        assert_allclose(told.to_numpy(), plain)
        assert isinstance(estimator.fit_transform(x), frame)
        assert_allclose(estimator.inverse_transform(told), estimator.inverse_transform(plain))


def test_it_is_a_step_of_a_pipeline():
    x = sphere_records()
    pca = karcher.PrivateTangentPCA("sphere", radius=1.2, center=[1, 0, 0], epsilon=5.0)
    pipeline = make_pipeline(pca, LogisticRegression()).fit(x, x[:, 1] > 0)
    assert pipeline.score(x, x[:, 1] > 0) > 0.9


def test_what_has_no_coordinates_is_refused():
    pca = karcher.PrivateTangentPCA("sphere", radius=1.2, center=[1, 0, 0], n_components=1, **SEEDED)
    with pytest.raises(errors.NotFittedError):
        pca.transform(sphere_records())
    with pytest.raises(errors.NotFittedError):
        pca.inverse_transform([[0.0]])
    pca.fit(sphere_records())
    with pytest.raises(errors.InvalidPointError, match="X, row 2: .* norm is 2"):
        pca.transform([[1, 0, 0], [0, 0, 2]])
    with pytest.raises(errors.CutLocusError):
        pca.transform([-pca.mean_])
    with pytest.raises(errors.Error, match=r"X has shape \(3,\): records come one a row"):
        pca.transform([1.0, 0.0, 0.0])
    with pytest.raises(errors.Error, match=r"it must be \(n, 1\), the coordinates of records"):
        pca.inverse_transform(np.zeros((4, 2)))
