"""Tables with an Arrow stream, and arrays larger than memory: the release is that of the array, to the last bit."""

import json
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from statistics_of_columns import COLUMNS, estimators, fit, records, table

import karcher

DATA = records()
TABLE = table(*DATA)


def of_mean(X, **options):
    return fit("mean", X, **{"columns": COLUMNS, **options})


@pytest.mark.parametrize("name", estimators())
@pytest.mark.parametrize("groups", [None, "who"])
def test_a_table_has_the_release_of_the_array_in_memory_and_batch_by_batch(name, groups):
    if groups and name == "confidential number":
        pytest.skip("SKIPPED: persons do not go with a confidential number")
    together = fit(name, DATA, groups=groups)
    # of 20 kB, the records are read again for each query, persons a part at a time
    for memory in (None, "20kB"):
        assert fit(name, TABLE, columns=COLUMNS, groups=groups, memory=memory) == together, memory


def test_whatever_has_an_arrow_stream_is_a_table(tmp_path):
    pyarrow.dataset.write_dataset(TABLE, tmp_path, format="parquet", max_rows_per_file=700, max_rows_per_group=700)
    relation = duckdb.from_arrow(TABLE)
    together = fit("mean", DATA)
    given = {
        "batches": pa.Table.from_batches(TABLE.to_batches(max_chunksize=17)),
        "reader": TABLE.to_reader(100),
        "dataset": pyarrow.dataset.dataset(tmp_path),
        "scanner": pyarrow.dataset.dataset(tmp_path).scanner(),
        "polars": pl.from_arrow(TABLE),
        "pandas": TABLE.to_pandas(),
        "duckdb": relation,
        "slice": pa.concat_tables([TABLE.slice(0, 5), TABLE]).slice(5),
    }
    for kind, X in given.items():
        assert of_mean(X) == together, kind
    for kind in ("batches", "dataset", "polars", "pandas", "duckdb"):
        assert of_mean(given[kind], memory="20kB") == together, kind


def test_lists_and_tensors_hold_records_too():
    directions = DATA[0]
    together = fit("mean", DATA)
    flat = pa.array(directions.ravel())
    fixed = pa.FixedSizeListArray.from_arrays(flat, 3)
    tensor = pa.FixedShapeTensorArray.from_numpy_ndarray(directions)
    lists = pa.array(directions.tolist(), pa.list_(pa.float64()))
    shifted = pa.concat_arrays([fixed[:2], fixed]).slice(2)
    for column in (fixed, tensor, lists, lists.cast(pa.large_list(pa.float64())), shifted):
        X = pa.table({"direction": column, "who": ["a"] * len(directions)})
        assert fit("mean", X) == together, column.type
    matrices = np.tile(np.diag([2.0, 1.0]), (50, 1, 1))
    mean = karcher.PrivateFrechetMean("spd-log-euclidean:2", radius=2.0, epsilon=1.0, random_state=1, center=np.eye(2))
    nested = pa.array(matrices.tolist(), pa.list_(pa.list_(pa.float64())))
    assert mean.fit(pa.table({"m": nested})).release_.to_json() == mean.fit(matrices).release_.to_json()


def without_layout(release):
    """All that a release says, apart from the layout of its records."""
    return {name: value for name, value in json.loads(release.to_json()).items() if name != "layout"}


def test_columns_may_hold_another_layout_and_other_numbers():
    degrees = pa.table({"lat": pa.array([80, 70, 60], pa.int8()), "lon": pa.array([0.0, 10.0, 20.0], pa.float32())})
    sphere = karcher.Sphere(2)
    points = sphere.read(np.array([[80.0, 0.0], [70.0, 10.0], [60.0, 20.0]]), "latlon")
    mean = estimators()["mean"]
    assert without_layout(mean.fit(degrees, layout="latlon").release_) == without_layout(mean.fit(points).release_)
    with pytest.raises(karcher.Error, match="2 numbers a record"):
        mean.fit(degrees)
    with pytest.raises(karcher.Error, match="unknown layout"):
        mean.fit(degrees, layout="lonlat")


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("z", pa.array([0.0, 1.0, None]), "record 3 .*column z: the value is missing"),
        ("z", pa.array([0.0, 7.25, 1.0]), "record 2 "),
        ("z", pa.array(["a", "b", "c"]), "column z holds Utf8"),
        ("who", pa.array(["a", None, "c"]), "record 2 .*column who: the key of the person is missing"),
        ("w", pa.array([0.0, 1.0, 1.0]), "there is no column z"),
    ],
)
def test_what_is_wrong_is_told_by_row_and_column(column, values, words):
    columns = {"x": [1.0, 0.0, 0.0], "y": [0.0, 0.0, 0.0], "z": [0.0, 1.0, 1.0], "who": ["a", "b", "c"]}
    columns[column] = values
    if column == "w":
        del columns["z"]
    with pytest.raises(karcher.Error, match=words):
        of_mean(pa.table(columns), groups="who")


