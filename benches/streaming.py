"""Time and memory of private means of files, from ten thousand to a hundred million records, next to the cost of
reading.

    cargo build --profile dist -p karcher-cli
    pip install numpy pyarrow polars
    python benches/streaming.py target/dist/karcher --rows 1e4 1e5 1e6 1e7

Records are directions near the first axis. Every file is read by `karcher mean --memory 64MB`, with a flow of one step,
which takes one pass. The library polars computes the arithmetic mean of the same columns. Each runs in its own process;
memory is its largest resident set. Work is the processor time of all threads. The releases of all formats, made with
the same seed, must be the same.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

CHUNK = 1_000_000
FORMATS = ["npy", "parquet", "arrow", "csv"]
MEAN = (
    "--manifold sphere:2 --center 1,0,0 --radius 0.5 --mu 1 --mechanism karcher-flow --steps 1 --memory 64MB --seed 1 "
    "--json"
).split()
POLARS = {
    "csv": "pl.scan_csv(f)",
    "parquet": "pl.scan_parquet(f)",
    "arrow": "pl.scan_ipc(f)",
}


def chunks(rows):
    """The same directions for every format and number of rows, a million at a time."""
    for first in range(0, rows, CHUNK):
        generator = np.random.default_rng(first)
        x = generator.normal(scale=0.15, size=(min(CHUNK, rows - first), 3)) + [1, 0, 0]
        yield x / np.linalg.norm(x, axis=1, keepdims=True)


def write(folder, rows):
    """The files of all formats."""
    files = {kind: folder / f"records.{kind}" for kind in FORMATS}
    schema = pa.schema([(name, pa.float64()) for name in "xyz"])
    array = np.lib.format.open_memmap(files["npy"], mode="w+", dtype="<f8", shape=(rows, 3))
    with (
        pa.parquet.ParquetWriter(files["parquet"], schema, use_dictionary=False, compression="none") as parquet,
        pa.OSFile(str(files["arrow"]), "wb") as sink,
        pa.ipc.new_file(sink, schema) as arrow,
        pa.csv.CSVWriter(files["csv"], schema) as csv,
    ):
        first = 0
        for x in chunks(rows):
            array[first : first + len(x)] = x
            table = pa.table([pa.array(column) for column in x.T.copy()], schema=schema)
            parquet.write_table(table, row_group_size=CHUNK // 4)
            arrow.write_table(table, max_chunksize=1 << 16)
            csv.write_table(table)
            first += len(x)
    array.flush()
    return files


# A process begins as a copy of the one that starts it, whose memory then counts as its own: so a small one starts it.
STARTER = """
import os, sys, time
begun = time.perf_counter()
pid = os.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
seconds = time.perf_counter() - begun
print(status, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, file=sys.stderr)
"""


def run(command):
    """What a process prints, its seconds, those of all its threads, and its largest resident set in megabytes, of 10 at
    least."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, *command], capture_output=True, text=True)
    status, *told = done.stderr.splitlines()[-1].split()
    if status != "0":
        sys.exit(f"{' '.join(command)} failed: {done.stderr}")
    return done.stdout, *map(float, told)


def row(rows, name, file, run_of, others=None):
    """A line of the table."""
    _, seconds, work, memory = run_of
    size = file.stat().st_size / 1e6
    beside = "| | |" if others is None else f"| {others[1]:.3f} | {seconds / others[1]:.2f} |"
    print(
        f"| {rows:.0e} | {name} | {size:.0f} | {seconds:.3f} | {size / seconds:.0f} | {work / rows * 1e9:.0f} "
        f"| {memory:.0f} {beside}",
        flush=True,
    )


def best(command, times):
    return min((run(command) for _ in range(times)), key=lambda each: each[1])


def plain(kind, file):
    """The arithmetic mean of the columns, by polars, or by NumPy for its own format."""
    if kind == "npy":
        code = f"import numpy as np; print(np.load({str(file)!r}, mmap_mode='r').mean(axis=0))"
    else:
        code = f"import polars as pl; f = {str(file)!r}; print({POLARS[kind]}.mean().collect(engine='streaming'))"
    return [sys.executable, "-c", code]


def matrices(folder, rows):
    """Positive definite matrices of 10 by 10, in an array and in a column of lists."""
    files = {kind: folder / f"matrices.{kind}" for kind in ("npy", "parquet")}
    array = np.lib.format.open_memmap(files["npy"], mode="w+", dtype="<f8", shape=(rows, 10, 10))
    schema = pa.schema([("m", pa.list_(pa.float64(), 100))])
    with pa.parquet.ParquetWriter(files["parquet"], schema, use_dictionary=False, compression="none") as parquet:
        for first in range(0, rows, CHUNK // 20):
            generator = np.random.default_rng(first)
            a = generator.normal(size=(min(CHUNK // 20, rows - first), 10, 20)) / np.sqrt(20)
            x = a @ a.transpose(0, 2, 1)
            array[first : first + len(x)] = x
            lists = pa.FixedSizeListArray.from_arrays(pa.array(x.ravel()), 100)
            parquet.write_table(pa.table([lists], schema=schema), row_group_size=CHUNK // 100)
    array.flush()
    return files


MATRICES = (
    "--manifold spd-log-euclidean:10 --center 1*identity --radius 8 --mu 1 --memory 64MB --seed 1 --json".split()
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("karcher", help="the command, built with --profile dist")
    parser.add_argument("--rows", nargs="+", type=float, default=[1e4, 1e5, 1e6, 1e7])
    parser.add_argument("--folder", help="where the files are written: a hundred million rows take 13 GB")
    parser.add_argument("--times", type=int, default=5, help="runs of each, of which the fastest counts")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--matrices", type=float, default=0, help="10 by 10 too, so many: a million take 1.6 GB")
    given = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = os.environ["POLARS_MAX_THREADS"] = str(given.threads)
    print("| n | format | MB | karcher s | MB/s | ns of work a record | memory MB | plain mean s | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for rows in map(int, given.rows):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            releases = {}
            for kind, file in write(Path(folder), rows).items():
                columns = [] if kind == "npy" else ["--columns", "x,y,z"]
                command = [given.karcher, "mean", str(file), *columns, *MEAN]
                found = best(command, given.times)
                releases[kind] = json.loads(found[0])["value"]
                row(rows, kind, file, found, best(plain(kind, file), given.times))
            if len({str(value) for value in releases.values()}) != 1:
                sys.exit(f"the releases differ: {releases}")
    if given.matrices:
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            releases = {}
            for kind, file in matrices(Path(folder), rows := int(given.matrices)).items():
                command = [given.karcher, "mean", str(file), *MATRICES]
                found = best(command, given.times)
                releases[kind] = json.loads(found[0])["value"]
                row(rows, f"{kind}, SPD(10)", file, found)
            if len({str(value) for value in releases.values()}) != 1:
                sys.exit("the releases of matrices differ")
    print(f"\nThe releases of all formats are the same, bit for bit. Threads: {given.threads}.")


if __name__ == "__main__":
    main()
