"""Wrong arguments: every one is refused by an error of this package, in a sentence, and no record is in it."""

import datetime
import math
import traceback

import karcher
import numpy as np
import pytest
from karcher import (
    SPD,
    FrechetMean,
    GeodesicRegression,
    PrivateFrechetMean,
    PrivateGeodesicRegression,
    PrivateTangentPCA,
    Sphere,
    TangentSpace,
    errors,
)
from karcher.classification import PrivateMDM, PrivateNearestCentroid
from karcher.preprocessing import ShrinkTrace

WRONG = [
    "1",
    "",
    "nonsense",
    -1,
    0,
    -1.0,
    2.5,
    10**400,
    2**64,
    math.nan,
    math.inf,
    True,
    None,
    {},
    {"a": 1},
    [],
    [1],
    (1, 2, 3),
    object(),
    b"1",
    1j,
    np.eye(2),
    np.ones((2, 2, 2)),
    np.array("x"),
    np.array(["a", "b"]),
    datetime.date(2020, 1, 1),
    np.datetime64("2020-01-01"),
    float,
    set(),
]

POINTS = np.tile([0.6, 0.0, 0.8], (20, 1))
LINE = np.linspace(0.0, 1.0, 20)
MATRICES = np.tile(np.diag([2.0, 1.0]), (20, 1, 1))
LABELS = np.repeat(["a", "b"], 10)
REGRESSION = {
    "predictor_range": (0, 1),
    "radius": 0.5,
    "center": [0.6, 0.0, 0.8],
    "slope_bound": 0.5,
    "residual_bound": 0.3,
}

