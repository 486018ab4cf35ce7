"""Time and memory of private means of tables, on this machine and by engines, next to the cost of reading.

    maturin develop --profile dist && pip install numpy pyarrow polars duckdb "pyspark-client>=4.1,<4.3" pysail
    python benches/engines.py --rows 1e4 1e5 1e6 1e7

Records are directions near the first axis, in Parquet files of a million each. A mean is a flow of one step, which
takes one job and one pass; polars and DuckDB compute the plain means of the columns. Each runs in its own process; its
time is the best of several runs after an uncounted first one. Memory is the growth of the largest resident set. The
releases, made with the same seed, must be the same.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILE = 1_000_000
ENGINES = ["polars", "duckdb", "array", "arrow", "files", "sail"]
#: Spark with two worker processes; in an environment of its own, as `make spark` makes one, with numpy, pyarrow.
OTHERS = ["spark"]


def write(folder, rows):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    for first in range(0, rows, FILE):
        x = np.random.default_rng(first).normal(scale=0.15, size=(min(FILE, rows - first), 3)) + [1, 0, 0]
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        table = pa.table(dict(zip("xyz", (pa.array(column) for column in x.T.copy()))))
        pa.parquet.write_table(table, folder / f"{first // FILE:06}.parquet", use_dictionary=False)


def mean(records, **options):
    """The value of a private mean, as text."""
    import karcher

    flow = karcher.PrivateFrechetMean(
        "sphere:2", radius=0.5, center=[1.0, 0.0, 0.0], mu=1.0, mechanism="karcher-flow", steps=1, random_state=1
    )
    return str(flow.fit(records, **options).release_.value.tolist())


def job(engine, folder, ends):
    """Prepares an untimed setup and returns the function to time; `ends` collects the clean-up."""
    pattern = f"{folder}/*.parquet"
    if engine == "polars":
        import polars as pl

        return lambda: pl.scan_parquet(pattern).mean().collect(engine="streaming") is None or ""
    if engine == "duckdb":
        import duckdb

        query = f"SELECT avg(x), avg(y), avg(z) FROM '{pattern}'"
        return lambda: duckdb.sql(query).fetchall() is None or ""
    import pyarrow.dataset

    files = pyarrow.dataset.dataset(folder, format="parquet")
    if engine == "array":
        import numpy as np

        table = files.to_table()
        array = np.stack([table[name].to_numpy() for name in "xyz"], axis=1)
        return lambda: mean(array)
    if engine == "arrow":
        table = files.to_table()
        return lambda: mean(table, memory="16MB")
    if engine == "files":
        return lambda: mean(files, memory="16MB")
    from pyspark.sql import SparkSession

    if engine == "spark":
        os.environ["PYSPARK_PYTHON"] = sys.executable
        made = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.log.level", "OFF")
        made = made.config("spark.ui.enabled", False)
        spark = made.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(sys.path)).getOrCreate()
    else:
        from pysail.spark import SparkConnectServer

        server = SparkConnectServer(ip="127.0.0.1", port=0)
        server.start(background=True)
        ends.callback(server.stop)
        spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    ends.callback(spark.stop)
    frame = spark.read.parquet(str(folder))
    return lambda: mean(frame)


def resident():
    """The largest resident set of this program; `getrusage` would include that of its parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def measure(engine, folder, times):
    """Prints the best time, the megabytes and the release."""
    mean([[1.0, 0.0, 0.0]] * 9)  # what is loaded at the first use counts for none of them
    with contextlib.ExitStack() as ends:
        run = job(engine, folder, ends)
        before, seconds = resident(), []
        for _ in range(times + 1):
            begun = time.perf_counter()
            told = run()
            seconds.append(time.perf_counter() - begun)
    print(json.dumps([min(seconds[1:]), resident() - before, told]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=float, default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--engines", nargs="+", choices=ENGINES + OTHERS, default=ENGINES)
    parser.add_argument("--folder", help="where the files are written: a hundred million rows take 2.4 GB")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        return measure(*given.one, given.times)
    print(f"| n | {' | '.join(given.engines)} |")
    print("| --- " * (len(given.engines) + 1) + "|")
    for rows in map(int, given.rows):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            write(Path(folder), rows)
            cells, releases = [], set()
            for engine in given.engines:
                command = [sys.executable, __file__, "--times", str(given.times), "--one", engine, folder]
                done = subprocess.run(command, capture_output=True, text=True, timeout=600)
                if done.returncode:
                    sys.exit(f"{engine} failed: {done.stderr}")
                seconds, memory, told = json.loads(done.stdout.splitlines()[-1])
                cells.append(f"{seconds:.2f} ({memory:.0f})")
                releases |= {told} - {""}
            if len(releases) > 1:
                sys.exit(f"the releases differ: {releases}")
            print(f"| {rows:.0e} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
