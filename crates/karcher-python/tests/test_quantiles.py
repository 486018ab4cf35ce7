"""Private quantiles in Python."""

import json

import karcher
import numpy as np
import pytest
from karcher.errors import Error

AGES = np.random.default_rng(0).gamma(6.0, 7.0, size=(4000, 1))
AT = {"radius": 60.0, "center": [60]}
LEVELS = [0.1, 0.5, 0.9]


def test_many_quantiles_of_numbers_for_one_budget():
    found = karcher.PrivateQuantiles("euclidean:1", LEVELS, **AT, mu=1.0, random_state=1).fit(AGES)
    true = np.quantile(AGES, LEVELS)
    assert np.all(np.abs(found.quantiles_ - true) < 1.0) and np.all(np.diff(found.quantiles_) >= 0)
    low, high = found.intervals_.T
    assert np.all((low <= true) & (true <= high)) and np.all(high - low < 3.0)
    assert np.all(np.ptp(found.population_intervals_, axis=1) >= high - low)
    assert list(found.levels_) == LEVELS and found.release_.position_range == (0.0, 120.0)
    assert found.release_.positions == "number" and found.release_.guarantee == karcher.Guarantee(mu=1.0)
    release = found.release_
    assert karcher.QuantilesRelease.from_json(release.to_json()) == release
    assert not [one for one in karcher.verify(release).findings if "seed" not in str(one)]
    assert isinstance(karcher.run(release.spec, AGES), karcher.QuantilesRelease)


def test_quantiles_of_angles_and_distances():
    angles = karcher.Sphere(1).exp([0.0, 1.0], np.linspace(-0.5, 1.0, 1001)[:, np.newaxis] * [-1.0, 0.0])
    turned = karcher.PrivateQuantiles("sphere:1", center=[0, 1], mu=5.0, random_state=1).fit(angles)
    assert np.allclose(turned.quantiles_, [-0.125, 0.25, 0.625], atol=0.03)
    far = karcher.PrivateQuantiles("sphere:1", center=[0, 1], distances=True, mu=5.0, random_state=1).fit(angles)
    assert far.release_.positions == "distance" and far.quantiles_[1] == pytest.approx(0.375, abs=0.03)


@pytest.mark.parametrize("adjacency", [{}, {"adjacency": "add-remove", "n_guess": 3000}])
@pytest.mark.parametrize("budget", [{"epsilon": 2.0}, {"rho": 0.5}, {"epsilon": 1.0, "delta": 1e-6}])
def test_every_budget_and_both_neighbours(adjacency, budget):
    found = karcher.PrivateQuantiles("euclidean:1", **AT, **budget, **adjacency, random_state=2).fit(AGES)
    assert np.all(np.abs(found.quantiles_ - np.quantile(AGES, found.levels_)) < 4.0)
    assert (found.release_.private_count is not None) == bool(adjacency)


def test_persons_count_once():
    persons = np.repeat(np.arange(400), 10)
    found = karcher.PrivateQuantiles("euclidean:1", **AT, mu=1.0, random_state=2).fit(AGES, groups=persons)
    assert (found.release_.unit, found.release_.n) == ("person", 400)
    means = AGES.reshape(400, 10).mean(axis=1)
    assert np.all(np.abs(found.quantiles_ - np.quantile(means, found.levels_)) < 2.0)


def test_a_ledger_counts_all_levels_once(tmp_path):
    study = karcher.Ledger.new(str(tmp_path / "study.db"), data="ages", mu=1.0)
    levels = np.linspace(0.01, 0.99, 99)
    found = karcher.PrivateQuantiles("euclidean:1", levels, **AT, mu=1.0, ledger=study).fit(AGES)
    assert len(found.quantiles_) == 99 and len(study.entries) == 1
    with pytest.raises(Error):
        karcher.PrivateQuantiles("euclidean:1", **AT, mu=0.1, ledger=study).fit(AGES)


def test_plans_and_pictures():
    plan = karcher.plan("euclidean:1", radius=60.0, n=4000, mu=1.0, statistic="quantiles")
    assert plan.best == "distribution" and 0.05 < plan["distribution"].expected_distance < 0.2
    release = karcher.PrivateQuantiles("euclidean:1", LEVELS, **AT, mu=1.0, random_state=1).fit(AGES).release_
    svg = release.plot().svg
    assert "Private quantiles on euclidean:1" in str(svg)
    assert json.loads(release.to_json())["statistic"] == "quantiles"


@pytest.mark.parametrize(
    "odd",
    [
        {"levels": [0.0, 0.5]}, {"levels": [0.5, 0.5]}, {"levels": [0.9, 0.1]}, {"levels": []}, {"levels": [np.nan]},
        {"levels": "half"}, {"cells": 1000}, {"cells": 1}, {"radius": None}, {"center": [np.nan]}, {"radius": 1e-300},
    ],
)  # fmt: skip
def test_odd_parameters_are_refused_before_a_budget_is_spent(odd):
    with pytest.raises(Error):
        karcher.PrivateQuantiles("euclidean:1", **{**AT, **odd}, mu=1.0).fit(AGES)


def test_a_center_is_needed_where_no_point_is_as_good_as_another():
    with pytest.raises(Error, match="center"):
        karcher.PrivateQuantiles("sphere:2", mu=1.0).fit(karcher.Sphere(2).random_point(50, random_state=1))
