"""Private scores and private choices: what is counted, who is protected, what is refused, and what a study books."""

import numpy as np
import pytest
from karcher import (
    Error,
    Guarantee,
    Ledger,
    PrivateFrechetMean,
    PrivateScore,
    PrivateSelection,
    ScoreRelease,
    SelectionRelease,
    Sphere,
    plan,
    private_score,
    run,
    verify,
)
from karcher.classification import PrivateMDM

SEEDED = {"epsilon": 1.0, "random_state": 3}


class Told:
    """Predicts what the first column says."""

    def predict(self, X):
        return X[:, 0]


class Failing:
    """Fails for a batch with a record that is odd, and predicts others."""

    def __init__(self, error=ValueError):
        self.error = error

    def predict(self, X):
        if (X[:, 0] < 0).any():
            raise self.error(f"the record {X[X[:, 0] < 0]} is odd")
        return X[:, 0]


def true_counts(release, exact):
    """Noise of the seed is the same for other records: the difference of two releases is that of the tables."""
    return np.round(release.noisy_counts - exact.noisy_counts, 6)


def counts(y, predicted, **options):
    X = np.asarray(predicted, dtype=float)[:, None]
    return private_score(Told(), X, np.asarray(y), **{**SEEDED, **options})


def test_a_score_is_a_release_like_others(tmp_path):
    y = np.tile([0.0, 1.0, 1.0, 0.0], 50)
    predicted = np.where(np.arange(200) % 10 == 0, 1.0 - y, y)
    release = counts(y, predicted)
    assert (release.statistic, release.metric, release.n, release.unit) == ("score", "accuracy", 200, "record")
    assert release.guarantee == Guarantee(epsilon=1.0) and abs(release.score - 0.9) < 0.1
    assert release.score_interval[0] <= release.score <= release.score_interval[1]
    assert "private accuracy" in repr(release) and "95 % confidence" in repr(release)
    assert "accuracy of fixed predictions" in release.sentence() and "records" in release.summary()
    assert ScoreRelease.from_json(release.to_json()) == release
    assert [finding.field for finding in verify(release).findings] in ([], ["flags"]) or all(
        "seed" in str(finding) for finding in verify(release).findings
    )
    assert release.to_pandas()["score"].iloc[0] == release.score


def test_tables_count_pairs_of_labels():
    y, predicted = [0, 0, 1, 1, 2, 2, 7], [0, 1, 1, 1, 0, 2, 0]
    none = dict(metric="confusion", labels=[0, 1, 2])
    moved = true_counts(counts(y, predicted, **none), counts([7] * 7, [0] * 7, **none))
    assert moved.reshape(3, 3).tolist() == [[1, 1, 0], [0, 2, 0], [1, 0, 1]]
    none = dict(metric="balanced-accuracy", labels=[0, 1, 2])
    moved = true_counts(counts(y, predicted, **none), counts([7] * 7, [0] * 7, **none))
    assert moved.tolist() == [1, 1, 2, 0, 1, 1]  # right and wrong of each


def test_texts_numbers_and_truth_values_are_compared_by_one_rule():
    texts = np.array([["left"], ["right"], ["up"]], dtype=object)
    for y in (["left", "right", "down"], np.array(["left", "right", "down"])):
        release = private_score(Told(), texts, y, labels=["left", "right"], **SEEDED)
        other = private_score(Told(), texts, ["x", "x", "x"], labels=["left", "right"], **SEEDED)
        assert true_counts(release, other).tolist() == [2]
    assert true_counts(counts([True, False, True], [1, 0, 0]), counts([5, 5, 5], [1, 0, 0])).tolist() == [2]


def test_a_person_with_a_thousand_records_counts_as_one_with_one():
    y = np.zeros(1010)
    groups = np.concatenate([np.zeros(1000), np.arange(1, 11)])
    right, wrong = np.zeros(1010), np.r_[np.ones(1000), np.zeros(10)]
    many = true_counts(counts(y, right, groups=groups), counts(y, wrong, groups=groups))
    each = np.arange(11)
    few = true_counts(counts(y[:11], right[:11], groups=each), counts(y[:11], wrong[999:], groups=each))
    assert many.tolist() == few.tolist() == [1.0]
    assert counts(y, right, groups=groups).n == 11 and counts(y, right, groups=groups).unit == "person"
    # half of the records right: half a count
    half = np.r_[np.repeat([0, 1], 500), np.zeros(10)]
    assert true_counts(counts(y, half, groups=groups), counts(y, wrong, groups=groups)).tolist() == [0.5]


