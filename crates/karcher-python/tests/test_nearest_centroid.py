"""PrivateNearestCentroid on many spaces, compared with scikit-learn's and with means that are released one by one."""

import pickle
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from scipy.stats import vonmises_fisher
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import NearestCentroid

import karcher
from karcher import errors
from karcher.classification import PrivateMDM, PrivateNearestCentroid


def directions(d=32, classes=4, n=250, kappa=60.0, seed=0):
    """Unit vectors around basis vectors, by von Mises and Fisher's law."""
    rows = [vonmises_fisher(np.eye(d)[c], kappa).rvs(n, random_state=seed + c) for c in range(classes)]
    return np.concatenate(rows), np.repeat(np.arange(classes), n)


def around(name, scale, n=200, seed=0):
    """Two classes of points around two points of a space."""
    space = karcher.manifold(name)
    tangent = karcher.TangentSpace(space, "origin").fit(space.origin[np.newaxis])
    rng = np.random.default_rng(seed)
    coordinates = scale * rng.normal(size=(2 * n, space.dim)) / np.sqrt(space.dim)
    coordinates[n:, 0] += 4.0 * scale
    return tangent.inverse_transform(coordinates), np.repeat(["a", "b"], n)


def told(model):
    return [release.to_json() for release in model.releases_]


def test_without_noise_it_is_scikit_learns_on_the_sphere():
    x, y = directions()
    new, expected = directions(seed=100)
    ours, theirs = PrivateNearestCentroid("sphere", mu=1e9).fit(x, y), NearestCentroid().fit(x, y)
    unit = theirs.centroids_ / np.linalg.norm(theirs.centroids_, axis=1, keepdims=True)
    assert_allclose(ours.centroids_, unit, atol=1e-6)
    cosines = np.cos(ours.transform(new))
    assert_allclose(cosines, new @ ours.centroids_.T, atol=1e-12)
    assert np.array_equal(ours.predict(new), (new @ unit.T).argmax(axis=1)) and ours.score(new, expected) > 0.99
    assert_allclose(ours.predict_proba(new).sum(axis=1), 1.0)


@pytest.mark.parametrize("near", [0, 1, 25, 250])
def test_angles_of_all_sizes_are_distances(near):
    x, y = directions(classes=2)
    model = PrivateNearestCentroid("sphere", mu=1e9).fit(x, y)
    tangent = 1e-3 * np.random.default_rng(5).normal(size=(near, 32)) / np.sqrt(32)
    signs = np.where(np.arange(near) % 3 == 0, -1.0, 1.0)[:, None]
    close = signs * (model.centroids_[0] + tangent)
    new = np.concatenate([close / np.linalg.norm(close, axis=1, keepdims=True), directions(seed=100)[0][near:250]])
    expected = np.stack([model.manifold_.dist(mean, new) for mean in model.centroids_], axis=1)
    assert_allclose(model.transform(new), expected, rtol=1e-12)


def test_every_class_is_the_extrinsic_mean_of_its_records():
    x, y = directions(n=100)
    model = PrivateNearestCentroid("sphere:31", epsilon=1.0, delta=1e-6, random_state=4).fit(x, y)
    seeds = np.random.SeedSequence(4).generate_state(4, np.uint64)
    for label, seed, release in zip(model.classes_, seeds, model.releases_):
        alone = karcher.PrivateFrechetMean("sphere:31", epsilon=1.0, delta=1e-6, random_state=int(seed))
        assert alone.fit(x[y == label]).release_.to_json() == release.to_json()
        assert release.statistic == "extrinsic-mean" and release.guarantee == model.guarantee_
    assert model.guarantee_ == karcher.Guarantee(epsilon=1.0, delta=1e-6)
    assert karcher.verify(PrivateNearestCentroid("sphere", mu=1.0).fit(x, y).releases_[0])


