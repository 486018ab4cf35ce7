"""One rule for keys, and one for rows: which persons, classes and levels are equal, and which arguments are aligned."""

import datetime
import decimal
import inspect

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import karcher
from karcher import directional
from karcher._keys import keys_of
from karcher.classification import PrivateNearestCentroid, PrivateTangentClassifier
from karcher.features import Levels, rows

DAY = datetime.date(2020, 1, 1)
KEYS = [
    ["Zo\u00eb", "Zoe\u0308", " Zo\u00eb ", "Zo\u00eb".encode()],
    [1, 1.0, True, "1", "01", "TRUE", np.int8(1), np.float32(1), np.True_, decimal.Decimal("1.0")],
    [0.5, "0.50", "5e-1", np.float16(0.5), decimal.Decimal("0.5")],
    ["ann"],
    ["Ann"],
    [DAY, "2020-01-01", pd.Timestamp(DAY), *(np.datetime64("2020-01-01", unit) for unit in "Dms"), "2020-01-01 00:00"],
    [2**70, str(2**70), float(2**70).__repr__() and "1180591620717411303424.0"],
]
"""Keys that are equal, each in several forms."""


def test_forms_of_a_key_are_equal_and_no_others():
    forms = [{key for key in keys_of(forms)} for forms in KEYS]
    assert all(len(found) == 1 for found in forms)
    assert len(set.union(*forms)) == len(KEYS)
    assert keys_of([np.datetime64("2020-01-01", "h")]) == keys_of([DAY])
    assert keys_of([None, "", " ", float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), (1, 2), object()]) == [None] * 9


def persons(groups, **more):
    x = np.zeros((len(groups), 1))
    return karcher.PrivateFrechetMean("euclidean:1", radius=1.0, epsilon=1.0).fit(x, groups=groups, **more).release_.n


def test_containers_and_types_agree_on_the_persons():
    rng = np.random.default_rng(1)
    for _ in range(30):
        drawn = [(i, rng.integers(len(KEYS[i]))) for i in rng.integers(len(KEYS), size=12)]
        who, expected = [KEYS[i][j] for i, j in drawn], len({i for i, _ in drawn})
        assert persons(who) == expected
        assert persons(pd.Series(who, dtype=object)) == expected
        texts = [key.decode() if isinstance(key, bytes) else str(key) for key in who]
        texts = [text for text, (i, _) in zip(texts, drawn)]
        for column in (texts, np.array(texts), pd.Series(texts), pd.Categorical(texts)):
            assert persons(column) == expected
        for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
            table = pa.table({"x": np.zeros(12), "who": pa.array(texts, pa.string()).cast(kind)})
            mean = karcher.PrivateFrechetMean("euclidean:1", radius=1.0, epsilon=1.0)
            assert mean.fit(table, groups="who", columns=["x"]).release_.n == expected


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 1, 2], pa.uint64()),
        pa.array([1.0, 1.0, 2.5]),
        pa.array([True, True, False]),
        pa.array([DAY, DAY, datetime.date(2020, 1, 2)]),
        pa.array([DAY, DAY, datetime.date(2020, 1, 2)]).cast(pa.timestamp("us")),
        pa.array([datetime.date(1066, 10, 14), datetime.date(1066, 10, 14), datetime.date(3000, 1, 1)]),
        pa.array([-(10**10), -(10**10), 10**11], pa.timestamp("s")),
        pa.array([decimal.Decimal("1.0"), decimal.Decimal("1.0"), decimal.Decimal("2.5")]),
    ],
)
def test_columns_of_a_type_hold_keys(column):
    table = pa.table({"x": np.zeros(3), "who": column})
    mean = karcher.PrivateFrechetMean("euclidean:1", radius=1.0, epsilon=1.0)
    assert mean.fit(table, groups="who", columns=["x"]).release_.n == 2
    assert persons(column.to_pandas()) == persons(column.to_pylist()) == 2


def test_blanks_do_not_make_persons():
    table = pd.DataFrame({"who": ["Ann", "Ann ", " Ben"], "x": [0.0, 1.0, 2.0]})
    mean = karcher.PrivateFrechetMean("euclidean:1", radius=20, epsilon=1e9)
    assert mean.fit(table, columns=["x"], groups="who").release_.n == persons(table["who"]) == 2


def centroids(y, classes, X=None):
    x = np.repeat([[1.0], [9.0]], 500, axis=0) if X is None else X
    estimator = PrivateNearestCentroid(
        "euclidean:1", radius=50.0, epsilon=1e9, labels="private", classes=classes, n_guess=500
    )
    return estimator.fit(x, y).centroids_[:, 0].round().tolist()


