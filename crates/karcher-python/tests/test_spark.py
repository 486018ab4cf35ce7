"""DataFrames on engines that run: Sail always, Spark with two worker processes where KARCHER_ENGINE=spark says so
(`make spark`). The release is that of the array, to the last bit."""

import functools
import os
import pathlib
import subprocess
import sys
import warnings

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from statistics_of_columns import COLUMNS, estimators, fit, records, table

import karcher
from karcher.errors import UnansweredError

ENGINE = os.environ.get("KARCHER_ENGINE", "sail")
DATA = records()
TABLE = table(*DATA)


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        if ENGINE == "spark":
            made = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", False)
            made = made.config("spark.sql.shuffle.partitions", 4).config("spark.log.level", "OFF")
            made = made.config("spark.sql.ansi.enabled", True).config("spark.port.maxRetries", 100)
            session = made.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path)).getOrCreate()
            yield session
            session.stop()
            return
        from pysail.spark import SparkConnectServer

        server = SparkConnectServer(ip="127.0.0.1", port=0)
        server.start(background=True)
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
        yield session
        session.stop()
        server.stop()


@pytest.fixture
def frame(spark, tmp_path):
    """The records in files, one partition each at most, and two that are empty."""

    def made(tables, **options):
        for i, part in enumerate(tables):
            pq.write_table(part, tmp_path / f"part-{i}.parquet")
        return spark.read.options(**options).parquet(os.fspath(tmp_path))

    return made


def parts(count=3):
    size = -(-TABLE.num_rows // count)
    return [TABLE.slice(i * size, size) for i in range(count)]


@pytest.mark.parametrize("name", estimators())
@pytest.mark.parametrize("groups", [None, "who"])
def test_a_data_frame_has_the_release_of_the_array(name, groups, frame):
    if groups and name == "confidential number":
        pytest.skip("SKIPPED: persons do not go with a confidential number")
    X = frame([*parts(), TABLE.slice(0, 0)])
    assert fit(name, X, columns=COLUMNS, groups=groups) == fit(name, DATA, groups=groups)


def test_numbers_are_read_by_default_and_lists_are_records(spark, frame):
    directions = DATA[0]
    X = frame(parts())
    assert fit("mean", X.drop("age")) == fit("mean", DATA)
    lists = frame([pa.table({"direction": pa.array(directions.tolist())})]).select("direction")
    assert fit("mean", lists.na.drop()) == fit("mean", DATA)
    with pytest.raises(karcher.Error, match="there is no column nothing"):
        fit("mean", X, columns=["nothing"])
    with pytest.raises(karcher.Error, match="predictor is not given"):
        estimators()["regression"].fit(X)


def test_many_tiny_and_empty_partitions_change_nothing(frame):
    count = 40 if ENGINE == "spark" else 300
    X = frame([TABLE.slice(0, 150)]).repartition(count)
    assert fit("flow", X, columns=COLUMNS) == fit("flow", tuple(part[:150] for part in DATA))


def test_what_is_no_point_is_told_by_its_place_and_nothing_of_it_is_said(frame, capfd):
    directions = DATA[0].copy()
    directions[2500] = 123.456
    X = frame([table(directions, *DATA[1:])])
    with pytest.raises(UnansweredError, match="row [0-9]+ is no point of the space") as refused:
        fit("mean", X, columns=COLUMNS)
    assert "partition" in str(refused.value)
    assert "123" not in str(refused.value) + repr(refused.value.__cause__) + repr(refused.value.__context__)
    written = capfd.readouterr()
    assert "123.456" not in written.out + written.err


def test_files_of_other_columns_release_nothing(frame):
    for other in (TABLE.drop_columns("z"), TABLE.set_column(2, "z", pa.array(["secret"] * TABLE.num_rows))):
        X = frame([TABLE, other])
        with pytest.raises((UnansweredError, karcher.Error)) as refused:
            fit("mean", X, columns=COLUMNS)
        assert "secret" not in str(refused.value)


def test_a_file_that_is_damaged_releases_nothing(frame, tmp_path):
    ledger = karcher.Ledger.new(tmp_path.parent / f"{tmp_path.name}.db", data="made up", epsilon=1.0)
    X = frame(parts())
    damaged = tmp_path / "part-1.parquet"
    content = bytearray(damaged.read_bytes())
    content[4:2000] = bytes(1996)
    damaged.write_bytes(content)
    mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0, 0, 1], epsilon=1.0, ledger=ledger)
    with pytest.raises(UnansweredError, match="the engine could not answer") as refused:
        mean.fit(X, columns=COLUMNS)
    assert refused.value.__cause__ is None and refused.value.__context__ is None
    if ENGINE == "spark":
        assert "part-1.parquet" in str(refused.value)
    assert not ledger.entries and not hasattr(mean, "release_")