@pytest.mark.parametrize(
    ("name", "scale"),
    [("sphere:5", 0.2), ("projective:3", 0.15), ("rotations:3", 0.2), ("kendall:12", 0.1), ("grassmann:5,2", 0.1),
     ("torus:2", 0.3), ("sphere:2*torus:1", 0.2)],
)  # fmt: skip
def test_spaces_with_an_embedding_need_no_ball(name, scale):
    x, y = around(name, scale)
    new, expected = around(name, scale, seed=1)
    model = PrivateNearestCentroid(name, mu=3.0, random_state=1).fit(x, y)
    assert model.score(new, expected) > 0.95 and model.manifold_.name == name
    space = karcher.manifold(name)
    expected = np.stack([space.dist(mean, new) for mean in model.centroids_], axis=1)
    assert_allclose(model.transform(new), expected, rtol=1e-11, atol=1e-13)
    unsized = name.partition(":")[0]
    if "*" not in name:
        again = PrivateNearestCentroid(unsized, mu=3.0, random_state=1).fit(x, y)
        assert told(again) == told(model)


@pytest.mark.parametrize("name", ["euclidean:4", "hyperbolic:3", "spd-affine-invariant:3", "sphere:5"])
def test_with_a_ball_the_means_are_frechet_means(name):
    x, y = around(name, 0.2)
    center = karcher.manifold(name).origin
    model = PrivateNearestCentroid(name, 1.5, center, mu=3.0, spread=True, random_state=1).fit(x, y)
    assert {release.statistic for release in model.releases_} == {"frechet-mean"}
    assert model.score(*around(name, 0.2, seed=1)) > 0.95 and model.releases_[0].spread is not None
    assert model.spec() == model.releases_[1].spec


def test_each_class_may_have_a_ball_of_its_own(tmp_path):
    x, y = directions(d=8, classes=3, n=200, kappa=20.0)
    radii, centers = [0.9, 1.0, 0.9], np.eye(8)[:3]
    ledger = karcher.Ledger.new(tmp_path / "spent.db", data="made up", mu=1.0)
    PrivateNearestCentroid("sphere", radii, centers, mu=1.0, ledger=ledger).fit(x, y)
    assert ledger.spent == {"mu": 1.0}
    model = PrivateNearestCentroid("sphere", radii, centers, mu=1.0, random_state=2).fit(x, y)
    seeds = np.random.SeedSequence(2).generate_state(3, np.uint64)
    for i, release in enumerate(model.releases_):
        assert release.ball.radius == radii[i] and np.array_equal(release.ball.center, centers[i])
        alone = karcher.PrivateFrechetMean("sphere:7", radii[i], centers[i], mu=1.0, random_state=int(seeds[i]))
        assert alone.fit(x[y == i]).release_.value.tolist() == release.value.tolist()
        assert release.scale == alone.release_.scale
    assert model.releases_[1].scale > model.releases_[0].scale == model.releases_[2].scale
    for wrong in ({"radius": [0.9, 1.0]}, {"center": np.eye(8)[:2]}):
        with pytest.raises(errors.Error, match="2 rows: it must be one for all, or one for each of the 3 classes"):
            clone(model).set_params(**wrong).fit(x, y)


