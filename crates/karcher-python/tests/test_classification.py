"""PrivateMDM, compared with pyRiemann's MDM."""

import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import karcher
from karcher import SPD, errors
from karcher._classes import are
from karcher.classification import PrivateMDM

warnings.simplefilter("ignore", DeprecationWarning)
from pyriemann.classification import MDM  # noqa: E402


def two_classes(n=200, k=3, seed=0):
    space = SPD(k, metric="affine-invariant")
    centers = np.eye(k), np.diag([2.0] + [1.0] * (k - 1))
    x = np.concatenate(
        [space.random_point(n, center=c, scale=0.15, random_state=seed + i) for i, c in enumerate(centers)]
    )
    return x, np.repeat(["rest", "move"], n)


@pytest.mark.parametrize("metric", ["riemann", "logeuclid"])
def test_with_a_large_budget_it_is_pyriemanns_mdm(metric):
    x, y = two_classes()
    test, _ = two_classes(seed=10)
    theirs = MDM(metric=metric).fit(x, y)
    ours = PrivateMDM(3.0, np.eye(3), metric=metric, epsilon=1e9).fit(x, y)
    assert_allclose(ours.covmeans_, theirs.covmeans_, atol=1e-6)
    # everything after the means is the same to rounding
    ours.covmeans_ = np.asarray(theirs.covmeans_)
    assert_allclose(ours.transform(test), theirs.transform(test), atol=1e-10)
    assert_allclose(ours.predict_proba(test), theirs.predict_proba(test), atol=1e-10)
    assert np.array_equal(ours.predict(test), theirs.predict(test)) and np.array_equal(ours.classes_, theirs.classes_)


def test_every_class_gets_the_whole_budget_and_its_own_noise():
    x, y = two_classes(100)
    options = {"epsilon": 0.7, "denoise": "none", "random_state": 3}
    mdm = PrivateMDM(2.0, np.eye(3), **options).fit(x, y)
    assert mdm.guarantee_ == karcher.Guarantee(epsilon=0.7)
    assert [r.guarantee for r in mdm.releases_] == [mdm.guarantee_] * 2 and [r.n for r in mdm.releases_] == [100, 100]
    same = np.concatenate([x[:100], x[:100]])
    noise = PrivateMDM(2.0, np.eye(3), **options).fit(same, y).covmeans_
    assert np.abs(noise[0] - noise[1]).max() > 1e-4
    # a matrix of one class has no influence on the mean of the other
    changed = x.copy()
    changed[0] = 3 * np.eye(3)
    again = PrivateMDM(2.0, np.eye(3), **options).fit(changed, y)
    assert np.array_equal(again.covmeans_[0], mdm.covmeans_[0])
    assert not np.array_equal(again.covmeans_[1], mdm.covmeans_[1])


def test_mechanism_numerics_and_denoising_are_those_of_the_means():
    x, y = two_classes(50)
    options = {"metric": "riemann", "mu": 0.3, "random_state": 1}
    shrunk = PrivateMDM(1.5, np.eye(3), **options).fit(x, y)
    plain = PrivateMDM(1.5, np.eye(3), denoise="none", **options).fit(x, y)
    for one, other in zip(shrunk.releases_, plain.releases_):
        assert one.numerics == "exact" and np.array_equal(one.noisy_value, other.value) and other.noisy_value is None
    both = PrivateMDM(1.5, np.eye(3), metric="riemann", epsilon=1.0, numerics="any").fit(x, y)
    assert {release.numerics for release in both.releases_} == {"idealized"}
    for wrong in ({"numerics": "real"}, {"denoise": "smooth"}):
        with pytest.raises(errors.Error, match="expected `"):
            PrivateMDM(1.5, np.eye(3), epsilon=1.0, **wrong).fit(x, y)


