"""Persons: `groups` of the estimators, class means of persons, ledgers of persons."""

import numpy as np
import pytest

import karcher
from karcher.classification import PrivateMDM

RNG = np.random.default_rng(0)
LINE = dict(manifold="euclidean:1", radius=1.0, epsilon=1.0)
X = RNG.uniform(-0.5, 0.5, (12, 1))
WHO = np.array([3, 1, 3, 2, 1, 3, 2, 2, 1, 3, 1, 2])


def fitted(x=X, who=WHO, seed=7, **more):
    return karcher.PrivateFrechetMean(**LINE, random_state=seed, **more).fit(x, groups=who).release_


def test_a_release_of_persons_says_so_and_counts_persons():
    release = fitted()
    assert (release.unit, release.n) == ("person", 3)
    assert "3 persons" in release.summary()
    means = np.array([X[WHO == person].mean() for person in (1, 2, 3)])[:, np.newaxis]
    plain = karcher.PrivateFrechetMean(**LINE, random_state=7).fit(means).release_
    assert plain.unit == "record"
    np.testing.assert_allclose(release.noisy_value, plain.noisy_value, atol=1e-12)


def test_the_order_of_records_and_the_names_of_persons_change_no_bit():
    order = RNG.permutation(12)
    assert fitted().value == fitted(X[order], WHO[order]).value
    assert fitted().value == fitted(who=[f"p{person}" for person in WHO]).value
    assert fitted().value == fitted(who=(10 * WHO).tolist()).value


@pytest.mark.parametrize(
    ("who", "words"),
    [
        (WHO[:-1], "there"),
        ([None, *WHO[1:]], "row 1"),
        (["", *map(str, WHO[1:])], "row 1"),
        (np.where(WHO == 2, np.nan, WHO), "row 4"),
        ([" ", *map(str, WHO[1:])], "row 1"),
        ([object(), *WHO[1:]], "no key"),
        (np.array([b"a\xfc"] * 12), "UTF-8"),
        (["a", float("nan"), *WHO[2:].astype(str).tolist()], "row 2"),
        ([("a", 1)] * 12, "shape"),
        (np.stack([WHO, WHO], axis=1), "shape"),
        (np.ma.MaskedArray(WHO, mask=WHO == 1), "masked"),
    ],
)
def test_what_names_nobody_is_refused_without_a_key_in_the_sentence(who, words):
    with pytest.raises(karcher.Error) as refused:
        fitted(who=who)
    assert words.replace("there", "groups") in str(refused.value)


def test_every_estimator_takes_persons():
    sphere = np.tile([[0.6, 0.0, 0.8], [0.8, 0.0, 0.6]], (300, 1))
    who = np.repeat(np.arange(200), 3)
    at = dict(center=[0.6, 0.0, 0.8], epsilon=2.0)
    estimators = [
        karcher.PrivateFrechetMean("sphere:2", radius=0.5, spread=True, **at),
        karcher.PrivateFrechetMean("sphere:2", ball="auto", **at),
        karcher.PrivateGeometricMedian("sphere:2", radius=0.5, center=[0.6, 0.0, 0.8], mu=2.0),
        karcher.PrivateTangentPCA("sphere:2", radius=0.5, **at),
        karcher.PrivateFrechetVariance("sphere:2", **at),
        karcher.PrivateBall("sphere:2", **at),
        karcher.PrivateKMeans("sphere:2", 2, radius=0.5, **at),
        karcher.PrivateDescent(
            "sphere:2", lambda point, X: point * (X * point).sum(axis=1, keepdims=True) - X, "sphere:2", radius=0.5,
            clip=0.5, steps=2, step_size=0.5, **at,
        ),
    ]
    for estimator in estimators:
        estimator.fit(sphere, groups=who)
        assert (estimator.release_.unit, estimator.release_.n) == ("person", 200), estimator
    regression = karcher.PrivateGeodesicRegression(
        "euclidean:1", predictor_range=(0, 1), radius=1.0, slope_bound=1.0, epsilon=2.0
    ).fit(np.linspace(0, 1, 600), np.linspace(0, 0.5, 600)[:, np.newaxis], groups=who)
    assert (regression.release_.unit, regression.release_.n) == ("person", 200)


def matrices(seed=0):
    """Four matrices of each of 50 persons, two of a class."""
    rng = np.random.default_rng(seed)
    values = np.exp(0.3 * rng.normal(size=(200, 2)))
    labels = np.tile(["left", "right"], 100)
    values[labels == "right", 0] *= 3.0
    return values[:, :, np.newaxis] * np.eye(2), labels, np.repeat(np.arange(50), 4)


@pytest.mark.parametrize(
    ("budget", "together"),
    [
        (dict(epsilon=0.5), karcher.Guarantee(epsilon=1.0)),
        (dict(mu=0.5), karcher.Guarantee(mu=0.5 * np.sqrt(2))),
        (dict(rho=0.25), karcher.Guarantee(rho=0.5)),
    ],
)
def test_class_means_of_persons_compose(budget, together, tmp_path):
    x, y, who = matrices()
    total = {kind: 10 * amount for kind, amount in budget.items()}
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="made up", unit="person", **total)
    mdm = PrivateMDM(radius=2.0, center=np.eye(2), ledger=ledger, **budget).fit(x, y, groups=who)
    assert repr(mdm.guarantee_).split("=")[0] == repr(together).split("=")[0]
    name = next(iter(budget))
    assert getattr(mdm.guarantee_, name) == pytest.approx(getattr(together, name), rel=1e-12)
    assert [(release.unit, release.n) for release in mdm.releases_] == [("person", 50)] * 2
    # counted at once, before any of them is released
    assert [(entry.entry, entry.event["groups"], entry.status) for entry in ledger.entries] == [(1, 2, "released")]
    assert next(iter(ledger.spent.values())) == pytest.approx(getattr(together, name), rel=1e-9)
    plain = PrivateMDM(radius=2.0, center=np.eye(2), **budget).fit(x, y)
    assert getattr(plain.guarantee_, name) == budget[name]
    assert [release.n for release in plain.releases_] == [100, 100]


def test_a_ledger_of_persons_counts_persons_only(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "b.db", data="made up", unit="person", epsilon=3.0)
    assert ledger.unit == "person"
    mean = karcher.PrivateFrechetMean(**LINE, ledger=ledger)
    mean.fit(X, groups=WHO)
    with pytest.raises(karcher.Error, match="persons"):
        mean.fit(X)
    # the number of records is confidential there: it is not written down
    assert [entry.event["n"] for entry in ledger.entries] == [3]
    of_records = karcher.Ledger.new(tmp_path / "r.db", data="made up", epsilon=3.0)
    assert of_records.unit == "record"
    karcher.PrivateFrechetMean(**LINE, ledger=of_records).fit(X, groups=WHO)
    assert of_records.entries[0].event["unit"] == "person"