def test_records_that_are_no_points_are_replaced_as_they_are_in_arrays():
    directions = DATA[0].copy()
    directions[[5, 99], 1] = np.nan
    columns = {name: pa.array(values, from_pandas=True) for name, values in zip(COLUMNS, directions.T)}
    mean = karcher.PrivateFrechetMean(
        "sphere:2", 0.8, [0, 0, 1], epsilon=1.0, random_state=1, on_invalid="replace-with-center"
    )
    of_array = mean.fit(directions).release_.to_json()
    for memory in (None, "20kB"):
        assert mean.fit(pa.table(columns), memory=memory).release_.to_json() == of_array


def test_a_stream_that_is_read_once_must_fit_into_memory(tmp_path):
    ledger = karcher.Ledger.new(tmp_path / "l.db", data="made up", epsilon=1.0)
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, ledger=ledger)
    for groups in (None, "who"):
        with pytest.raises(karcher.errors.UnansweredError, match="read only once: raise memory="):
            mean.fit(TABLE.to_reader(100), columns=COLUMNS, groups=groups, memory=20_000)
    assert not ledger.entries
    mean.fit(TABLE.to_reader(100), columns=COLUMNS)


class Changing:
    """A table that loses a record, or breaks, when it is read for the n-th time."""

    def __init__(self, reads, then):
        self.reads, self.then = reads, then

    def __arrow_c_stream__(self, requested_schema=None):
        self.reads -= 1
        return (TABLE if self.reads >= 0 else self.then()).__arrow_c_stream__()


def broken():
    """A stream whose maker fails with a text that quotes a record."""

    def batches():
        yield from TABLE.to_batches(max_chunksize=1000)[:2]
        raise ValueError("secret 42")

    return pa.RecordBatchReader.from_batches(TABLE.schema, batches())


@pytest.mark.parametrize("then", [lambda: TABLE.slice(1), broken, lambda: TABLE.drop_columns("z"), lambda: 1 / 0])
@pytest.mark.parametrize("reads", [1, 2, 3])
def test_nothing_is_released_of_a_table_that_changes(then, reads):
    with pytest.raises(karcher.errors.UnansweredError, match="nothing was released") as refused:
        of_mean(Changing(reads, then), memory="20kB")
    assert "secret" not in str(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)


def test_what_a_broken_stream_says_is_not_repeated():
    with pytest.raises(karcher.errors.UnansweredError, match="breaks off after row 2000") as refused:
        of_mean(broken())
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(columns="x"), "list of texts"),
        (dict(groups=[1, 2]), "name of a column"),
        (dict(memory="much"), "512MB"),
        (dict(columns=["x", "clerk", "z"]), "column clerk holds Utf8"),
        (dict(columns=[]), "no column"),
    ],
)
def test_options_are_checked(options, words):
    with pytest.raises(karcher.Error, match=words):
        of_mean(TABLE, **options)


def test_options_of_tables_are_refused_with_arrays():
    with pytest.raises(karcher.Error, match="belong to tables"):
        estimators()["mean"].fit(DATA[0], columns=["x"])
    with pytest.raises(karcher.Error, match="predictor is not given"):
        estimators()["regression"].fit(TABLE)
    frame = pd.DataFrame(DATA[0], columns=COLUMNS)
    assert estimators()["mean"].fit(frame).feature_names_in_.tolist() == COLUMNS


def test_an_array_on_disk_has_the_release_of_one_in_memory(tmp_path):
    directions, ages, who = DATA
    np.save(tmp_path / "x.npy", directions)
    on_disk = np.load(tmp_path / "x.npy", mmap_mode="r")
    for name in ("mean", "median", "regression"):
        for groups in (None, who):
            of = (lambda x: (ages, x)) if name == "regression" else (lambda x: (x,))
            make = lambda x, **options: estimators()[name].fit(*of(x), groups=groups, **options).release_.to_json()
            assert make(on_disk, memory="20kB") == make(on_disk) == make(directions)


