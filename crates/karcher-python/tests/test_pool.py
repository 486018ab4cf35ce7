"""karcher.pool: one mean from the releases of several sites."""

import functools
import json

import numpy as np
import pytest

import karcher
from karcher import errors

SPHERE = karcher.Sphere(2)


def site(n, seed, **options):
    x = SPHERE.random_point(n, scale=0.1, random_state=seed)
    options = {"radius": 1.0, "center": SPHERE.origin, "epsilon": 2.0, "random_state": seed, **options}
    return karcher.PrivateFrechetMean(SPHERE, **options).fit(x).release_


def test_sites_are_pooled():
    releases = [site(400, 1), site(800, 2, epsilon=1.0), site(300, 3)]
    pooled = karcher.pool(releases, spread=0.1)
    assert SPHERE.dist(pooled.value, SPHERE.origin) < 0.05
    assert pooled.weights.shape == (3,) and pooled.weights.sum() == pytest.approx(1.0)
    assert (pooled.guarantee.epsilon, pooled.n, pooled.spread_source) == (2.0, 1500.0, "given")
    assert [one.epsilon for one in pooled.guarantees] == [2.0, 1.0, 2.0]
    assert pooled.region.coverage == "approximately" and pooled.region.radius < pooled.population_region.radius
    assert pooled.same_ball and pooled.flags == ("seeded",)
    assert json.loads(pooled.to_json())["weights"] == pooled.weights.tolist()
    assert pooled == karcher.pool(iter(releases), spread=0.1) != karcher.pool(releases)


def test_the_mean_over_sites_counts_how_they_differ():
    line = karcher.Euclidean(1)
    sites = [np.full((300, 1), place) for place in (-0.4, -0.1, 0.1, 0.4)]
    mean = functools.partial(karcher.PrivateFrechetMean, line, 1.0, mu=1.0)
    releases = [mean(random_state=i).fit(x).release_ for i, x in enumerate(sites)]
    pooled = karcher.pool(releases, spread=0.1)
    over = pooled.over_sites
    # the standard deviation of the four places is 0.34
    assert over.between_sites == pytest.approx(0.34, abs=0.05) and over.i_squared > 0.9
    assert over.region.radius > 5 * pooled.region.radius and over.weights == pytest.approx(0.25, abs=0.01)
    assert over.distances == pytest.approx(np.abs([one.noisy_value[0] - over.value[0] for one in releases]))
    assert "the mean over sites is within" in repr(pooled)
    picture = pooled.plot(["A", "B", "C", "D"])
    assert picture.title.startswith("Fréchet mean of 4 sites on euclidean:1") and "mean over sites" in picture.svg
    with pytest.raises(errors.Error, match="names has 1 entries, and there are 4 sites"):
        pooled.plot(["A"])
    alone = karcher.pool(releases[:1])
    assert alone.over_sites is None
    with pytest.raises(errors.Error, match="give the releases of several"):
        alone.plot()


def test_extrinsic_means_are_pooled():
    x = SPHERE.random_point(500, scale=0.1, random_state=1)
    releases = [karcher.PrivateFrechetMean(SPHERE, mu=1.0, random_state=i).fit(x).release_ for i in (1, 2)]
    pooled = karcher.pool(releases)
    assert pooled.embedded_mean.shape == (3,) and pooled.noisy_value is None
    assert pooled.region.coverage == "at-least" and pooled.population_region is None


def test_what_cannot_be_pooled_is_refused():
    one, other = site(100, 1), site(100, 2)
    with pytest.raises(errors.Error, match="release 1 and release 2 are one"):
        karcher.pool([one, one])
    with pytest.raises(errors.Error, match="no releases to pool"):
        karcher.pool([])
    with pytest.raises(errors.Error, match="spread is -1"):
        karcher.pool([one, other], spread=-1.0)
    with pytest.raises(TypeError, match=r"releases\[1\] is str: expected a Release"):
        karcher.pool([one, "other"])
    plane = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=1.0).fit(np.zeros((50, 2))).release_
    with pytest.raises(errors.Error, match="release 2 is on euclidean:2, and release 1 on sphere:2"):
        karcher.pool([one, plane])


def test_one_release_is_no_list_of_them():
    release = karcher.PrivateFrechetMean("euclidean:1", 1.0, epsilon=1.0).fit(np.ones((50, 1))).release_
    with pytest.raises(karcher.Error, match="releases is of type Release: give a list"):
        karcher.pool(release)


def test_edited_releases_are_not_believed():
    """What ``verify`` finds is neither pooled nor compared, and a copy with another last bit is the same release."""
    rng = np.random.default_rng(1)
    mean = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=1.0, spread=True)
    one, other = (mean.fit(rng.normal(0.2, 0.1, (200, 2))).release_ for _ in range(2))
    karcher.pool([one, other]), karcher.compare(one, other)

    def edited(change):
        given = json.loads(one.to_json())
        change(given)
        return karcher.Release.from_json(json.dumps(given))

    def no_spec(given):
        del given["spec"]

    def fewer(given):
        given["n"] = 50

    for change in (fewer, no_spec):
        for together in (lambda two: karcher.pool(two), lambda two: karcher.compare(*two)):
            with pytest.raises(karcher.Error, match="specification"):
                together([edited(change), other])

    def last_bit(given):
        field = "noisy_value" if "noisy_value" in given else "value"
        given[field][0] = float(np.nextafter(given[field][0], 9.0))

    with pytest.raises(karcher.Error, match="are one"):
        karcher.pool([one, edited(last_bit)])
    with pytest.raises(karcher.Error, match="are one"):
        karcher.compare(one, edited(last_bit))


def test_pooled_means_and_comparisons_print_as_short_tables():
    sites = [site(500, seed, spread=True) for seed in (1, 2, 3)]
    told = str(karcher.pool(sites))
    for words in ("pooled mean [", "sites       3, ", "weights     0.", "region      ", "guarantee   Guarantee("):
        assert words in told, told
    told = repr(karcher.compare(*sites[:2]))
    assert told.startswith("distance    ") and "verdict     no difference is found" in told and "array" not in told
    assert repr(karcher.compare(*sites)).count("distance    ") == 3