CALLS = {
    "FrechetMean": (
        lambda **a: FrechetMean(**a).fit(POINTS),
        {"manifold": "sphere:2", "tolerance": 1e-6, "max_iter": 5, "start": POINTS[0], "n_jobs": 1},
    ),
    "PrivateFrechetMean": (
        lambda **a: PrivateFrechetMean(**a).fit(POINTS),
        {
            "manifold": "sphere:2",
            "radius": 0.5,
            "center": POINTS[0],
            "epsilon": 1.0,
            "delta": None,
            "mu": None,
            "rho": None,
            "mechanism": "auto",
            "steps": None,
            "calibration": None,
            "bound": None,
            "tolerance": None,
            "numerics": "exact",
            "denoise": None,
            "on_invalid": "error",
            "assume_in_ball": False,
            "spread": True,
            "spread_clip": 0.8,
            "random_state": 0,
            "n_jobs": 1,
        },
    ),
    "PrivateTangentPCA": (
        lambda **a: PrivateTangentPCA(**a).fit(POINTS),
        {
            "manifold": "sphere:2",
            "radius": 0.5,
            "center": POINTS[0],
            "n_components": 1,
            "clip": 0.4,
            "epsilon": 1.0,
            "delta": None,
            "mu": None,
            "rho": None,
            "mechanism": "auto",
            "steps": None,
            "calibration": None,
            "bound": None,
            "tolerance": None,
            "numerics": "exact",
            "denoise": None,
            "on_invalid": "error",
            "assume_in_ball": False,
            "random_state": 0,
        },
    ),
    "PrivateFrechetMean of a flow": (
        lambda **a: PrivateFrechetMean(
            "sphere:2", 0.5, [0.6, 0.0, 0.8], mu=1.0, mechanism="karcher-flow", **a
        ).fit(POINTS),
        {"steps": 2},
    ),
    "GeodesicRegression": (
        lambda **a: GeodesicRegression("sphere:2", **a).fit(LINE, POINTS),
        {"tolerance": 1e-6, "max_iter": 50},
    ),
    "PrivateGeodesicRegression": (
        lambda **a: PrivateGeodesicRegression(**a).fit(LINE, POINTS),
        {
            **REGRESSION,
            "manifold": "sphere:2",
            "epsilon": 1.0,
            "delta": None,
            "mu": None,
            "rho": None,
            "mechanism": "auto",
            "steps": None,
            "numerics": "exact",
            "on_invalid": "error",
            "random_state": 0,
        },
    ),
    "PrivateMDM": (
        lambda **a: PrivateMDM(**a).fit(MATRICES, LABELS),
        {
            "radius": 1.0,
            "center": np.eye(2),
            "metric": "riemann",
            "epsilon": 1.0,
            "delta": None,
            "mu": None,
            "rho": None,
            "mechanism": "auto",
            "numerics": "exact",
            "denoise": "shrink",
            "spread": True,
            "spread_clip": 3.0,
            "labels": "public",
            "on_invalid": "error",
            "random_state": 0,
            "n_jobs": 1,
        },
    ),
    "PrivateNearestCentroid": (
        lambda **a: PrivateNearestCentroid(**a).fit(POINTS, np.arange(len(POINTS)) % 2),
        {"manifold": "sphere:2", "epsilon": 1.0, "delta": None, "labels": "public", "random_state": 0},
    ),
    "TangentSpace": (
        lambda **a: TangentSpace(**a).fit_transform(POINTS),
        {"manifold": "sphere:2", "reference": POINTS[0], "n_jobs": 1},
    ),
    "TangentSpace.transform": (TangentSpace("sphere:2", POINTS[0]).fit(POINTS).transform, {"X": POINTS}),
    "TangentSpace.inverse_transform": (
        TangentSpace("sphere:2", POINTS[0]).fit(POINTS).inverse_transform,
        {"X": np.zeros((3, 2))},
    ),
    "ShrinkTrace": (lambda **a: ShrinkTrace(**a).fit_transform(MATRICES), {"alpha": 0.1, "on_invalid": "error"}),
    "ball": (lambda **a: ShrinkTrace(0.1).ball(**a), {"k": 2}),
    "Guarantee": (karcher.Guarantee, {"epsilon": 1.0, "delta": None, "mu": None, "rho": None}),
    "Guarantee.delta_at": (karcher.Guarantee(mu=1.0).delta_at, {"epsilon": 1.0}),
    "Guarantee.epsilon_at": (karcher.Guarantee(mu=1.0).epsilon_at, {"delta": 1e-6}),
    "sensitivity": (karcher.sensitivity, {"manifold": "sphere:2", "radius": 0.5, "n": 10, "bound": None}),
    "calibrate": (
        karcher.calibrate,
        {
            "manifold": "euclidean:2",
            "sensitivity": 0.1,
            "mechanism": "gaussian",
            "mu": 1.0,
            "scale": None,
            "calibration": None,
        },
    ),
    "profile": (
        karcher.profile,
        {"manifold": "sphere:2", "sensitivity": 0.1, "scale": 0.2, "epsilon": [1.0], "mechanism": "gaussian"},
    ),
    "plan": (
        karcher.plan,
        {"manifold": "sphere:2", "radius": 0.5, "n": 10, "epsilon": 1.0, "bound": None, "numerics": "any"},
    ),
    "audit": (
        karcher.audit,
        {
            "manifold": "sphere:2",
            "radius": 0.5,
            "n": 5,
            "epsilon": 1.0,
            "mechanism": "laplace",
            "steps": None,
            "calibration": None,
            "bound": None,
            "numerics": "exact",
            "denoise": None,
            "releases": 200,
            "error_probability": 1e-6,
            "random_state": 0,
        },
    ),
    "random_point": (
        Sphere(2).random_point,
        {"n": 3, "center": POINTS[0], "scale": 0.1, "law": "laplace", "random_state": 0},
    ),
    "Sphere": (karcher.Sphere, {"d": 2}),
    "SPD": (karcher.SPD, {"k": 2, "metric": "riemann"}),
    "Kendall": (karcher.Kendall, {"k": 3}),
    "Landmarks": (karcher.Landmarks, {"k": 3, "axes": 3}),
    "HPD": (karcher.HPD, {"k": 2, "metric": "log-euclidean"}),
    "Correlations": (karcher.Correlations, {"k": 3}),
    "Poses": (karcher.Poses, {"length": 2.0}),
    "manifold": (karcher.manifold, {"name": "sphere:2"}),
    "from_json": (karcher.Release.from_json, {"text": "{}"}),
    "compose": (lambda g: karcher.compose(g), {"g": karcher.Guarantee(mu=1.0)}),
    "dist": (Sphere(2).dist, {"p": POINTS[0], "q": POINTS}),
    "predict": (GeodesicRegression("sphere:2").fit(LINE, POINTS).predict, {"X": LINE}),
    "private predict": (
        PrivateGeodesicRegression("sphere:2", mu=1.0, random_state=0, **REGRESSION).fit(LINE, POINTS).predict,
        {"X": LINE},
    ),
    "score": (GeodesicRegression("sphere:2").fit(LINE, POINTS).score, {"X": LINE, "y": POINTS, "sample_weight": LINE}),
    "MDM.predict": (
        PrivateMDM(1.0, np.eye(2), mu=1.0, random_state=0).fit(MATRICES, LABELS).predict,
        {"X": 3.0 * MATRICES},
    ),
    "MDM.transform": (
        PrivateMDM(1.0, np.eye(2), mu=1.0, random_state=0).fit(MATRICES, LABELS).transform,
        {"X": 3.0 * MATRICES},
    ),
    "MDM.score": (
        PrivateMDM(1.0, np.eye(2), mu=1.0, random_state=0).fit(MATRICES, LABELS).score,
        {"X": 3.0 * MATRICES, "y": LABELS, "sample_weight": LINE},
    ),
    "records": (
        lambda X: PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon=1.0, random_state=0).fit(X),
        {"X": POINTS},
    ),
    "weights": (lambda w: FrechetMean("sphere:2").fit(POINTS, sample_weight=w), {"w": LINE}),
    "labels": (lambda y: PrivateMDM(1.0, np.eye(2), epsilon=1.0, random_state=0).fit(MATRICES, y), {"y": LABELS}),
    "predictor": (
        lambda X: PrivateGeodesicRegression("sphere:2", epsilon=1.0, random_state=0, **REGRESSION).fit(X, POINTS),
        {"X": LINE},
    ),
}


