"""Specifications: what is public about a release, as one JSON object that estimators, plans and releases share."""

import json
import pathlib
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import karcher
from karcher import errors
from karcher.classification import PrivateMDM

DOCS = pathlib.Path(__file__).parents[3] / "docs"
SCHEMAS = [json.loads(p.read_text(encoding="utf-8")) for p in (DOCS.rglob("*.schema.json"))]
REGISTRY = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS)
SCHEMA = next(schema for schema in SCHEMAS if schema["$id"] == "urn:karcher:spec")

CENTER = np.array([0.6, 0.0, 0.8])
RNG = np.random.default_rng(0)
POINTS = karcher.Sphere(2).random_point(600, center=CENTER, scale=0.1, random_state=1)
LINE = np.linspace(0.0, 1.0, 600)
PERSONS = np.arange(600) % 150
MATRICES = np.array([np.diag(np.exp(x)) for x in RNG.normal(size=(300, 2)) * 0.1])
LABELS = np.arange(300) % 2

BALL = {"radius": 0.7, "center": CENTER}
ESTIMATORS = {
    "mean": (karcher.PrivateFrechetMean("sphere:2", **BALL, epsilon=1.0), {}),
    "mean with options": (
        karcher.PrivateFrechetMean(
            "sphere:2", **BALL, mu=1.0, mechanism="chart", denoise="none", spread=True, spread_clip=0.9, numerics="any"
        ),
        {},
    ),
    "flow": (karcher.PrivateFrechetMean("sphere:2", **BALL, mu=1.0, mechanism="karcher-flow", steps=3), {}),
    "mean of persons": (karcher.PrivateFrechetMean("sphere:2", **BALL, rho=0.5), {"groups": PERSONS}),
    "add-remove": (
        karcher.PrivateFrechetMean("sphere:2", **BALL, mu=1.0, adjacency="add-remove", n_guess=500, spread=True),
        {},
    ),
    "expected spread": (karcher.PrivateFrechetMean("sphere:2", **BALL, mu=1.0, expected_spread=0.1), {}),
    "located mean": (karcher.PrivateFrechetMean("sphere:2", ball="auto", mu=2.0, quantile=0.7), {}),
    "mean in a ball": (karcher.PrivateFrechetMean("sphere:2", ball=karcher.Ball(CENTER, 0.6), mu=1.0), {}),
    "components": (karcher.PrivateTangentPCA("sphere:2", **BALL, mu=1.0, clip=0.5), {}),
    "median": (karcher.PrivateGeometricMedian("sphere:2", **BALL, mu=1.0), {}),
    "ball": (karcher.PrivateBall("sphere:2", epsilon=2.0, quantile=0.6), {}),
    "variance": (karcher.PrivateFrechetVariance("sphere:2", center=CENTER, epsilon=1.0), {}),
    "clusters": (karcher.PrivateKMeans("sphere:2", 2, **BALL, mu=1.0, cost=True), {}),
    "regression": (
        karcher.PrivateGeodesicRegression(
            "sphere:2", predictor_range=(0, 1), **BALL, slope_bound=0.5, residual_bound=0.4, mu=1.0
        ),
        {"predictors": LINE},
    ),
    "count": (karcher.PrivateCount(epsilon=1.0, delta=1e-6), {}),
}


def fitted(name):
    estimator, options = ESTIMATORS[name]
    estimator.random_state = 7
    if "predictors" in options:
        return estimator.fit(options["predictors"], POINTS).release_
    return estimator.fit(POINTS, **options).release_


