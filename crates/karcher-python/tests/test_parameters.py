"""Constructors that are made of annotated names: they store what they are given, and types and run time agree."""

from __future__ import annotations

import inspect
import pathlib
from typing import TYPE_CHECKING

import pytest
from karcher._parameters import ORDER, estimator
from mypy import api

from every_estimator import ESTIMATORS

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

ROOT = pathlib.Path(__file__).parents[3]

PROGRAM = """
import karcher
from karcher.fields import Parcels, PrivateFieldMean
mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, adjacency="add-remove", n_jobs=1)
reveal_type(mean.radius)
reveal_type(mean.fit([[0.0, 0.0, 1.0]]).release_)
reveal_type(karcher.PrivateCount(epsilon=1.0).fit([1]).release_)
PrivateFieldMean("euclidean:1", basis=Parcels([1]), clip=1.0, mu=1.0)
PrivateFieldMean("euclidean:1", basis=Parcels([1]), mu=1.0)
karcher.PrivateKMeans("euclidean:2", n_cluster=2)
karcher.PrivateBall("sphere:2", 1.0, None, 0.5)
karcher.classification.PrivateMDM(1.0, "origin", metric="riemann", epsilon=1.0).fit([[[1.0]]], [0])
karcher.classification.PrivateMDM(1.0, manifold="spd-log-euclidean:2")
"""


def test_types_know_the_constructors(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    settings = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]  # of the gate
    told, _, _ = api.run([*settings, "--no-error-summary", "--hide-error-context", str(file)])
    lines = [line.partition("program.py:")[2] for line in told.strip().splitlines() if " defined in " not in line]
    assert [line.split(":")[0] for line in lines] == ["5", "6", "7", "9", "10", "11", "13"]
    assert "float | None" in lines[0] and "karcher.release.Release" in lines[1] and "CountRelease" in lines[2]
    assert 'Missing named argument "clip"' in lines[3]
    assert 'Unexpected keyword argument "n_cluster"' in lines[4] and "Too many positional arguments" in lines[5]
    assert 'Unexpected keyword argument "manifold"' in lines[6]


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_a_constructor_stores_its_parameters_alone(kind):
    given = {name: object() for name in inspect.signature(kind).parameters}
    assert vars(kind(**given)) == given


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_what_all_have_is_in_one_order(kind):
    shared = [name for name in inspect.signature(kind).parameters if name in ORDER]
    assert shared == sorted(shared, key=ORDER.index)


def test_names_of_bases_are_parameters_and_a_class_changes_their_defaults():
    @estimator
    class Base:
        place: int = 1
        _: KW_ONLY
        mu: float = 2.0
        own: str = "base"

    @estimator
    class Kind(Base):
        _: KW_ONLY
        needed: int
        own: str = "kind"

    assert list(inspect.signature(Kind).parameters) == ["place", "needed", "mu", "own"]
    made = Kind(3, needed=4)
    assert (made.place, made.needed, made.mu, made.own) == (3, 4, 2.0, "kind") and Base().own == "base"
    with pytest.raises(TypeError, match=r"Kind.__init__\(\) got an unexpected keyword argument 'rho'"):
        Kind(needed=4, rho=1.0)
    with pytest.raises(TypeError, match="needed"):
        Kind()
