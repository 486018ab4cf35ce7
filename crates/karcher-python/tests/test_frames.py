"""Releases as rows, versions, and ``python -m karcher``."""

import json
import subprocess
import sys

import karcher
import numpy as np
import pandas
import pytest

SEEDED = {"epsilon": 1.0, "random_state": 0}
HEADINGS = karcher.Sphere(2).random_point(500, center=[0.0, 0.0, 1.0], scale=0.1, random_state=0)
AT = {"radius": 0.8, "center": [0.0, 0.0, 1.0]}


def mean(manifold, **options):
    space = karcher.manifold(manifold)
    center = options.pop("center", space.origin)
    return karcher.PrivateFrechetMean(space, 0.5, center, **SEEDED, **options).fit([space.origin] * 500).release_


RELEASES = {
    "mean": lambda: karcher.PrivateFrechetMean("sphere:2", **AT, **SEEDED).fit(HEADINGS).release_,
    "ball": lambda: karcher.PrivateBall("sphere:2", **SEEDED).fit(HEADINGS).release_,
    "variance": lambda: karcher.PrivateFrechetVariance("sphere:2", 0.5, [0, 0, 1], **SEEDED).fit(HEADINGS).release_,
    "clusters": lambda: karcher.PrivateKMeans("sphere:2", 2, **AT, **SEEDED).fit(HEADINGS).release_,
    "count": lambda: karcher.PrivateCount(**SEEDED).fit(HEADINGS).release_,
    "regression": lambda: karcher.PrivateGeodesicRegression(
        "sphere:2", **AT, predictor_range=(0, 1), slope_bound=1.0, **SEEDED
    ).fit(np.linspace(0, 1, 500), HEADINGS).release_,
    "features": lambda: karcher.PrivateFeatureRegression(
        "euclidean:2", features=["linear:age:20:80"], radius=5.0, **SEEDED
    ).fit({"age": np.linspace(20, 80, 500)}, HEADINGS[:, :2]).release_,
}
COLUMNS = {
    "mean": ["value_x", "value_y", "value_z"],
    "ball": ["center_x", "center_y", "center_z", "radius"],
    "variance": ["mean_square", "root_mean_square", "root_mean_square_low", "root_mean_square_high"],
    "clusters": ["center_x", "center_y", "center_z", "weight"],
    "count": ["value", "interval_low", "interval_high"],
    "regression": [f"{name}_{axis}" for name in ("footpoint", "shooting_vector") for axis in "xyz"]
    + ["predictor_low", "predictor_high"],
    "features": ["intercept_0", "intercept_1", "age_0", "age_1"],
}


@pytest.mark.parametrize("kind", RELEASES)
def test_a_release_is_a_row_of_what_its_json_says(kind):
    release = RELEASES[kind]()
    row, said = release.to_pandas(), json.loads(release.to_json())
    assert list(row.columns[: len(COLUMNS[kind])]) == COLUMNS[kind]
    assert len(row) == (2 if kind == "clusters" else 1)
    first = row.iloc[0]
    assert first["epsilon"] == said["guarantee"]["epsilon"] and np.isnan(first["mu"])
    assert first["definition"] == "pure" and first["flags"].split(", ")[-1] == "seeded"
    assert first["statistic"] == said["statistic"] and first["mechanism"] == said["mechanism"]
    assert kind == "count" or (first["n"], first["manifold"]) == (500, said["manifold"])
    numbers = {"mean": "value", "ball": "center", "count": "value"}
    if kind in numbers:
        told = [first[name] for name in COLUMNS[kind][: np.size(said[numbers[kind]])]]
        np.testing.assert_array_equal(told, np.ravel(said[numbers[kind]]))


def test_rows_of_several_releases_make_a_table():
    releases = [RELEASES["mean"](), karcher.PrivateFrechetMean("sphere:2", **AT, mu=1.0).fit(HEADINGS).release_]
    table = pandas.concat([release.to_pandas() for release in releases], ignore_index=True)
    assert table["mu"].tolist()[1] == 1.0 and np.isnan(table["epsilon"][1]) and len(table) == 2


@pytest.mark.parametrize(
    ("manifold", "names"),
    [
        ("euclidean:2", ["0", "1"]),
        ("sphere:3", ["0", "1", "2", "3"]),
        ("rotations:3", ["w", "x", "y", "z"]),
        ("kendall:3", ["x1", "y1", "x2", "y2", "x3", "y3"]),
        ("spd-log-euclidean:2", ["0_0", "0_1", "1_0", "1_1"]),
        ("hpd-log-euclidean:2", [f"{i}_{j}_{part}" for i in "01" for j in "01" for part in ("real", "imag")]),
        ("sphere:2*euclidean:1", ["0", "1", "2", "3"]),
    ],
)
def test_columns_are_named_by_coordinates(manifold, names):
    release = mean(manifold)
    row = release.to_pandas()
    assert list(row.columns[: len(names)]) == [f"value_{name}" for name in names]
    assert row.columns[len(names)] == "statistic"
    told = row.iloc[0, : len(names)].to_numpy(dtype=float)
    np.testing.assert_array_equal(told, np.ravel(json.loads(release.to_json())["value"]))


def test_a_confidential_number_of_records_is_the_private_one():
    private = karcher.PrivateFrechetMean("sphere:2", **AT, adjacency="add-remove", n_guess=500, **SEEDED)
    row = private.fit(HEADINGS).release_.to_pandas().iloc[0]
    assert np.isnan(row["n"]) and row["private_count"] == private.release_.private_count.value


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout


def test_versions_are_shown(capsys):
    karcher.show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["karcher"] == karcher.__version__ and lines["numpy"] == np.__version__
    assert lines["python"] == ".".join(map(str, sys.version_info[:3]))
    assert lines["pandas"] == pandas.__version__


def test_the_module_runs_as_a_short_help():
    told = run("-m", "karcher")
    assert "the command" in told and karcher.__version__ in told and len(told.splitlines()) < 30
    assert max(map(len, told.splitlines())) <= 100
