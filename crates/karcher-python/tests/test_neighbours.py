"""Neighbours that differ in one record added or removed: the number of records appears only in a noisy count."""

import json
import os

import jsonschema
import numpy as np
import pytest

import karcher

SCHEMA = json.load(open(os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "release.schema.json")))
POINTS = np.tile([0.6, 0.0, 0.8], (300, 1))


def mean(**options):
    given = {"radius": 0.8, "center": [0, 0, 1], "epsilon": 1.0, "random_state": 1}
    given |= {"adjacency": "add-remove", "n_guess": 200}
    return karcher.PrivateFrechetMean("sphere:2", **{**given, **options})


def test_a_release_has_a_guess_and_a_private_number():
    release = mean(spread=True).fit(POINTS).release_
    assert (release.n, release.n_guess, release.adjacency) == (None, 200, "add-remove")
    assert abs(release.private_count.value - 300) < 100
    text = release.to_json()
    jsonschema.validate(json.loads(text), SCHEMA)
    again = karcher.Release.from_json(text)
    assert again.private_count == release.private_count
    assert "about" in repr(release) and "300" not in repr(release).split("space")[0]
    assert "about" in release._repr_html_()
    wrong = {**json.loads(text), "n": 300}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)
    with pytest.raises(karcher.Error, match="and no n"):
        karcher.Release.from_json(json.dumps(wrong))


def test_no_records_are_a_number_like_any_other():
    for space, empty in [("sphere:2", np.zeros((0, 3))), ("euclidean:2", np.zeros((0, 2)))]:
        center = None if space == "euclidean:2" else [0, 0, 1]
        release = karcher.PrivateFrechetMean(
            space, 0.8, center, epsilon=1.0, adjacency="add-remove", n_guess=50, random_state=1
        ).fit(empty).release_
        assert release.private_count.value < 60
    assert karcher.PrivateCount(epsilon=1.0, random_state=1).fit(np.zeros((0, 2))).count_ < 30


def test_a_list_of_no_records_is_no_error():
    given = {"radius": 1.0, "epsilon": 1.0, "adjacency": "add-remove", "n_guess": 5}
    for none in ([], np.zeros(0), np.zeros((0, 2))):
        assert karcher.PrivateFrechetMean("euclidean:2", **given).fit(none).release_.private_count is not None


def test_what_does_not_go_together_is_refused():
    for options, words in [
        ({"n_guess": None}, "n_guess is missing"),
        ({"adjacency": "replace-one"}, "n_guess belongs to"),
        ({"mechanism": "laplace"}, "no proof for add-remove neighbours"),
        ({"ball": "auto", "radius": None}, "no proof"),
        ({"adjacency": "both"}, "adjacency: .*expected `replace-one` or `add-remove`"),
    ]:
        with pytest.raises(karcher.Error, match=words):
            mean(**options).fit(POINTS)
    with pytest.raises(karcher.Error, match="n_guess takes its place"):
        karcher.plan("sphere:2", 0.5, 10, epsilon=1, adjacency="add-remove")


def test_variances_regressions_plans_audits_and_ledgers_know_them(tmp_path):
    variance = karcher.PrivateFrechetVariance(
        "euclidean", clip=3.0, center=[0, 0], epsilon=2.0, adjacency="add-remove", n_guess=400, random_state=2
    ).fit(np.tile([1.0, 0.0], (500, 1)))
    assert variance.release_.n is None and abs(variance.variance_ - 1.0) < 0.5
    x = np.linspace(0, 1, 400)
    line = karcher.PrivateGeodesicRegression(
        "euclidean:1", predictor_range=(0, 1), radius=1.0, slope_bound=1.0, epsilon=4.0,
        adjacency="add-remove", n_guess=400, random_state=3,
    ).fit(x[:, None], (0.2 + 0.3 * x)[:, None])
    assert line.release_.private_count is not None
    jsonschema.validate(json.loads(line.release_.to_json()), SCHEMA)
    jsonschema.validate(json.loads(variance.release_.to_json()), SCHEMA)
    planned = karcher.plan("euclidean:10", 1.0, epsilon=1, adjacency="add-remove", n_guess=100)
    replaced = karcher.plan("euclidean:10", 1.0, 100, epsilon=1)
    assert planned[planned.best].expected_distance < replaced[planned.best].expected_distance
    audit = karcher.audit("euclidean:1", 1.0, 5, epsilon=1.0, releases=500, adjacency="add-remove")
    assert audit.parts[0].part == "count"

    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="people", epsilon=1.0, adjacency="add-remove")
    karcher.PrivateCount(epsilon=0.25, ledger=ledger).fit(POINTS)
    mean(epsilon=0.25, ledger=ledger, random_state=None).fit(POINTS)
    assert ledger.left == {"epsilon": 0.5}
    ledger.show()
    with pytest.raises(karcher.Error, match="the ledger is for add-remove neighbours"):
        mean(epsilon=0.1, adjacency="replace-one", n_guess=None, ledger=ledger, random_state=None).fit(POINTS)
    other = karcher.Ledger.new(tmp_path / "other.db", data="people", epsilon=1.0)
    karcher.PrivateCount(epsilon=0.25, ledger=other).fit(POINTS)
    assert other.left == {"epsilon": 0.5}