def test_records_of_all_kinds_have_one_release(tmp_path):
    x, y = directions(d=6, classes=3, n=100)
    single = x.astype(np.float32)
    single /= np.linalg.norm(single.astype(np.float64), axis=1, keepdims=True)
    np.save(tmp_path / "x.npy", single)
    on_disk = np.load(tmp_path / "x.npy", mmap_mode="r")
    wide = single.astype(np.float64)
    names = [f"x{i}" for i in range(6)]
    table = pa.table({"label": y, "who": np.arange(300) // 2, **dict(zip(names, wide.T))})
    public = {"epsilon": 1.0, "delta": 1e-6, "random_state": 1}
    private = {**public, "labels": "private", "classes": [2, 0, 1], "n_guess": 100}
    for options in (public, private):
        model = PrivateNearestCentroid("sphere", **options)
        expected = told(model.fit(wide, y))
        assert told(model.fit(single, y)) == expected  # read where it is, and never as a whole in float64
        assert told(model.fit(wide.tolist(), y.tolist())) == expected
        assert told(model.fit(on_disk, y, memory="5kB")) == expected
        assert told(model.fit(table, "label", columns=names)) == expected
        assert told(model.fit(pl.from_arrow(table), "label", columns=names, memory="5kB")) == expected
        assert model.predict(single[:5]).shape == (5,)
    who = np.arange(300) // 2
    persons = PrivateNearestCentroid("sphere", **public).fit(wide, y, groups=who)
    expected = told(persons)
    assert persons.releases_[0].unit == "person" and persons.releases_[0].n == 50
    assert persons.guarantee_ == karcher.compose(*[release.guarantee for release in persons.releases_])
    assert told(persons.fit(single, y, groups=who)) == expected
    assert told(persons.fit(table, "label", groups="who", columns=names)) == expected


def test_private_labels_hide_sizes_and_release_noise_for_a_class_without_records():
    x, y = directions(d=8, classes=3, n=400)
    options = {"labels": "private", "classes": [0, 1, 7], "n_guess": 400, "mu": 1.0, "random_state": 3}
    model = PrivateNearestCentroid("sphere:7", **options).fit(x, y)
    assert model.classes_.tolist() == [0, 1, 7]
    assert all((r.n, r.n_guess, r.adjacency) == (None, 400, "add-remove") for r in model.releases_)
    assert_allclose(model.centroids_[:2], np.eye(8)[:2], atol=0.05)
    assert [model.spec(label) for label in (0, 7)] == [model.releases_[i].spec for i in (0, 2)]


def test_a_record_of_one_class_does_not_move_the_mean_of_another():
    x, y = directions(d=8, classes=2, n=100)
    changed = x.copy()
    changed[0] = -changed[0]
    one, other = (PrivateNearestCentroid("sphere", mu=1.0, random_state=3).fit(records, y) for records in (x, changed))
    assert np.array_equal(one.centroids_[1], other.centroids_[1])
    assert not np.array_equal(one.centroids_[0], other.centroids_[0])


def test_a_record_that_is_no_point_is_named_by_its_place_among_all(monkeypatch):
    x, y = directions(n=50)
    model = PrivateNearestCentroid("sphere", mu=1e9).fit(x, y)
    for kind in (np.float32, np.float64):
        whole = model.transform(x.astype(kind))
        with monkeypatch.context() as context:
            context.setattr("karcher.classification.BLOCK", 300)
            assert_allclose(model.transform(x.astype(kind)), whole, rtol=1e-12)
            wrong = x.astype(kind)
            wrong[77] *= 2
            with pytest.raises(errors.InvalidPointError, match="^x, row 78: .* its norm is "):
                model.predict(wrong)
    wrong = x.copy()
    wrong[77] *= 2
    with pytest.raises(errors.InvalidPointError, match=r"record 78 \(index 77\): .* its norm is "):
        PrivateNearestCentroid("sphere", mu=1.0).fit(wrong, y)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_training_records_are_known_again(kind):
    x, y = directions(n=50)
    x = x.astype(kind)
    model = PrivateNearestCentroid("sphere", mu=1.0).fit(x, y)
    with pytest.warns(errors.TrainingRecordsWarning):
        model.predict(x[:10])


def test_it_is_an_estimator_like_others():
    x, y = directions(n=300)
    model = PrivateNearestCentroid("sphere", mu=2.0, random_state=0)
    assert cross_val_score(clone(model), x, y, cv=3).mean() > 0.95
    fitted = pickle.loads(pickle.dumps(model.fit(x, y)))
    assert np.array_equal(fitted.centroids_, model.centroids_) and fitted.n_features_in_ == 32
    with pytest.raises(errors.Error, match="X has 31 features, but PrivateNearestCentroid is expecting 32"):
        fitted.predict(x[:, 1:])
    with pytest.raises(errors.Error, match=r"X has shape \(32,\): it must be \(n, 32\), one point a record; Reshape"):
        fitted.predict(x[0])
    assert model.guarantee() == karcher.Guarantee(mu=2.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).fit_predict(x, y), "not private"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).fit_transform(x, y), "Centroid is the last step"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).predict(x), "not fitted"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).fit(x, y[:3]), "a label for each record"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).fit(x[:0], y[:0]), "there are no records"),
        (lambda x, y: PrivateNearestCentroid("sphere").fit(x, y), "budget is missing"),
        (lambda x, y: PrivateNearestCentroid("euclidean", epsilon=1.0).fit(x, y), "radius is missing: .*PrivateBall"),
        (lambda x, y: PrivateNearestCentroid("sphere", 0.5, epsilon=1.0).fit(x, y), "center is missing"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0, spread=True).fit(x, y), "radius is missing"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).fit(2.0 * x, y), "its norm is 2"),
        (lambda x, y: PrivateNearestCentroid("sphere", epsilon=1.0).spec(), "give manifold='sphere:3'"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    with pytest.raises(errors.Error, match=words):
        call(*directions(n=20))


@pytest.mark.parametrize("distance", ["logeuclid", "riemann", "euclid"])
@pytest.mark.parametrize("mean", ["logeuclid", "riemann"])
def test_mdm_takes_pyriemanns_pairs_of_metrics(mean, distance):
    pyriemann = pytest.importorskip("pyriemann.classification")
    x, y = around("spd-affine-invariant:3", 0.2)
    new, _ = around("spd-affine-invariant:3", 0.2, seed=1)
    metric = {"mean": mean, "distance": distance}
    ours = PrivateMDM(3.0, np.eye(3), metric=metric, epsilon=1e9).fit(x, y)
    theirs = pyriemann.MDM(metric=metric).fit(x, y)
    assert_allclose(ours.covmeans_, theirs.covmeans_, atol=1e-6)
    ours.covmeans_ = np.asarray(theirs.covmeans_)
    assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-10)
    assert np.array_equal(ours.predict(new), theirs.predict(new))


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("euclid", "metric is 'euclid'.*PrivateNearestCentroid"),
        ({"mean": "euclid", "distance": "riemann"}, "metric is 'euclid'"),
        ({"mean": "riemann"}, "needs these two"),
        ({"mean": "riemann", "distance": "kullback"}, "is not one of 'logeuclid', 'riemann' and 'euclid'"),
    ],
)
def test_metrics_without_a_private_mean_are_refused(metric, words):
    x, y = around("spd-affine-invariant:2", 0.2)
    with pytest.raises(errors.Error, match=words):
        PrivateMDM(3.0, np.eye(2), metric=metric, epsilon=1.0).fit(x, y)


