"""Equality of objects recorded as JSON."""

import json

import karcher
import numpy as np
import pytest
from karcher import release

from every_estimator import RELEASING, fitted

POINTS = karcher.Sphere(2).random_point(2000, center=[0, 0, 1], scale=0.2, random_state=1)
BALL = {"radius": 0.8, "center": [0, 0, 1], "epsilon": 0.5}
AT_HOME = [karcher.randomize([0.1 * i], "euclidean:1", radius=1.0, epsilon=4.0) for i in range(3)]

RECORDED = {
    "mean": lambda: karcher.PrivateFrechetMean("sphere:2", spread=True, **BALL).fit(POINTS).release_,
    "located": lambda: karcher.PrivateFrechetMean("sphere:2", ball="auto", epsilon=1.0).fit(POINTS).release_,
    "components": lambda: karcher.PrivateTangentPCA("sphere:2", **BALL).fit(POINTS).release_,
    "clusters": lambda: karcher.PrivateKMeans("sphere:2", 2, cost=True, **BALL).fit(POINTS).release_,
    "record": lambda: AT_HOME[0],
    **{name: lambda kind=kind: fitted(kind).release_ for name, kind in RELEASING.items()},
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_release_is_equal_to_the_one_that_its_json_records(name):
    first, other = RECORDED[name](), RECORDED[name]()
    again = type(first).from_json(first.to_json())
    assert again == first and hash(again) == hash(first) and len({again, first}) == 1
    # laid out in another way
    turned = json.dumps(dict(reversed(list(json.loads(first.to_json()).items()))), indent=2)
    assert type(first).from_json(turned) == first and hash(type(first).from_json(turned)) == hash(first)
    changed = json.loads(first.to_json())
    changed["guarantee"] = {"definition": "pure", "epsilon": 17.0}
    assert type(first).from_json(json.dumps(changed)) != first and first != changed and first is not None
    # its noise is another; that of a count, a whole number, may be the same by chance
    assert name in ("record", "PrivateCount") or other != first


def test_parts_of_equal_releases_are_equal():
    holders = {"located": ("ball", "located"), "components": ("ball", "components"), "mean": ("spread",)}
    for name, parts in holders.items():
        first = RECORDED[name]()
        again, other = karcher.Release.from_json(first.to_json()), RECORDED[name]()
        for part in parts:
            one, same = getattr(first, part), getattr(again, part)
            assert one == same and hash(one) == hash(same) and not one != same
        assert getattr(first, parts[-1]) != getattr(other, parts[-1])
    assert release.Ball(np.array([0.0, 1.0]), 2.0) != release.Ball(np.array([0.0, 2.0]), 2.0)
    collected = karcher.collect(AT_HOME)
    assert collected == karcher.collect(AT_HOME) and hash(collected) == hash(karcher.collect(AT_HOME))
    assert collected != karcher.collect(AT_HOME[:2])
    profile = karcher.profile("euclidean:2", 1.0, 2.0, epsilon=[0.5, 1.0])
    assert profile == karcher.profile("euclidean:2", 1.0, 2.0, epsilon=[0.5, 1.0])
    assert profile != karcher.profile("euclidean:2", 1.0, 2.0, epsilon=[0.5, 1.1])
