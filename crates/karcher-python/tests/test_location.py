"""Medians and located balls: results, refusals, and the content of a release."""

import copy
import json

import numpy as np
import pytest
from sklearn.base import clone

import karcher
from karcher import (
    BallRelease,
    GeometricMedian,
    Guarantee,
    PrivateBall,
    PrivateFrechetMean,
    PrivateGeometricMedian,
    Release,
    compose,
    errors,
)

CENTER = np.array([700.0, -300.0])


def records(n=4000, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2)) + CENTER


def test_the_median_is_where_no_direction_lowers_the_mean_distance():
    x = np.concatenate([records(300), np.full((100, 2), 5000.0)])
    median = GeometricMedian().fit(x).estimate_
    towards = x - median
    pull = (towards / np.linalg.norm(towards, axis=1)[:, np.newaxis]).mean(axis=0)
    assert np.linalg.norm(pull) < 1e-6
    assert np.linalg.norm(median - CENTER) < 1.0 < np.linalg.norm(x.mean(axis=0) - CENTER)


def test_a_private_median_is_near_the_median():
    x = np.concatenate([records(), np.full((1000, 2), -900.0)])
    fitted = PrivateGeometricMedian("euclidean", 2000.0, mu=1.0, random_state=1).fit(x)
    release = fitted.release_
    assert np.linalg.norm(fitted.estimate_ - GeometricMedian().fit(x).estimate_) < 0.5
    assert (release.statistic, release.mechanism, release.numerics) == ("geometric-median", "median-flow", "exact")
    assert release.steps and release.located is None and "Private geometric median" in release._repr_html_()


def test_a_located_ball_holds_most_records_and_serves_a_mean():
    x = records()
    fitted = PrivateBall("euclidean", within=1000.0, mu=0.5, random_state=1).fit(x)
    ball = fitted.release_
    held = np.linalg.norm(x - fitted.center_, axis=1) <= fitted.radius_
    assert held.mean() > 0.9 and fitted.radius_ < 5.0
    assert ball.radius == fitted.radius_ and np.all(ball.center == fitted.center_)
    assert ball.ball.radius == 1000.0 and [part.part for part in ball.parts] == ["center", "radius"]
    together = compose(*(part.guarantee for part in ball.parts))
    assert together.mu <= 0.5 and "private radius" in ball._repr_html_()
    mean = PrivateFrechetMean("euclidean", ball=ball, mu=1.0, random_state=1).fit(x)
    assert np.linalg.norm(mean.estimate_ - x.mean(axis=0)) < 0.05
    assert mean.release_.ball.radius == ball.radius
    again = BallRelease.from_json(ball.to_json())
    assert again.to_json() == ball.to_json() and again.parts == ball.parts and again.radii == ball.radii


@pytest.mark.parametrize(
    "budget", [{"epsilon": 2.0}, {"epsilon": 1.0, "delta": 1e-6}, {"mu": 1.0}, {"rho": 0.5}], ids=lambda b: "-".join(b)
)
def test_a_mean_in_a_ball_that_is_located_says_what_was_spent(budget):
    x = records()
    release = PrivateFrechetMean("euclidean", ball="auto", within=1000.0, random_state=1, **budget).fit(x).release_
    assert release.guarantee == Guarantee(**budget)
    assert np.linalg.norm(release.value - x.mean(axis=0)) < 0.1
    located = release.located
    assert located is not None and located.within.radius == 1000.0
    assert [part.part for part in located.parts] == ["center", "radius", "mean"]
    together = compose(*(part.guarantee for part in located.parts))
    if "delta" in budget:
        assert together.delta_at(1.0) <= 1e-6
    else:
        assert together == release.guarantee or all(
            getattr(together, name) <= value for name, value in budget.items()
        )
    assert Release.from_json(release.to_json()).located.parts == located.parts


