"""Messages of Python about records that are not points, files and noise: as complete as those of the command."""

import json
import re
import subprocess
import sys
import time
import warnings

import karcher
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest
from karcher import errors
from karcher.classification import PrivateMDM
from karcher.preprocessing import ShrinkTrace

BALL = {"radius": 0.8, "center": [0, 0, 1], "epsilon": 1.0}
NORTH = np.tile([0.0, 0.0, 1.0], (200, 1))


def sentence(call, kind=karcher.Error):
    with pytest.raises(kind) as refused:
        call()
    return str(refused.value)


def test_singular_matrices_are_told_in_few_digits_with_the_remedy_that_works():
    few = np.random.default_rng(0).normal(size=(20, 4, 3))
    singular = few @ few.swapaxes(1, 2)
    mdm = PrivateMDM(**ShrinkTrace(0.1).ball(4), epsilon=1.0)
    said = sentence(lambda: mdm.fit(singular, np.repeat(["a", "b"], 10)), errors.InvalidPointError)
    assert "not positive definite" in said and "karcher.preprocessing.ShrinkTrace" in said
    assert not re.search(r"\d{6}", said)  # no number of more than four digits
    assert mdm.fit(ShrinkTrace(0.1).fit_transform(singular), np.repeat(["a", "b"], 10))
    exactly = np.tile(np.diag([1.0, 1.0, 1e-18]), (3, 1, 1))
    said = sentence(lambda: karcher.FrechetMean("spd-log-euclidean").fit(exactly))
    assert "ShrinkTrace" in said and "0.00000" not in said


def rounded(x):
    return x.astype(np.float16)


def decimals(x):
    return x.round(3)


NEAR_MISSES = {
    "sphere:2": decimals,
    "sphere:5": decimals,
    "projective:2": decimals,
    "rotations:3": decimals,
    "grassmann:4,2": rounded,
    "poses:3": decimals,
    "hyperbolic:2": decimals,
    "simplex-aitchison:3": decimals,
    "simplex-fisher-rao:3": rounded,
    "correlation-off-log:3": lambda x: x + 1e-3 * np.eye(3),
    "spd-log-euclidean:3": lambda x: x + np.triu(np.full((3, 3), 1e-3), 1),
}
"""What makes points nearly ones."""


def near_origin(space, n=50):
    """Points whose coordinates are normal."""
    coordinates = 0.05 * np.random.default_rng(1).normal(size=(n, space.dim))
    return karcher.TangentSpace(space, "origin").fit(space.origin[np.newaxis]).inverse_transform(coordinates)


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_are_told_with_what_makes_them_points(name):
    space = karcher.manifold(name)
    near = near_origin(space)
    wrong = NEAR_MISSES[name](near)
    said = sentence(lambda: karcher.FrechetMean(space).fit(wrong), errors.InvalidPointError)
    code = said.rpartition("give ")[2]
    assert "if numbers were rounded" in said and "tolerance=1e-" in code, said
    found = karcher.FrechetMean(space).fit(followed(wrong, said)).estimate_
    assert space.dist(found, karcher.FrechetMean(space).fit(near).estimate_) < 5e-3
    assert code in sentence(lambda: space.dist(space.origin, wrong), errors.InvalidPointError)


def followed(X, said):
    """The records after the advice of a sentence, and that of the next one."""
    for _ in range(4):
        code = said.rpartition("give ")[2]
        assert "give " in said and "--" not in said, said
        try:
            return eval(code, {"X": np.asarray(X, float), "karcher": karcher})
        except karcher.Error as refused:
            assert str(refused).rpartition("give ")[2] != code, refused
            said = str(refused)
    raise AssertionError(said)


FAR = {
    "counts": ("simplex-fisher-rao:3", [120.0, 30, 0], [0.8**0.5, 0.2**0.5, 0]),
    "proportions": ("simplex-fisher-rao:3", [0.5, 0.3, 0.2], np.sqrt([0.5, 0.3, 0.2])),
    "percentages": ("simplex-fisher-rao:3", [50.0, 30, 20], np.sqrt([0.5, 0.3, 0.2])),
    "amounts": ("simplex-aitchison:3", [120.0, 60, 20], [0.6, 0.3, 0.1]),
    "percent": ("simplex-aitchison:3", [50.0, 30, 20], [0.5, 0.3, 0.2]),
    "lengths": ("sphere:3", [3.0, 4, 0, 0], [0.6, 0.8, 0, 0]),
    "covariances": ("correlation-off-log:2", [[4.0, 1], [1, 1]], [[1, 0.5], [0.5, 1]]),
}
"""Numbers that are no points, and what they mean."""


