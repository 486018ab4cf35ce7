"""Measures the cost of a pass for each record, partition and job, and predicts the time for ten billion records.

    maturin develop --profile dist && pip install numpy
    python benches/ten_billion.py --rows 1e6 1e7 1e8

Partitions are files of a million directions each. Worker processes map them into memory and answer a query about them
by `karcher.partial`, as the tasks of an engine do. The driver adds the answers by `karcher.merge` and makes the
release, a flow of one step, in one job. Every worker has one thread. The model

    seconds = job + ⌈partitions / workers⌉ × (partition + records of one × record)

is fitted to small jobs alone; its predictions for the large ones are printed with their measured times. A hundred
million records take 2.4 GB; beyond `--files` million records the files are read again. Times are the best of several
runs.
"""

import argparse
import functools
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

MILLION = 1_000_000
BALL = dict(radius=0.5, center=[1.0, 0.0, 0.0])


def write(path, rows, seed):
    generator = np.random.default_rng(seed)
    x = generator.normal(scale=0.15, size=(rows, 3)) + [1, 0, 0]
    np.save(path, x / np.linalg.norm(x, axis=1, keepdims=True))


def answer(part, question):
    """Answers a query about a partition: some rows of a file."""
    import karcher

    path, first, last = part
    return karcher.partial(np.load(path, mmap_mode="r")[first:last], question)


def warm(_):
    import karcher  # noqa: F401

    time.sleep(0.2)  # so that every worker gets one


def release(pool, parts):
    """Seconds of a job, and its release."""
    import karcher

    def ask(question):
        answers = pool.map(functools.partial(answer, question=question), parts)
        return functools.reduce(karcher.merge, answers)

    mean = karcher.PrivateFrechetMean(
        "sphere:2", mu=1.0, mechanism="karcher-flow", steps=1, random_state=1, **BALL
    )
    begun = time.perf_counter()
    value = mean.fit(karcher.Remote(ask)).release_.value
    return time.perf_counter() - begun, value


def best(pool, parts, times):
    return min((release(pool, parts) for _ in range(times)), key=lambda run: run[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=float, default=[1e6, 1e7, 1e8])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--files", type=int, default=100, help="files of a million records that are written at most")
    parser.add_argument("--folder", help="where they are written: 24 MB each")
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = "1"  # of the workers, which are told by it
    sizes = sorted(int(n) for n in given.rows)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        files = [Path(folder) / f"{i}.npy" for i in range(min(given.files, max(sizes) // MILLION))]
        for seed, file in enumerate(files):
            write(file, MILLION, seed)

        def parts(rows, size):
            """So many rows in partitions of a size, of one file after the other."""
            begins = ((i // MILLION, i % MILLION) for i in range(0, rows, size))
            return [(files[file % len(files)], first, first + size) for file, first in begins]

        print("| records | partitions | workers | predicted s | measured s | ratio |")
        print("| --- | --- | --- | --- | --- | --- |")
        for workers in given.workers:
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                list(pool.map(warm, range(4 * workers)))
                # small jobs: of no more than four million records
                trials = [(1, 1_000), (250, 1_000), (4, 250_000), (4, MILLION), (40, 100_000)]
                seconds = [best(pool, parts(n * size, size), given.times + 2)[0] for n, size in trials]
                turns = [-(-n // workers) for n, _ in trials]
                model = np.array([[1.0, n, n * size] for n, (_, size) in zip(turns, trials)])
                weights = 1 / np.array(seconds)  # errors are in proportion to what is measured
                costs = np.linalg.lstsq(model * weights[:, None], np.ones(len(trials)), rcond=None)[0]
                job, partition, record = np.maximum(costs, 0.0)

                def predicted(rows, workers=workers, costs=(job, partition, record)):
                    job, partition, record = costs
                    return job + -(-rows // (MILLION * workers)) * (partition + MILLION * record)

                for rows in sizes:
                    took, _ = best(pool, parts(rows, MILLION), given.times if rows < 10**8 else 2)
                    print(
                        f"| {rows:.0e} | {rows // MILLION} | {workers} | {predicted(rows):.2f} "
                        f"| {took:.2f} | {predicted(rows) / took:.2f} |",
                        flush=True,
                    )
                values = {str(release(pool, parts(MILLION, size))[1]) for size in (MILLION, MILLION // 8)}
                if len(values) != 1:
                    sys.exit(f"the releases differ: {values}")
            print(
                f"\n{workers} worker(s): {job * 1e3:.1f} ms a job, {partition * 1e3:.2f} ms a partition, "
                f"{record * 1e9:.1f} ns a record.",
                "10¹⁰ records, of a million a partition, on so many workers: "
                + ", ".join(told(predicted, w) for w in (1, 16, 100, 1000))
                + ".\n",
                sep="\n",
            )


def told(predicted, workers):
    seconds = predicted(10**10, workers)
    amount = f"{seconds / 60:.1f} min" if seconds >= 90 else f"{seconds:.1f} s"
    return f"{amount} on {workers}"


if __name__ == "__main__":
    main()