def spec_of(name):
    estimator, options = ESTIMATORS[name]
    return estimator.spec(unit="person" if "groups" in options else "record")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_specification_makes_the_release_of_its_estimator(name):
    release, options = fitted(name), ESTIMATORS[name][1]
    assert karcher.run(spec_of(name), POINTS, random_state=7, **options).to_json() == release.to_json()
    assert karcher.run(json.dumps(release.spec), POINTS, random_state=7, **options) == release
    assert karcher.run(release.spec, POINTS, random_state=8, **options) != release


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_specification_is_read_as_it_was_written(name):
    spec = spec_of(name)
    assert fitted(name).spec == spec == json.loads(json.dumps(spec))
    Draft202012Validator(SCHEMA, registry=REGISTRY).validate(spec)
    assert set(spec) <= set(SCHEMA["properties"])
    estimator = ESTIMATORS[name][0]
    numbers = {name: x for name, x in spec["budget"].items() if name != "definition"}
    assert estimator.guarantee() == karcher.Guarantee(**numbers)


def test_classes_have_specifications():
    mdm = PrivateMDM(1.0, np.eye(2), epsilon=1.0, spread=True, random_state=1)
    assert [release.spec for release in mdm.fit(MATRICES, LABELS).releases_] == 2 * [mdm.spec()]
    persons = mdm.fit(MATRICES, LABELS, groups=np.arange(300) % 50)
    assert [release.spec for release in persons.releases_] == 2 * [mdm.spec(unit="person")]
    private = PrivateMDM(1.0, np.eye(2), mu=1.0, labels="private", classes=[0, 1], n_guess=[140, 160], random_state=1)
    assert [release.spec for release in private.fit(MATRICES, LABELS).releases_] == [private.spec(0), private.spec(1)]
    assert private.spec(1)["n_guess"] == 160 and private.guarantee() == karcher.Guarantee(mu=1.0)
    with pytest.raises(errors.Error, match="label is not one of the classes"):
        private.spec(2)
    seeds = np.random.SeedSequence(1).generate_state(2, np.uint64)
    again = karcher.run(mdm.spec(), MATRICES[LABELS == 1], random_state=int(seeds[1]))
    assert np.array_equal(again.value, mdm.fit(MATRICES, LABELS).releases_[1].value)


def test_tables_functions_and_replaced_records_are_run():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": POINTS[:, 0], "b": POINTS[:, 1], "c": POINTS[:, 2]})
    spec, release = spec_of("mean"), fitted("mean")
    assert karcher.run(spec, table, random_state=7) == release
    assert karcher.run(spec, karcher.Remote(lambda q: karcher.partial(POINTS, q)), random_state=7).spec == spec
    persons = table.append_column("who", pa.array(PERSONS))
    assert karcher.run(spec_of("mean of persons"), persons, groups="who", random_state=7) == fitted("mean of persons")
    x = persons.append_column("x", pa.array(LINE)).drop_columns(["who"])
    by_name = karcher.run(spec_of("regression"), x, predictors="x", random_state=7)
    assert np.array_equal(by_name.footpoint, fitted("regression").footpoint)
    gap = POINTS.copy()
    gap[3] = np.nan
    with pytest.raises(errors.InvalidPointError, match="record 4"):
        karcher.run(spec, gap, random_state=7)
    assert karcher.run(spec, gap, on_invalid="replace-with-center", random_state=7).n == 600


def test_runs_are_counted(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="people", epsilon=2.0)
    release = karcher.run(spec_of("mean"), POINTS, ledger=ledger)
    assert release.ledger_entry == 1 and ledger.left == {"epsilon": 1.0}
    with ledger, pytest.raises(errors.BudgetError):
        karcher.run({**spec_of("mean"), "budget": {"definition": "pure", "epsilon": 1.5}}, POINTS)


