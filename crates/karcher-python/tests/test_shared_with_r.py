"""Seeded releases are the same to the last bit in Python and in R: both compare themselves with one table."""

import json
import pathlib

import karcher
import numpy as np
import pytest
from karcher.manifolds import resolve

TABLE = pathlib.Path(__file__).parents[2] / "karcher-r/tests/testthat/golden.json"
GOLDEN = json.loads(TABLE.read_text(encoding="utf-8"))


def _estimator(case):
    options = dict(case["arguments"])
    shape = resolve(options["manifold"]).shape
    if "center" in options:
        options["center"] = np.reshape(options["center"], shape)
    if case["function"] == "directional_mean":
        return karcher.PrivateFrechetMean(**options, mechanism="extrinsic")
    if case["function"] == "regress":
        geodesic = "slope_bound" in options
        return (karcher.PrivateGeodesicRegression if geodesic else karcher.PrivateFeatureRegression)(**options)
    names = {"frechet_mean": karcher.PrivateFrechetMean, "geodesic_median": karcher.PrivateGeometricMedian}
    return names[case["function"]](**options)


def released(case):
    """The numbers of a case's release, one after the other."""
    rows = np.tile(np.array(GOLDEN["records"][case["records"]], dtype=float), (GOLDEN["times"], 1))
    X = rows.reshape(len(rows), *resolve(case["arguments"]["manifold"]).shape)
    persons = np.repeat(np.arange(len(rows) // 2), 2) if case.get("persons") else None
    if case["function"] != "regress":
        return _estimator(case).fit(X, groups=persons).release_.value.ravel()
    predictors = np.tile(np.array(GOLDEN["predictors"], dtype=float), GOLDEN["times"])
    if "slope_bound" in case["arguments"]:
        release = _estimator(case).fit(predictors, X, groups=persons).release_
        return np.concatenate([release.footpoint.ravel(), release.shooting_vector.ravel()])
    release = _estimator(case).fit(np.column_stack([np.ones(len(X)), predictors]) / 2.0, X, groups=persons).release_
    return release.coefficients.ravel()


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_seeded_releases_have_the_bits_of_the_shared_table(case):
    assert released(case).tolist() == case["value"]
