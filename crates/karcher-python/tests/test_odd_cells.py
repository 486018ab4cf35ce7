"""No cell, label or key of a record decides a class, a message, a warning or an attribute, in any estimator."""

import datetime
import decimal
import json
import warnings

import karcher
import numpy as np
import pandas as pd
import pytest
from karcher import classification, errors, fields

N = 40
RNG = np.random.default_rng(3)
PLANE = (0.3 * RNG.normal(size=(N, 2))).tolist()
SPHERE = karcher.Sphere(2).random_point(N, center=[0, 0, 1], scale=0.3, random_state=1).tolist()
MATRICES = karcher.SPD(2).random_point(N, scale=0.3, random_state=1).tolist()
LINE = np.linspace(0.0, 1.0, N).tolist()
LABELS = ["a", "b"] * (N // 2)
LEVELS = ["F", "M"] * (N // 2)

INVALID = [
    "x",
    "",
    None,
    np.nan,
    pd.NA,
    pd.NaT,
    np.ma.masked,
    decimal.Decimal("sNaN"),
    1j,
    np.complex128(1j),
    datetime.date(2020, 1, 1),
    np.datetime64("2020-01-01"),
    pd.Timestamp("2020-01-01"),
    [1.0],
    [1.0, 2.0, 3.0],
    np.ones(1),
    {},
    object(),
    b"\xff",
]
INFINITE = [10**400, np.longdouble("1e400"), decimal.Decimal("1e400"), np.inf, "inf"]
BALL = {"radius": 1.0, "mu": 1.0, "on_invalid": "replace-with-center"}


def squared(point, X, *y):
    return point - X


def descent(**more):
    return karcher.PrivateDescent(
        "euclidean:2", squared, "euclidean:2", clip=1.0, steps=3, step_size=0.5, **BALL, **more
    )


def on_features(**more):
    terms = ["linear:age:0:1", "levels:sex:F,M"]
    return karcher.PrivateFeatureRegression("euclidean:2", features=terms, **BALL, **more)


def regression(**more):
    return karcher.PrivateGeodesicRegression(
        "euclidean:2", predictor_range=(0, 1), slope_bound=1.0, residual_bound=1.0, **BALL, **more
    )


def centroids(**more):
    given = {"epsilon": 1.0, "labels": "private", "classes": ["a", "b"], "n_guess": 20}
    return classification.PrivateNearestCentroid(
        "sphere:2", on_invalid="replace-with-center", **given, **more
    )


def tangent(method, **more):
    return classification.PrivateTangentClassifier("euclidean:2", ["a", "b"], method=method, steps=3, **BALL, **more)


def field_mean(**more):
    options = {name: value for name, value in BALL.items() if name != "radius"}
    return fields.PrivateFieldMean("euclidean:1", basis=np.eye(2), clip=1.0, mask=[1, 1], **options, **more)


def field_regression(**more):
    options = {name: value for name, value in BALL.items() if name != "radius"}
    terms = ["linear:age:0:1", "levels:sex:F,M"]
    return fields.PrivateFieldRegression(
        "euclidean:1", basis=np.eye(2), features=terms, clip=1.0, mask=[1, 1], **options, **more
    )


def people(ages, levels=LEVELS):
    return {"age": ages, "sex": levels}


CELLS = {
    "mean": (lambda **a: karcher.PrivateFrechetMean("euclidean:2", **BALL, **a), PLANE, lambda e, X: e.fit(X)),
    "mean of matrices": (
        lambda **a: karcher.PrivateFrechetMean("spd-log-euclidean", center=np.eye(2), **BALL, **a),
        MATRICES,
        lambda e, X: e.fit(X),
    ),
    "extrinsic mean": (
        lambda **a: karcher.PrivateFrechetMean("sphere:2", mu=1.0, on_invalid="replace-with-center", **a),
        SPHERE,
        lambda e, X: e.fit(X),
    ),
    "median": (lambda **a: karcher.PrivateGeometricMedian("euclidean:2", **BALL, **a), PLANE, lambda e, X: e.fit(X)),
    "components": (lambda **a: karcher.PrivateTangentPCA("euclidean:2", **BALL, **a), PLANE, lambda e, X: e.fit(X)),
    "k-means": (
        lambda **a: karcher.PrivateKMeans("euclidean:2", n_clusters=2, **BALL, **a), PLANE, lambda e, X: e.fit(X)
    ),
    "variance": (
        lambda **a: karcher.PrivateFrechetVariance(
            "euclidean:2", center=[0, 0], clip=1.0, mu=1.0, on_invalid="replace-with-center", **a
        ),
        PLANE,
        lambda e, X: e.fit(X),
    ),
    "ball": (
        lambda **a: karcher.PrivateBall("euclidean:2", within=9.0, mu=1.0, on_invalid="replace-with-center", **a),
        PLANE,
        lambda e, X: e.fit(X),
    ),
    "count": (lambda **a: karcher.PrivateCount(mu=1.0, **a), PLANE, lambda e, X: e.fit(X)),
    "descent": (descent, PLANE, lambda e, X: e.fit(X)),
    "descent with targets": (descent, PLANE, lambda e, X: e.fit(X, LINE)),
    "targets of a descent": (descent, LINE, lambda e, y: e.fit(PLANE, y)),
    "responses of a regression": (regression, PLANE, lambda e, y: e.fit(LINE, y)),
    "predictors": (regression, LINE, lambda e, X: e.fit(X, PLANE)),
    "responses on features": (on_features, PLANE, lambda e, y: e.fit(people(LINE), y)),
    "covariates": (on_features, LINE, lambda e, ages: e.fit(people(ages), PLANE)),
    "matrix of features": (
        lambda **a: karcher.PrivateFeatureRegression("euclidean:2", **BALL, **a),
        PLANE,
        lambda e, X: e.fit(objects(X) if e.on_invalid != "error" else X, PLANE),
    ),
    "classes": (centroids, SPHERE, lambda e, X: e.fit(X, LABELS)),
    "linear discriminants": (lambda **a: tangent("lda", **a), PLANE, lambda e, X: e.fit(X, LABELS)),
    "logistic": (lambda **a: tangent("logistic", **a), PLANE, lambda e, X: e.fit(X, LABELS)),
    "persons": (
        lambda **a: karcher.PrivateFrechetMean("euclidean:2", **BALL, **a),
        PLANE,
        lambda e, X: e.fit(X, groups=np.arange(N) // 2),
    ),
    "images": (field_mean, PLANE, lambda e, X: e.fit(X)),
    "images on features": (field_regression, PLANE, lambda e, X: e.fit(people(LINE), X)),
    "covariates of images": (field_regression, LINE, lambda e, ages: e.fit(people(ages), PLANE)),
}
"""Every estimator with what it is fitted to: cells of numbers."""

LABELLED = {
    "levels": (on_features, LEVELS, lambda e, levels: e.fit(people(LINE, levels), PLANE)),
    "labels of classes": (centroids, LABELS, lambda e, y: e.fit(SPHERE, y)),
    "labels of discriminants": (lambda **a: tangent("lda", **a), LABELS, lambda e, y: e.fit(PLANE, y)),
    "labels of a logistic regression": (lambda **a: tangent("logistic", **a), LABELS, lambda e, y: e.fit(PLANE, y)),
}
"""Labels of records that are protected."""


def with_cell(rows, odd):
    """The rows with an odd cell in the third one, as deep as cells are."""
    if not isinstance(rows[2], list):
        return [*rows[:2], odd, *rows[3:]]
    return [*rows[:2], with_last(rows[2], odd), *rows[3:]]


def with_last(row, odd):
    return [*row[:-1], with_last(row[-1], odd) if isinstance(row[-1], list) else odd]


def objects(rows):
    """The same rows as an array of objects."""
    shape = np.shape([*rows[:2], *rows[3:]])
    array = np.empty((len(rows), *shape[1:]), dtype=object)
    for place in np.ndindex(array.shape):
        cell = rows
        for i in place:
            cell = cell[i]
        array[place] = cell
    return array


CONTAINERS = {"list": lambda rows: rows, "objects": objects}


def told(make, fit, given):
    """What leaves a fit besides the release: its class of error, warnings, the names of attributes, the flags."""
    estimator = make(random_state=1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", errors.MostlyNoiseWarning)  # of public numbers
        try:
            fit(estimator, given)
        except Exception as error:
            return f"{type(error).__name__}: {error}", None
    releases = getattr(estimator, "releases_", None) or [estimator.release_]
    texts = [json.loads(release.to_json()) for release in releases]
    public = [{name: text.get(name) for name in ("flags", "n", "guarantee", "mechanism", "spec")} for text in texts]
    return ([str(warning.message) for warning in heard], sorted(vars(estimator)), public), texts


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", [*CELLS, *LABELLED])
def test_no_cell_decides_anything_but_the_release(name, container):
    make, rows, fit = {**CELLS, **LABELLED}[name]
    kind = CONTAINERS[container]
    usual, _ = told(make, fit, kind(rows))
    assert usual[0] == []
    found = {}
    for odd in [*INVALID, *INFINITE]:
        said, texts = told(make, fit, kind(with_cell(rows, odd)))
        assert said == usual, repr(odd)
        found[repr(odd)] = texts
    # infinite is the end of a range, and an image of another shape is not one with an invalid voxel
    if name not in ("covariates", "covariates of images", "levels", "images", "images on features"):
        first = next(iter(found.values()))
        # a list of one number is the number where a record is one
        others = {odd for odd, texts in found.items() if texts != first}
        assert others <= ({"[1.0]", "array([1.])"} if rows is LINE else set())


ODD_ROWS = [
    "x", None, 1.0, [], [1.0], [1.0] * 5, [[1.0, 2.0]], [[1], [2, 3]], [[1, 2], 3], np.ones((2, 2, 2)), {}, object(),
    pd.Series([1.0] * 7), np.ma.masked,
]  # fmt: skip
OF_CELLS = ("count", "covariates", "covariates of images", "matrix of features", "predictors", "targets of a descent")


@pytest.mark.parametrize("name", [name for name in CELLS if name not in OF_CELLS])
@pytest.mark.parametrize("share", [1, N // 2 + 1, N - 1])
def test_no_row_decides_the_shape_of_others(name, share):
    """Neither a single one nor most of them, in a list, an array of objects or a column of pandas."""
    make, rows, fit = CELLS[name]
    usual, _ = told(make, fit, rows)
    odd_rows = [odd for odd in ODD_ROWS if not (isinstance(odd, str) and "images" in name)]  # a text is a path
    for i, odd in enumerate(odd_rows):
        given = [*rows[:-share], *(odd_rows[(i + j) % len(odd_rows)] for j in range(share))] if share > 1 else None
        said, _ = told(make, fit, [odd, *rows[1:]] if given is None else given)
        assert said == usual, repr(odd)


def test_no_row_decides_what_a_column_of_objects_holds():
    mean = karcher.PrivateFrechetMean("euclidean:2", **BALL, random_state=1)
    for odd in ODD_ROWS:
        entries = np.empty(N, dtype=object)
        for i in range(N):
            entries[i] = odd
        column = pd.Series(entries, dtype=object)
        table = pd.DataFrame({"x": column, "y": column, "v": column, "who": np.arange(N) // 2})
        with pytest.raises(errors.Error, match="columns="):
            mean.fit(table, groups="who")
        for columns in (["x", "y"], ["v"]):
            for options in ({}, {"groups": "who"}):
                flags = mean.fit(table, columns=columns, **options).release_.flags
                assert flags == mean.fit(np.zeros((N, 2)), groups=table["who"] if options else None).release_.flags


def test_no_row_of_a_column_of_lists_decides_that_of_others():
    mean = karcher.PrivateFrechetMean("euclidean:2", **BALL, random_state=1)
    usual = mean.fit(np.array([[0.0, 0.0], *PLANE[1:]])).release_.value
    for place in (0, N - 1):
        rows = [*PLANE[1:]]
        for odd in ODD_ROWS:
            if isinstance(odd, list) and odd == [[1.0, 2.0]]:
                continue  # its numbers are those of a record
            entries = pd.Series([None] * N, dtype=object)
            for i, row in enumerate([*rows[:place], odd, *rows[place:]]):
                entries[i] = row
            assert mean.fit(pd.DataFrame({"v": entries}), columns=["v"]).release_.value == pytest.approx(usual)


def test_a_column_of_lists_that_is_not_named_is_left_out():
    """Where no record is replaced, too: its lists may be of any length."""
    tags = pd.Series([[1.0], [1.0, 2.0]] * (N // 2), dtype=object)
    table = pd.DataFrame({"x": LINE, "tags": tags, "who": [f"p{i}" for i in range(N)]})
    mean = karcher.PrivateFrechetMean("euclidean:1", radius=1.0, mu=1.0, random_state=1)
    assert mean.fit(table, groups="who").release_.value == mean.fit(np.c_[LINE]).release_.value
    with pytest.raises(errors.InvalidPointError, match="row 2"):
        mean.fit(table, columns=["tags"])


def test_a_list_of_unknown_shape_is_refused():
    """Where nothing public says how many numbers a record has."""
    nowhere = karcher.PrivateFrechetMean("sphere", epsilon=1.0, on_invalid="replace-with-center")
    for rows in (SPHERE, [[0.0, 1.0]], []):
        with pytest.raises(errors.Error, match="or where there is a manifold its size"):
            nowhere.fit(rows)
        with pytest.raises(errors.Error, match="numpy.array"):
            karcher.PrivateFeatureRegression("euclidean:2", **BALL).fit(rows, np.zeros((len(rows), 2)))


@pytest.mark.parametrize("name", [*CELLS, *LABELLED])
def test_what_records_decide_has_one_class(name):
    """Without replacement the record is refused, by its row, and a ledger is left as it was."""
    make, rows, fit = {**CELLS, **LABELLED}[name]
    if name in ("count", "levels", "labels of classes"):
        pytest.skip("what it holds is never refused")
    for odd in INVALID:
        estimator = make(random_state=1).set_params(on_invalid="error")
        with pytest.raises(errors.InvalidPointError) as refused:
            fit(estimator, with_cell(rows, odd))
        assert " 3" in str(refused.value), (odd, refused.value)


def test_one_text_changes_no_other_number():
    """Where a list becomes an array of texts, numbers of single precision would be written with fewer digits."""
    rows = [[np.float32(0.1), np.float32(0.7)] for _ in range(5)]
    mean = karcher.PrivateFrechetMean("euclidean:2", **BALL, random_state=1)
    plain = mean.fit([*rows, [np.nan, 0.0]]).release_.to_json()
    assert mean.fit([*rows, ["x", 0.0]]).release_.to_json() == plain
    assert mean.fit([*rows, [1j, 0.0]]).release_.to_json() == plain