def test_failing_predictions_are_wrong_and_say_nothing():
    y = np.array([1.0, 2.0, 3.0, -4.0, 5.0])
    for error in (ValueError, RuntimeError, MemoryError):
        release = private_score(Failing(error), y[:, None], y, **SEEDED)
        others = counts(y, [1.0, 2.0, 3.0, 99.0, 5.0])
        assert true_counts(release, others).tolist() == [0]
    with np.errstate(all="raise"):
        missing = counts([np.nan, 1.0, 2.0], [np.nan, 1.0, 2.0])
    assert true_counts(missing, counts([0.0, 1.0, 2.0], [9.0, 1.0, 2.0])).tolist() == [0]


def test_a_record_is_predicted_by_itself():
    """What is predicted for a record depends neither on the number of the others nor on an error for one of them."""

    class OfTheBatch:
        def predict(self, X):
            return np.full(len(X), float(len(X)))

    def wrong(n):
        return private_score(OfTheBatch(), np.zeros((n, 1)), np.ones(n), **SEEDED).noisy_counts

    assert abs(float(wrong(50)[0] - wrong(40)[0]) - 10) < 1e-6


def test_the_entries_of_a_list_have_no_type_in_common():
    """A text among truth values makes no texts of the others, and a ragged point is no error."""
    y, X = [True, False] * 20, np.zeros((41, 1))
    one, other = (private_score(Told(), X, [*y, last], metric="r2", range=(0, 1), **SEEDED) for last in ("a", True))
    assert np.abs(true_counts(one, other)).max() <= 1.0
    private_score(Told(), X[:3], [[0.0, 1.0], None, 3.0], metric="mean-loss", bound=1.0, **SEEDED)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_numbers_that_overflow_say_nothing():
    with np.errstate(all="raise"):
        counts([0.0, 1.0], [1e300, 0.0], metric="r2", range=(0, 1e-9))
        counts([0.0, 1.0], [1e300, -1e300], metric="mean-loss", bound=1e-9)


def test_losses_are_geodesic_distances_that_are_cut_off():
    sphere = Sphere(2)
    y = np.array([[0, 0, 1.0], [0, 0, 1.0], [0, 0, 1.0]])
    X = np.array([[0, 0, 1.0], [0, 1.0, 0], [0, 0, -1.0]])

    class Same:
        def predict(self, X):
            return X

    loss = dict(metric="mean-loss", manifold=sphere, bound=2.0, **SEEDED)
    moved = true_counts(private_score(Same(), X, y, **loss), private_score(Same(), y, y, **loss))
    assert abs(moved[0] - (np.pi / 4 + 1.0)) < 2e-6
    line = dict(metric="mean-loss", bound=10.0, **SEEDED)
    release = private_score(Told(), np.array([[1.0], [5.0], [np.nan]]), [2.0, 9.0, 1.0], **line)
    exact = private_score(Told(), np.array([[2.0], [9.0], [1.0]]), [2.0, 9.0, 1.0], **line)
    assert np.allclose(release.noisy_counts - exact.noisy_counts, 0.1 + 0.4 + 1.0)


def test_r2_is_that_of_scikit_learn_up_to_noise():
    from sklearn.metrics import r2_score

    rng = np.random.default_rng(0)
    y = rng.uniform(0, 100, 20_000)
    predicted = np.clip(y + 15 * rng.normal(size=len(y)), 0, 100)
    release = private_score(Told(), predicted[:, None], y, metric="r2", range=(0, 100), **SEEDED)
    assert abs(release.score - r2_score(y, predicted)) < 0.02
    assert release.score_interval[0] < r2_score(y, predicted) < release.score_interval[1]


