"""Calls that wait for Python code, which calls this package again: they end on any number of threads, also when several
wait at once, and the release is that of the array, to the last bit."""

import os
import subprocess
import sys

import pytest

BEFORE = """
import threading
from concurrent.futures import ThreadPoolExecutor

import karcher
import numpy as np

X = karcher.Sphere(2).random_point(3000, center=[0, 0, 1], scale=0.3, random_state=1)
HALVES = np.array_split(X, 2)


def mean(**options):
    public = {"radius": 0.8, "center": [0, 0, 1], "epsilon": 1.0, "mechanism": "chart", "random_state": 7}
    return karcher.PrivateFrechetMean("sphere:2", **{**public, **options})


def released(X, **options):
    # without the flag that sums are remote
    return mean(**options).fit(X).release_.to_json().replace(',"remote-sums"', "")


def ask(question):
    return karcher.merge(*[karcher.partial(half, question) for half in HALVES])


def at_once(calls):
    found = [None] * len(calls)

    def work(i):
        found[i] = calls[i]()

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


class Together:
    # all fits wait in their first questions at the same time
    def __init__(self, count):
        self.barrier = threading.Barrier(count)

    def remote(self):
        is_first = [True]

        def answer(question):
            if is_first[0]:
                is_first[0] = False
                self.barrier.wait()
            return ask(question)

        return karcher.Remote(answer)


expected = released(X)
"""

STREAM = """
import pyarrow as pa

class Table:
    # batches that are made by this package, as often as they are asked for
    def __arrow_c_stream__(self, requested_schema=None):
        schema = pa.schema([(name, pa.float64()) for name in "xyz"])
        rows = (karcher.Sphere(2).project(X[i : i + 500]) for i in range(0, len(X), 500))
        batches = (pa.RecordBatch.from_arrays([pa.array(part[:, j].copy()) for j in range(3)], schema=schema)
                   for part in rows)
        return pa.RecordBatchReader.from_batches(schema, batches).__arrow_c_stream__()
"""

PROGRAMS = {
    "one fit": "assert released(karcher.Remote(ask)) == expected",
    "one fit with n_jobs": "assert released(karcher.Remote(ask), n_jobs=1) == expected",
    "two fits at once": """
together = Together(2)
assert at_once([lambda: released(together.remote())] * 2) == [expected] * 2
""",
    "five fits at once": """
together = Together(5)
assert at_once([lambda: released(together.remote())] * 5) == [expected] * 5
""",
    "an engine in this process": """
with ThreadPoolExecutor(4) as engine:
    def by_engine(question):
        answers = engine.map(lambda part: karcher.partial(part, question), np.array_split(X, 8))
        total = karcher.partial(None, question)
        for answer in answers:
            total = karcher.merge(total, answer)
        return total
    assert released(karcher.Remote(by_engine)) == expected
""",
    "a fit within a question of a fit": """
def fits_too(question):
    assert released(karcher.Remote(ask)) == expected
    return ask(question)
assert released(karcher.Remote(fits_too)) == expected
""",
    "other statistics": """
for estimator in (
    karcher.PrivateGeometricMedian("sphere:2", 0.8, [0, 0, 1], mu=1.0, steps=2, random_state=7),
    karcher.PrivateBall("sphere:2", 0.8, [0, 0, 1], mu=1.0, steps=2, random_state=7),
    karcher.PrivateFrechetVariance("sphere:2", center=[0, 0, 1], epsilon=1.0, random_state=7),
    mean(radius=None, ball="auto", within=0.9, mu=1.0, epsilon=None),
):
    there, here = estimator.fit(karcher.Remote(ask)).release_, estimator.fit(X).release_
    assert there.to_json().replace(',"remote-sums"', "") == here.to_json()
""",
    "a table whose batches call this package": STREAM + "assert released(Table()) == expected",
    "a part whose batches call this package": STREAM + """
assert released(karcher.Remote(lambda question: karcher.partial(Table(), question))) == expected
""",
    "a table that is read again": STREAM + "assert released(Table(), n_jobs=1) == released(X, n_jobs=1) == expected",
    "interrupted work": """
def interrupted(question):
    raise KeyboardInterrupt
for _ in range(3):
    try:
        released(karcher.Remote(interrupted))
    except KeyboardInterrupt:
        pass
    assert released(karcher.Remote(ask)) == expected
""",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_work_that_waits_for_python_ends(name, threads):
    program = BEFORE + PROGRAMS[name] + "\nprint('done')"
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    # where a thread waits for itself it never ends
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "done\n", done.stderr