@pytest.mark.parametrize("kind", FAR)
def test_numbers_of_another_kind_are_told_with_what_makes_them_points(kind):
    name, record, right = FAR[kind]
    space, X = karcher.manifold(name), np.tile(record, (3, *(1 for _ in np.shape(record))))
    said = sentence(lambda: karcher.FrechetMean(space).fit(X), errors.InvalidPointError)
    assert space.dist(followed(X, said)[0], np.asarray(right)) < 1e-6


def test_matrices_of_few_decimals_are_read_with_a_tolerance():
    rotations, turn = karcher.Rotations(), np.array([[0, -0.98, 0.2], [1, 0, 0], [0, 0.2, 0.98]])
    said = sentence(lambda: rotations.read(turn, "matrices"), errors.InvalidPointError)
    right = np.array([0.7035, 0.0711, 0.0711, 0.7035])
    assert rotations.dist(followed(turn, said), right / np.linalg.norm(right)) < 2e-3
    assert np.array_equal(followed(turn, said), rotations.read(turn, "matrices", normalize=True))
    for wrong in (0, 1, -0.1, np.nan):
        assert "tolerance" in sentence(lambda wrong=wrong: rotations.read(turn, "matrices", tolerance=wrong))


@pytest.mark.parametrize(
    "X",
    [[[300.0, 60, 1]], [[2.1, 1.04, 1]], [[-1.2, 63, 48000]], [[120.0, 45, 0.01]]],
    ids=["deg", "rad", "nT", "plane"],
)
def test_angles_next_to_a_length_are_not_told_to_be_divided(X):
    for call in (
        lambda: karcher.FrechetMean("sphere:2").fit(np.asarray(X)),
        lambda: karcher.Sphere(2).dist([1.0, 0, 0], np.asarray(X)),
        lambda: karcher.directional.fisher_statistics(np.asarray(X), epsilon=1.0),
    ):
        said = sentence(call)
        assert "angles" in said and "norm=" not in said and "normalize" not in said, said


@pytest.mark.parametrize("record", [[0.0, 0, 1, 1.57], [50.1, 300.2, 2.5], [30.0, 70, 100]])
def test_numbers_that_are_not_known_are_told_nothing(record):
    name = {4: "rotations:3", 3: "simplex-aitchison:3"}[len(record)]
    said = sentence(lambda: karcher.FrechetMean(name).fit(np.array([record])), errors.InvalidPointError)
    assert "give" not in said and "divide" not in said, said


@pytest.mark.parametrize(
    "fit",
    [
        lambda **budget: karcher.PrivateFrechetMean("sphere:2", **{**BALL, **budget}).fit(NORTH),
        lambda **budget: karcher.classification.PrivateNearestCentroid("sphere:2", **{**BALL, **budget}).fit(
            NORTH, np.arange(len(NORTH)) % 2
        ),
        lambda **budget: karcher.PrivateGeodesicRegression(
            "sphere:2", predictor_range=(0, 1), slope_bound=0.5, **{**BALL, **budget}
        ).fit(np.linspace(0, 1, len(NORTH)), NORTH),
        lambda **budget: karcher.PrivateKMeans("sphere:2", n_clusters=2, **{**BALL, **budget}).fit(NORTH),
    ],
    ids=["mean", "class means", "regression", "clusters"],
)
def test_every_fit_warns_of_weak_budgets_and_of_noise(fit):
    with pytest.warns(errors.WeakBudgetWarning, match="epsilon 11.5 protects hardly anyone"):
        fit(epsilon=11.5)
    with pytest.warns(errors.MostlyNoiseWarning, match="mostly noise"):
        fit(epsilon=1e-5)


def test_a_delta_above_one_over_n_is_weak():
    mean = karcher.PrivateFrechetMean("sphere:2", **{**BALL, "epsilon": 5.0, "delta": 0.1})
    with pytest.warns(errors.WeakBudgetWarning, match="delta 0.1 is above 1/n"):
        mean.fit(NORTH)
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.WeakBudgetWarning)  # which would tell n
        mean.fit(NORTH, groups=np.arange(len(NORTH)) // 20)  # how many records persons have is confidential
        mean.set_params(adjacency="add-remove", n_guess=5).fit(NORTH)


def test_nothing_is_spent_where_a_weak_budget_is_an_error(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "a.ledger", data="made up", epsilon=100)
    before = (tmp_path / "a.ledger").read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.WeakBudgetWarning)
        with pytest.raises(errors.WeakBudgetWarning):
            karcher.PrivateFrechetMean("sphere:2", **{**BALL, "epsilon": 11}, ledger=ledger).fit(NORTH)
    assert (tmp_path / "a.ledger").read_bytes() == before
    assert not ledger.entries