def test_mdm_is_the_nearest_centroid_of_matrices():
    x, y = around("spd-log-euclidean:3", 0.2)
    options = {"mu": 1.0, "random_state": 5}
    mdm = PrivateMDM(2.0, np.eye(3), **options).fit(x, y)
    plain = PrivateNearestCentroid("spd-log-euclidean", 2.0, np.eye(3), **options).fit(x, y)
    assert told(mdm) == told(plain) and mdm.covmeans_ is mdm.centroids_
    assert np.array_equal(mdm.predict_proba(x), plain.predict_proba(x))


TEXTS = np.repeat(["f", "m"], 100)
BITS = np.repeat([0, 1], 100)
HIDDEN = {"labels": "private", "n_guess": 100, "epsilon": 1.0, "radius": 9.0, "random_state": 1}


def plane():
    return np.random.default_rng(0).normal(size=(200, 2)) + 3.0 * BITS[:, None]


@pytest.mark.parametrize(
    ("column", "y", "classes"),
    [
        (pl.Series(TEXTS, dtype=pl.Categorical), TEXTS, ["f", "m"]),
        (pl.Series(TEXTS, dtype=pl.Enum(["m", "f"])), TEXTS, ["f", "m"]),
        (pl.Series(BITS, dtype=pl.Boolean), BITS == 1, [0, 1]),
        (pl.Series(BITS), BITS, [False, True]),
    ],
)
def test_columns_of_labels_of_all_types_are_told_apart_as_in_arrays(column, y, classes):
    x = plane()
    table = pl.DataFrame(x, schema=["a", "b"]).with_columns(y=column)
    private = PrivateNearestCentroid("euclidean:2", classes=classes, **HIDDEN)
    expected = told(private.fit(x, y))
    assert told(private.fit(table, "y")) == expected
    assert private.releases_[0].private_count.value > 50
    public = PrivateNearestCentroid("euclidean:2", radius=9.0, epsilon=1.0, random_state=1)
    assert told(public.fit(table, "y")) == told(public.fit(x, y))


