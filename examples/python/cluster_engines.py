"""A private mean of records that are in parts, by the engines that are installed: processes, Dask, Daft, Ray.

Each calls `karcher.partial` where a part is, and adds the answers with `karcher.merge`. The releases are equal to the
last bit, here with a seed to show it.
"""

import functools
import importlib.util

import numpy as np

import karcher

rng = np.random.default_rng(0)
directions = np.array([0.0, 0.0, 1.0]) + 0.3 * rng.normal(size=(3000, 3))
directions /= np.linalg.norm(directions, axis=1, keepdims=True)
parts = np.array_split(directions, 7)


def ask_processes(question):
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(2) as workers:
        sums = workers.map(functools.partial(karcher.partial, question=question), parts)
        return functools.reduce(karcher.merge, sums)


def ask_ray(question):
    import ray

    ray.init(num_cpus=2, ignore_reinit_error=True, logging_level="ERROR")
    partial = ray.remote(karcher.partial)
    return functools.reduce(karcher.merge, ray.get([partial.remote(part, question) for part in parts]))


def ask_dask(question):
    import dask

    answers = dask.compute(*(dask.delayed(karcher.partial)(part, question) for part in parts))
    return functools.reduce(karcher.merge, answers)


def ask_daft(question):
    import daft

    @daft.func.batch(return_dtype=daft.DataType.binary())
    def partial(x, y, z):
        records = np.stack([x.to_arrow(), y.to_arrow(), z.to_arrow()], axis=1)
        # one answer a batch, beside rows that say nothing
        return [karcher.partial(records, question)] + [karcher.partial(None, question)] * (len(records) - 1)

    frame = daft.from_pydict(dict(zip("xyz", directions.T)))
    answers = frame.select(partial(frame["x"], frame["y"], frame["z"]).alias("answer")).to_pydict()["answer"]
    return functools.reduce(karcher.merge, answers)


mean = karcher.PrivateFrechetMean("sphere:2", radius=0.8, center=[0.0, 0.0, 1.0], epsilon=1.0, random_state=1)
here = mean.fit(directions).release_
for name, needs, ask in [
    ("processes", None, ask_processes),
    ("Dask", "dask", ask_dask),
    ("Daft", "daft", ask_daft),
    ("Ray", "ray", ask_ray),
]:
    if needs is not None and importlib.util.find_spec(needs) is None:
        print(f"{name}: SKIPPED, it is not installed")
        continue
    release = mean.fit(karcher.Remote(ask)).release_
    assert (release.value == here.value).all() and "remote-sums" in release.flags
    print(f"{name}: the same bits")
