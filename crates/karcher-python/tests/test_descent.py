"""Descents on a user's loss: what is found, which functions are refused, and what is never said."""

import json
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import karcher
import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(1)
AT = {"radius": 2.0, "center": [0.0, 0.0], "clip": 1.0, "steps": 10, "step_size": 0.5}
X = RNG.normal(size=(1000, 2)) + [0.5, -0.25]


def squared(point, X):
    return point - X


def descent(gradient=squared, **options):
    return karcher.PrivateDescent("euclidean:2", gradient, **{**AT, "mu": 2.0, **options})


def test_a_descent_finds_the_minimum_and_its_release_is_verified():
    fitted = descent(clip=3.0, mu=50.0, loss="half the squared distance").fit(X)
    assert np.abs(fitted.estimate_ - X.mean(axis=0)).max() < 0.05
    release = fitted.release_
    assert (release.statistic, release.mechanism, release.numerics) == ("minimizer", "riemannian-descent", "exact")
    assert release.spec["descent"]["loss"] == "half the squared distance" and len(release.steps) == 10
    assert karcher.Release.from_json(release.to_json()) == release and not karcher.verify(release).findings
    shown = release._repr_html_() + repr(release)
    assert "private minimizer" in shown and "mean of" not in shown and "Fréchet" not in shown
    with pytest.raises(karcher.Error, match="gradient is missing"):
        karcher.run(release.spec, X)
    assert descent(records="euclidean:2").spec()["descent"]["step_sizes"] == [0.5] * 10


def test_labels_come_with_records():
    def gradient(point, X, y):
        assert X.shape[1:] == (2,) and y.ndim == 1
        return ((X * point).sum(axis=1) - y)[:, None] * X

    y = X @ [1.0, -0.5]
    fitted = descent(gradient, mu=100.0, steps=100).fit(X, y)
    assert np.abs(fitted.estimate_ - [1.0, -0.5]).max() < 0.1
    assert fitted.release_.spec["descent"]["records"] == "euclidean:2*euclidean:1"
    with pytest.raises(karcher.Error, match="one number, or one row"):
        descent(gradient).fit(X, y[:-1])


def test_a_seed_gives_the_same_release_in_any_order_and_number_of_threads():
    releases = [descent(random_state=3, n_jobs=jobs).fit(rows).release_.value for rows, jobs in ((X, 1), (X[::-1], 2))]
    assert np.array_equal(*releases)


@pytest.mark.parametrize(
    "gradient, sentence",
    [
        (lambda point, X: X - X.mean(axis=0), "depends on the other records"),
        (lambda point, X: RNG.normal(size=X.shape), "called again"),
        (lambda point, X: X[:, :1], "shape"),
        (lambda point, X: X * np.nan, "no tangent vector"),
        (lambda point, X: X.no_such_thing, "no_such_thing"),
    ],
)
def test_functions_that_no_proof_holds_for_are_refused(gradient, sentence):
    with pytest.raises((karcher.Error, AttributeError), match=sentence):
        descent(gradient).fit(X)


GUARDS = [
    lambda X: X.max() > 1,
    lambda X: X.max() > 50,
    lambda X: X.min() < -1e9,
    lambda X: np.abs(X).max() < 1e-7,
    lambda X: len(X) > 1 and np.ptp(X, axis=0).max() == 0,
    lambda X: len(X) > 1 and not X.sum(axis=0).any(),
    lambda X: np.abs(X).max() > 1000 * np.median(np.abs(X)),
    lambda X: X.std() > 30,
    lambda X: len(X) > 100,
]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("examples", [None, RNG.uniform(-0.5, 0.5, size=(50, 2))])
def test_a_guard_that_looks_at_the_whole_batch_is_found(guard, examples):
    """Examples of the user's may be moderate."""
    with pytest.raises(karcher.Error, match="depends on the other records"):
        descent(lambda point, X: (point - X) * (0.5 if guard(X) else 1.0), examples=examples).fit(X)


