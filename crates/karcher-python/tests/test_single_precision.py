"""Records of float32 in memory: the releases of the same numbers in float64, without a copy of them."""

import os
import subprocess
import sys

import karcher
import numpy as np
import pytest
from karcher import errors

ONCE = {"epsilon": 1.0, "random_state": 0}

FEW_SUMS = [
    (karcher.PrivateFrechetMean("euclidean", radius=3.0, **ONCE), (4,)),
    (karcher.PrivateFrechetMean("euclidean", radius=3.0, spread=True, **ONCE), (4,)),
    (karcher.PrivateFrechetMean("euclidean", radius=3.0, on_invalid="replace-with-center", **ONCE), (4,)),
    (karcher.PrivateFrechetMean("spd-log-euclidean", radius=3.0, center=np.eye(2), **ONCE), (2, 2)),
    (karcher.PrivateFrechetMean("sphere", **ONCE), (3,)),
    (karcher.PrivateTangentPCA("euclidean", radius=3.0, **ONCE), (4,)),
    (karcher.PrivatePCA(radius=3.0, **ONCE), (4,)),
    (karcher.PrivateQuantiles("euclidean", radius=3.0, center=np.zeros(4), **ONCE), (4,)),
    (karcher.PrivateFrechetVariance("euclidean", clip=3.0, **ONCE), (4,)),
    (karcher.PrivateFrechetVariance("spd-affine-invariant", clip=3.0, center=np.eye(2), **ONCE), (2, 2)),
    (karcher.PrivateKMeans("euclidean", 2, radius=3.0, **ONCE), (4,)),
]


def records(shape, n=500):
    x = np.random.default_rng(0).standard_normal((n, *shape))
    if len(shape) == 2:
        x = x @ x.swapaxes(1, 2) + np.eye(shape[0])
        x = (x + x.swapaxes(1, 2)) / 2
    elif shape == (3,):
        x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x.astype(np.float32)


@pytest.mark.parametrize(("estimator", "shape"), FEW_SUMS)
def test_a_release_of_float32_is_that_of_the_same_numbers_in_float64(estimator, shape):
    x = records(shape)
    if estimator.on_invalid != "error":
        x[7] = np.nan
    single = estimator.fit(x).release_
    assert single.to_json() == estimator.fit(x.astype(np.float64)).release_.to_json()
    assert estimator.n_features_in_ == shape[0] if len(shape) == 1 else True


def test_a_mechanism_that_reads_single_records_is_taken_for_float32_too():
    x, mean = records((4,), 20), karcher.PrivateFrechetMean("euclidean", radius=10.0, mu=100.0, random_state=0)
    assert mean.fit(x).release_.mechanism == "kng"
    assert np.array_equal(mean.fit(x).estimate_, mean.fit(x.astype(np.float64)).estimate_)


@pytest.mark.parametrize(("estimator", "shape"), FEW_SUMS)
def test_a_record_that_is_no_point_is_named_as_in_float64(estimator, shape):
    if estimator.on_invalid != "error":
        return
    x = records(shape)
    x[7] = np.inf
    told = []
    for given in (x, x.astype(np.float64)):
        with pytest.raises(errors.InvalidPointError) as refused:
            estimator.fit(given)
        told.append(str(refused.value))
    assert told[0] == told[1] and "record 8" in told[0]


@pytest.mark.parametrize("shape", [(500,), (500, 0), (0, 4), (500, 4, 1)])
def test_arrays_that_hold_no_records_are_refused_as_in_float64(shape):
    told = []
    for dtype in (np.float32, np.float64):
        with pytest.raises(errors.Error) as refused:
            karcher.PrivateFrechetMean("euclidean", radius=3.0, epsilon=1.0).fit(np.zeros(shape, dtype))
        told.append(str(refused.value))
    assert told[0] == told[1]


MEASURED = """
import os, sys, threading, time
import numpy as np, karcher
kind, dtype = sys.argv[1:]
x = np.random.default_rng(0).random((1_500_000, 9), dtype=np.float32).astype(dtype, copy=False)
options = {"epsilon": 1.0, "random_state": 0}
estimator = {
    "mean": karcher.PrivateFrechetMean("euclidean", radius=5.0, **options),
    "components": karcher.PrivateTangentPCA("euclidean", radius=5.0, **options),
    "covariance": karcher.PrivatePCA(radius=5.0, **options),
    "variance": karcher.PrivateFrechetVariance("euclidean", clip=5.0, **options),
    "clusters": karcher.PrivateKMeans("euclidean", 3, radius=5.0, **options),
}[kind]
estimator.fit(x[:100_000])
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = most = resident()
done = threading.Event()
def watch():
    global most
    while not done.wait(0.002):
        most = max(most, resident())
watching = threading.Thread(target=watch)
watching.start()
estimator.fit(x)
done.set()
watching.join()
print((most - before) / x.nbytes)
"""


@pytest.mark.parametrize("kind", ["mean", "components", "covariance", "variance", "clusters"])
def test_no_copy_of_all_records_is_made(kind):
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("SKIPPED: the memory of a process is not in /proc here")
    run = [sys.executable, "-c", MEASURED, kind, "float32"]
    told = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert float(told) < 0.7  # a copy in float64 would be 2