def test_records_of_tables_are_told_with_their_columns():
    def said(values, **options):
        table = pa.table(dict(zip(["east", "north", "up"], np.transpose(values))))
        return sentence(lambda: karcher.PrivateFrechetMean("sphere:2", **BALL).fit(table, **options))

    wrong = NORTH.copy()
    wrong[6] = [3.0, 0.0, 0.0]
    assert "record 7 (index 6): columns east, north, up: not a point" in said(wrong)
    wrong[6] = [0.0, np.inf, 0.0]
    assert "column north is inf" in said(wrong)
    frame = pd.DataFrame(wrong, columns=["east", "north", "up"])
    for mean in (karcher.PrivateFrechetMean("sphere:2", **BALL), karcher.FrechetMean("sphere:2")):
        assert "column north is inf" in sentence(lambda: mean.fit(frame), errors.InvalidPointError)
        frame.iloc[6] = [3.0, 0.0, 0.0]
        assert "record 7 (index 6): columns east, north, up: not a point" in sentence(lambda: mean.fit(frame))
        frame.iloc[6] = [0.0, np.inf, 0.0]
    public = {"predictor_range": (0, 1), "slope_bound": 0.5, **BALL}
    for line in (karcher.PrivateGeodesicRegression("sphere:2", **public), karcher.GeodesicRegression("sphere:2")):
        assert "column north is inf" in sentence(lambda: line.fit(np.linspace(0, 1, len(frame)), frame))
    frame = pd.DataFrame(NORTH, columns=["east", "north", "up"]).astype(object)
    frame.iloc[4, 1] = "unknown"
    assert "row 5, column north" in sentence(lambda: karcher.PrivateFrechetMean("sphere:2", **BALL).fit(frame))
    frame.iloc[4, 1] = None
    assert "row 5, column north, has missing" in sentence(lambda: karcher.FrechetMean("sphere:2").fit(frame))
    assert "unknown" not in sentence(lambda: karcher.FrechetMean("sphere:2").fit(frame))


@pytest.mark.parametrize("kind", ["private", "plain"])
def test_the_name_of_a_file_is_refused_with_what_reads_it(kind, tmp_path):
    np.save(tmp_path / "x.npy", NORTH)
    frame = pd.DataFrame(NORTH, columns=list("xyz"))
    frame.to_parquet(tmp_path / "x.parquet"), frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_feather(tmp_path / "x.feather")
    for path in sorted(tmp_path.iterdir()):
        mean = karcher.PrivateFrechetMean("sphere:2", **BALL) if kind == "private" else karcher.FrechetMean("sphere:2")
        for given in (path, str(path)):
            said = sentence(lambda: mean.fit(given), errors.ArgumentTypeError)
            code = re.search(r"of the name of a file give (.*)$", said)[1]
            read = eval(code, {"path": str(path), "numpy": np, "pandas": pd, "pyarrow": pyarrow})
            mean.fit(read)


def test_files_are_told_apart_from_other_arguments_everywhere():
    for call in (
        lambda: karcher.PrivateCount(epsilon=1.0).fit("x.parquet"),
        lambda: karcher.partial("x.parquet", b""),
        lambda: PrivateMDM(1.0, np.eye(2), epsilon=1.0).fit("x.npy", ["a"]),
        lambda: karcher.FrechetMean("sphere:2").fit("x.npy"),
        lambda: karcher.GeodesicRegression("sphere:2").fit([0.0], "x.npy"),
        lambda: ShrinkTrace(0.1).fit("x.npy"),
    ):
        assert "name of a file" in sentence(call, errors.ArgumentTypeError)


def test_tables_of_pandas_in_arrays_of_arrow_are_read_as_fast_as_others():
    plain = pd.DataFrame(np.random.default_rng(0).normal(size=(200_000, 3)), columns=list("xyz"))
    mean = karcher.PrivateFrechetMean("euclidean:3", radius=3.0, epsilon=1.0, random_state=1)
    frames = [plain, plain.astype("double[pyarrow]"), plain.astype("Float64")]
    times = [np.inf] * 3
    for _ in range(7):
        for i, frame in enumerate(frames):
            start = time.process_time()  # other programs take turns with this one
            found = mean.fit(frame).release_
            times[i] = min(times[i], time.process_time() - start)
            assert found == mean.fit(plain.to_numpy()).release_
    # a conversion number by number takes five times as long
    assert max(times[1:]) < 3 * times[0], times


