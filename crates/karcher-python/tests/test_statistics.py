"""The statistics of the library, as the package takes them from its registry."""

import json
import pathlib

import karcher
import numpy as np
import pytest
from karcher._statistics import PLANNED, STATISTICS
from karcher.release import kind_of

DOCS = pathlib.Path(__file__).resolve().parents[3] / "docs"
NAMED = json.loads((DOCS / "schemas/common.schema.json").read_text(encoding="utf-8"))["$defs"]["statistic"]["enum"]
OF_BALLS = [name for name, statistic in STATISTICS.items() if statistic.is_of_balls]


def records(name):
    """Records on the space of a statistic's example."""
    space = karcher.manifold(STATISTICS[name].example["manifold"])
    return space.random_point(500, center=space.origin, scale=0.2, random_state=1)


def test_every_statistic_has_a_word_and_an_example():
    assert list(STATISTICS) == NAMED
    assert len({statistic.option for statistic in STATISTICS.values()}) == len(STATISTICS)
    assert all(statistic.example["statistic"] == name for name, statistic in STATISTICS.items())


@pytest.mark.parametrize("name", OF_BALLS)
def test_an_example_is_run_and_verified(name):
    release = karcher.run(STATISTICS[name].example, records(name))
    assert type(release) is kind_of(name) and release.statistic == name
    assert karcher.verify(release) and release.spec["statistic"] == name
    assert STATISTICS[name].option in PLANNED and len(release.summary()) > len(repr(release))


@pytest.mark.parametrize("word", PLANNED)
def test_a_word_plans_its_statistic(word):
    name = PLANNED[word]
    example = STATISTICS[name].example
    ball = {} if "ball" not in example else {"radius": 1.0}
    planned = karcher.plan(example["manifold"], n=500, mu=1.0, statistic=word, **ball)
    assert np.isfinite(planned[planned.best].expected_distance)
    assert planned.best == karcher.run(example, records(name), random_state=1).mechanism