def test_a_confidential_number_of_records_is_released_too():
    y = np.repeat([0, 1], [300, 100])
    release = counts(y, y, adjacency="add-remove", n_guess=500, metric="confusion", labels=[0, 1])
    assert release.n is None and abs(release.private_count.value - 400) < 60
    assert release.score > 0.9 and release.adjacency == "add-remove"
    none = counts([], np.empty(0), adjacency="add-remove", n_guess=500)
    assert 0 <= none.score <= 1 and none.score_interval == (0.0, 1.0)


def test_what_is_public_decides_refusals():
    X, y = np.zeros((4, 1)), np.zeros(4)
    for options, words in (
        ({"metric": "confusion"}, "labels"),
        ({"metric": "mean-loss"}, "bound"),
        ({"metric": "accuracy", "bound": 1.0}, "bound"),
        ({"metric": "r2"}, "range"),
        ({"metric": "best"}, "metric"),
        ({"manifold": "sphere:2"}, "manifold"),
        ({"groups": [1, 2, 3]}, "groups"),
        ({"groups": [1, 1, 2, 2], "adjacency": "add-remove", "n_guess": 5}, "groups"),
    ):
        with pytest.raises(Error, match=words):
            private_score(Told(), X, y, **{**SEEDED, **options})
    with pytest.raises(Error, match="predict"):
        private_score(object(), X, y, epsilon=1.0)
    with pytest.raises(Error, match="3 entries"):
        private_score(Told(), X, y[:3], epsilon=1.0)


def test_a_plan_says_the_error_beforehand():
    found = plan(PrivateScore(epsilon=1.0), n=50)
    assert found.best == "table" and abs(found["table"].expected_distance - 0.02) < 1e-9
    assert plan(PrivateScore(epsilon=1.0), error=0.01).n == 100
    models = {"a": Told(), "b": Told()}
    assert plan(PrivateSelection(models, epsilon=1.0), n=100)["noisy-maximum"].at_most


def test_a_scorer_books_each_call_and_a_study_is_in_one_ledger(tmp_path):
    rng = np.random.default_rng(0)
    y = np.tile(np.repeat(["left", "right"], 5), 40)
    logs = 0.3 * rng.normal(size=(400, 2, 2)) + np.where(y == "left", 0.4, -0.4)[:, None, None] * np.diag([1, -1])
    from karcher import SPD

    X, persons = SPD(2).exp(np.eye(2), (logs + logs.transpose(0, 2, 1)) / 2), np.repeat(np.arange(40), 10)
    study = Ledger.new(tmp_path / "study.db", data="people", unit="person", epsilon=5.0)
    reference = PrivateFrechetMean("spd-affine-invariant:2", 2.0, np.eye(2), epsilon=1.0, ledger=study)
    reference.fit(X, groups=persons)
    mdm = PrivateMDM(2.0, np.eye(2), epsilon=1.0, ledger=study).fit(X, y, groups=persons)
    scorer = PrivateScore(epsilon=1.0, ledger=study)
    found = scorer(mdm, X.copy(), y, groups=persons)
    assert found == scorer.release_.score and scorer.release_.ledger_entry == 3
    statistics = [entry.event["statistic"] for entry in study.entries]
    assert statistics == ["frechet-mean", "frechet-mean", "score"]  # the classes are one entry
    scorer(mdm, X.copy(), y, groups=persons)
    with pytest.raises(Error):
        scorer(mdm, X.copy(), y, groups=persons)  # which would exceed the total
    assert [entry.status for entry in study.entries].count("released") == 4


class Above:
    def __init__(self, limit):
        self.limit = limit

    def predict(self, X):
        return X[:, 0] > self.limit