def test_spreads_of_the_classes_are_within_the_budget(tmp_path):
    x, y = two_classes()
    options = {"epsilon": 1.0, "spread": True, "spread_clip": 3.0}
    ledger = karcher.Ledger.new(tmp_path / "spent.db", data="made up", epsilon=1.0)
    mdm = PrivateMDM(2.0, np.eye(3), ledger=ledger, **options).fit(x, y)
    assert mdm.guarantee_ == karcher.Guarantee(epsilon=1.0) and ledger.spent == {"epsilon": 1.0}
    plain = PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit(x, y)
    for release, mean in zip(mdm.releases_, plain.releases_):
        spread = release.spread
        parts = (spread.mean_guarantee, spread.mean_square.guarantee, spread.fraction_outside.guarantee)
        assert release.guarantee == mdm.guarantee_ and sum(part.epsilon for part in parts) <= 1.0
        assert_allclose(release.scale, mean.scale / parts[0].epsilon, rtol=1e-12)
        assert spread.clip == 3.0 and mean.spread is None
    # a person in both classes spends the sum
    persons = PrivateMDM(2.0, np.eye(3), **options).fit(x, y, groups=np.tile(np.arange(200), 2))
    assert persons.guarantee_ == karcher.Guarantee(epsilon=2.0) and persons.releases_[1].spread is not None
    # the spread is that of the matrices of the class about its mean
    exact = PrivateMDM(2.0, np.eye(3), **{**options, "epsilon": 1e9}).fit(x, y)
    for i, release in enumerate(exact.releases_):
        distances = exact.transform(x[y == exact.classes_[i]])[:, i]
        assert_allclose(release.spread.root_mean_square, np.sqrt(np.mean(distances**2)), rtol=1e-6)
    assert karcher.compare(*exact.releases_).differ


def test_in_pipelines_and_cross_validation():
    x, y = two_classes(300)
    flat = x.reshape(len(x), 9)
    reshape = FunctionTransformer(lambda rows: rows.reshape(-1, 3, 3))
    pipeline = make_pipeline(reshape, PrivateMDM(2.0, np.eye(3), epsilon=2.0, random_state=0))
    assert cross_val_score(clone(pipeline), flat, y, cv=3).mean() > 0.9