def test_means_aim_at_a_share_of_the_records_too():
    mean = PrivateFrechetMean("euclidean", ball="auto", within=1000.0, quantile=0.5, mu=1.0, random_state=1)
    assert mean.fit(records()).release_.located.quantile == 0.5
    pca = karcher.PrivateTangentPCA("euclidean", ball="auto", within=1000.0, quantile=0.5, mu=1.0, random_state=1)
    assert pca.fit(records()).release_.located.quantile == 0.5
    with pytest.raises(errors.Error, match="quantile belongs to ball='auto'"):
        PrivateFrechetMean("euclidean", 1000.0, quantile=0.5, mu=1.0).fit(records())
    with pytest.raises(errors.Error, match="farthest record"):
        PrivateBall("euclidean", within=1000.0, quantile=1.0, mu=1.0).fit(records())


def test_a_center_at_the_edge_of_its_outer_ball_is_flagged():
    ball = PrivateBall("euclidean", within=100.0, mu=1.0, random_state=1).fit(records()).release_
    assert "center-at-edge" in ball.flags and "center-at-edge: the result lies" in repr(ball)
    assert "sought within" in ball.summary() and "at most about" in repr(ball)


def test_a_plan_says_how_its_figures_are_meant():
    plan = karcher.plan("sphere:2", n=1000, error=0.01, ball="auto", expected_spread=0.1)
    assert repr(plan).startswith(f"Plan of 1000 records with {plan.guarantee!r}: the best is two-stage")
    assert "simulated with a made-up cloud" in repr(plan) and "simulated" in plan._repr_html_()
    within = karcher.plan("euclidean:2", within=9.0, n=1000, mu=1.0, statistic="ball")
    assert within["locate"].at_most and "upper bound" in repr(within) and "upper bound" in within._repr_html_()
    assert within == karcher.plan("euclidean:2", 9.0, 1000, mu=1.0, statistic="ball")
    for wrong, told in [
        ({"within": 9.0}, "within belongs to"),
        ({"within": 9.0, "radius": 9.0, "statistic": "ball"}, "leave one out"),
        ({"statistic": "ball"}, "is unbounded"),
        ({}, "radius is missing"),
        ({"radius": "60deg"}, "radians"),
    ]:
        with pytest.raises((errors.Error, errors.ArgumentTypeError), match=told):
            karcher.plan("euclidean:2", n=1000, mu=1.0, **wrong)
    with pytest.raises(errors.ArgumentTypeError, match=r"math.radians\(60\)"):
        PrivateBall("sphere:2", within="60deg", center=[1, 0, 0], mu=1.0).fit(np.eye(3))


def test_uniform_data_are_said_to_have_no_useful_mean():
    x = np.random.default_rng(0).normal(size=(2000, 3))
    x /= np.linalg.norm(x, axis=1)[:, np.newaxis]
    assert "no-useful-mean" in PrivateBall("sphere", mu=2.0, random_state=1).fit(x).release_.flags
    release = PrivateFrechetMean("sphere", ball="auto", mu=2.0, random_state=1).fit(x).release_
    assert "no-useful-mean" in release.flags and release.ball.radius < release.located.radius


def test_a_wide_ball_with_an_expected_spread_is_searched_for_a_smaller_one():
    x = records()
    wide = {"radius": 1000.0, "mu": 1.0, "random_state": 1}
    two = PrivateFrechetMean("euclidean", expected_spread=1.4, **wide).fit(x).release_
    located = PrivateFrechetMean("euclidean", ball="auto", within=1000.0, mu=1.0, random_state=1).fit(x).release_
    without_spec = lambda release: {**json.loads(release.to_json()), "spec": None}
    assert without_spec(two) == without_spec(located)
    assert PrivateFrechetMean("euclidean", expected_spread=900.0, **wide).fit(x).release_.located is None

    plan = karcher.plan("euclidean:2", 1000.0, len(x), mu=1.0, expected_spread=1.4)
    found = plan["two-stage"]
    assert plan.best == "two-stage" and found.rehearsed is not None
    assert found.rehearsed.expected_spread == 1.4 and found.rehearsed.radius < 10
    assert found.expected_distance < 0.01 * plan["gaussian"].expected_distance
    assert plan["gaussian"].rehearsed is None and "two-stage" in plan._repr_html_()
    too_wide = karcher.plan("euclidean:2", 1.0, 1000, mu=1.0, expected_spread=2.0)
    assert too_wide.best == "gaussian" and "does not pay" in too_wide["two-stage"].reason
    for spread in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(errors.Error, match="expected_spread"):
            karcher.plan("euclidean:2", 1.0, 1000, mu=1.0, expected_spread=spread)