@pytest.mark.filterwarnings("ignore::karcher.errors.TrainingRecordsWarning")
@pytest.mark.parametrize("name", CALLS)
def test_every_wrong_argument_is_an_error_of_this_package(name):
    call, right = CALLS[name]
    try:
        call(**right)
    except errors.Error:
        assert name == "from_json"
    refused = 0
    for argument in right:
        for wrong in WRONG:
            try:
                call(**{**right, argument: wrong})
            except errors.Error as error:
                assert str(error), (argument, wrong)
                refused += 1
            except Exception as error:
                raise AssertionError(f"{argument}={wrong!r}: {type(error).__name__}: {error}") from error
    assert refused >= 10 * len(right)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], delta=1e-6).fit(POINTS),
            "delta belongs to epsilon",
        ),
        (
            lambda: PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon="1").fit(POINTS),
            "epsilon is '1': expected a number",
        ),
        (
            lambda: PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon=1, random_state=-1).fit(POINTS),
            "random_state is -1: .* from 0 to",
        ),
        (lambda: PrivateFrechetMean("sphere:2", epsilon=1, spread=True).fit(POINTS), "radius is missing: spread needs"),
        (lambda: PrivateFrechetMean("sphere:2", 0.5, epsilon=1).fit(POINTS), "center is missing.*ball='auto'"),
        (lambda: karcher.compose([karcher.Guarantee(mu=1.0)]), r"write compose\(\*guarantees\)"),
        (lambda: SPD(3, metric={}), "metric is of type dict: expected a text"),
        (
            lambda: PrivateMDM(1.0, np.eye(2), mu=1.0, random_state=0).fit(MATRICES, LABELS).predict(np.eye(2)),
            r"X has shape \(2, 2\).*one matrix",
        ),
        (lambda: karcher.audit("sphere:2", 0.5, 10**9, epsilon=1), "n is 1000000000: .* 1666666 records at most"),
        (lambda: karcher.audit("sphere:2", 0.5, 10, epsilon=1, releases=2**53), "releases is .* to 4000000"),
        (
            lambda: PrivateFrechetMean(
                "sphere:2", 0.5, [0.6, 0.0, 0.8], mu=1, mechanism="karcher-flow", steps=2**32
            ).fit(POINTS),
            "steps is .* to 1000000",
        ),
        (lambda: karcher.plan("sphere:2", 0.5, 10.5, epsilon=1), "n is 10.5: expected a whole number"),
        (
            lambda: PrivateFrechetMean("spd-log-euclidean", 0.5, epsilon=1).fit(MATRICES),
            "center is missing: .*ShrinkTrace",
        ),
        (lambda: PrivateMDM(0.5, epsilon=1).fit(MATRICES, LABELS), "center is missing"),
        (
            lambda: PrivateFrechetMean("kendall", 0.3, epsilon=1).fit(np.eye(3)[None, :, :2]),
            "center is missing: .* template",
        ),
        (
            lambda: PrivateGeodesicRegression("kendall:3", **{**REGRESSION, "center": None}, epsilon=1).fit(
                [0.0], np.eye(3)[None, :, :2]
            ),
            "center is missing",
        ),
    ],
)
def test_what_to_do_is_said(call, words):
    with pytest.raises(errors.Error, match=words):
        call()


