"""Extrinsic means: means without a ball, by all ways in which records are given, and what follows from them."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas
import pyarrow
import pytest
from scipy.stats import binom, chi2, vonmises_fisher

import karcher
from karcher import PrivateFrechetMean

X = vonmises_fisher([0.0, 0.0, 1.0], 10.0).rvs(500, random_state=1)
BALL = {"radius": 0.5, "center": [0.0, 0.0, 1.0], "ball": "auto", "within": 1.0, "quantile": 0.5}


def fitted(x=X, manifold="sphere:2", seed=7, groups=None, **options):
    budget = {"epsilon": 1.0} if "mu" not in options and "epsilon" not in options else {}
    return PrivateFrechetMean(manifold, random_state=seed, **budget, **options).fit(x, groups=groups).release_


def test_a_mean_without_a_ball_is_extrinsic_where_there_is_an_embedding():
    release = fitted()
    assert (release.statistic, release.mechanism) == ("extrinsic-mean", "extrinsic")
    assert "ball" not in release.spec and release.spec["statistic"] == "extrinsic-mean"
    assert release.value.tolist() == fitted(mechanism="extrinsic").value.tolist()
    assert karcher.Sphere(2).dist(release.value, [0, 0, 1]) < release.region.radius + 0.1
    again = PrivateFrechetMean("sphere:2", epsilon=1.0).fit(X).release_
    assert karcher.verify(again)


def test_a_mean_with_a_ball_is_none():
    release = fitted(radius=0.8, center=[0.0, 0.0, 1.0])
    assert (release.statistic, release.extrinsic) == ("frechet-mean", None)


@pytest.mark.parametrize("name", BALL)
def test_a_parameter_of_a_ball_does_not_go_with_the_mechanism(name):
    with pytest.raises(karcher.Error, match=f"^{name} does not go with the mechanism extrinsic"):
        fitted(mechanism="extrinsic", **{name: BALL[name]})


@pytest.mark.parametrize("options", [{"spread": True}, {"denoise": "none"}, {"mechanism": "chart"}])
def test_an_option_that_needs_a_ball_asks_for_one(options):
    with pytest.raises(karcher.Error, match="^radius is missing"):
        fitted(**options)


def test_a_space_without_an_embedding_needs_a_ball():
    with pytest.raises(karcher.Error, match="^radius is missing"):
        fitted(karcher.Hyperbolic(2).random_point(50, random_state=0), "hyperbolic:2")
    with pytest.raises(karcher.errors.UnsupportedError, match="no embedding"):
        fitted(karcher.Hyperbolic(2).random_point(50, random_state=0), "hyperbolic:2", mechanism="extrinsic")


def test_components_still_need_a_ball():
    with pytest.raises(karcher.Error, match="^radius is missing"):
        karcher.PrivateTangentPCA("sphere:2", epsilon=1.0).fit(X)


def near_origin(name, rng):
    space = karcher.manifold(name)
    noisy = np.asarray(space.origin) + 0.1 * rng.normal(size=(300, *space.shape))
    if name.startswith("torus"):
        return noisy
    if name.startswith("grassmann"):
        return np.linalg.qr(noisy)[0]
    if name.startswith("kendall"):
        noisy -= noisy.mean(axis=1, keepdims=True)
        return noisy / np.linalg.norm(noisy, axis=(1, 2), keepdims=True)
    return noisy / np.linalg.norm(noisy, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("name", "factors"),
    [("sphere:1", 1), ("sphere:9", 1), ("projective:2", 1), ("rotations:3", 1), ("kendall:5", 1),
     ("grassmann:4,2", 1), ("torus:3", 3)],
)  # fmt: skip
def test_every_space_with_an_embedding_has_one(name, factors):
    space = karcher.manifold(name)
    release = fitted(near_origin(name, np.random.default_rng(0)), name, mu=5.0)
    assert len(release.extrinsic.factors) == factors
    assert space.dist(release.value, space.origin) < 0.1
    assert all(factor.uniformity.p_value < 0.001 for factor in release.extrinsic.factors)


def test_a_product_has_the_factors_of_its_spaces():
    rng = np.random.default_rng(0)
    records = np.hstack([near_origin("sphere:2", rng), near_origin("torus:2", rng)])
    release = fitted(records, "sphere:2*torus:2")
    assert [factor.space for factor in release.extrinsic.factors] == ["sphere:2", "torus:1", "torus:1"]
    assert list(release.extrinsic.to_frame()["space"]) == ["sphere:2", "torus:1", "torus:1"]
    assert release.summary().count("mean resultant length") == 3


def test_all_ways_to_give_records_have_one_release(tmp_path):
    frame = pandas.DataFrame(X, columns=["x", "y", "z"])
    np.save(tmp_path / "x.npy", X)
    ways = [X.tolist(), frame, pyarrow.table(frame), np.load(tmp_path / "x.npy", mmap_mode="r")]
    expected = fitted().value.tolist()
    assert [fitted(way).value.tolist() for way in ways] == len(ways) * [expected]
    parts = karcher.Remote(lambda question: karcher.merge(*(karcher.partial(x, question) for x in (X[:200], X[200:]))))
    assert fitted(parts).value.tolist() == expected
    small = PrivateFrechetMean("sphere:2", epsilon=1.0, random_state=7).fit(pyarrow.table(frame), memory="2KB")
    assert small.release_.value.tolist() == expected


def test_remote_records_are_asked_once():
    asked = []

    def ask(question):
        asked.append(question)
        return karcher.partial(X, question)

    fitted(karcher.Remote(ask))
    assert len(asked) == 1


def test_persons_contribute_once():
    who = np.arange(500) % 50
    release = fitted(groups=who)
    assert (release.unit, release.n) == ("person", 50)
    space = karcher.Sphere(2)
    means = np.array([karcher.FrechetMean(space).fit(X[who == person]).estimate_ for person in range(50)])
    np.testing.assert_allclose(release.value, fitted(means).value, atol=1e-9)
    order = np.random.default_rng(0).permutation(500)
    assert release.value.tolist() == fitted(X[order], groups=who[order]).value.tolist()
    with pytest.raises(karcher.Error):
        fitted(groups=who, adjacency="add-remove", n_guess=50)


def test_persons_whose_records_have_no_mean_contribute_too():
    opposite = np.vstack([X[:40], -X[:40]])
    assert fitted(opposite, groups=np.tile(np.arange(40), 2)).n == 40


def test_a_confidential_number_is_released_too():
    release = fitted(adjacency="add-remove", n_guess=400)
    assert release.n is None and abs(release.private_count.value - 500) < 50


def test_invalid_records_are_refused_or_replaced():
    broken = X.copy()
    broken[3] = np.nan
    with pytest.raises(karcher.Error):
        fitted(broken)
    assert fitted(broken, on_invalid="replace-with-center").n == 500


def test_a_specification_runs_and_plans():
    spec = PrivateFrechetMean("sphere:2", epsilon=1.0).spec()
    assert karcher.run(spec, X, random_state=7).value.tolist() == fitted().value.tolist()
    assert karcher.run(fitted().spec, X).statistic == "extrinsic-mean"
    plan = karcher.plan("sphere:2", n=500, epsilon=1.0, statistic="extrinsic-mean")
    assert karcher.plan(spec | {"mechanism": "extrinsic"}, n=500).best == plan.best == "extrinsic"
    assert plan["extrinsic"].expected_distance == pytest.approx(fitted().expected_distance)
    assert karcher.plan("sphere:2", n=500, epsilon=1.0) == plan
    assert karcher.plan("sphere:2", error=0.01, epsilon=1.0).best == "extrinsic"
    assert karcher.plan("sphere:2", n=500, error=0.01).best == "extrinsic"
    with pytest.raises(karcher.Error, match="^radius is missing"):
        karcher.plan("sphere:2", n=500, epsilon=1.0, statistic="spread")
    with pytest.raises(karcher.Error, match="^radius does not go with"):
        karcher.plan("sphere:2", radius=1.0, n=500, epsilon=1.0, statistic="extrinsic-mean")
    with pytest.raises(karcher.Error, match="^radius does not go with"):
        karcher.audit("sphere:2", radius=1.0, n=20, epsilon=1.0, statistic="extrinsic-mean", releases=100)


def test_a_guess_of_the_spread_is_for_the_expected_error():
    assert fitted(expected_spread=0.5).expected_distance > 1.1 * fitted().expected_distance


def test_the_tree_is_that_of_the_json():
    release = fitted()
    given = json.loads(release.to_json())["extrinsic"]
    (factor,), (written,) = release.extrinsic.factors, given["factors"]
    assert release.extrinsic.embedded_mean.tolist() == given["embedded_mean"]
    assert factor.concentration.law == "von-mises-fisher"
    assert factor.concentration.kappa == written["concentration"]["kappa"]
    assert factor.uniformity.p_value == written["uniformity"]["p_value"]
    assert factor.population_region.radius == written["population_region"]["radius"]
    again = karcher.Release.from_json(release.to_json())
    assert again == release and hash(again) == hash(release) and again.extrinsic == release.extrinsic
    (row,) = release.extrinsic.summary()
    assert row["kappa"] == factor.concentration.kappa and set(map(type, row.values())) <= {str, float, type(None)}


def test_an_interval_without_end_ends_at_infinity():
    release = fitted(np.tile([0.0, 0.0, 1.0], (100, 1)), mu=1.0)
    law = release.extrinsic.factors[0].concentration
    assert law is None or law.interval[1] == math.inf


def test_no_direction_has_no_region():
    release = fitted(uniform(20, np.random.default_rng(0)), epsilon=0.1)
    regions = release.region, release.extrinsic.factors[0].population_region
    assert [region.radius for region in regions] == [math.pi] * 2


def uniform(n, rng):
    x = rng.normal(size=(n, 3))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def test_an_approximate_guarantee_has_those_that_laplace_noise_also_keeps():
    x = np.random.default_rng(0).normal(size=(1000, 6))
    release = PrivateFrechetMean("euclidean:6", 3.0, epsilon=1.0, delta=1e-6).fit(x).release_
    given = json.loads(release.to_json())["also"]
    definitions = [other.definition for other in release.also]
    assert definitions == [other["definition"] for other in given] == ["pure", "gaussian", "concentrated"]
    assert release.also[0].epsilon > 1.0 and "also" in release.summary()
    assert fitted().also == ()


def test_a_plan_has_the_ratio_to_the_best_unbiased_release():
    plan = karcher.plan("euclidean:3", radius=1.0, n=100, mu=1.0)
    assert plan["gaussian"].of_best_unbiased == pytest.approx(math.sqrt(math.e - 1.0), rel=1e-6)
    assert karcher.plan("sphere:2", radius=0.5, n=100, mu=1.0)["chart"].of_best_unbiased is None


def test_the_region_of_the_population_covers_its_mean():
    """The region has 95 % in the limit of many records. A region with 95 % confidence covers fewer than the limit of
    400 with 1e-6. A cone for sampling alone, without the noise, covers about 80 %, and fewer than the limit."""
    law, sphere, pole = vonmises_fisher([0.0, 0.0, 1.0], 10.0), karcher.Sphere(2), [0.0, 0.0, 1.0]
    n, covered, without_noise = 200, 0, 0
    for seed in range(400):
        release = fitted(law.rvs(n, random_state=seed), seed=seed)
        (factor,) = release.extrinsic.factors
        off, resultant = sphere.dist(release.value, pole), factor.mean_resultant_length
        covered += factor.population_region is not None and off <= factor.population_region.radius
        fisher = 1.0 - (1.0 - resultant) / resultant * (20.0 ** (1.0 / (n - 1.0)) - 1.0)
        without_noise += off <= math.acos(max(fisher, -1.0))
    limit = binom.ppf(1e-6, 400, 0.95)
    assert without_noise < limit <= covered, (without_noise, limit, covered)


def test_the_test_of_uniformity_has_its_level():
    """With 300 sets of evenly spread records 5 % are rejected. Correct code exceeds the limit with 1e-6. Rayleigh's
    test of the noisy length, which ignores the noise, exceeds it by far."""
    n, rng = 60, np.random.default_rng(5)
    rejected = naive = 0
    for seed in range(300):
        (factor,) = fitted(uniform(n, rng), seed=seed).extrinsic.factors
        rejected += factor.uniformity.p_value <= 0.05
        naive += chi2.sf(3.0 * n * factor.uniformity.statistic**2, 3) <= 0.05
    limit = binom.isf(1e-6, 300, 0.05)
    assert binom.ppf(1e-6, 300, 0.05) <= rejected <= limit < naive, (rejected, limit, naive)


def singles(d, n=600, seed=1):
    x = np.random.default_rng(seed).normal(size=(n, d)) + 3.0 * np.eye(d)[0]
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("d", [3, 8, 33, 385])
def test_records_of_float32_give_the_release_of_the_same_numbers_in_float64(d):
    x, space = singles(d), f"sphere:{d - 1}"
    expected = fitted(x.astype(np.float64), space)
    padded = np.zeros((len(x), 2 * d), np.float32)
    padded[:, ::2] = x
    for given in (x, np.asfortranarray(x), padded[:, ::2], karcher.run(expected.spec, x, random_state=7)):
        release = given if isinstance(given, karcher.Release) else fitted(given, space)
        assert release.extrinsic == expected.extrinsic and release.value.tolist() == expected.value.tolist()
    for jobs in (1, 2):
        assert fitted(x, space, n_jobs=jobs).value.tolist() == expected.value.tolist()
    counted = {"adjacency": "add-remove", "n_guess": 500}
    assert fitted(x, space, **counted).value.tolist() == fitted(x.astype(float), space, **counted).value.tolist()


def test_other_records_of_float32_are_those_of_float64():
    axes, outlines = singles(3), np.random.default_rng(0).normal(size=(200, 5, 2)).astype(np.float32)
    grouped = {"groups": np.arange(600) % 50}
    for x, space, options in [(axes, "projective:2", {}), (outlines, "kendall:5", {}), (axes, "sphere:2", grouped)]:
        expected = fitted(x.astype(np.float64), space, **options)
        assert fitted(x, space, **options).value.tolist() == expected.value.tolist()


@pytest.mark.parametrize("d", [3, 385])
def test_a_record_of_float32_that_is_no_point_is_named_and_replaced(d):
    x, space = singles(d, 2000), f"sphere:{d - 1}"
    x[1500, 1], x[1700] = np.nan, 0.0
    with pytest.raises(karcher.errors.InvalidPointError, match="record 1501 "):
        fitted(x, space)
    replaced = fitted(x, space, on_invalid="replace-with-center")
    expected = fitted(x.astype(np.float64), space, on_invalid="replace-with-center")
    assert replaced.value.tolist() == expected.value.tolist()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: reads /proc")
def test_records_of_float32_are_not_copied():
    """160 MB of records. A copy in float64 would take 320 MB."""
    code = """
import numpy as np, karcher
def most(): return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
x = np.zeros((100_000, 400), np.float32)
x[:, 0] = 1.0
karcher.PrivateFrechetMean("sphere:399", epsilon=1.0).fit(x[:10])
before = most()
karcher.PrivateFrechetMean("sphere:399", epsilon=1.0).fit(x)
print(most() - before)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 60_000