REFUSED = [
    (
        lambda x: PrivateFrechetMean("euclidean", ball="auto", within=9.0, expected_spread=1.0, mu=1.0).fit(x),
        "locating a ball does not use it",
    ),
    (
        lambda x: PrivateFrechetMean("euclidean", ball="auto", within=9.0, mechanism="two-stage", mu=1.0).fit(x),
        "locates a ball by itself",
    ),
    (lambda x: PrivateFrechetMean("euclidean", 9.0, expected_spread=-1.0, mu=1.0).fit(x), "expected_spread is -1"),
    (lambda x: PrivateFrechetMean("euclidean", 9.0, expected_spread="1", mu=1.0).fit(x), "expected_spread"),
    (lambda x: PrivateBall("euclidean", mu=1.0).fit(x), "within is missing"),
    (lambda x: PrivateBall("euclidean", within=9.0, quantile=1.5, mu=1.0).fit(x), "quantile"),
    (lambda x: PrivateBall("euclidean", within=-9.0, mu=1.0).fit(x), "within is -9"),
    (lambda x: PrivateBall("euclidean", within=9.0).fit(x), "budget"),
    (lambda x: PrivateFrechetMean("euclidean", ball="car", mu=1.0).fit(x), "expected 'auto'"),
    (lambda x: PrivateFrechetMean("euclidean", 3.0, ball="auto", within=9.0, mu=1.0).fit(x), "radius does not go with"),
    (lambda x: PrivateFrechetMean("euclidean", 3.0, within=9.0, mu=1.0).fit(x), "within belongs to"),
    (
        lambda x: PrivateFrechetMean("euclidean", ball="auto", within=9.0, assume_in_ball=True, mu=1.0).fit(x),
        "assume_in_ball does not go with",
    ),
    (
        lambda x: PrivateFrechetMean(
            "euclidean", ball="auto", within=9.0, mechanism="karcher-flow", epsilon=1.0
        ).fit(x),
        "never gives pure",
    ),
    (
        lambda x: PrivateFrechetMean("euclidean", ball=karcher.Ball(CENTER, 1.0), radius=2.0, mu=1.0).fit(x),
        "leave them",
    ),
    (lambda x: PrivateGeometricMedian("euclidean", mu=1.0).fit(x), "radius is missing"),
    (lambda x: PrivateGeometricMedian("euclidean", 1.0, mu=1.0, steps=0).fit(x), "steps"),
]


@pytest.mark.parametrize(("fit", "sentence"), REFUSED)
def test_what_makes_no_sense_is_refused_before_anything_is_spent(fit, sentence):
    with pytest.raises(errors.Error, match=sentence):
        fit(records(50))


def test_a_ball_of_another_space_is_refused():
    ball = PrivateBall("euclidean", within=1000.0, mu=1.0, random_state=1).fit(records()).release_
    with pytest.raises(errors.Error, match="cannot be used on"):
        PrivateFrechetMean("sphere:2", ball=ball, mu=1.0).fit(np.eye(3))
    with pytest.raises(TypeError, match="expected 'auto'"):
        PrivateFrechetMean("euclidean", ball=3.0, mu=1.0).fit(records(50))


def test_estimators_are_cloned_with_their_balls():
    ball = PrivateBall("euclidean", within=1000.0, mu=1.0, random_state=1).fit(records()).release_
    mean = PrivateFrechetMean(ball=ball, mu=1.0)
    for estimator in (mean, PrivateBall(within=3.0), PrivateGeometricMedian(), GeometricMedian()):
        copied = clone(estimator)
        assert copied.get_params().keys() == estimator.get_params().keys()
    assert copy.deepcopy(ball).radius == ball.radius
