"""Names of columns that contradict what records are read as: refused before anything is spent."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import karcher
from karcher.classification import PrivateMDM

PLACES = pd.DataFrame({"lon": [14.4, 16.4], "lat": [50.1, 48.2]})
POSES = pd.DataFrame(np.eye(4)[[3, 3]], columns=["qx", "qy", "qz", "qw"])


def mean(manifold="sphere:2", center=(1, 0, 0), **options):
    return karcher.PrivateFrechetMean(manifold, 1.0, list(center), epsilon=1.0, **options)


@pytest.mark.parametrize("table", [PLACES, pl.from_pandas(PLACES)], ids=["pandas", "polars"])
def test_read_looks_at_the_names_of_columns(table):
    sphere = karcher.Sphere(2)
    with pytest.raises(karcher.Error, match=r"give x\[\['lat', 'lon'\]\], or trust_layout=True if the names are wrong"):
        sphere.read(table, "latlon")
    right = sphere.read(table[["lat", "lon"]], "latlon")
    assert np.allclose(right, sphere.read(PLACES[["lat", "lon"]].to_numpy(), "latlon"))
    trusted = sphere.read(table, "latlon", trust_layout=True)
    assert np.allclose(trusted, sphere.read(PLACES.to_numpy(), "latlon"))


def test_read_names_the_layout_that_is_right():
    planes = pd.DataFrame({"strike": [30.0], "dip": [60.0]})
    with pytest.raises(karcher.Error, match="give layout='strike-dip', or trust_layout=True"):
        karcher.Projective(2).read(planes, "trend-plunge")
    sky = pd.DataFrame({"RA_ICRS": [30.0], "DE_ICRS": [60.0]})
    with pytest.raises(karcher.Error, match="give layout='ra-dec'"):
        karcher.Sphere(2).read(sky, "latlon")
    with pytest.raises(karcher.Error, match="SciPy converts them"):
        karcher.Rotations(3).read(pd.DataFrame(np.zeros((1, 3)), columns=["roll", "pitch", "yaw"]), "rotation-vectors")


def test_names_that_say_nothing_are_no_contradiction():
    for names in (["a", "b"], ["flat", "salon"], [0, 1], ["x1", "x2"]):
        karcher.Sphere(2).read(pd.DataFrame([[1.0, 2.0]], columns=names), "latlon")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_fit_refuses_a_table_before_anything_is_spent(kind, tmp_path):
    table = {"pandas": PLACES, "polars": pl.from_pandas(PLACES), "pyarrow": pa.Table.from_pandas(PLACES)}[kind]
    ledger = karcher.Ledger.new(tmp_path / "ledger.db", data="places", epsilon=1.0)
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\], or trust_layout=True"):
        mean(ledger=ledger).fit(table, layout="latlon")
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\]"):
        mean(ledger=ledger).fit(table, layout="latlon", columns=["lon", "lat"])
    assert not ledger.spent or all(value == 0 for value in ledger.spent.values())
    assert mean().fit(table, layout="latlon", columns=["lat", "lon"]).release_.n == 2
    assert mean().fit(table, layout="latlon", trust_layout=True).release_.n == 2


def test_fit_refuses_the_columns_of_a_data_frame_without_a_layout():
    rotations = {"manifold": "rotations:3", "center": (1, 0, 0, 0)}
    with pytest.raises(karcher.Error, match="give layout='quaternions-last', or trust_layout=True"):
        mean(**rotations).fit(POSES)
    with pytest.raises(karcher.Error, match="give layout='quaternions-last', or trust_layout=True"):
        mean(**rotations).fit(pa.Table.from_pandas(POSES))
    assert mean(**rotations).fit(POSES, layout="quaternions-last").release_.n == 2
    assert mean(**rotations).fit(POSES[["qw", "qx", "qy", "qz"]]).release_.n == 2
    assert mean(**rotations).fit(POSES, trust_layout=True).release_.n == 2


def test_operations_refuse_points_whose_columns_are_in_another_order():
    space = karcher.Rotations(3)
    for operation in (lambda q: space.dist(q, q), lambda q: space.log(q, q), space.project):
        with pytest.raises(karcher.Error, match=r"give layout='quaternions-last', or \w\.to_numpy\(\)"):
            operation(POSES)
        operation(POSES[["qw", "qx", "qy", "qz"]])
        operation(POSES.to_numpy())
    with pytest.raises(karcher.Error, match="quaternions-last"):
        karcher.FrechetMean(space).fit(POSES)
    with pytest.raises(karcher.Error, match="quaternions-last"):
        karcher.randomize(POSES.iloc[0], space, radius=1.0, center=[1, 0, 0, 0], epsilon=1.0)


def test_matrices_in_columns_are_looked_at():
    names = ["xx", "yy", "xy"]
    table = pd.DataFrame([[2.0, 0.9, 1.0]] * 4, columns=names).assign(label=["a", "a", "b", "b"])

    def fit(**options):
        classes = PrivateMDM(radius=3.0, center=np.eye(2), epsilon=1.0)
        return classes.fit(table, "label", columns=names, **options)

    with pytest.raises(karcher.Error, match="give layout='diagonal-first'"):
        fit(layout="upper-row")
    assert len(fit(layout="diagonal-first").classes_) == 2
    assert len(fit(layout="upper-row", trust_layout=True).classes_) == 2


def test_parts_of_a_cluster_are_looked_at():
    questions = []

    def ask(question):
        questions.append(question)
        return karcher.partial(PLACES, question, layout="latlon", trust_layout=True)

    assert mean().fit(karcher.Remote(ask)).release_.n == 2
    with pytest.raises(karcher.Error, match=r"give columns=\['lat', 'lon'\], or trust_layout=True"):
        karcher.partial(PLACES, questions[0], layout="latlon")
    karcher.partial(PLACES, questions[0], layout="latlon", columns=["lat", "lon"])
