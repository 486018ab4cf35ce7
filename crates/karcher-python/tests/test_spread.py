"""Spread, regions, principal components and the comparison of two groups."""

import json
import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import karcher
from karcher import PrivateFrechetMean, PrivateTangentPCA, Release, errors

SPHERE = karcher.Sphere(2)


def released(x, radius=1.0, epsilon=1.0, **options):
    mean = PrivateFrechetMean(SPHERE, radius, SPHERE.origin, epsilon=epsilon, random_state=1, **options)
    return mean.fit(x).release_


def test_spread_is_that_of_the_records():
    x = SPHERE.random_point(4_000, scale=0.2, random_state=1)
    release = released(x, epsilon=1e6, spread=True)
    spread = release.spread
    distances = SPHERE.dist(np.broadcast_to(release.value, x.shape), x)
    assert abs(spread.root_mean_square - np.sqrt(np.mean(np.minimum(distances, 2.0) ** 2))) < 1e-6
    outside = SPHERE.dist(np.broadcast_to(SPHERE.origin, x.shape), x) > 1.0
    assert abs(spread.fraction_outside.value - np.mean(outside)) < 1e-9
    assert not spread.consistent_with_uniform and spread.clip == 2.0
    assert spread.mean_square.guarantee.epsilon == 1e6 / 8 and spread.mean_guarantee.epsilon == 0.75e6
    assert release.guarantee.epsilon == 1e6
    low, high = spread.root_mean_square_interval
    assert low <= spread.root_mean_square <= high


def test_even_records_are_recognised():
    x = np.random.default_rng(1).normal(size=(4_000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    spread = released(x, radius=1.2, spread=True).spread
    assert spread.consistent_with_uniform
    assert abs(spread.root_mean_square / spread.uniform.root_mean_square - 1) < 0.05


def test_every_mean_has_a_region():
    x = SPHERE.random_point(500, scale=0.2, random_state=1)
    region = released(x).region
    assert (region.probability, region.center, region.coverage) == (0.95, "value", "at-least")
    assert 0 < region.radius < 0.05 and released(x).spread is None
    # releases of earlier versions have none
    old = json.loads(released(x).to_json())
    del old["region"]
    assert Release.from_json(json.dumps(old)).region is None


def test_components_are_the_directions_of_the_records():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20_000, 4)) * [0.3, 0.15, 0.02, 0.02]
    pca = PrivateTangentPCA("euclidean:4", 1.0, mu=2.0, n_components=2, random_state=1).fit(x)
    assert pca.components_.shape == (2, 4)
    assert abs(pca.components_[0, 0]) > 0.99 and abs(pca.components_[1, 1]) > 0.95
    np.testing.assert_allclose(pca.explained_variance_, [0.09, 0.0225], atol=0.005)
    assert pca.explained_variance_[0] > pca.noise_level_
    found = pca.release_.components
    assert found.directions.shape == (4, 4) and found.guarantee.mu == pytest.approx(np.sqrt(2.0))
    matrices = karcher.SPD(3, metric="affine-invariant")
    x = matrices.random_point(300, scale=0.1, random_state=1)
    pca = PrivateTangentPCA(matrices, 1.0, np.eye(3), epsilon=1.0, random_state=1).fit(x)
    assert pca.components_.shape == (6, 3, 3) and pca.mean_.shape == (3, 3)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_components": 0}, "n_components is 0"),
        ({"n_components": 5}, "n_components is 5: it must be from 1 to 4"),
        ({"clip": -1.0}, "components_clip is -1|clip is -1"),
    ],
)
def test_components_that_cannot_be_are_refused(options, words):
    with pytest.raises(errors.Error, match=words):
        PrivateTangentPCA("euclidean:4", 1.0, mu=2.0, **options).fit(np.zeros((10, 4)))


def test_components_keep_the_conventions_of_scikit_learn():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(PrivateTangentPCA("euclidean", radius=10.0, epsilon=1.0))


def test_groups_are_compared():
    x = SPHERE.random_point(2_000, scale=0.1, random_state=1)
    turn = np.array([[np.cos(0.3), -np.sin(0.3), 0], [np.sin(0.3), np.cos(0.3), 0], [0, 0, 1]])
    first, second = released(x[:1000], spread=True), released(x[1000:], spread=True)
    other = released(x[1000:] @ turn.T, spread=True)
    same, different = karcher.compare(first, second), karcher.compare(first, other)
    assert not same.differ and same.distance <= same.threshold
    assert different.differ and abs(different.distance - 0.3) < 0.05
    with pytest.raises(errors.Error, match="spread"):
        karcher.compare(first, released(x))
    with pytest.raises(errors.Error, match="are one"):
        karcher.compare(first, first)
    with pytest.raises(errors.Error, match="radius"):
        karcher.compare(first, released(x, radius=0.9, spread=True))
    with pytest.raises(TypeError, match="second is str: expected a Release"):
        karcher.compare(first, "second")