def test_private_classes_are_found_by_their_keys():
    names, forms = ["Jos\u00e9", "Ana"], ["Jose\u0301", "Ana "]
    for labels in (np.repeat(forms, 500), np.repeat(forms, 500).tolist(), pd.Series(np.repeat(forms, 500))):
        assert centroids(labels, names) == [1.0, 9.0]
    assert centroids(np.repeat(["1.0", "2.0"], 500).tolist(), [1, 2]) == [1.0, 9.0]
    assert centroids(np.repeat([1.0, 2.0], 500), [1, 2]) == [1.0, 9.0]
    table = pa.table({"x": np.repeat([1.0, 9.0], 500), "who": np.repeat(forms, 500)})
    assert centroids("who", names, table) == [1.0, 9.0]


def test_guesses_by_class_are_matched_by_their_keys():
    private = dict(radius=5.0, epsilon=1.0, labels="private", classes=["a", "b"])
    for guesses in ({"b": 20, " a": 500}, pd.Series([20, 500], index=["b", "a"]), [500, 20]):
        estimator = PrivateNearestCentroid("euclidean:1", n_guess=guesses, **private)
        assert [estimator.spec(label)["n_guess"] for label in "ab"] == [500, 20]
    for guesses in ({"b": 20}, pd.Series([500, 20])):
        with pytest.raises(karcher.Error, match="other keys than classes"):
            PrivateNearestCentroid("euclidean:1", n_guess=guesses, **private).spec("a")


def test_equal_classes_levels_and_labels_are_refused():
    with pytest.raises(karcher.Error, match="one label in several forms"):
        centroids(np.repeat(["a", "b"], 500), ["a", "a "])
    with pytest.raises(karcher.Error, match="twice"):
        Levels("arm", ["1", "1.0"])
    x, y = np.zeros((4, 1)), ["a", "a ", "b", "b"]
    with pytest.raises(karcher.Error, match="one label in several forms"):
        PrivateNearestCentroid("euclidean:1", radius=5.0, epsilon=1.0).fit(x, y)


def test_levels_are_found_by_their_keys():
    found = rows([Levels("arm", ["1", "Zo\u00eb", "A, \"B\""])], {"arm": [1.0, "TRUE", "Zoe\u0308 ", 'A, "B"', "x"]})
    assert np.array_equal(found[:, 1:].argmax(axis=1), [0, 0, 1, 2, 3])


INDEX = [4, 2, 9, 7]
ONE = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4]}, index=INDEX)
OTHER = pd.Series([0.0, 1.0, 1.0, 0.0], index=sorted(INDEX))
PERSON = dict(epsilon=1.0, radius=1.0)