REFUSED = [
    ({"n_guess": 5}, "n_guess belongs to adjacency='add-remove'"),
    ({"adjacency": "add-remove"}, "n_guess is missing: .*adjacency='add-remove'"),
    ({"spec": 2}, "spec is of version 2"),
    ({"spreads": {}}, "unknown field `spreads`"),
    ({"spread": {"cut": 1}}, "spread: unknown field `cut`"),
    ({"manifold": None}, "manifold is missing"),
    ({"manifold": "sphere"}, "sphere"),
    ({"ball": {"center": [1.0, 0.0, 0.0]}}, "ball"),
    ({"ball": {"center": [1.0, 1.0, 0.0], "radius": 0.5}}, "norm"),
    ({"ball": {"center": [1.0, 0.0, 0.0], "radius": -1.0}}, "radius is -1"),
    ({"ball": {"center": [1.0, 0.0, 0.0], "within": -1.0}}, "within is -1"),
    ({"budget": {"definition": "pure", "epsilon": -1}}, "budget: epsilon is -1"),
    ({"budget": {"definition": "pure", "epsilon": np.nan}}, "finite numbers"),
    ({"budget": None}, "budget"),
    ({"statistic": "mode"}, "statistic: unknown"),
    ({"statistic": "geodesic-regression"}, "predictor_range is missing"),
    ({"slope_bound": 1.0}, "slope_bound does not go with a frechet-mean"),
    ({"mechanism": "mode"}, "unknown mechanism `mode`"),
    ({"mechanism": "karcher-flow"}, "never gives pure"),
    ({"mechanism": "laplace", "steps": 3}, "steps does not go with mechanism='laplace'"),
    ({"numerics": "real"}, "numerics: unknown variant"),
    ({"tolerance": -1.0}, "tolerance is -1"),
    ({"expected_spread": -1.0}, "expected_spread is -1"),
    ({"unit": "person"}, "unit: .*one each of a record, and the specification protects a person"),
    ({"groups": {"by": "sex", "names": ["f"], "n_guess": [3]}}, "adjacency"),
]


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=lambda x: x if isinstance(x, str) else json.dumps(x))
def test_an_error_names_the_field(change, words):
    # nothing is said of the records, which are none
    with pytest.raises(errors.Error, match=words):
        karcher.run({**spec_of("mean"), **change}, np.full((600, 3), np.nan))


PLANLESS = [
    ({"radius": 1.5607}, {"ball": {"center": [0.6, 0.0, 0.8], "radius": 1.5607}}, "radius 1.5607 is too large"),
    ({"steps": 3}, {"steps": 3}, "steps does not go with mechanism='auto'|steps does not go with auto"),
    ({"calibration": "classical"}, {"calibration": "classical"}, "calibration does not go with"),
    (
        {"bound": "published", "radius": 0.9},
        {"bound": "published", "ball": {"center": [0.6, 0.0, 0.8], "radius": 0.9}},
        "radius 0.9 is too large for sphere:2: the published bound",
    ),
    ({"mechanism": "karcher-flow"}, {"mechanism": "karcher-flow"}, "the Karcher flow never gives pure"),
]


@pytest.mark.parametrize(("parameters", "change", "words"), PLANLESS, ids=lambda x: str(x)[:30])
def test_what_has_no_plan_is_refused_wherever_it_is_asked_for(parameters, change, words):
    estimator = karcher.PrivateFrechetMean("sphere:2", **{**BALL, "epsilon": 1.0, **parameters})
    fields = {**spec_of("mean"), **change}
    said = set()
    for call in (
        estimator.spec,
        estimator.guarantee,
        lambda: estimator.fit(POINTS),
        lambda: karcher.run(fields, POINTS),
        lambda: karcher.run(fields, karcher.Remote(lambda question: pytest.fail("it was asked"))),
        lambda: karcher.plan(fields, n=600),
    ):
        with pytest.raises(errors.Error, match=words) as caught:
            call()
        said.add(str(caught.value))
    assert len(said) == 1


def test_a_guarantee_without_the_size_of_the_manifold_is_the_budget():
    assert karcher.PrivateFrechetMean("sphere", radius=9.0, mu=1.0).guarantee() == karcher.Guarantee(mu=1.0)