def test_weights_of_classes_of_the_batch_are_found():
    def balanced(point, X, y):
        share = (y == 1).mean()
        weights = np.where(y == 1, 1 / max(share, 1e-9), 1 / max(1 - share, 1e-9))
        return weights[:, None] * (point - X)

    with pytest.raises(karcher.Error, match="depends on the other records"):
        descent(balanced).fit(X, X[:, 0] > 0)


def test_the_word_of_the_user_is_a_flag():
    release = descent().fit(X).release_
    assert "declared-gradient" in release.flags and "declared-gradient: the caller declares" in str(release)


def test_a_gradient_may_have_no_vector_for_an_extreme_record():
    def table(point, X, y):
        return np.array([0.5, 1.0, 2.0])[y.astype(int)][:, None] * (point - X)

    examples = np.column_stack([RNG.normal(size=(50, 2)), np.arange(50) % 3])
    assert descent(table, examples=examples).fit(X, np.arange(1000) % 3).estimate_.shape == (2,)


def test_rounding_by_other_rows_needs_any_numerics():
    def rounded(point, X):
        return (point - X) * (1.0 + (len(X) > 3) * 2e-16)

    with pytest.raises(karcher.Error, match="last digits"):
        descent(rounded).fit(X)
    release = descent(rounded, numerics="any").fit(X).release_
    assert release.numerics == "idealized" and "idealized-numerics" in release.flags


@pytest.mark.parametrize("q", [2, 3, 22])
def test_a_product_of_matrices_that_rounds_a_row_by_others_is_not_exact(q):
    """Where the product does so on this machine, at some point; from the origin, where it does not show."""

    def product(point, X):
        return (X @ point)[:, None] * X

    rows, w = RNG.normal(size=(256, q)), RNG.normal(size=q)
    differs = any((rows[i : i + k] @ w != (rows @ w)[i : i + k]).any() for k in (1, 2, 3) for i in range(0, 250, k))
    at = {"radius": 5.0, "clip": 1.0, "steps": 1, "step_size": 0.1, "mu": 1.0}
    fit = karcher.PrivateDescent(f"euclidean:{q}", product, **at).fit
    if differs:
        with pytest.raises(karcher.Error, match="last digits"):
            fit(rows)
    else:
        fit(rows)


def test_gradients_of_other_types_are_refused():
    for kind in (complex, str):
        with pytest.raises(karcher.Error, match="real numbers"):
            descent(lambda point, X, kind=kind: (point - X).astype(kind)).fit(X)