def killed_once(batches, marker):
    """Kills the worker's process when it is called for the first time."""
    for batch in batches:
        if not pathlib.Path(marker).exists():
            pathlib.Path(marker).touch()
            os.kill(os.getpid(), 9)
        yield batch


def counted(batches, folder):
    """Notes that a partition was worked on."""
    pathlib.Path(folder, os.urandom(8).hex()).touch()
    yield from batches


@pytest.mark.skipif(ENGINE != "spark", reason="SKIPPED: Sail's workers are threads of this process; see `make spark`")
def test_a_worker_that_is_killed_changes_nothing(frame, tmp_path):
    marker = os.fspath(tmp_path.parent / f"{tmp_path.name}.killed")
    X = frame(parts()).select(*COLUMNS)
    X = X.mapInArrow(functools.partial(killed_once, marker=marker), X.schema)
    assert fit("mean", X, columns=COLUMNS) == fit("mean", DATA)
    assert pathlib.Path(marker).exists()


ONE_THREAD = """
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession
from statistics_of_columns import COLUMNS, fit, records

import pandas as pd

directions = records()[0]
server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
X = spark.createDataFrame(pd.DataFrame(directions, columns=COLUMNS)).repartition(4)
assert fit("mean", X, columns=COLUMNS) == fit("mean", (directions, None, None))
print("done", flush=True)
spark.stop()
server.stop()
"""


@pytest.mark.skipif(ENGINE != "sail", reason="SKIPPED: the workers of Spark are other processes")
def test_an_engine_in_this_process_and_one_thread_are_enough(tmp_path):
    here = os.fspath(pathlib.Path(__file__).parent)
    environment = {**os.environ, "RAYON_NUM_THREADS": "1", "PYTHONPATH": here, "PYSPARK_PYTHON": sys.executable}
    program = tmp_path / "one.py"  # a client of Spark wants a file
    program.write_text(ONE_THREAD, encoding="utf-8")
    command = [sys.executable, "-W", "ignore", os.fspath(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "done\n", done.stderr


class Refusing:
    """An engine that answers nothing: a plan that it does not know, or one that fails for its records alone."""

    def __init__(self, frame, everything):
        self._frame, self._everything = frame, everything
        self.dtypes = frame.dtypes

    def select(self, *columns):
        return self

    def mapInArrow(self, work, schema):
        raise RuntimeError("a record: 123.456")

    @property
    def sparkSession(self):
        if self._everything:
            raise NotImplementedError("unsupported operation MapPartitions, please use a client before 4.3")
        return self._frame.sparkSession


def test_what_an_engine_says_is_shown_where_it_fails_without_records_too(frame):
    X = frame(parts())
    with pytest.raises(UnansweredError, match="NotImplementedError: unsupported operation .* before 4.3") as refused:
        fit("mean", Refusing(X, everything=True), columns=COLUMNS)
    assert "123" not in str(refused.value)
    with pytest.raises(UnansweredError, match="the engine could not answer: RuntimeError") as refused:
        fit("mean", Refusing(X, everything=False), columns=COLUMNS)
    assert "123" not in str(refused.value) and refused.value.__context__ is None


def test_a_mean_of_vectors_takes_one_job(frame, tmp_path):
    folder = tmp_path.parent / f"{tmp_path.name}.passes"
    folder.mkdir()
    X = frame([TABLE]).select(*COLUMNS).coalesce(1)
    X = X.mapInArrow(functools.partial(counted, folder=os.fspath(folder)), X.schema)
    mean = karcher.PrivateFrechetMean("euclidean:3", radius=2.0, epsilon=1.0, random_state=1)
    assert mean.fit(X).release_.to_json() == mean.fit(DATA[0]).release_.to_json()
    assert len(list(folder.iterdir())) == 1