@pytest.mark.parametrize(
    ("y", "classes", "words"),
    [
        (BITS, ["0", "1"], "y holds numbers, and classes holds texts"),
        (TEXTS, [0, 1], "y holds texts, and classes holds numbers"),
        (TEXTS.astype("S"), ["f", "m"], "y holds bytes, and classes holds texts"),
    ],
)
def test_labels_of_another_type_than_the_classes_are_refused(y, classes, words):
    model, x = PrivateNearestCentroid("euclidean:2", classes=classes, **HIDDEN), plane()
    for given in ((x, y), (pl.DataFrame(x).with_columns(y=pl.Series(y.tolist())), "y")):
        with pytest.raises(errors.Error, match=words):
            model.fit(*given)


@pytest.mark.parametrize("columns", [["a", "b"], None])
def test_the_columns_of_a_table_are_remembered(columns):
    table = pd.DataFrame(plane(), columns=["a", "b"]).assign(y=TEXTS)
    new = pd.DataFrame({"b": [3.0, 0.0], "a": [0.0, 3.0]})
    for given in (table, pl.from_pandas(table)):
        model = PrivateNearestCentroid("euclidean:2", radius=9.0, epsilon=1.0).fit(given, "y", columns=columns)
        assert model.feature_names_in_.tolist() == ["a", "b"] and model.n_features_in_ == 2
        with pytest.raises(errors.Error, match="Feature names must be in the same order"):
            model.predict(new)
        assert model.predict(new[["a", "b"]]).shape == (2,)
    assert not hasattr(model.fit(plane(), TEXTS), "feature_names_in_")


def test_labels_may_be_dates_in_an_array_and_are_neither_dates_nor_lists_in_a_table():
    x, days = plane(), np.repeat(np.array(["2020-01-01", "2021-01-01"], "datetime64[ns]"), 100)
    model = PrivateNearestCentroid("euclidean:2", radius=9.0, epsilon=1.0)
    assert [release.n for release in model.fit(x, days).releases_] == [100, 100]
    for column in (pl.Series(days), pl.Series([[0], [1]] * 100), pl.Series(TEXTS.astype("S").tolist())):
        table = pl.DataFrame(x, schema=["a", "b"]).with_columns(y=column)
        with pytest.raises(errors.Error, match="column y holds .*: labels are texts or whole numbers"):
            model.fit(table, "y", columns=["a", "b"])