LIMITED = """
import resource, sys, threading
import numpy as np, karcher
points = np.memmap(sys.argv[1], dtype=np.float64, mode="r", shape=(4_000_000, 3))  # 96 MB
mean = karcher.PrivateFrechetMean("euclidean:3", radius=1.0, mu=1.0, mechanism="karcher-flow", steps=2)
mean.fit(np.zeros((100, 3)))
used = int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1]) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (used + 64_000_000,) * 2)
print(mean.fit(points, memory=sys.argv[2]).release_.n)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: the limit of memory is Linux's")
def test_an_array_on_disk_is_never_copied_as_a_whole(tmp_path):
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(4_000_000 * 24)  # takes no room
    run = lambda memory: subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), memory], capture_output=True, text=True, timeout=300
    )
    bounded = run("8MB")
    assert bounded.stdout.strip() == "4000000", bounded.stderr
    assert run("4GB").returncode != 0, "the limit lets a copy through"


@pytest.mark.parametrize("strange", [[], [1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [None, 0.0, 0.0], None])
def test_a_list_of_another_length_is_a_record_like_any_other_that_is_no_point(strange):
    lists = [[1.0, 0.0, 0.0]] * 20
    column = {"p": pa.array([*lists, strange], pa.list_(pa.float64()))}
    given = {"radius": 0.5, "center": [0.8, 0.6, 0.0], "epsilon": 1.0, "random_state": 1}
    mean = karcher.PrivateFrechetMean("sphere:2", on_invalid="replace-with-center", **given)
    center = {"p": pa.array([*lists, [0.8, 0.6, 0.0]], pa.list_(pa.float64()))}
    replaced, known = (mean.fit(pa.table(table), columns=["p"]).release_.to_json() for table in (column, center))
    assert replaced == known
    with pytest.raises(karcher.Error, match="21"):
        karcher.PrivateFrechetMean("sphere:2", **given).fit(pa.table(column), columns=["p"])


def test_an_array_on_disk_of_other_numbers_is_converted_some_rows_at_a_time(tmp_path):
    directions, ages, who = DATA
    kinds = {"float32": directions.astype(np.float32), "columns first": np.asfortranarray(directions)}
    for kind, array in kinds.items():
        np.save(tmp_path / "x.npy", array)
        on_disk, in_memory = np.load(tmp_path / "x.npy", mmap_mode="r"), np.ascontiguousarray(array, dtype=float)
        for name in ("mean", "median", "regression"):
            for groups in (None, who):
                of = (lambda x: (ages, x)) if name == "regression" else (lambda x: (x,))
                make = lambda x, **options: estimators()[name].fit(*of(x), groups=groups, **options).release_.to_json()
                assert make(on_disk, memory="20kB") == make(on_disk) == make(in_memory), (kind, name)
    assert estimators()["mean"].fit(on_disk).n_features_in_ == 3
    with pytest.raises(karcher.Error, match="shape"):
        estimators()["mean"].fit(on_disk[:, :2])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: the limit of memory is Linux's")
def test_an_array_of_float32_on_disk_is_never_converted_as_a_whole(tmp_path):
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(8_000_000 * 12)
    code = LIMITED.replace("np.float64", "np.float32").replace("4_000_000", "8_000_000")
    run = lambda memory: subprocess.run(
        [sys.executable, "-c", code, str(path), memory], capture_output=True, text=True, timeout=300
    )
    bounded = run("8MB")
    assert bounded.stdout.strip() == "8000000", bounded.stderr
    assert run("4GB").returncode != 0, "the limit lets a copy through"


class Reread:
    """A table that has other columns when it is read again."""

    def __init__(self):
        self.tables = iter([TABLE, TABLE.drop_columns("z")])

    def __arrow_c_stream__(self, requested_schema=None):
        return next(self.tables).__arrow_c_stream__()


def test_a_table_that_has_other_columns_when_it_is_read_again_is_told_so():
    with pytest.raises(karcher.errors.UnansweredError, match="the table has other columns now; nothing was released"):
        of_mean(Reread(), memory="20kB")


def test_what_holds_no_records_is_refused_with_what_to_give_instead(tmp_path):
    pa.parquet.write_table(TABLE, tmp_path / "t.parquet")
    lazy, file = pl.from_arrow(TABLE).lazy(), pa.parquet.ParquetFile(tmp_path / "t.parquet")
    for X, words in ((lazy, r"X\.collect\(\)"), (file, r"pyarrow\.dataset\.dataset\(path\)")):
        with pytest.raises(karcher.errors.ArgumentTypeError, match=words):
            of_mean(X)
        with pytest.raises(karcher.errors.ArgumentTypeError, match=words):
            karcher.PrivateCount(epsilon=1.0).fit(X)


def test_the_rows_of_a_table_are_counted_whatever_they_hold(tmp_path):
    pyarrow.dataset.write_dataset(TABLE, tmp_path, format="parquet")
    count = karcher.PrivateCount(epsilon=1.0, random_state=1)
    expected = count.fit(DATA[0]).release_.to_json()
    mapped = np.lib.format.open_memmap(tmp_path / "_x.npy", mode="w+", dtype=np.float32, shape=(len(DATA[0]), 2))
    texts = TABLE.select(["clerk"])
    for X in (TABLE, TABLE.to_reader(7), pl.from_arrow(TABLE), pyarrow.dataset.dataset(tmp_path), texts, mapped):
        assert count.fit(X).release_.to_json() == expected, type(X)
    assert count.fit(TABLE.slice(0, 0)).release_.to_json() == count.fit(np.zeros((0, 3))).release_.to_json()
    with pytest.raises(karcher.Error, match="breaks off") as refused:
        count.fit(broken())
    assert "secret" not in str(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)


DIRECTIONS = [list(map(float, row)) for row in DATA[0]]


def columns_of_lists(rows):
    yield "pandas, lists", pd.Series(rows)
    yield "pandas, arrays", pd.Series([None if row is None else np.array(row) for row in rows])
    yield "pandas, a frame", pd.DataFrame({"v": pd.Series(rows)})
    yield "polars, lists", pl.Series("v", rows, dtype=pl.List(pl.Float64))
    yield "pyarrow", pa.array(rows, pa.list_(pa.float64()))
    yield "pyarrow, chunks", pa.chunked_array([pa.array(rows, pa.large_list(pa.float64()))])
    if len({len(row) for row in rows if row is not None}) == 1:
        width = len(next(row for row in rows if row is not None))
        yield "polars, arrays", pl.Series("v", rows, dtype=pl.Array(pl.Float64, width))
        yield "pyarrow, fixed", pa.array(rows, pa.list_(pa.float64(), width))


def test_a_column_of_lists_holds_records():
    together = estimators()["mean"].fit(DATA[0]).release_
    for kind, X in columns_of_lists(DIRECTIONS):
        assert estimators()["mean"].fit(X).release_ == together, kind
        assert karcher.Sphere(2).dist(X, X).max() == 0, kind


def test_lists_of_another_length_are_refused_or_replaced():
    rows = [*DIRECTIONS[:3], [1.0, 0.0], *DIRECTIONS[4:]]
    for kind, X in columns_of_lists(rows):
        with pytest.raises(karcher.Error, match=r"(row|record) 4\b.*list|rows have different shapes") as error:
            estimators()["mean"].fit(X)
        assert "stream" not in str(error.value) and "entry" not in str(error.value), kind
    ones = [*DIRECTIONS[:3], [2.0, 0.0, 0.0], *DIRECTIONS[4:]]  # no point either
    replaced = {}
    for kind, X in (*columns_of_lists(rows), *((f"{kind}, no point", X) for kind, X in columns_of_lists(ones))):
        mean = estimators()["mean"].set_params(on_invalid="replace-with-center")
        replaced[kind] = mean.fit(X).release_.to_json()
    assert len(set(replaced.values())) == 1, replaced
    # the first says nothing of the others where records may be anything
    mean = estimators()["mean"].set_params(on_invalid="replace-with-center")
    assert mean.fit(pd.Series([[1.0], *DIRECTIONS[1:]])).release_.n == len(DIRECTIONS)


def test_missing_values_are_missing():
    rows = [[1.0, 2.0], [-1.0, 2.0], [3.0, -999.0], [4.0, 5.0]]
    X, far = np.array(rows), [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [4.0, 5.0]]

    def mean(X, on_invalid="replace-with-center", **options):
        estimator = karcher.PrivateFrechetMean("euclidean:2", radius=9.0, epsilon=1.0, random_state=1)
        return estimator.set_params(on_invalid=on_invalid).fit(X, **options).release_.to_json()

    table = pa.table({"x": X[:, 0], "y": X[:, 1].astype(np.float32)})
    codes = [-1, -999]
    for given in (X, table, X.astype(np.float32), pd.DataFrame(X, columns=["x", "y"]), pl.from_arrow(table)):
        assert mean(given, missing_values=codes) == mean(np.array(far))
        with pytest.raises(karcher.errors.InvalidPointError, match="row 2|record 2|missing"):
            mean(given, "error", missing_values=codes)
    for given in (table, pd.DataFrame(X, columns=["x", "y"])):
        by_column = mean(given, missing_values={"x": -1, "y": [-1]})
        assert by_column == mean(np.array([rows[0], [0.0, 0.0], rows[2], rows[3]]))
    assert mean(table, missing_values=[7]) == mean(X)
    with pytest.raises(karcher.Error, match="by column belong to tables"):
        mean(X, missing_values={"x": -1})
    with pytest.raises(karcher.Error, match="names the column z"):
        mean(table, missing_values={"z": -1})