def test_wrong_kinds_are_type_errors_too():
    with pytest.raises(TypeError):
        PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon="1").fit(POINTS)
    with pytest.raises(ValueError):
        PrivateFrechetMean("sphere:2", 0.5, [0.6, 0.0, 0.8], epsilon="1").fit(POINTS)


def secrets():
    """Records with 31337 in a place where they are refused."""
    yield np.array([["31337a", "0", "1"]])
    yield [[31337.25, 0.0], [0.0]]
    yield np.array([[31337.25, object(), 1.0]], dtype=object)
    yield [[31337.25, 0.0, {}]]
    yield [["31337", "x31337", "1"]]
    yield np.array([[31337.25 + 1j, 0, 0]])
    pandas = pytest.importorskip("pandas")
    yield pandas.DataFrame({"name": ["Ann 31337"], "x": [1.0], "y": [2.0]})
    yield pandas.DataFrame({0: [31337.25], "x": ["31337"], "y": [2.0]})
    yield pandas.DataFrame({"t": pandas.to_datetime(["3133-07-01"]), "x": [1.0], "y": [2.0]})


ESTIMATORS = [
    lambda X: FrechetMean("sphere").fit(X),
    lambda X: PrivateFrechetMean("sphere", 0.5, [0.6, 0.0, 0.8], epsilon=1.0).fit(X),
    lambda X: PrivateFrechetMean("sphere", 0.5, [0.6, 0.0, 0.8], epsilon=1.0, on_invalid="replace-with-center").fit(X),
    lambda X: PrivateGeodesicRegression("sphere:2", epsilon=1.0, **REGRESSION).fit([0.5], X),
    lambda X: PrivateGeodesicRegression("sphere:2", epsilon=1.0, **REGRESSION).fit(X, POINTS[:1]),
    lambda X: PrivateMDM(1.0, np.eye(2), epsilon=1.0).fit(X, ["a"]),
    lambda X: Sphere(2).dist(X, X),
    lambda X: ShrinkTrace().fit_transform(X),
    lambda X: TangentSpace("sphere", "origin").fit(X),
    lambda X: TangentSpace("sphere:2", "origin").fit(POINTS).transform(X),
    lambda X: TangentSpace("spd-affine-invariant", X).fit(MATRICES),
]