def test_private_labels_that_are_missing_or_strange_are_in_no_class():
    """Nothing says so: not an error, not a warning. Arrays and tables are the same."""
    points = np.random.default_rng(0).normal(size=(60, 2))
    listed = ["a", "b"] * 30
    options = {"radius": 4.0, "center": [0, 0], "epsilon": 1.0, "random_state": 1, "n_guess": 60}

    def fitted(X, y):
        model = PrivateNearestCentroid("euclidean:2", labels="private", classes=["a", "b"], **options)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return model.fit(X, y).centroids_

    strange = fitted(points, listed[:-2] + ["c", "c"])
    strangest = (b"\xff", 1j, [1, 2], np.array([[1, 2]]), 10**5000, Decimal("sNaN"), {}, np.inf)
    for other in (None, 2, np.nan, pd.NA, *strangest):
        assert np.array_equal(fitted(points, listed[:-2] + [other, other]), strange), other
    table = pa.table({"x": points[:, 0], "y": points[:, 1], "label": listed[:-2] + [None, None]})
    assert np.array_equal(fitted(table, "label"), strange)
    masked = np.ma.array(listed, mask=[False] * 58 + [True] * 2)
    with pytest.raises(errors.Error, match="missing labels, the first in row 59"):
        PrivateNearestCentroid("euclidean:2", radius=4.0, center=[0, 0], epsilon=1.0).fit(points, masked)
    assert np.array_equal(fitted(points, masked), strange)
    for typed in (np.arange(60), np.arange(60)[:0]):
        with pytest.raises(errors.Error, match="y holds numbers, and classes holds texts"):
            fitted(points[: len(typed)], typed)
    fitted(points, list(range(60)))  # the types of objects could reveal a record


def test_private_labels_in_objects_are_compared_as_texts():
    points, options = np.random.default_rng(0).normal(size=(60, 2)), {"epsilon": 1.0, "random_state": 1, "n_guess": 30}

    def fitted(X, y, classes):
        model = PrivateNearestCentroid("euclidean:2", 4.0, [0, 0], labels="private", classes=classes, **options)
        return model.fit(X, y).centroids_

    numbers = np.arange(60) % 2
    of_numbers = fitted(points, numbers, [0, 1])
    for given in (numbers.tolist(), numbers.astype(str).tolist(), [0.0, np.True_] * 30, [b"0", np.int8(1)] * 30):
        assert np.array_equal(fitted(points, given, [0, 1]), of_numbers)
        assert np.array_equal(fitted(points, np.array(given, dtype=object), ["0", "1"]), of_numbers)
    for given in (pd.Series(numbers, dtype="Int64"), pl.Series(numbers), np.ma.array(numbers), numbers == 1):
        assert np.array_equal(fitted(points, given, [0, 1]), of_numbers)
    nullable = pd.Series(numbers, dtype="Int64")
    assert np.array_equal(fitted(points, nullable, ["0", "1"]), of_numbers)
    nullable[7] = pd.NA  # whether one is missing decides nothing
    assert fitted(points, nullable, ["0", "1"]).shape == (2, 2)
    assert not np.array_equal(fitted(points, ["0", "2"] * 30, [0, 1]), of_numbers)
    frame = pd.DataFrame({"a": points[:, 0], "b": points[:, 1], "label": pd.Series(numbers.tolist(), dtype=object)})
    with pytest.raises(errors.Error, match="label holds Python objects, whose type depends on the labels: .*astype"):
        fitted(frame, "label", [0, 1])
    assert np.array_equal(fitted(frame.astype({"label": "str"}), "label", ["0", "1"]), of_numbers)


def test_dates_that_are_missing_are_missing_labels():
    dates = np.array(["2020-01-01", "NaT"] * 10, dtype="datetime64[D]")
    with pytest.raises(errors.Error, match="missing labels, the first in row 2"):
        PrivateNearestCentroid("euclidean:2", radius=1.0, center=[0, 0], epsilon=1.0).fit(np.zeros((20, 2)), dates)


def test_labels_of_half_precision_are_numbers():
    labels = np.repeat([0.0, 1.0], 10).astype(np.float16)
    table = pa.table({"x": np.zeros(20), "y": np.ones(20), "label": labels})
    model = PrivateNearestCentroid("euclidean:2", radius=2.0, center=[0, 0], epsilon=1.0)
    assert model.fit(table, "label").classes_.tolist() == [0, 1]
