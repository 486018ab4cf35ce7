"""Python's FrechetMean against pyRiemann and geomstats, one thread each, same data, same run.

    python3 -m venv .venv && .venv/bin/pip install . "numpy<2.4" geomstats==2.8.0 pyriemann==0.12
    .venv/bin/python benches/python.py

Means of n = 10,000 Wishart matrices of size 10, log-Euclidean and affine-invariant, the latter to a Riemannian gradient
norm of 1e-9 (reached by all three, and checked). Times include the validation of the input; they are processor times,
the least of several, so that a busy machine does not matter much. *A call* is what a call costs beyond the work: the
mean of two matrices. Prints a Markdown table.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
import karcher  # noqa: E402
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices  # noqa: E402
from geomstats.learning.frechet_mean import FrechetMean as GeomstatsMean  # noqa: E402
from pyriemann.geometry.mean import mean_logeuclid, mean_riemann  # noqa: E402

N, K, TOLERANCE, REPEATS = 10_000, 10, 1e-9, 7


def least(*functions, repeats=REPEATS):
    """The least processor time of each function, and its value; they take turns, so that all of them meet the same
    neighbours."""
    times, values = [[] for _ in functions], [None for _ in functions]
    for _ in range(repeats):
        for i, function in enumerate(functions):
            start = time.process_time()
            values[i] = function()
            times[i].append(time.process_time() - start)
    return [min(t) for t in times], values


def geomstats_mean(x, metric):
    space = SPDMatrices(K, equip=False)
    space.equip_with_metric(metric)
    mean = GeomstatsMean(space)
    if hasattr(mean, "optimizer"):
        # it stops when the squared gradient norm is below epsilon times the dimension
        mean.set(epsilon=TOLERANCE**2 / space.dim, max_iter=100)
    return mean.fit(x).estimate_


def main():
    g = np.random.default_rng(1010).standard_normal((N, K, 2 * K))
    x = g @ g.swapaxes(1, 2) / (2 * K)
    print("| metric | karcher, ms | a call, ms | pyRiemann, ms | ratio | geomstats, ms | ratio | gradient norms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for metric, pyriemann, geomstats in (
        ("log-euclidean", lambda: mean_logeuclid(x), SPDLogEuclideanMetric),
        ("affine-invariant", lambda: mean_riemann(x, tol=TOLERANCE, maxiter=100), SPDAffineMetric),
    ):
        space = karcher.SPD(K, metric=metric)
        estimator = karcher.FrechetMean(space, tolerance=TOLERANCE)
        small = lambda: [estimator.fit(x[:2]) for _ in range(100)]  # noqa: E731
        (ours, theirs, others, call), means = least(
            lambda: estimator.fit(x).estimate_, pyriemann, lambda: geomstats_mean(x, geomstats), small
        )
        norms = [space.norm(m, space.log(m, x).mean(axis=0)) for m in means[:3]]
        print(
            f"| {metric} | {1e3 * ours:.1f} | {10 * call:.2f} | {1e3 * theirs:.1f} "
            f"| {theirs / ours:.1f} | {1e3 * others:.0f} | {others / ours:.1f} "
            f"| {', '.join(f'{norm:.0e}' for norm in norms)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