def test_a_choice_finds_the_best_and_releases_no_score():
    X = np.random.default_rng(0).normal(size=(2000, 1))
    models = [(f"above {limit}", Above(limit)) for limit in (-1.0, 0.0, 1.0)]
    chosen = PrivateSelection(models, epsilon=1.0, random_state=1).fit(X, X[:, 0] > 0.1)
    release = chosen.release_
    assert (chosen.best_index_, chosen.best_name_, chosen.best_estimator_) == (1, "above 0.0", models[1][1])
    assert release.selected == 1 and release.candidates == ("above -1.0", "above 0.0", "above 1.0")
    assert "noisy_counts" not in release.to_json() and chosen.score_ is None
    assert SelectionRelease.from_json(release.to_json()) == release and "private choice" in repr(release)
    assert (chosen.predict(X) == (X[:, 0] > 0)).all()
    kept = PrivateSelection(models, epsilon=1.0, of_score=0.5, random_state=1).fit(X, X[:, 0] > 0.1)
    assert abs(kept.score_.score - 0.96) < 0.02 and kept.guarantee_ == Guarantee(epsilon=1.0)
    assert kept.release_.guarantee.epsilon + kept.score_.guarantee.epsilon <= 1.0
    losses = PrivateSelection({"zero": Told(), "other": Above(0.0)}, "mean-loss", bound=1.0, mu=1.0, random_state=1)
    assert losses.fit(X, X[:, 0]).best_name_ == "zero"


def test_candidates_that_are_fitted_first_spend_their_budgets():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b"], 500)
    X = rng.normal(size=(1000, 2)) + np.where(y == "a", 1.5, -1.5)[:, None]
    from karcher.classification import PrivateNearestCentroid

    models = {
        "wide": PrivateNearestCentroid("euclidean:2", 4.0, [0, 0], epsilon=0.5),
        "far": PrivateNearestCentroid("euclidean:2", 0.1, [9, 9], epsilon=0.25),
    }
    chosen = PrivateSelection(models, epsilon=1.0, random_state=2)
    assert abs(chosen.guarantee(fitted_first=True).epsilon - 1.75) < 1e-9
    chosen.fit(X, y, train=(X.copy(), y))
    assert chosen.best_name_ == "wide" and abs(chosen.guarantee_.epsilon - 1.75) < 1e-9
    groups = np.arange(len(y))
    with pytest.raises(Error, match="different units"):
        PrivateSelection(models, epsilon=1.0).fit(X, y, groups, train=(X, y))
    with pytest.raises(Error, match="has no ledger"):
        PrivateSelection(models, epsilon=1.0, ledger="study.ledger").fit(X, y, train=(X, y))

    class OfOtherNeighbours(Told):
        adjacency = "add-remove"

        def guarantee(self):
            return Guarantee(epsilon=1.0)

    with pytest.raises(Error, match="add-remove"):
        PrivateSelection({**models, "other": OfOtherNeighbours()}, epsilon=1.0).fit(X, y, train=(X, y))
    with pytest.raises(Error, match="no guarantee"):
        PrivateSelection({"a": Told(), "b": Told()}, epsilon=1.0).fit(X, y, train=(X, y))
    for bad in ({"a": Told()}, [("a", Told()), ("a", Told())], {"a": 1, "b": 2}, [Told(), Told()], None):
        with pytest.raises(Error, match="candidate"):
            PrivateSelection(bad, epsilon=1.0).fit(X, y)


def test_a_run_by_specification_takes_rows():
    release = run(PrivateScore(epsilon=1.0).spec(), np.array([[1.0], [0.0]] * 50), random_state=1)
    assert release.metric == "accuracy" and release.n == 100


@pytest.mark.parametrize("odd", ["left\udce9", b"left\xe9"])
@pytest.mark.parametrize("side", ["label", "prediction"])
def test_a_text_that_no_encoding_has_is_wrong(side, odd):
    plain = np.array(["left", "right"] * 100, dtype=object)
    changed = plain.copy()
    changed[7] = odd
    y, X = (changed, plain) if side == "label" else (plain, changed)
    release = private_score(Told(), X[:, None], y, epsilon=1.0, random_state=3)
    exact = private_score(Told(), plain[:, None], plain, epsilon=1.0, random_state=3)
    assert true_counts(release, exact).tolist() == [-1.0]


def test_a_predictor_that_leaves_is_wrong_about_one_record():
    y = np.ones(200)
    X = np.where(np.arange(200) == 7, -1.0, 1.0)[:, None]
    exact = private_score(Told(), y[:, None], y, **SEEDED)
    assert true_counts(private_score(Failing(SystemExit), X, y, **SEEDED), exact).tolist() == [-1.0]


class OfColumns:
    """Wants a data frame with the column x."""

    def predict(self, X):
        return X["x"].to_numpy() > 0