def test_a_clip_without_spread_is_refused():
    with pytest.raises(errors.Error, match="spread_clip belongs to spread=True"):
        released(SPHERE.random_point(10, scale=0.1, random_state=1), spread_clip=1.0)


def test_a_spread_goes_with_components():
    x = np.random.default_rng(1).normal(size=(2_000, 3)) * [0.3, 0.1, 0.02]
    options = {"epsilon": 1e6, "random_state": 1}
    pca = PrivateTangentPCA("euclidean:3", 2.0, spread=True, **options).fit(x)
    release = pca.release_
    parts = [release.components.mean_guarantee, release.components.guarantee]
    numbers = [release.spread.mean_square.guarantee, release.spread.fraction_outside.guarantee]
    assert [part.epsilon for part in parts + numbers] == [0.375e6, 0.375e6, 0.125e6, 0.125e6]
    assert release.guarantee.epsilon == 1e6
    mean_square = np.mean(np.sum((x - release.value) ** 2, axis=1))
    assert abs(release.spread.mean_square.value - mean_square) < 1e-3
    assert abs(pca.explained_variance_.sum() - mean_square) < 1e-3


@pytest.mark.parametrize("estimator", [PrivateFrechetMean, PrivateTangentPCA])
def test_a_located_ball_and_a_spread_share_a_budget(estimator):
    x = np.random.default_rng(1).normal(size=(4_000, 2)) + [70.0, -30.0]
    fitted = estimator("euclidean", ball="auto", within=1000.0, mu=4.0, spread=True, random_state=1).fit(x)
    release = fitted.release_
    left = release.located.parts[-1].guarantee
    parts = [
        release.spread.mean_guarantee,
        release.spread.mean_square.guarantee,
        release.spread.fraction_outside.guarantee,
    ]
    parts += [] if release.components is None else [release.components.guarantee]
    located = [part.guarantee for part in release.located.parts[:2]]
    assert karcher.compose(*parts).mu <= left.mu and karcher.compose(*parts, *located).mu <= 4.0
    assert release.guarantee.mu == 4.0
    distances = np.linalg.norm(x - release.value, axis=1)
    assert abs(release.spread.root_mean_square - np.sqrt(np.mean(distances**2))) < 0.1
    assert (release.components is None) == (estimator is PrivateFrechetMean)


def test_a_variance_about_a_point_has_the_whole_budget():
    x = SPHERE.random_point(4_000, scale=0.2, random_state=1)
    fitted = karcher.PrivateFrechetVariance(SPHERE, 1.0, SPHERE.origin, epsilon=1.0, random_state=1).fit(x)
    release = fitted.release_
    distances = SPHERE.dist(np.broadcast_to(SPHERE.origin, x.shape), x)
    assert abs(fitted.variance_ - np.mean(np.minimum(distances, 1.0) ** 2)) < 25 / 4_000  # with probability 1 - e^-25
    assert fitted.root_mean_square_ == np.sqrt(fitted.variance_) and release.clip == 1.0
    assert release.mean_square.guarantee == release.guarantee == karcher.Guarantee(epsilon=1.0)
    assert release.mean_square.scale == pytest.approx(1.0 / 4_000)
    assert (release.statistic, release.mechanism, release.numerics) == ("frechet-variance", "laplace", "exact")
    assert not release.consistent_with_uniform and "mean square distance" in release._repr_html_()
    again = karcher.VarianceRelease.from_json(release.to_json())
    assert again.mean_square == release.mean_square and again.to_json() == release.to_json()
    normal = karcher.PrivateFrechetVariance(SPHERE, mu=1.0, random_state=1, center=SPHERE.origin).fit(x).release_
    assert normal.mechanism == "gaussian" and normal.clip == pytest.approx(np.pi)


def test_a_variance_that_cannot_be_is_refused():
    refused = [({}, "budget"), ({"epsilon": 1.0}, "clip is missing"), ({"epsilon": 1.0, "clip": -1.0}, "clip is -1")]
    for options, words in refused:
        with pytest.raises(errors.Error, match=words):
            karcher.PrivateFrechetVariance("euclidean", **options).fit(np.zeros((10, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(karcher.PrivateFrechetVariance("euclidean", clip=10.0, epsilon=1.0))