def test_a_specification_comes_from_a_file_or_a_release(tmp_path):
    spec, release = spec_of("mean"), fitted("mean")
    for name, text in [("spec.json", json.dumps(spec)), ("release.json", release.to_json())]:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        for given in (path, str(path), text, json.loads(text)):
            assert karcher.run(given, POINTS, random_state=7) == release
    assert karcher.run(release, POINTS, random_state=7) == release
    assert karcher.run(fitted("count"), POINTS, random_state=7) == fitted("count")
    with pytest.raises(errors.Error, match="none.json.*cannot be read"):
        karcher.run(str(tmp_path / "none.json"), POINTS)
    with pytest.raises(errors.Error, match="release without a specification"):
        karcher.run(karcher.Release.from_json(json.dumps({**json.loads(release.to_json()), "spec": None})), POINTS)


def test_a_run_reads_tables_as_fit_does():
    pd = pytest.importorskip("pandas")
    degrees = pd.DataFrame({"lat": [10.0, 12.0] * 300, "lon": [20.0, 23.0] * 300, "age": range(600)})
    center = np.array([0.9, 0.36, 0.19]) / np.linalg.norm([0.9, 0.36, 0.19])
    estimator = karcher.PrivateFrechetMean("sphere:2", 0.7, center, epsilon=1.0, random_state=7)
    reading = {"columns": ["lat", "lon"], "layout": "latlon", "memory": "1MB"}
    expected = estimator.fit(degrees, **reading).release_
    assert karcher.run(estimator.spec(), degrees, random_state=7, **reading) == expected
    for name, value in [("columns", ["lat"]), ("layout", "latlon"), ("memory", "1MB"), ("trust_layout", True)]:
        with pytest.raises(errors.Error, match=f"{name} does not go with a count"):
            karcher.run(spec_of("count"), degrees, **{name: value})


def test_a_center_that_is_a_point_up_to_rounding_keeps_its_bits():
    for center in karcher.Sphere(2).random_point(200, random_state=3):
        spec = karcher.PrivateFrechetMean("sphere:2", radius=0.5, center=center, epsilon=1.0).spec()
        assert spec["ball"]["center"] == center.tolist()


def test_a_printed_sensitivity_is_rounded_up_and_a_scale_down():
    release = karcher.PrivateFrechetMean("sphere:2", radius=0.9, center=CENTER, epsilon=1.0).fit(POINTS[:100]).release_
    assert "scale 0.0252\n" in release.summary() and "0.02521 (chart bound)" in release.summary()


def test_arguments_that_do_not_go_with_the_specification_are_refused():
    for call, words in [
        (lambda: karcher.run("{", POINTS), "no JSON object"),
        (lambda: karcher.run(7, POINTS), "spec is of type int"),
        (lambda: karcher.run({"a": object()}, POINTS), "no JSON object"),
        (lambda: karcher.run(spec_of("mean"), POINTS, predictors=LINE), "predictors belong to a regression"),
        (lambda: karcher.run(spec_of("mean"), POINTS, groups=PERSONS), "unit: .*person.*protects a record"),
        (lambda: karcher.run(spec_of("count"), POINTS, groups=PERSONS), "groups do not go with a count"),
        (lambda: karcher.run(spec_of("regression"), POINTS), "predictors is missing"),
        (lambda: karcher.run(spec_of("mean"), POINTS, on_invalid="skip"), "on_invalid is 'skip'"),
        (lambda: karcher.PrivateFrechetMean("sphere", **BALL, epsilon=1.0).spec(), "sphere"),
        (lambda: karcher.PrivateFrechetMean("sphere:2", **BALL, epsilon=1.0).spec(unit="home"), "unit is 'home'"),
        (lambda: karcher.PrivateCount(epsilon=1.0).spec(unit="person"), "records are counted"),
        (lambda: karcher.PrivateFrechetMean("sphere:2", **BALL).guarantee(), "budget is missing"),
        (lambda: karcher.plan(spec_of("mean"), 0.5, 100), "radius does not go with a specification"),
        (lambda: karcher.plan(spec_of("mean"), n=100, epsilon=1.0), "epsilon does not go with a specification"),
        (lambda: karcher.plan(spec_of("mean")), "n is missing"),
        (lambda: karcher.plan(spec_of("add-remove"), n=5), "n does not go with adjacency='add-remove'"),
        (lambda: karcher.plan(spec_of("count"), n=5), "^statistic: a count has one mechanism"),
        (lambda: karcher.plan(spec_of("count")), "^statistic: a count has one mechanism"),
        (
            lambda: karcher.plan(
                {**spec_of("add-remove"), "groups": {"by": "sex", "names": ["f"], "n_guess": [3]}}, n=5
            ),
            "^groups: each group has a plan of its own",
        ),
    ]:
        with pytest.raises(errors.Error, match=words):
            call()