def test_a_predictor_that_takes_no_such_records_is_refused_before_the_budget_is_spent(tmp_path):
    """Whatever the values are: it is tried on made-up records. One that fails for some records alone is not."""
    import pandas

    y = np.arange(40) % 2 == 0
    array = np.where(y, 1.0, -1.0)[:, None]
    frame = pandas.DataFrame({"x": array[:, 0], "unit": "mm"})
    study = Ledger.new(tmp_path / "study.db", data="people", epsilon=1.0)
    booked = {"epsilon": 1.0, "ledger": study}
    for X, good, bad in ((array, Above(0.0), OfColumns()), (frame, OfColumns(), Above(0.0))):
        with pytest.raises(Error, match="the candidate bad predicts nothing for a made-up record.*no budget is spent"):
            PrivateSelection({"good": good, "bad": bad}, **booked).fit(X, y)
        with pytest.raises(Error, match="the estimator predicts nothing for a made-up record"):
            private_score(bad, X, y, **booked)
        with pytest.raises(Error, match="the record of example"):
            private_score(bad, X, y, example=X[:1], **booked)
        assert private_score(good, X, y, example=X[:1], **SEEDED).score > 0.8
        assert private_score(good, X, y, **SEEDED).score > 0.8
    assert not study.entries
    with pytest.raises(Error, match="predicts nothing"):  # two numbers are no number
        private_score(
            Told(), np.zeros((5, 2)), np.zeros(5), metric="mean-loss", bound=1.0, manifold="euclidean:3", **booked
        )


@pytest.mark.parametrize(
    "space", ["sphere:2", "hyperbolic:2", "spd-log-euclidean:3", "torus:2", "simplex-aitchison:4", "grassmann:4,2",
              "correlation-off-log:3", "rotations:3", "hpd-log-euclidean:2", "kendall:5", "landmarks:5,2", "poses:3,1"],
)  # fmt: skip
def test_a_predictor_of_points_is_tried_on_a_point(space):
    import karcher

    manifold = karcher.manifold(space)
    X = np.stack([manifold.origin] * 9)

    class Near:
        def predict(self, X):
            return manifold.dist(X, X) < 1.0

    assert private_score(Near(), X, np.ones(9, dtype=bool), **SEEDED).n == 9


def test_a_parameter_of_a_metric_is_refused_by_its_name():
    for options, sentence in (
        ({"metric": "mean-loss"}, "bound is missing or not positive: .* for metric='mean-loss'"),
        ({"metric": "r2"}, "range is missing"),
        ({"metric": "r2", "range": (0, 1), "bound": 1.0}, "bound belongs to metric='mean-loss'"),
        ({"metric": "confusion"}, "labels is no public list"),
    ):
        with pytest.raises(Error, match=sentence):
            PrivateScore(**options, epsilon=1.0).spec()


def test_no_category_or_width_of_an_entry_refuses_a_predictor():
    pandas = pytest.importorskip("pandas")

    class Checks:
        def __init__(self, looks):
            self.looks = looks

        def predict(self, X):
            if self.looks(X):
                raise ValueError("what one entry decides")
            return np.ones(len(X))

    few = ["a", "b"] * 50
    for looks, of in [
        (lambda X: "spy" in X["job"].cat.categories, lambda x: pandas.DataFrame({"job": pandas.Categorical(x)})),
        (lambda X: X.dtype.itemsize > 8, lambda x: np.array(x)[:, None]),
        (lambda X: X["n"].dtype == float, lambda x: pandas.DataFrame({"n": [1 if e != "spy" else None for e in x]})),
        (lambda X: False, lambda x: pandas.DataFrame({"n": pandas.array([1] * len(x), dtype="UInt8")})),
        (lambda X: False, lambda x: pandas.DataFrame({"n": pandas.period_range("2026-01", periods=len(x))})),
        (lambda X: False, lambda x: pandas.DataFrame({"n": pandas.interval_range(0, len(x))})),
    ]:
        for entries in (few, [*few[:-1], "spy"]):
            score = PrivateScore("accuracy", epsilon=1e3, random_state=1)
            score(Checks(looks), of(entries), np.ones(100))