def aligned():
    """Every call with several arguments of one row a record: what it is given, and the argument that is not aligned."""
    line, features = "euclidean:1", [Levels("g", ["0", "1"])]
    mean = karcher.PrivateFrechetMean(line, **PERSON)
    spec = mean.spec(unit="person")
    geodesic = dict(predictor_range=(0, 1), slope_bound=1.0)
    flow = karcher.PrivateGeodesicRegression(line, **PERSON, **geodesic)
    on_features = karcher.PrivateFeatureRegression(line, features=features, **PERSON)
    centroid = PrivateNearestCentroid(line, **PERSON)
    fitted = PrivateNearestCentroid(line, **PERSON).fit(ONE, [0, 1, 1, 0])
    descending = dict(clip=1.0, steps=1, step_size=0.1)
    descent = karcher.PrivateDescent(line, lambda point, X, y=None: point - X, line, **descending, **PERSON)
    private = ["PrivateGeometricMedian", "PrivateTangentPCA", "PrivateFrechetVariance", "PrivateBall"]
    estimators = {name: getattr(karcher, name)(line, **PERSON) for name in private[:2]}
    estimators.update({name: getattr(karcher, name)(line, epsilon=1.0) for name in private[2:]})
    estimators["PrivateKMeans"] = karcher.PrivateKMeans(line, 2, **PERSON)
    plain = karcher.GeodesicRegression(line).fit([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    spd = np.tile(np.eye(2), (4, 1, 1))
    tangent = PrivateTangentClassifier(radius=1.0, epsilon=1.0, classes=[0, 1])
    question = {}

    def ask(text):
        question["text"] = text
        raise RuntimeError

    try:
        karcher.PrivateFrechetMean(line, **PERSON).fit(karcher.Remote(ask))
    except Exception:
        pass
    calls = {
        "mean": lambda g: mean.fit(ONE, groups=g),
        "run": lambda g: karcher.run(spec, ONE, groups=g),
        "FrechetMean": lambda g: karcher.FrechetMean(line).fit(ONE, sample_weight=g + 1),
        "GeometricMedian": lambda g: karcher.GeometricMedian(line).fit(ONE, sample_weight=g + 1),
        "geodesic": lambda g: flow.fit(g, ONE),
        "geodesic of persons": lambda g: flow.fit(np.zeros(4), ONE, groups=g),
        "plain geodesic": lambda g: karcher.GeodesicRegression(line).fit(g, ONE),
        "score of a geodesic": lambda g: plain.score(g, ONE),
        "features": lambda g: on_features.fit({"g": g}, ONE),
        "features of persons": lambda g: on_features.fit({"g": [0, 1, 1, 0]}, ONE, groups=g),
        "records of features": lambda g: on_features.records({"g": g}, ONE),
        "rows": lambda g: rows([*features, "linear:x:0:1"], {"g": g, "x": ONE["x"]}),
        "classes": lambda g: centroid.fit(ONE, g),
        "classes of persons": lambda g: centroid.fit(ONE, [0, 1, 1, 0], groups=g),
        "score of classes": lambda g: fitted.score(ONE, g),
        "weights of a score": lambda g: fitted.score(ONE, [0, 1, 1, 0], sample_weight=g + 1),
        "descent": lambda g: descent.fit(ONE, g),
        "descent of persons": lambda g: descent.fit(ONE, None, g),
        "tangent classes": lambda g: tangent.fit(pd.Series(list(spd), index=INDEX), g),
        "tangent space": lambda g: karcher.TangentSpace("euclidean:1", mean).fit(ONE, groups=g),
        "partial": lambda g: karcher.partial(ONE, question["text"], groups=g),
        "distances": lambda g: karcher.Euclidean(1).dist(ONE, g.to_frame("x") if hasattr(g, "iloc") else g[:, None]),
        "logarithms": lambda g: karcher.Euclidean(1).log(ONE, g.to_frame("x") if hasattr(g, "iloc") else g[:, None]),
        "circular mean": lambda g: directional.circular_mean(ONE["x"], epsilon=1.0, groups=g),
    }
    calls.update({name: lambda g, of=one: of.fit(ONE, groups=g) for name, one in estimators.items()})
    return calls


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(aligned()))
def test_rows_of_another_index_are_refused(name):
    call = aligned()[name]
    with pytest.raises(karcher.Error, match="different indices.*to_numpy"):
        call(OTHER)
    for same in (OTHER.loc[INDEX], OTHER.to_numpy()):
        try:
            call(same)
        except karcher.Error as error:
            assert "different indices" not in str(error)


def test_every_method_with_several_rows_is_in_the_table():
    """A method that takes several arguments of one row a record looks at their indices."""
    rows_of = {"X", "x", "y", "groups", "sample_weight", "predictors", "records", "images", "directions", "axes"}
    rows_of |= {"rotations", "angles", "p", "q", "u", "v", "predictor"}
    takes = []
    for module in (karcher, karcher.classification, karcher.features, karcher.aggregate, karcher.manifolds):
        for name, found in vars(module).items():
            if name.startswith("_") or not getattr(found, "__module__", "").startswith("karcher"):
                continue
            is_own = inspect.isclass(found) or found.__module__ == module.__name__
            members = vars(found).items() if inspect.isclass(found) else [(name, found)] if is_own else []
            for member, function in members:
                if inspect.isfunction(function) and not member.startswith("_"):
                    text, names = inspect.getsource(inspect.unwrap(function)), inspect.signature(function).parameters
                    ignored = {"y"} if "y : ignored" in (function.__doc__ or "") else set()
                    given = rows_of & set(names) - ignored
                    if len(given) > 1 and "Refused" not in (function.__doc__ or ""):
                        checks = any(call in text for call in ("check_rows(", "._here(", "._read(", "._added("))
                        takes.append((f"{name}.{member}", checks))
    assert len(takes) > 20
    without = sorted({name for name, checks in takes if not checks and "statistics" not in name})
    assert without == []


def test_columns_of_numbers_are_names():
    table = pd.DataFrame([[7, 1.5, 2.5, 3.5]] * 4, columns=["id", "1", "2", "3"])
    mean = karcher.PrivateFrechetMean("euclidean:3", radius=20, epsilon=1e9)
    assert mean.fit(table, columns=["1", "2", "3"]).estimate_.round(6).tolist() == [1.5, 2.5, 3.5]
    with pytest.raises(karcher.Error, match="it names columns, so that '1' is the column of that name"):
        mean.fit(table, columns=[1, 2, 3])