def test_what_is_not_private_is_refused():
    x, y = two_classes(20)
    with pytest.raises(errors.Error, match="classes is missing"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0, labels="private").fit(x, y)
    with pytest.raises(errors.Error, match="n_guess is missing"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0, labels="private", classes=["a"]).fit(x, y)
    with pytest.raises(errors.Error, match="belong to labels='private'"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0, n_guess=10).fit(x, y)
    with pytest.raises(errors.Error, match="budget is missing"):
        PrivateMDM(2.0, np.eye(3)).fit(x, y)
    with pytest.raises(errors.Error, match="not private"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit_predict(x, y)
    with pytest.raises(errors.Error, match="not private: .* last step"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit_transform(x, y)
    with pytest.raises(errors.Error, match="not private: .* last step"):
        make_pipeline(PrivateMDM(2.0, np.eye(3), epsilon=1.0), LogisticRegression()).fit(x, y)
    with pytest.raises(errors.Error, match="X has shape"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit(x[:5], y)
    with pytest.raises(ValueError, match="[Cc]omplex"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit(x.astype(complex), y)
    with pytest.raises(ValueError, match="not fitted"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).predict(x)
    with pytest.raises(errors.Error, match=r"X has 4 features, but PrivateMDM is expecting 3 features"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit(x, y).predict(np.tile(np.eye(4), (2, 1, 1)))
    with pytest.raises(errors.InvalidPointError, match="smallest eigenvalue"):
        PrivateMDM(2.0, np.eye(3), epsilon=1.0).fit(np.concatenate([x[1:], -x[:1]]), y)


def test_private_labels_tell_neither_sizes_nor_other_classes():
    left, right = np.diag([2.0, 1.0]), np.diag([1.0, 2.0])
    x = np.concatenate([np.tile(left, (300, 1, 1)), np.tile(right, (500, 1, 1)), np.tile(np.eye(2), (7, 1, 1))])
    y = np.array(["left"] * 300 + ["right"] * 500 + ["neither"] * 7)
    private = {"labels": "private", "classes": ["left", "right", "nobody"], "n_guess": 400}
    mdm = PrivateMDM(2.0, 1.4 * np.eye(2), epsilon=2.0, random_state=5, **private).fit(x, y)
    assert mdm.classes_.tolist() == ["left", "right", "nobody"] and mdm.guarantee_ == karcher.Guarantee(epsilon=2.0)
    assert all((r.n, r.n_guess, r.adjacency) == (None, 400, "add-remove") for r in mdm.releases_)
    sizes = [r.private_count.value for r in mdm.releases_]
    assert abs(sizes[0] - 300) < 30 and abs(sizes[1] - 500) < 30 and sizes[2] < 30
    assert mdm.predict(np.array([[[3.0, 0.0], [0.0, 1.0]]]))[0] in ("left", "nobody")


def test_classes_of_a_table_and_of_an_array_on_disk_are_those_of_the_array(tmp_path):
    rng = np.random.default_rng(3)
    factors = rng.normal(size=(900, 2, 5))
    X = factors @ factors.transpose(0, 2, 1)
    y, who = np.array(["left", "right", "none"])[rng.integers(0, 3, 900)], rng.integers(0, 60, 900)
    lists = pa.array(X.reshape(900, 4).tolist(), pa.list_(pa.float64(), 4))
    table = pa.table({"side": y, "m": lists, "who": [f"{key:03}" for key in who], "clerk": ["a"] * 900})
    rows, columns = np.triu_indices(2)
    upper = pa.table({"side": y, **{f"m{i}": X[:, rows[i], columns[i]] for i in range(3)}})
    np.save(tmp_path / "x.npy", X)
    on_disk = np.load(tmp_path / "x.npy", mmap_mode="r")
    told = lambda mdm: [release.to_json() for release in mdm.releases_]
    public = {"epsilon": 3.0, "random_state": 5}
    private = {**public, "labels": "private", "classes": ["left", "right", "nobody"], "n_guess": 300}
    for options in (public, private):
        mdm = PrivateMDM(radius=4.0, center=np.eye(2), **options)
        together = told(mdm.fit(X, y))
        for memory in (None, "5kB"):
            assert told(mdm.fit(table, "side", columns=["m"], memory=memory)) == together
            assert told(mdm.fit(pl.from_arrow(table), "side", columns=["m"], memory=memory)) == together
            assert told(mdm.fit(upper, "side", layout="upper-row", memory=memory)) == together
            assert told(mdm.fit(on_disk, y, memory=memory)) == together
    mdm = PrivateMDM(radius=4.0, center=np.eye(2), **public)
    of_persons = mdm.fit(X, y, groups=who)
    together, guarantee = told(of_persons), of_persons.guarantee_
    for memory in (None, "5kB"):
        of_table = mdm.fit(table, "side", groups="who", columns=["m"], memory=memory)
        assert told(of_table) == together and of_table.guarantee_ == guarantee
        assert told(mdm.fit(on_disk, y, groups=who, memory=memory)) == together
    assert mdm.predict(X[:5]).shape == (5,)
    # no class is empty because a stream was at its end
    with pytest.raises(errors.UnansweredError):
        PrivateMDM(radius=4.0, center=np.eye(2), **private).fit(table.to_reader(), "side", columns=["m"])


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        (pa.table({"a": [1.0], "y": [1]}), "z", {}, "there is no column z"),
        (pa.table({"a": [1.0], "y": [1]}), [1], {}, "y must be the name of the column"),
        (pa.table({"a": [1.0], "b": [1.0], "y": [1]}), "y", {}, "no K × K matrix"),
        (pa.table({"a": [1.0, 1.0], "y": [1, None]}), "y", {}, "lacks labels"),
        (pa.table({"a": [1.0], "y": [1]}).to_reader(), "y", {}, "once only"),
        (np.ones((1, 1, 1)), [1], {"columns": ["a"]}, "belong to tables"),
    ],
)
def test_what_is_wrong_with_a_table_of_classes_is_told(X, y, options, words):
    with pytest.raises(karcher.Error, match=words):
        PrivateMDM(radius=1.0, center=np.eye(1), epsilon=1.0).fit(X, y, **options)


def test_a_matrix_that_is_none_is_named_by_its_place_among_all():
    x = np.stack([np.eye(2)] * 20)
    x[13] = [[1.0, 2.0], [2.0, 1.0]]
    with pytest.raises(errors.InvalidPointError, match=r"record 14 \(index 13\): .* not positive definite"):
        PrivateMDM(radius=3.0, center=np.eye(2), mu=1.0).fit(x, np.arange(20) % 2)


@pytest.mark.parametrize("metric", ["riemann", "logeuclid"])
def test_classes_of_one_size_are_planned_as_each_by_itself(metric):
    x, y = two_classes(40)
    fitted = PrivateMDM(3.0, np.eye(3), metric=metric, mu=1.0, random_state=4).fit(x, y)
    seeds = np.random.SeedSequence(4).generate_state(2, np.uint64)
    for label, seed, release in zip(fitted.classes_, seeds, fitted.releases_):
        mean = karcher.PrivateFrechetMean(fitted.manifold_, 3.0, np.eye(3), mu=1.0, random_state=int(seed))
        assert mean.fit(x[y == label]).release_.to_json() == release.to_json()


@pytest.mark.parametrize("metric", ["riemann", "logeuclid"])
def test_distances_are_those_to_each_mean(metric):
    x, y = two_classes(30)
    fitted = PrivateMDM(3.0, np.eye(3), metric=metric, epsilon=1e9).fit(x, y)
    rounded = two_classes(300, seed=10)[0]
    rounded[7, 0, 1] *= 1 + 1e-9  # to be made symmetric, as each by itself is
    for new in (rounded, x[:1]):
        expected = [fitted.manifold_.dist(mean, new) for mean in fitted.covmeans_]
        assert_allclose(fitted.transform(new), np.stack(expected, axis=1), rtol=1e-11, atol=1e-13)
    with pytest.raises(errors.Error, match="^there are no records"):
        fitted.transform(x[:0])
    rounded[311] = -rounded[311]
    with pytest.raises(errors.InvalidPointError, match="^q, row 312: .* its smallest eigenvalue"):
        fitted.transform(rounded)


def test_labels_of_all_kinds_are_told_apart():
    y = ["left", "right", "left"]
    for labels in (y, np.array(y), np.array(y, dtype=object), np.array([1, 2, 1]), np.array([1.0, 2.0, 1.0])):
        labels = np.asarray(labels)
        for label in (labels[0], labels[:1].tolist()[0]):
            assert are(labels, label).tolist() == [True, False, True]
    assert are(np.array(["left", "left2"]), np.str_("left")).tolist() == [True, False]
    assert are(np.array([1, 2]), "left").tolist() == [False, False]
    assert are(np.array([1, 2], dtype=np.uint8), np.float64(2.0)).tolist() == [False, True]


def _sizes(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrices of a large and a small class."""
    generator = np.random.default_rng(3)
    logs = 0.1 * generator.standard_normal((n + m, 3, 3))
    X = np.array([_expm(log + log.T) for log in logs])
    return X, np.repeat(["a", "b"], [n, m])


def _expm(x: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(x)
    return (vectors * np.exp(values)) @ vectors.T


def _mixed(labels: str, order: list[str], ledger: object = None, groups: object = None) -> PrivateMDM:
    sizes = {"a": 1000, "b": 10}
    X, y = _sizes(1000, 10)
    guesses = {"labels": "private", "classes": order, "n_guess": [sizes[c] for c in order]}
    private = guesses if labels == "private" else {}
    if labels == "public" and order[0] == "b":
        y = np.where(y == "b", "0", y)  # the small class comes first
    mdm = PrivateMDM(radius=2.0, center=np.eye(3), epsilon=1.0, delta=1e-6, numerics="any", ledger=ledger, **private)
    return mdm.fit(X, y, groups=groups)


@pytest.mark.parametrize("labels", ["private", "public"])
@pytest.mark.parametrize("order", [["a", "b"], ["b", "a"]])
def test_the_guarantee_covers_every_class_in_every_order(labels: str, order: list[str], tmp_path: object) -> None:
    adjacency = "add-remove" if labels == "private" else "replace-one"
    path = tmp_path / "budget.db"
    ledger = karcher.Ledger.new(path, data="x", epsilon=1.0, delta=1e-6, adjacency=adjacency)
    mdm = _mixed(labels, order, ledger)
    kinds = {release.guarantee.delta for release in mdm.releases_}
    assert mdm.guarantee_ == karcher.parallel(*[release.guarantee for release in mdm.releases_])
    assert mdm.guarantee_.delta == max(kinds, key=lambda delta: delta or 0.0)
    [entry] = ledger.entries
    assert entry.guarantee == mdm.guarantee_ and entry.status == "released"
    if labels == "private":
        assert kinds == {1e-6}
        pure = karcher.Ledger.new(tmp_path / "pure.db", data="x", epsilon=1.0, adjacency=adjacency)
        with pytest.raises(errors.BudgetError):
            _mixed(labels, order, pure)


def test_persons_in_classes_spend_what_each_class_guarantees(tmp_path: object) -> None:
    ledger = karcher.Ledger.new(tmp_path / "budget.db", data="x", epsilon=2.0, delta=1e-5, unit="person")
    mdm = _mixed("public", ["a", "b"], ledger, groups=np.arange(1010) % 505)
    assert mdm.guarantee_ == karcher.compose(*[release.guarantee for release in mdm.releases_])
    assert {release.unit for release in mdm.releases_} == {"person"}
    spent = ledger.spent
    assert spent["epsilon"] == mdm.guarantee_.epsilon and spent["delta"] == (mdm.guarantee_.delta or 0.0)