def test_nothing_is_said_of_real_records():
    """Exceptions, warnings and wrong shapes on real records leave no trace, and such rows count as 0."""
    calls = []

    def wild(point, X):
        calls.append(len(X))
        far = np.abs(X).max() > 50
        if far and len(X) > 1:
            raise ValueError(f"records {X}")
        if far:
            warnings.warn(f"record {X}", stacklevel=1)
            return X[:, :1] if X[0, 0] > 0 else np.log(-np.abs(X))
        return point - X

    bad = X.copy()
    bad[3], bad[700] = [60.0, 0.0], [-60.0, 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = descent(wild, random_state=1, n_jobs=1).fit(bad).release_.value

    def none(point, X):
        out = point - X
        out[np.abs(X).max(axis=1) > 50] = 0.0
        return out

    assert np.array_equal(found, descent(none, random_state=1).fit(bad).release_.value)
    assert 1 in calls


def test_two_descents_at_a_time_leave_no_filter_and_no_warning():
    """The first one waits within a call until the second one is in its last, so that their exits cross."""
    first, second = threading.Event(), threading.Event()

    def waits(point, X):
        first.set()
        second.wait(1)
        return point - X

    def warns(point, X):
        first.wait(1)
        second.set()
        warnings.warn(f"record {X[0, 0]}", stacklevel=1)
        return point - X

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ThreadPoolExecutor(2) as pool:
            fits = [pool.submit(descent(gradient).fit, X + shift) for gradient, shift in ((waits, 7.0), (warns, -9.0))]
            for fit in fits:
                fit.result()
        with pytest.raises(UserWarning):  # others are heard
            warnings.warn("still an error", stacklevel=1)


def test_examples_that_are_equal_prove_nothing():
    with pytest.raises(karcher.Error, match="16 at least"):
        descent(lambda point, X: X - X.mean(axis=0), examples=[[1.0, 2.0]] * 50).fit(X)
    assert descent(examples=RNG.normal(size=(20, 2))).fit(X).estimate_.shape == (2,)


def test_what_overflows_is_refused_before_the_budget_is_spent(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "ledger", data="made up", mu=3.0)
    with pytest.raises(karcher.Error, match="size"):
        descent(step_size=1e160, ledger=ledger).fit(X)
    assert not ledger.entries


def test_a_person_counts_by_the_mean_of_clipped_gradients():
    persons = np.arange(1000) // 2
    release = descent(random_state=2).fit(X, groups=persons).release_
    assert (release.unit, release.n) == ("person", 500)
    # two equal records of a person are one
    twice = np.repeat(X[:500], 2, axis=0)
    one = descent(random_state=2).fit(twice, groups=persons).release_.value
    assert np.array_equal(one, descent(random_state=2).fit(X[:500]).release_.value)


def test_what_is_missing_is_named():
    for options, sentence in [
        ({"gradient": None}, "gradient is missing"),
        ({"clip": None}, "clip"),
        ({"radius": None}, "radius"),
        ({"step_size": None}, "step_size is missing"),
        ({"step_size": [0.5, 0.5]}, "one for each step"),
        ({"steps": None}, "steps"),
        ({"step_size": -1.0}, "positive"),
    ]:
        with pytest.raises((karcher.Error, TypeError, ValueError), match=sentence):
            descent(**{"gradient": squared, **options}).fit(X)
    with pytest.raises(karcher.Error, match="not sent"):
        descent(records="euclidean:2").fit(karcher.Remote(lambda question: karcher.partial(X, question)))


def test_a_table_and_a_ledger(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    of_table = descent(random_state=4, records="euclidean:2").fit(table, memory=100).release_.value
    assert np.array_equal(of_table, descent(random_state=4).fit(X).release_.value)
    ledger = karcher.Ledger.new(tmp_path / "ledger", data="made up", mu=3.0)
    descent(ledger=ledger).fit(X)
    with pytest.raises(karcher.Error):
        descent(mu=2.9, ledger=ledger).fit(X)
    entry = json.loads(json.dumps(ledger.left))
    assert entry["mu"] == pytest.approx(np.sqrt(5.0), rel=1e-6)


def test_add_remove_releases_a_number():
    release = descent(adjacency="add-remove", n_guess=900, mu=20.0, clip=3.0).fit(X).release_
    assert abs(release.private_count.value - 1000) < 50
    assert np.abs(release.value - X.mean(axis=0)).max() < 0.2


def test_frames_and_labelled_arrays_go_with_targets():
    y = X[:, 0]
    gradient = lambda point, X, y: point - X * y[:, np.newaxis]
    fitted = descent(gradient, records="euclidean:2", random_state=1)
    expected = fitted.fit(X, y).estimate_
    frame = pd.DataFrame(X, columns=["a", "b"])
    np.testing.assert_array_equal(fitted.fit(frame, y).estimate_, expected)
    np.testing.assert_array_equal(fitted.fit(frame, frame["a"]).estimate_, expected)
    labelled = pytest.importorskip("xarray").DataArray(X, dims=("n", "of"), coords={"of": ["a", "b"]})
    np.testing.assert_array_equal(fitted.fit(labelled, y).estimate_, expected)
    for more in ({"columns": ["a", "b"]}, {"groups": "a"}):
        with pytest.raises(karcher.Error, match="y does not go with a table"):
            fitted.fit(frame, y, **more)
    with pytest.raises(karcher.Error, match="sample_weight"):
        fitted.fit(frame, y, sample_weight=y)
