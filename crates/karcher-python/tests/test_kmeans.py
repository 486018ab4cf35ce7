"""Private k-means in Python."""

import numpy as np
import pytest

import karcher

GROUPS = np.array([[0.0, 0.0, 1.0], [0.6, 0.0, 0.8], [0.0, -0.6, 0.8]])
X = np.repeat(GROUPS, [3000, 2000, 1000], axis=0)
AT = {"radius": 1.0, "center": [0, 0, 1]}


@pytest.mark.parametrize("options", [{}, {"first_centers": GROUPS[::-1]}, {"adjacency": "add-remove", "n_guess": 5000}])
def test_centers_are_near_their_groups_in_the_order_of_their_sizes(options):
    clusters = karcher.PrivateKMeans("sphere:2", 3, **AT, mu=2.0, cost=True, **options).fit(X)
    # the noise on a center is about 0.001, and on a weight 0.0005
    np.testing.assert_allclose(clusters.cluster_centers_, GROUPS, atol=0.03)
    np.testing.assert_allclose(clusters.weights_, [1 / 2, 1 / 3, 1 / 6], atol=0.01)
    assert list(clusters.predict(GROUPS)) == [0, 1, 2] and clusters.cost_ < 0.01
    assert clusters.distances(GROUPS).shape == (3, 3)
    release = clusters.release_
    assert karcher.KMeansRelease.from_json(release.to_json()) == release and not karcher.verify(release).findings
    assert isinstance(karcher.run(release.spec, X), karcher.KMeansRelease)
    assert "found 3 clusters" in karcher.report(release)


def test_what_is_wrong_is_said():
    for options, words in [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": 3, "first_centers": GROUPS[:2]}, "clusters is 2"),
        ({"n_clusters": 3, "first_centers": [1.0]}, "clusters"),
        ({"n_clusters": 3, "steps": 1}, "steps is 1"),
    ]:
        with pytest.raises(karcher.Error, match=words):
            karcher.PrivateKMeans("sphere:2", **{**AT, **options}, mu=1.0).fit(X)
    with pytest.raises(karcher.errors.NotFittedError):
        karcher.PrivateKMeans("sphere:2", 3, **AT, mu=1.0).predict(GROUPS)


def test_persons_at_the_place_of_y_are_warned_of_and_by_name_protected():
    x, who = np.zeros((600, 2)), np.arange(600) // 3
    clusters = karcher.PrivateKMeans("euclidean", 2, 1.0, epsilon=1.0)
    with pytest.warns(UserWarning, match="each record counts as a person's: give persons as groups="):
        clusters.fit(x, who)
    with pytest.raises(karcher.Error, match="training records are not private"):
        clusters.fit_predict(x)
    for given in (clusters.fit(x, groups=who), clusters.fit(x, None, who), clusters.fit(x, who, who)):
        assert (given.release_.unit, given.release_.n) == ("person", 200)
    mean = karcher.PrivateFrechetMean("euclidean", 1.0, epsilon=1.0)
    with pytest.warns(UserWarning, match="each record counts as a person's: give persons as groups="):
        mean.fit(x, who)
