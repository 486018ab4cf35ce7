"""Records in containers of other libraries: the release of their numbers, or a sentence that says what to do."""

import io

import karcher
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from karcher import errors
from scipy.spatial.transform import Rotation

X = np.random.default_rng(0).standard_normal((300, 3))
ROTATIONS = Rotation.from_rotvec(0.3 * X)


class Tensor:
    """A tensor that speaks DLPack and nothing else, in the memory of the CPU or of another device."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **options):
        if self.device != 1:
            raise BufferError("12.5 is on another device")
        return self.array.__dlpack__(**options)


def loud(name):
    return pytest.importorskip(name, reason=f"SKIPPED: {name} is not installed, so its arrays are not tested")


def torch_tensor():
    return loud("torch").from_numpy(X.copy()).requires_grad_()


CONTAINERS = {
    "DLPack": lambda: Tensor(X),
    "torch": torch_tensor,
    "array API": lambda: loud("array_api_strict").asarray(X),
    "xarray": lambda: loud("xarray").DataArray(X, dims=("person", "axis")),
}


def estimators():
    seeded = {"epsilon": 1.0, "random_state": 0}
    return [
        karcher.FrechetMean(),
        karcher.GeometricMedian(),
        karcher.PrivateFrechetMean(radius=5.0, **seeded),
        karcher.PrivateTangentPCA(radius=5.0, **seeded),
        karcher.PrivateKMeans(n_clusters=2, radius=5.0, **seeded),
        karcher.TangentSpace("euclidean", "origin"),
        karcher.PrivateCount(**seeded),
    ]


def results(estimator):
    """What a fit learned, as texts of the release or as numbers."""
    if hasattr(estimator, "release_"):
        return estimator.release_.to_json()
    return [value.tolist() for name, value in sorted(vars(estimator).items()) if isinstance(value, np.ndarray)]


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_container_is_read_as_its_numbers(kind):
    given = CONTAINERS[kind]()
    for estimator in estimators():
        expected = results(estimator.fit(X))
        assert results(estimator.fit(given)) == expected, type(estimator).__name__
    assert karcher.Euclidean(3).dist(given, X[0]).shape == (300,)


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_predictor_and_a_response_may_be_such(kind):
    given = CONTAINERS[kind]()
    line = karcher.GeodesicRegression().fit(X[:, 0], X)
    again = karcher.GeodesicRegression().fit(X[:, 0], given)
    assert np.array_equal(line.velocity_, again.velocity_)
    private = karcher.PrivateGeodesicRegression(
        predictor_range=(-2, 2), radius=5.0, slope_bound=5.0, epsilon=1.0, random_state=0
    )
    assert results(private.fit(X[:, 0], X)) == results(private.fit(X[:, 0], given))


def test_a_tensor_of_float32_is_not_copied():
    single = X.astype(np.float32)
    mean = karcher.PrivateFrechetMean(radius=5.0, epsilon=1.0, random_state=0)
    read = mean._read(Tensor(single), karcher._tables.Options())
    assert np.shares_memory(read.records, single)


def test_another_device_is_refused_without_a_number():
    for estimator in estimators():
        with pytest.raises(errors.ArgumentTypeError, match=r"memory of another device: give X.cpu\(\)") as refused:
            estimator.fit(Tensor(X, device=2))
        assert "12.5" not in str(refused.value) and refused.value.__context__ is None


def test_numbers_that_numpy_lacks_are_refused():
    class Brain(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("12.5 is bfloat16")

    with pytest.raises(errors.ArgumentTypeError, match=r"of a type that NumPy lacks: give X.float\(\)"):
        karcher.FrechetMean().fit(Brain(X))


def plans():
    frame = pandas.DataFrame(X, columns=list("abc"))
    yield "polars", lambda: polars.DataFrame(frame).lazy(), r"X is a LazyFrame, .*X\.collect\(\)"
    yield "dask array", lambda: loud("dask.array").from_array(X), r"X is an Array, .*X\.compute\(\)"
    yield "dask frame", lambda: loud("dask.dataframe").from_pandas(frame, 2), r"X is a DataFrame, .*X\.compute\(\)"
    yield (
        "xarray of dask",
        lambda: loud("xarray").DataArray(loud("dask.array").from_array(X)),
        r"X is a DataArray, .*X\.compute\(\)",
    )
    yield "xarray set", lambda: loud("xarray").Dataset({"a": ("n", X[:, 0])}), r"X is a Dataset, .*X\['variable'\]"


@pytest.mark.parametrize(("kind", "make", "words"), list(plans()))
def test_a_plan_is_refused_with_the_call_that_computes_it(kind, make, words):
    plan = make()
    for estimator in estimators():
        with pytest.raises(errors.ArgumentTypeError, match=words):
            estimator.fit(plan)
    with pytest.raises(errors.ArgumentTypeError, match=words.replace("X", "y", 2)):
        karcher.GeodesicRegression().fit(X[:, 0], plan)
    with pytest.raises(errors.ArgumentTypeError, match=words):
        karcher.cluster.partial(plan, b"")
    with pytest.raises(errors.ArgumentTypeError, match=words.replace("X", "groups")):
        karcher.PrivateFrechetMean(radius=5.0, epsilon=1.0).fit(X, groups=plan)
    with pytest.raises(errors.ArgumentTypeError, match=words):
        karcher.features.rows(["linear:a:0:1"], plan)


def test_rotations_of_scipy_are_quaternions_with_w_first():
    numbers = ROTATIONS.as_quat()[:, [3, 0, 1, 2]]
    for manifold in ("rotations", "rotations:3", karcher.Rotations()):
        mean = karcher.FrechetMean(manifold)
        assert np.array_equal(mean.fit(ROTATIONS).estimate_, mean.fit(numbers).estimate_)
        private = karcher.PrivateFrechetMean(manifold, epsilon=1.0, random_state=0)
        assert results(private.fit(ROTATIONS)) == results(private.fit(numbers))
    # SciPy's own mean is the extrinsic one, near which the Fréchet mean of these is
    found = Rotation.from_quat(karcher.FrechetMean("rotations").fit(ROTATIONS).estimate_[[1, 2, 3, 0]])
    assert (found * ROTATIONS.mean().inv()).magnitude() < 0.02
    angles = (ROTATIONS[0].inv() * ROTATIONS).magnitude()
    space = karcher.Rotations()
    ratio = space.dist(ROTATIONS[0], ROTATIONS)[1:] / angles[1:]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)  # of one unit
    ball = karcher.PrivateFrechetMean("rotations", 1.0, Rotation.identity(), epsilon=1.0).fit(ROTATIONS).release_.ball
    assert np.array_equal(ball.center, [1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("manifold", ["sphere:3", "sphere", "euclidean:4", karcher.Poses()])
def test_rotations_belong_to_their_space(manifold):
    for estimator in (karcher.FrechetMean(manifold), karcher.PrivateFrechetMean(manifold, 0.5, epsilon=1.0)):
        with pytest.raises(errors.Error, match="X holds rotations, which belong to the manifold rotations:3, not to"):
            estimator.fit(ROTATIONS)
    with pytest.raises(errors.Error, match="which belong to the manifold rotations:3: give its numbers"):
        karcher.Sphere(3).read(ROTATIONS, "vectors")


NAMES = ["east", "north", "up"]
TABLES = {
    "pandas": lambda x: pandas.DataFrame(x, columns=NAMES),
    "polars": lambda x: polars.DataFrame(x, schema=NAMES),
    "pyarrow": lambda x: pyarrow.table(dict(zip(NAMES, x.T))),
}


@pytest.mark.filterwarnings("error:X (does not|has)")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("estimator", estimators()[:-1], ids=lambda estimator: type(estimator).__name__)
def test_names_of_columns_are_known_from_every_table(estimator, kind):
    table = TABLES[kind](X)
    estimator.fit(table)
    assert list(estimator.feature_names_in_) == NAMES and estimator.n_features_in_ == 3
    for method in ("transform", "predict"):
        if hasattr(estimator, method):
            assert len(getattr(estimator, method)(table)) == 300
            with pytest.raises(errors.Error, match="feature names should match"):
                getattr(estimator, method)(pandas.DataFrame(X, columns=["up", "east", "north"]))
    # a new fit forgets them
    assert not hasattr(estimator.fit(X), "feature_names_in_") and estimator.n_features_in_ == 3


def test_columns_that_are_named_are_those_that_are_known():
    table = polars.DataFrame({"who": np.arange(300) // 2, **dict(zip(NAMES, X.T))})
    mean = karcher.PrivateFrechetMean(radius=5.0, epsilon=1.0)
    mean.fit(table, columns=["north", "up"], groups="who")
    assert list(mean.feature_names_in_) == ["north", "up"] and mean.n_features_in_ == 2
    # where columns are no numbers of a point nothing is known
    places = polars.DataFrame({"lat": X[:, 0], "lon": X[:, 1]})
    mean = karcher.PrivateFrechetMean("sphere:2", epsilon=1.0).fit(places, layout="latlon")
    assert not hasattr(mean, "feature_names_in_") and not hasattr(mean, "n_features_in_")




def test_a_list_of_rotations_is_read_entry_by_entry():
    one = karcher.PrivateFrechetMean("rotations:3", 1.5, "origin", epsilon=1.0, random_state=0)
    assert results(one.fit(list(ROTATIONS))) == results(one.fit(ROTATIONS))
    # what one entry is decides nothing about another
    holed = [rotation if i != 7 else None for i, rotation in enumerate(ROTATIONS)]
    with pytest.raises(errors.InvalidPointError, match="X, row 8"):
        one.fit(holed)
    one.set_params(on_invalid="replace-with-center")
    numbers = karcher._containers.opened(ROTATIONS, "X", "rotations").copy()
    numbers[7] = np.nan
    assert results(one.fit(holed)) == results(one.fit(numbers))


OTHERS = [
    (lambda: dict(zip("abc", X.T)), r"X is a dict, and no array or table: give pandas.DataFrame\(X\)"),
    (lambda: (row for row in X), r"X is a generator, and no array or table: give list\(X\)"),
    (lambda: map(list, X), r"X is a map, and no array or table: give list\(X\)"),
    (lambda: {1.0, 12.5}, r"X is a set, and no array or table: give list\(X\)"),
    (lambda: io.StringIO("12.5,1.0,2.0"), r"X is a StringIO, and no array or table: give pandas.read_csv\(X\)"),
    (lambda: len, "X is a builtin_function_or_method, and no array or table: give an array"),
]


@pytest.mark.parametrize(("made", "sentence"), OTHERS)
def test_what_is_no_container_of_records_is_named(made, sentence):
    for estimator in estimators():
        with pytest.raises(errors.ArgumentTypeError, match=sentence) as refused:
            estimator.fit(made())
        assert "12.5" not in str(refused.value)
    with pytest.raises(errors.ArgumentTypeError, match=r"groups is a generator, .*give list\(groups\)"):
        karcher.PrivateFrechetMean(radius=5.0, epsilon=1.0).fit(X, groups=(i for i in range(300)))
    nearest = karcher.classification.PrivateNearestCentroid(radius=5.0, epsilon=1.0)
    with pytest.raises(errors.ArgumentTypeError, match=r"y is a dict, .*give one of its columns, y\['column'\]"):
        nearest.fit(X, {"y": np.zeros(300)})


def test_rotations_of_a_part_are_quaternions():
    mean = karcher.PrivateFrechetMean("rotations:3", radius=1.5, center=[1, 0, 0, 0], epsilon=1.0, random_state=0)
    asked = karcher.Remote(lambda question: karcher.partial(ROTATIONS, question))
    np.testing.assert_array_equal(mean.fit(asked).estimate_, mean.fit(ROTATIONS).estimate_)


def test_a_list_lacks_rows_as_a_column_does():
    rows = [[1.0, 2.0], None, [2.0, 1.0]]
    mean = karcher.PrivateFrechetMean("euclidean:2", 9.0, epsilon=1.0, random_state=0)
    with pytest.raises(errors.InvalidPointError, match="X, row 2, has missing numbers"):
        mean.fit(rows)
    with pytest.raises(errors.Error, match="X, row 2: its list is not of the shape"):
        mean.fit([[1.0, 2.0], [1.0]])
    replaced = mean.set_params(on_invalid="replace-with-center")
    for given in (rows, [[1.0, 2.0], [3.0], [2.0, 1.0]]):
        assert replaced.fit(given).release_ == replaced.fit(pandas.Series(given)).release_


def test_a_frame_of_texts_is_counted():
    for given in (pandas.DataFrame({"a": ["x", "y"]}), pandas.Series(["x", "y"]), polars.DataFrame({"a": ["x", "y"]})):
        assert karcher.PrivateCount(epsilon=1e6).fit(given).count_ == 2


def test_a_dataset_is_no_point():
    dataset = loud("xarray").Dataset({"a": ("x", [1.0])})
    with pytest.raises(errors.Error, match="is a Dataset, which holds several variables"):
        karcher.Sphere(2).dist(dataset, np.eye(3))


def test_columns_of_one_name_are_named():
    with pytest.raises(errors.Error, match="X has two columns called a"):
        karcher.PrivateFrechetMean("euclidean:2", 9.0, epsilon=1.0).fit(pandas.DataFrame(X[:, :2], columns=["a", "a"]))
