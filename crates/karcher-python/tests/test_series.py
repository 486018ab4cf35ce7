"""Releases over time: what the Python face adds to the files of the command."""

import json

import numpy as np
import pytest

import karcher
from karcher.errors import Error


def begun(tmp_path, spec=None, **parameters):
    if spec is None:
        spec = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0)
    return karcher.Series.begin(spec, 4, state=tmp_path / "state.json", random_state=1, **parameters)


def some(n):
    return np.full((n, 2), 0.25)


def test_releases_are_about_everyone_so_far(tmp_path):
    series = begun(tmp_path)
    first, second = series.add(some(300), label="January"), series.add(some(200))
    assert (first.n, second.n, len(series), series.periods) == (300, 500, 2, 4)
    assert second.guarantee == karcher.Guarantee(mu=1.0) and second.series["period"] == 2
    assert [json.loads(of.to_json()) for of in series.releases] == [json.loads(of.to_json()) for of in (first, second)]
    again = karcher.Series(tmp_path / "state.json")
    assert again.add().n == 500  # no one joined
    assert karcher.verify(str(tmp_path / "state.json")) is not None
    state = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))
    assert state["published"][0]["label"] == "January"


def test_persons_who_come_again_are_left_out(tmp_path):
    spec = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0).spec(unit="person")
    series = begun(tmp_path, spec)
    assert series.add(some(3), groups=["ann", "bob", "ann"]).n == 2
    assert series.add(some(3), groups=["Zoe\u0308", " bob", 7]).n == 4
    assert series.add(some(2), groups=["Zo\u00eb", 7.0]).n == 4  # no one is new
    key = (tmp_path / "state.key").read_text(encoding="utf-8")
    assert "ann" not in key and "bob" not in key


def test_counts_have_no_points(tmp_path):
    series = begun(tmp_path, karcher.PrivateCount(mu=1.0))
    release = series.add(np.zeros((1000, 3)))
    assert abs(release.value - 1000) < 40


def test_the_plan_says_what_is_gained(tmp_path):
    mean = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0)
    last = karcher.Series.plan(mean, 12, 100)[-1]
    assert last["n"] == 1200 and last["independent"] / last["expected_error"] == pytest.approx(1.87, rel=0.01)


def test_what_cannot_be_a_series_is_refused_before_anything_is_spent(tmp_path):
    with pytest.raises(Error, match="is not computed from one sum"):
        begun(tmp_path, karcher.PrivateKMeans("euclidean:2", 2, radius=1.0, mu=1.0))
    series = begun(tmp_path)
    with pytest.raises(Error, match="exists"):
        begun(tmp_path)
    with pytest.raises(Error, match="no state"):
        karcher.Series(tmp_path / "state.key")
    with pytest.raises(Error):
        series.add(np.full((3, 3), 0.1))
    assert len(series) == 0
