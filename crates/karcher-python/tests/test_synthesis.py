"""karcher.synthesize: made-up records of releases."""

import numpy as np
import pytest

import karcher
from karcher import errors
from karcher.classification import PrivateMDM

SPHERE = karcher.Sphere(2)


def released(spread=True, **options):
    x = SPHERE.random_point(3000, scale=0.2, random_state=1)
    options = {"radius": 0.8, "center": SPHERE.origin, "epsilon": 2.0, "random_state": 1, **options}
    return karcher.PrivateFrechetMean(SPHERE, spread=spread, **options).fit(x).release_


def test_records_have_the_released_mean_and_spread():
    release = released()
    made_up = karcher.synthesize(release, 20_000, random_state=1)
    assert made_up.points.shape == (20_000, 3) and made_up.labels is None
    square = (SPHERE.dist(release.value, made_up.points) ** 2).mean()
    # 20,000 squares of two normal numbers: a deviation of 0.7 %
    assert abs(square / release.spread.root_mean_square**2 - 1) < 0.04
    mean = karcher.FrechetMean(SPHERE).fit(made_up.points).estimate_
    assert SPHERE.dist(mean, release.value) < 0.01
    assert "root mean square distance" in made_up.laws[0]
    assert made_up == karcher.synthesize(release, 20_000, random_state=1)
    assert made_up != karcher.synthesize(release, 20_000)


def test_classes_give_labelled_records():
    rng = np.random.default_rng(0)
    factors = np.eye(2) + 0.1 * rng.normal(size=(900, 2, 2))
    X = factors @ factors.transpose(0, 2, 1) * np.repeat([1.0, 2.0, 2.0], 300)[:, None, None]
    y = np.repeat(["left", "right"], [300, 600])
    mdm = PrivateMDM(radius=2.0, center=np.eye(2), epsilon=5.0, spread=True, random_state=1).fit(X, y)
    made_up = karcher.synthesize(dict(zip(mdm.classes_, mdm.releases_)), 90, random_state=1)
    assert made_up.points.shape == (90, 2, 2) and np.all(np.linalg.eigvalsh(made_up.points) > 0)
    assert made_up.labels.tolist() == ["left"] * 30 + ["right"] * 60
    traces = np.trace(made_up.points, axis1=1, axis2=2)
    assert traces[30:].mean() > 1.5 * traces[:30].mean()
    assert mdm.predict(made_up.points).tolist().count("left") == pytest.approx(30, abs=6)
    in_a_list = karcher.synthesize(mdm.releases_, 90)
    assert in_a_list.labels.tolist() == [0] * 30 + [1] * 60 and len(in_a_list.laws) == 2


def test_what_is_refused_says_why():
    alone = released(spread=False)
    with pytest.raises(errors.Error, match="spread is missing: the release has a mean and no second moment"):
        karcher.synthesize(alone, 10)
    assert karcher.synthesize(alone, 10, spread=0.1).points.shape == (10, 3)
    with pytest.raises(errors.Error, match="spread is -1: it must be a positive number"):
        karcher.synthesize(alone, 10, spread=-1.0)
    with pytest.raises(errors.Error, match="n is 0"):
        karcher.synthesize(alone, 0, spread=0.1)
    with pytest.raises(errors.Error, match="from 1 to"):
        karcher.synthesize(alone, 10**12, spread=0.1)
    with pytest.raises(TypeError, match=r"release\[1\] is int"):
        karcher.synthesize([alone, 3], 10)
    with pytest.raises(TypeError, match="release must be a Release"):
        karcher.synthesize(3, 10)
    with pytest.raises(errors.Error, match="there is no release"):
        karcher.synthesize([], 10)


def test_clusters_give_a_mixture():
    x = np.repeat([[0.5, 0.5], [-0.5, 0.0]], [3000, 1000], axis=0) + np.random.default_rng(0).normal(0, 0.1, (4000, 2))
    clusters = karcher.PrivateKMeans("euclidean", 2, 1.0, mu=2.0, cost=True).fit(x)
    made_up = karcher.synthesize(clusters.release_, 4000, random_state=1)
    assert len(made_up.laws) == 2 and made_up.labels is None
    assert abs((clusters.predict(made_up.points) == 0).mean() - 0.75) < 0.03  # five standard errors, and the noise
    with pytest.raises(karcher.errors.ArgumentTypeError):
        karcher.synthesize([clusters.release_, clusters.release_], 10)
