"""docs/release.schema.json and docs/reference/releases.md with flags.md accept every release and nothing else."""

import copy
import json
import pathlib
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import karcher
from karcher import PrivateFrechetMean, PrivateGeodesicRegression, errors

DOCS = pathlib.Path(__file__).parents[3] / "docs"
SCHEMA = json.loads((DOCS / "release.schema.json").read_text(encoding="utf-8"))
HOW_TO = ("regression-on-features", "without-a-curator", "cluster", "loss-of-your-own", "score-a-model")
PAGES = ("reference/releases", "reference/flags", *(f"how-to/{name}" for name in HOW_TO))
CHAPTER = "".join((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in PAGES)
VALIDATOR = Draft202012Validator(SCHEMA)


def published(release):
    """The JSON of a release, whose display in a notebook is small."""
    assert len((release._repr_html_() or "").encode()) < 60_000
    return json.loads(release.to_json())


def mean(manifold, mechanism, radius=0.3, n=200, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(n, scale=0.05 / space.dim, random_state=1)
    estimator = PrivateFrechetMean(space, radius, space.origin, mechanism=mechanism, random_state=1, **options)
    return published(estimator.fit(x).release_)


def extrinsic(manifold, **options):
    space = karcher.manifold(manifold)
    x = np.tile(space.origin, (100, 1))
    return published(PrivateFrechetMean(space, random_state=1, **options).fit(x).release_)


def components(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05, random_state=1)
    estimator = karcher.PrivateTangentPCA(space, 0.3, space.origin, random_state=1, **options)
    return published(estimator.fit(x).release_)


def regression(manifold, mechanism, **options):
    space = karcher.manifold(manifold)
    y = space.random_point(100, scale=0.05 / space.dim, random_state=1)
    x = np.random.default_rng(0).uniform(-2, 4, size=100)
    public = {"predictor_range": (-2, 4), "radius": 0.5, "center": space.origin}
    public |= {"slope_bound": 0.8, "residual_bound": 0.3}
    estimator = PrivateGeodesicRegression(space, mechanism=mechanism, random_state=1, **public, **options)
    return published(estimator.fit(x, y).release_)


def median(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    estimator = karcher.PrivateGeometricMedian(space, 1.0, space.origin, random_state=1, **options)
    return published(estimator.fit(x).release_)


def ball(manifold, scale=0.05, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(400, scale=scale / space.dim, random_state=1)
    return published(karcher.PrivateBall(space, random_state=1, **options).fit(x).release_)


def located(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(400, scale=0.05 / space.dim, random_state=1)
    estimator = PrivateFrechetMean(space, ball="auto", random_state=1, **options)
    return published(estimator.fit(x).release_)


def variance(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    estimator = karcher.PrivateFrechetVariance(space, center=space.origin, random_state=1, **options)
    return published(estimator.fit(x).release_)


def both(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    pca = karcher.PrivateTangentPCA(space, 0.5, space.origin, spread=True, random_state=1, **options)
    return published(pca.fit(x).release_)


def persons(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    mean = karcher.PrivateFrechetMean(space, 0.3, space.origin, random_state=1, **options)
    return published(mean.fit(x, groups=np.arange(200) % 50).release_)


def remote(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    mean = karcher.PrivateFrechetMean(space, 0.3, space.origin, random_state=1, **options)
    return published(mean.fit(karcher.Remote(lambda question: karcher.partial(x, question))).release_)


def record(manifold, **options):
    space = karcher.manifold(manifold)
    return published(karcher.randomize(space.origin, space, 0.3, space.origin, random_state=1, **options))


def features(manifold, **options):
    space = karcher.manifold(manifold)
    rng = np.random.default_rng(0)
    people = {"age": rng.uniform(20, 80, 200), "sex": rng.choice(["F", "M"], 200)}
    terms = ["linear:age:20:80", "levels:sex:F,M,N"]
    center = space.origin
    fitted = karcher.PrivateFeatureRegression(
        space, features=terms, center=center, radius=0.5, random_state=1, **options
    )
    return published(fitted.fit(people, np.array([center] * 200)).release_)


def clusters(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    estimator = karcher.PrivateKMeans(space, 2, 0.3, space.origin, cost=True, random_state=1, **options)
    return published(estimator.fit(x).release_)


def minimizer(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.05 / space.dim, random_state=1)
    estimator = karcher.PrivateDescent(
        space, lambda point, X: -space.log(point, X), space, 0.5, space.origin, clip=0.5, steps=2, step_size=0.5,
        loss="half the squared distance", random_state=1, **options,
    )  # fmt: skip
    return published(estimator.fit(x).release_)


class First:
    """Predicts the first number."""

    def predict(self, X):
        return X[:, 0]


def score(metric, **options):
    y = np.arange(200) % 2
    X = np.where(np.arange(200) % 5 == 0, 1 - y, y)[:, None]
    return published(karcher.private_score(First(), X, y, metric=metric, random_state=1, **options))


def choice(**options):
    y = np.arange(200) % 2
    chosen = karcher.PrivateSelection({"a": First(), "b": First()}, random_state=1, **options)
    return published(chosen.fit(y[:, None], y, groups=np.arange(200) // 2).release_)


def covariance(**options):
    x = karcher.Euclidean(3).random_point(200, scale=0.1, random_state=1)
    return published(karcher.PrivatePCA(radius=1.0, center=[0, 0, 0], random_state=1, **options).fit(x).release_)


def quantiles(manifold, **options):
    space = karcher.manifold(manifold)
    x = space.random_point(200, scale=0.1, random_state=1)
    estimator = karcher.PrivateQuantiles(space, [0.25, 0.5], 0.5, space.origin, cells=64, random_state=1, **options)
    return published(estimator.fit(x).release_)


MAKERS = {
    "covariance": lambda: covariance(epsilon=1.0),
    "covariance of a guess": lambda: covariance(mu=1.0, adjacency="add-remove", n_guess=150),
    "quantiles": lambda: quantiles("sphere:2", epsilon=1.0),
    "quantiles of a guess": lambda: quantiles("euclidean:1", mu=1.0, adjacency="add-remove", n_guess=150),
    "accuracy": lambda: score("accuracy", epsilon=1.0),
    "confusion of a guess": lambda: score("confusion", labels=[0, 1], mu=1.0, adjacency="add-remove", n_guess=150),
    "balanced accuracy": lambda: score("balanced-accuracy", labels=[0, 1], epsilon=1.0, delta=1e-6),
    "mean loss": lambda: score("mean-loss", bound=1.0, rho=0.1),
    "r2": lambda: score("r2", range=(0, 1), epsilon=1.0),
    "choice": lambda: choice(epsilon=1.0),
    "choice by the exponential mechanism": lambda: choice(mu=1.0),
    "minimizer": lambda: minimizer("sphere:2", epsilon=1.0),
    "minimizer of a guess": lambda: minimizer("hyperbolic:2", mu=1.0, adjacency="add-remove", n_guess=150),
    "idealized minimizer": lambda: minimizer("euclidean:2", mu=1.0, numerics="any"),
    "laplace": lambda: mean("sphere:2", "laplace", epsilon=1.0),
    "gaussian": lambda: mean("hyperbolic:2", "gaussian", epsilon=1.0, delta=1e-6),
    "chart": lambda: mean("sphere:2", "chart", epsilon=1.0),
    "not denoised": lambda: mean("kendall:4", "chart", mu=1.0, denoise="none"),
    "gaussian on flat space": lambda: mean("euclidean:4", "gaussian", mu=1.0),
    "kng": lambda: mean("kendall:4", "kng", epsilon=1.0),
    "kng on flat space": lambda: mean("euclidean:2", "kng", epsilon=1.0),
    "kng by a chain": lambda: mean("kendall:10", "kng", n=20, epsilon=1.0),
    "karcher-flow": lambda: mean("spd-affine-invariant:2", "karcher-flow", mu=1.0, steps=2),
    "wide noise": lambda: mean("spd-log-euclidean:3", "laplace", n=2, radius=5.0, epsilon=0.1, denoise="none"),
    "bound": lambda: mean("sphere:2", "laplace", rho=0.1, bound="sharp"),
    "assumed": lambda: mean("sphere:2", "laplace", epsilon=1.0, assume_in_ball=True),
    "extrinsic": lambda: extrinsic("sphere:2*torus:2", epsilon=1.0),
    "extrinsic of axes": lambda: extrinsic("projective:2", epsilon=1.0),
    "spread": lambda: mean("sphere:2", "chart", epsilon=1.0, spread=True),
    "spread without end": lambda: mean("hyperbolic:2", "chart", mu=1.0, spread=True, spread_clip=0.5),
    "components": lambda: components("spd-affine-invariant:2", mu=1.0),
    "linear": lambda: regression("euclidean:3", "linear", epsilon=1.0),
    "features": lambda: features("sphere:2", mu=1.0),
    "gradient-descent": lambda: regression("sphere:2", "gradient-descent", mu=1.0, steps=2),
    "one step": lambda: regression("hyperbolic:2", "gradient-descent", rho=0.1, steps=1),
    "regression by kng": lambda: regression("sphere:2", "kng", epsilon=1.0),
    "median-flow": lambda: median("kendall:4", epsilon=1.0),
    "median of normal noise": lambda: median("spd-affine-invariant:2", epsilon=1.0, delta=1e-6, steps=5),
    "ball": lambda: ball("sphere:2", epsilon=10.0),
    "ball by medians": lambda: ball("euclidean:2", within=100.0, epsilon=10.0),
    "ball by chance": lambda: ball("sphere:2", epsilon=0.1),
    "ball without a mean": lambda: ball("sphere:2", scale=30.0, mu=1.0),
    "ball at the edge": lambda: ball("euclidean:2", within=0.01, center=[5.0, 5.0], mu=4.0),
    "located mean": lambda: located("sphere:2", mu=1.0),
    "located mean with spread": lambda: located("sphere:2", mu=1.0, spread=True),
    "spread and components": lambda: both("sphere:2", mu=1.0),
    "clusters": lambda: clusters("sphere:2", epsilon=2.0),
    "clusters of normal noise": lambda: clusters("euclidean:2", mu=1.0, steps=2),
    "variance": lambda: variance("sphere:2", epsilon=1.0),
    "variance of normal noise": lambda: variance("euclidean:2", clip=1.0, mu=1.0),
    "remote": lambda: remote("sphere:2", mu=1.0),
    "persons": lambda: persons("sphere:2", epsilon=1.0),
    "persons with spread": lambda: persons("sphere:2", epsilon=1.0, spread=True),
    "record": lambda: record("sphere:2", epsilon=1.0),
    "regression by kng on a line": lambda: regression("euclidean:1", "kng", epsilon=1.0),
}


@pytest.fixture(scope="module")
def releases():
    return {name: make() for name, make in MAKERS.items()}


@pytest.mark.parametrize("name", MAKERS)
def test_release_keeps_the_schema(releases, name):
    VALIDATOR.validate(releases[name])
    unknown = releases[name].keys() - SCHEMA["properties"].keys()
    assert not unknown, "every field is described"


def test_the_schema_is_one_and_all_its_mechanisms_were_tried(releases):
    Draft202012Validator.check_schema(SCHEMA)
    for field in ("statistic", "mechanism"):
        assert {release[field] for release in releases.values()} == set(SCHEMA["properties"][field]["enum"])
    flags = {flag for release in releases.values() for flag in release["flags"]}
    # one flag is the command line's, and one of spaces in Rust
    assert flags == set(SCHEMA["properties"]["flags"]["items"]["enum"]) - {"missing-dropped", "declared-space"}
    draws = [draw for release in releases.values() for draw in release["noise"]]
    known = SCHEMA["properties"]["noise"]["items"]["properties"]
    assert {draw["law"] for draw in draws} == set(known["law"]["enum"])
    assert {draw["quantity"] for draw in draws} == set(known["quantity"]["enum"])
    bounds = {release["sensitivity"]["bound"] for release in releases.values()}
    known = set(SCHEMA["properties"]["sensitivity"]["properties"]["bound"]["enum"])
    # two by name alone, like sharp
    assert bounds == known - {"published", "averaged-hessian"}


@pytest.mark.parametrize(
    "name", ["laplace", "chart", "karcher-flow", "gradient-descent", "median-flow", "ball", "ball by medians"]
)
def test_a_release_that_lacks_a_field_is_refused(releases, name):
    # releases from before noise was listed, and from before there were specifications, are valid
    optional = {"logarithm", "noisy_coordinates", "noisy_value", "noise", "predictions", "predictor_variance", "region"}
    optional.add("spec")
    for field in releases[name].keys() - optional:
        given = copy.deepcopy(releases[name])
        del given[field]
        assert not VALIDATOR.is_valid(given), field
    for field, part in (("ball", "space"), ("ball", "center"), ("guarantee", "definition"), ("sensitivity", "bound")):
        given = copy.deepcopy(releases[name])
        del given[field][part]
        assert not VALIDATOR.is_valid(given), (field, part)


WRONG = [
    ({"schema": 1}, "laplace"),
    ({"schema": 4}, "laplace"),
    ({"statistic": "median"}, "laplace"),
    ({"statistic": "geodesic-regression"}, "laplace"),
    ({"statistic": "frechet-mean"}, "linear"),
    ({"n": 0}, "laplace"),
    ({"n": 10.5}, "laplace"),
    ({"unit": "household"}, "laplace"),
    ({"adjacency": "add-remove"}, "laplace"),
    ({"numerics": "real"}, "laplace"),
    ({"numerics": "mcmc"}, "laplace"),
    ({"numerics": "exact"}, "laplace"),
    ({"numerics": "idealized"}, "chart"),
    ({"flags": ["idealized-numerics", "rounding-allowance"]}, "chart"),
    ({"noisy_value": []}, "chart"),
    ({"noisy_value": [1.0, 0.0, 0.0]}, "linear"),
    ({"noisy_coordinates": [0.1, 0.0]}, "linear"),
    ({"numerics": "idealized"}, "kng by a chain"),
    ({"mechanism": "linear"}, "laplace"),
    ({"mechanism": "karcher-flow"}, "laplace"),
    ({"mechanism": "laplace"}, "gradient-descent"),
    ({"scale": 0.0}, "laplace"),
    ({"lattice": -1e-9}, "laplace"),
    ({"value": "0.1"}, "laplace"),
    ({"value": []}, "laplace"),
    ({"flags": []}, "laplace"),
    ({"flags": ["idealized-numerics", "idealized-numerics"]}, "laplace"),
    ({"flags": ["idealized-numerics", "private"]}, "laplace"),
    ({"flags": ["idealized-numerics", "mcmc-approximate"]}, "laplace"),
    ({"guarantee": {"definition": "pure", "epsilon": -1.0}}, "laplace"),
    ({"guarantee": {"definition": "pure", "mu": 1.0}}, "laplace"),
    ({"guarantee": {"definition": "approximate", "epsilon": 1.0, "delta": 1.0}}, "laplace"),
    ({"sensitivity": {"value": 0.1, "bound": "clipped-residuals"}}, "laplace"),
    ({"sensitivity": {"value": 0.1, "bound": "chart"}}, "laplace"),
    ({"sensitivity": {"value": 0.1, "bound": "optimal"}}, "chart"),
    ({"sensitivity": {"value": 0.1, "bound": "optimal"}}, "karcher-flow"),
    ({"sensitivity": {"value": 0.1, "bound": "optimal"}}, "linear"),
    ({"ball": {"space": "sphere:2", "center": [1.0, 0.0, 0.0], "radius": 0.0}}, "laplace"),
    ({"steps": []}, "karcher-flow"),
    ({"steps": [{"clip": 1.0}]}, "karcher-flow"),
    ({"predictor_range": [0.0, 1.0]}, "linear"),
    ({"region": {"probability": 0.95, "radius": 0.1, "about": "center", "holds": "exactly"}}, "chart"),
    ({"region": {"probability": 1.5, "radius": 0.1, "about": "value", "holds": "exactly"}}, "chart"),
    ({"region": {"probability": 0.95, "radius": 0.1, "about": "value", "holds": "exactly"}}, "linear"),
    ({"spread": {"clip": 1.0}}, "chart"),
    ({"components": {"clip": 1.0}}, "chart"),
    ({"mechanism": "karcher-flow"}, "median-flow"),
    ({"statistic": "frechet-mean"}, "median-flow"),
    ({"radius": 0.0}, "ball"),
    ({"quantile": 1.5}, "ball"),
    ({"parts": []}, "ball"),
    ({"center_method": "guess"}, "ball"),
    ({"center_method": "coordinate-medians"}, "ball"),
    ({"parts": [{"part": "edge", "guarantee": {"definition": "pure", "epsilon": 1.0}, "numerics": "exact"}]}, "ball"),
    ({"located": {}}, "located mean"),
    ({"mean_square": {"value": 1.0}}, "variance"),
    ({"statistic": "frechet-mean"}, "variance"),
    ({"clip": -1.0}, "variance"),
    ({"ledger": {"entry": 7}}, "laplace"),
    ({"spec": {"spec": 1, "statistic": "frechet-mean"}}, "laplace"),
    ({"statistic": "geometric-median"}, "located mean"),
]


@pytest.mark.parametrize(("change", "name"), WRONG, ids=lambda x: x if isinstance(x, str) else json.dumps(x))
def test_a_release_with_a_wrong_field_is_refused(releases, change, name):
    assert not VALIDATOR.is_valid({**releases[name], **change})


def test_proofs_about_the_bits_and_denoised_values_are_told(releases):
    denoised = {"chart", "persons", "gaussian on flat space", "kng on flat space", "karcher-flow", "located mean"}
    denoised |= {"persons with spread", "remote"}
    denoised |= {"spread", "spread without end", "components", "located mean with spread", "spread and components"}
    located = {"median-flow", "median of normal noise", "ball", "ball by medians", "ball by chance"}
    located |= {"ball without a mean", "ball at the edge"}
    located |= {"variance", "variance of normal noise", "record", "features", "clusters"}
    located |= {"clusters of normal noise", "minimizer", "minimizer of a guess"}
    located |= {"accuracy", "confusion of a guess", "balanced accuracy", "mean loss", "r2"}
    located |= {"choice", "choice by the exponential mechanism"}
    located |= {"covariance", "covariance of a guess", "quantiles", "quantiles of a guess"}
    exact = denoised | located | {"extrinsic", "extrinsic of axes", "not denoised", "wide noise"}
    exact |= {"linear", "gradient-descent", "one step"}
    for name, release in releases.items():
        assert (release["numerics"] == "exact") == (name in exact), name
        assert ("idealized-numerics" in release["flags"]) == (release["numerics"] != "exact"), name
        assert ("noisy_value" in release) == (name in denoised), name


def test_fields_may_be_added(releases):
    VALIDATOR.validate({**releases["laplace"], "remarks": {"lines": 7}})
    VALIDATOR.validate({**releases["laplace"], "ledger": {"ledger": "0d9c6f0e", "entry": 2}})


def test_the_chapter_names_every_field_and_every_name():
    for field, described in SCHEMA["properties"].items():
        assert f"`{field}`" in CHAPTER, field
        for name in described.get("enum", []) + described.get("items", {}).get("enum", []):
            assert f"`{name}`" in CHAPTER, name
    for name in SCHEMA["properties"]["sensitivity"]["properties"]["bound"]["enum"]:
        assert f"`{name}`" in CHAPTER, name


def test_the_releases_that_the_chapter_shows_keep_the_schema():
    shown = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", CHAPTER, re.M | re.S)]
    assert {release["statistic"] for release in shown} == {"frechet-mean", "geodesic-regression"}
    for release in shown:
        VALIDATOR.validate(release)
        kind = karcher.Release if release["statistic"] == "frechet-mean" else karcher.RegressionRelease
        assert kind.from_json(json.dumps(release)).lattice == release["lattice"]


def test_another_schema_is_refused(releases):
    for schema in (2, 4):
        with pytest.raises(errors.Error, match=f"has schema {schema}, this version reads schema 3"):
            karcher.Release.from_json(json.dumps({**releases["laplace"], "schema": schema}))