def test_missing_values_of_arrow_and_others_are_the_same():
    for kind in ("double[pyarrow]", "Float64", "int64[pyarrow]", "Int64", "boolean"):
        values = pd.DataFrame({"x": [1, 0, 1], "y": [0, 1, 1]}).astype(kind)
        found = karcher.FrechetMean("euclidean:2").fit(values).estimate_
        assert found.tolist() == [2 / 3, 2 / 3]
        values.iloc[1, 0] = pd.NA
        assert "row 2, column x, has missing" in sentence(lambda: karcher.FrechetMean("euclidean:2").fit(values))
        private = karcher.PrivateFrechetMean("euclidean:2", 2.0, epsilon=1.0, on_invalid="replace-with-center")
        assert private.fit(values).release_.n == 3
    dates = pd.DataFrame({"x": pd.to_datetime(["2020-01-01"] * 3, utc=True)})
    for kind in (None, "timestamp[ns][pyarrow]"):
        given = dates if kind is None else dates.astype(kind)
        said = sentence(lambda: karcher.FrechetMean("euclidean:1").fit(given))
        assert "must hold numbers" in said or "must be a number" in said


def test_noise_that_exceeds_the_ball_is_flagged_in_python_as_elsewhere():
    def release(n):
        return karcher.PrivateFrechetMean("sphere:2", **BALL, random_state=1).fit(NORTH[:n]).release_

    with pytest.warns(errors.MostlyNoiseWarning, match="mostly noise"):
        wide = release(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.MostlyNoiseWarning)
        narrow = release(200)
    assert wide.expected_distance > wide.ball.radius and "noise-exceeds-ball" in wide.flags
    assert "noise-exceeds-ball: the expected error exceeds the radius" in repr(wide)
    assert "the expected error exceeds the radius" in wide._repr_html_()
    assert narrow.expected_distance < narrow.ball.radius and "noise-exceeds-ball" not in narrow.flags
    plans = {n: karcher.plan("sphere:2", 0.8, n, epsilon=1.0) for n in (3, 200)}
    assert plans[3]["chart"].noise_exceeds_ball and "exceeds the ball" in repr(plans[3])
    assert "more than the ball" in plans[3]._repr_html_()
    assert not plans[200]["chart"].noise_exceeds_ball and "exceeds the ball" not in repr(plans[200])


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.75])
@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_a_picture_in_a_notebook_takes_little(scale, n):
    center = karcher.Sphere(2).read([50.0, -40.0], "latlon")
    for name in ("sphere:2", "projective:2"):
        mean = karcher.PrivateFrechetMean(name, radius=scale, center=center, epsilon=1.0, spread=n > 10)
        page = mean.fit(np.tile(center, (n, 1))).release_._repr_html_()
        assert "<img" in page and len(page.encode()) < 60_000, len(page)


def test_public_modules_are_there_after_import():
    program = "import karcher; print([getattr(karcher, name).__name__ for name in karcher.__all__ if name in %r])"
    public = ["classification", "preprocessing", "plot", "errors"]
    found = subprocess.run([sys.executable, "-c", program % public], capture_output=True, text=True, check=True).stdout
    assert json.loads(found.replace("'", '"')) == [f"karcher.{name}" for name in sorted(public)]


def test_a_layout_of_an_array_is_read_by_the_manifold():
    private = karcher.PrivateFrechetMean("sphere:2", 0.5, [0, 0, 1], epsilon=1.0)
    with pytest.raises(karcher.Error, match=r"of an array manifold.read\(X, layout\) makes points"):
        private.fit(np.zeros((100, 2)), layout="latlon")


@pytest.mark.parametrize("space", ["euclidean:2", "sphere:2", "spd-affine-invariant:2", "kendall:4", "rotations:3"])
def test_the_origin_is_a_center_by_its_name(space):
    manifold = karcher.manifold(space)
    x = np.tile(manifold.origin, (500, *(1 for _ in manifold.shape)))
    seeded = {"epsilon": 1.0, "random_state": 0}
    for private in (
        karcher.PrivateFrechetMean(space, 0.5, "origin", **seeded),
        karcher.PrivateGeometricMedian(space, 0.5, "origin", **seeded),
        karcher.PrivateKMeans(space, 2, 0.5, "origin", **seeded),
        karcher.PrivateFrechetVariance(space, 0.5, "origin", **seeded),
    ):
        named = private.fit(x).release_
        assert named.to_json() == private.set_params(center=manifold.origin).fit(x).release_.to_json()
        assert np.array_equal(named.ball.center, manifold.origin)
        with pytest.raises(karcher.Error, match="center is 'middle': expected 'origin'"):
            private.set_params(center="middle").fit(x)