@pytest.mark.parametrize("fit", ESTIMATORS)
def test_no_error_quotes_a_record(fit):
    for records in secrets():
        try:
            fit(records)
            assert fit is ESTIMATORS[2]  # which takes the center for them
            continue
        except errors.Error as refused:
            error, texts = refused, []
        while error is not None:  # also not the errors behind it, which loggers write
            texts += traceback.format_exception_only(type(error), error)
            error = error.__cause__ or error.__context__
        assert not any("31337" in text or "3133" in text for text in texts), texts


def with_missing():
    """POINTS with row 4 missing, in every form that has a word for it."""
    mask = np.zeros(POINTS.shape, dtype=bool)
    mask[3, 1] = True
    yield np.ma.masked_array(POINTS, mask)
    yield [np.ma.masked_array(row, m) for row, m in zip(POINTS, mask)]
    gap = POINTS.astype(object)
    gap[3, 1] = None
    yield gap
    yield gap.tolist()
    pandas = pytest.importorskip("pandas")
    gap = POINTS.astype(object)
    gap[3, 1] = pandas.NA
    yield gap
    yield pandas.DataFrame(gap, columns=list("abc"))
    yield pandas.DataFrame(gap, columns=list("abc")).astype("Float64")


def test_missing_numbers_are_refused_or_their_records_replaced():
    replaced = POINTS.copy()
    replaced[3] = [0.0, 0.0, 1.0]
    private = PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0, random_state=1)
    expected = private.fit(replaced).estimate_
    regression = PrivateGeodesicRegression(
        "sphere:2", **{**REGRESSION, "center": [0.0, 0.0, 1.0], "radius": 0.8}, mu=1.0, random_state=1
    )
    line = regression.fit(LINE, replaced).footpoint_
    for records in with_missing():
        for fit in ESTIMATORS[:2]:
            with pytest.raises(errors.InvalidPointError, match=r"X, row 4(, column [a-z]+)?, has missing numbers"):
                fit(records)
        with pytest.raises(errors.InvalidPointError, match="y, row 4, .*on_invalid='replace-with-center'"):
            regression.set_params(on_invalid="error").fit(LINE, records)
        again = private.set_params(on_invalid="replace-with-center").fit(records).estimate_
        assert np.array_equal(again, expected)
        private.set_params(on_invalid="error")
        assert np.array_equal(
            regression.set_params(on_invalid="replace-with-center").fit(LINE, records).footpoint_, line
        )
    # a mask that hides nothing hides nothing
    assert np.array_equal(private.fit(np.ma.masked_array(replaced)).estimate_, expected)
    gap = np.ma.masked_array(LINE, LINE == 0.0)
    with pytest.raises(errors.InvalidPointError, match="X, row 1, has missing"):
        regression.set_params(on_invalid="error").fit(gap, POINTS)
    half = regression.fit(np.where(LINE == 0.0, 0.5, LINE), POINTS).footpoint_
    assert np.array_equal(regression.set_params(on_invalid="replace-with-center").fit(gap, POINTS).footpoint_, half)
    for wrong in (
        lambda: FrechetMean("sphere").fit(POINTS, sample_weight=gap),
        lambda: PrivateFrechetMean("sphere", 0.5, np.ma.masked_array(POINTS[0], [1, 0, 0]), epsilon=1.0).fit(POINTS),
        lambda: PrivateMDM(1.0, np.eye(2), epsilon=1.0).fit(np.ma.masked_equal(MATRICES, 2.0), LABELS),
        lambda: PrivateMDM(1.0, np.eye(2), epsilon=1.0).fit(MATRICES, np.ma.masked_array(LABELS, LABELS == "a")),
        lambda: GeodesicRegression("sphere").fit(gap, POINTS),
    ):
        with pytest.raises(errors.Error, match="missing|masked"):
            wrong()