def test_parameters_keep_their_names_in_errors():
    for estimator, words in [
        (karcher.PrivateFrechetVariance("sphere:2", clip=-1.0, center=CENTER, epsilon=1.0), "^clip is -1"),
        (karcher.PrivateFrechetVariance("euclidean:2", epsilon=1.0), "^clip is missing"),
        (karcher.PrivateFrechetVariance("sphere:2", epsilon=1.0), "^center is missing"),
        (karcher.PrivateBall("sphere:2", within=-1.0, epsilon=1.0, center=CENTER), "^within is -1"),
        (karcher.PrivateBall("euclidean:2", epsilon=1.0), "^within is missing"),
        (karcher.PrivateGeometricMedian("euclidean:2", epsilon=1.0), "^radius is missing.*PrivateBall"),
        (karcher.PrivateFrechetMean("euclidean:2", epsilon=1.0), "^radius is missing.*ball='auto'"),
        (karcher.PrivateFrechetMean("euclidean:2", 1.0, within=2.0, epsilon=1.0), "^within belongs to ball='auto'"),
        (karcher.PrivateFrechetMean("sphere:2", 1.0, ball="auto", epsilon=1.0), "^radius does not go with ball='auto'"),
        (
            karcher.PrivateFrechetMean("sphere:2", ball="auto", epsilon=1.0, assume_in_ball=True),
            "^assume_in_ball does not go with ball='auto'",
        ),
    ]:
        with pytest.raises(errors.Error, match=words):
            estimator.spec()
        records = POINTS if "sphere" in estimator.manifold else POINTS[:, :2]
        with pytest.raises(errors.Error, match=words):
            estimator.fit(records)


def test_a_plan_of_a_specification_is_that_of_the_parameters():
    of_parameters = karcher.plan("sphere:2", radius=0.7, n=600, epsilon=1.0)
    assert karcher.plan(spec_of("mean"), n=600) == of_parameters
    without = {name: value for name, value in spec_of("mean").items() if name != "budget"}
    least = karcher.plan(without, n=600, error=0.01, delta=1e-6)
    assert least == karcher.plan("sphere:2", radius=0.7, n=600, error=0.01, delta=1e-6)
    fewest = karcher.plan(spec_of("mean"), error=0.01)
    assert fewest.n == karcher.plan("sphere:2", radius=0.7, epsilon=1.0, error=0.01).n
    named = karcher.plan(spec_of("flow"), n=600)
    assert named.best == "karcher-flow" and [c.mechanism for c in named.candidates] == ["karcher-flow"]
    assert named["karcher-flow"].steps == 3
    guessed = karcher.plan(spec_of("add-remove"))
    assert guessed.n == 500 and guessed.forecast is not None
    located = karcher.plan(spec_of("located mean"), n=600)
    assert located.best == "locate" and located["locate"].at_most
    median = karcher.plan(spec_of("median"), n=600)
    assert median == karcher.plan("sphere:2", radius=0.7, n=600, mu=1.0, statistic="median")


