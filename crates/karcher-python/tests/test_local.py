"""The local model: randomize and collect."""

import json

import numpy as np
import pytest

import karcher

BALL = dict(manifold="sphere:2", radius=0.7, center=[0.0, 0.0, 1.0], epsilon=8.0)


def person(i, **changed):
    t = 0.2 + 0.001 * (i % 100)
    return karcher.randomize([np.sin(t), 0.0, np.cos(t)], **{**BALL, **changed})


def test_a_report_says_what_it_is():
    report = person(0)
    assert (report.statistic, report.n, report.unit, report.numerics) == ("record", 1, "record", "exact")
    assert report.sensitivity.value == pytest.approx(1.4)
    assert report.scale == pytest.approx(1.4 / 8.0)
    assert report.coordinates.shape == (2,)
    back = karcher.RandomizedRecord.from_json(report.to_json())
    np.testing.assert_array_equal(back.coordinates, report.coordinates)
    assert "coordinates" in json.loads(report.to_json()) and "randomized" in repr(report)


def test_the_collector_is_near_the_mean():
    mean = karcher.collect(person(i) for i in range(3000))
    t = 0.2 + 0.001 * 49.5
    off = karcher.Sphere(2).dist(mean.value, [np.sin(t), 0.0, np.cos(t)])
    assert off < 8 * mean.expected_distance + mean.bias_bound
    assert (mean.n, mean.guarantee, mean.flags) == (3000, karcher.Guarantee(epsilon=8.0), ())
    assert json.loads(mean.to_json())["statistic"] == "collected-mean"
    assert 0.0 < mean.bias_bound < 0.2


def test_records_of_one_person_are_one_contribution():
    several = np.array([[0.3], [0.5], [0.7]])
    given = dict(radius=1.0, epsilon=1.0, random_state=3)
    of_several = karcher.randomize(several, "euclidean:1", person=True, **given)
    of_their_mean = karcher.randomize([0.5], "euclidean:1", **given)
    assert (of_several.unit, of_their_mean.unit) == ("person", "record")
    assert of_several.coordinates == pytest.approx(of_their_mean.coordinates, abs=1e-12)
    # the number of records of a person is hidden: only the noise differs
    for one in ([0.5], [[0.5]]):
        alone = json.loads(karcher.randomize(one, "euclidean:1", person=True, **given).to_json())
        whole = json.loads(of_several.to_json())
        assert alone.pop("coordinates") == pytest.approx(whole.pop("coordinates"), abs=1e-12)
        assert alone == whole
    with pytest.raises(karcher.Error, match="person=True"):
        karcher.randomize(several, "euclidean:1", **given)


def test_mixtures_are_refused():
    for other in (person(1, epsilon=4.0), person(1, radius=0.6), person(1, center=[0.0, 0.6, 0.8])):
        with pytest.raises(karcher.Error, match="another space, ball or budget"):
            karcher.collect([person(0), other])
    report = person(0)
    with pytest.raises(karcher.Error, match="are the same"):
        karcher.collect([report, report])
    with pytest.raises(karcher.Error, match="is empty"):
        karcher.collect([])
    with pytest.raises(karcher.Error, match="expected what randomize returns"):
        karcher.collect(["report"])


def test_a_ledger_counts_what_is_randomized(tmp_path):
    with karcher.Ledger.new(tmp_path / "b.db", data="me", epsilon=10.0) as ledger:
        person(0)
        with pytest.raises(karcher.Error, match="left"):
            person(0)
    assert ledger.spent == {"epsilon": 8.0}