def test_a_group_of_records_has_a_guarantee():
    pure, approximate = karcher.Guarantee(epsilon=0.5), karcher.Guarantee(epsilon=0.5, delta=1e-9)
    assert pure.group(1) == pure and pure.group(4) == karcher.Guarantee(epsilon=2.0)
    assert karcher.Guarantee(mu=0.5).group(3) == karcher.Guarantee(mu=1.5)
    assert karcher.Guarantee(rho=0.5).group(3) == karcher.Guarantee(rho=4.5)
    of_five = approximate.group(5)
    assert of_five.epsilon == 2.5
    assert of_five.delta == pytest.approx(1e-9 * np.expm1(2.5) / np.expm1(0.5), rel=1e-12)
    assert of_five.delta >= 1e-9 * sum(np.exp(0.5 * i) for i in range(5)) * (1 - 1e-15)
    for k, words in [(0, "k is 0"), (1.5, "k is 1.5"), (True, "k is True"), (2**33, "k is")]:
        with pytest.raises(errors.Error, match=words):
            pure.group(k)
    with pytest.raises(errors.Error, match="delta"):
        karcher.Guarantee(epsilon=1.0, delta=0.1).group(10)


def test_guarantees_are_added_and_compared():
    quarter, half = karcher.Guarantee(epsilon=0.25), karcher.Guarantee(epsilon=0.5)
    assert quarter + half == karcher.compose(quarter, half) == karcher.Guarantee(epsilon=0.75)
    assert sum([half, half], start=quarter) == karcher.Guarantee(epsilon=1.25)
    assert quarter <= half and quarter < half and half >= quarter and half > quarter
    assert not half <= quarter and not half < half and half <= half
    assert half <= karcher.Guarantee(epsilon=0.5, delta=1e-6) and not karcher.Guarantee(epsilon=0.5, delta=1e-6) <= half
    gaussian = half.to_gaussian()
    assert half <= gaussian and not gaussian <= half
    concentrated = karcher.Guarantee(rho=1.0)
    assert not concentrated <= karcher.Guarantee(mu=9.0)  # no conversion is known
    for wrong in (lambda: half + 1.0, lambda: half <= 1.0, lambda: half < "x", lambda: 1.0 + half):
        with pytest.raises(TypeError):
            wrong()


def test_profiles_are_computed_at_arrays():
    gaussian = karcher.Guarantee(mu=1.0)
    epsilons = np.array([[0.0, 0.5], [1.0, 2.0]])
    deltas = gaussian.delta_at(epsilons)
    assert deltas.shape == (2, 2)
    assert [gaussian.delta_at(x) for x in epsilons.ravel()] == deltas.ravel().tolist()
    assert isinstance(gaussian.delta_at(1), float) and isinstance(gaussian.epsilon_at(np.float64(1e-6)), float)
    back = gaussian.epsilon_at([deltas[1, 0], deltas[1, 1]])
    np.testing.assert_allclose(back, [1.0, 2.0], rtol=1e-9)
    assert gaussian.delta_at([]).shape == (0,)
    with pytest.raises(errors.Error, match="epsilon is -1"):
        gaussian.delta_at([0.5, -1.0])
    with pytest.raises(errors.Error, match="delta"):
        gaussian.epsilon_at(np.array([0.5, 1.5]))
    with pytest.raises(TypeError, match=re.escape("epsilon is 'x': expected a number")):
        gaussian.delta_at("x")


def test_an_edited_release_is_not_made_again():
    x = np.tile([0.6, 0.0, 0.8], (1000, 1))
    release = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0).fit(x).release_
    assert karcher.run(release, x).guarantee == karcher.run(json.loads(release.to_json()), x).guarantee
    edited = json.loads(release.to_json())
    edited["spec"]["budget"]["epsilon"] = 2.0
    for given in (edited, json.dumps(edited)):
        with pytest.raises(karcher.Error, match="contradicts its own specification: .*: "):
            karcher.run(given, x)
