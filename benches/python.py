"""Python's FrechetMean against pyRiemann and geomstats, and against the same mean called from Rust; one thread each, same data, same run.

    python3 -m venv .venv && .venv/bin/pip install . "numpy<2.4" geomstats==2.8.0 pyriemann==0.12
    cargo build --release -p karcher-io --example time_mean
    .venv/bin/python benches/python.py

Means of n = 10,000 Wishart matrices of size 10, log-Euclidean and affine-invariant, the latter to a Riemannian gradient norm of 1e-9
(reached by all three, and checked). Times include the validation of the input. Prints a Markdown table.
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")
import karcher  # noqa: E402
from geomstats.geometry.spd_matrices import SPDAffineMetric, SPDLogEuclideanMetric, SPDMatrices  # noqa: E402
from geomstats.learning.frechet_mean import FrechetMean as GeomstatsMean  # noqa: E402
from pyriemann.geometry.mean import mean_logeuclid, mean_riemann  # noqa: E402

N, K, TOLERANCE, REPEATS = 10_000, 10, 1e-9, 7
BINARY = pathlib.Path(__file__).parent.parent / "target/release/examples/time_mean"


def least(function, repeats=REPEATS):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return min(times), value


def geomstats_mean(x, metric):
    space = SPDMatrices(K, equip=False)
    space.equip_with_metric(metric)
    mean = GeomstatsMean(space)
    if hasattr(mean, "optimizer"):
        # it stops when the squared gradient norm is below epsilon times the dimension
        mean.set(epsilon=TOLERANCE**2 / space.dim, max_iter=100)
    return mean.fit(x).estimate_


def rust(x, metric, folder):
    """Validation and mean from Rust, in seconds."""
    data = os.path.join(folder, "data.npy")
    np.save(data, x)
    command = [BINARY, data, f"spd-{metric}:{K}", str(TOLERANCE), str(REPEATS)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[2])


def main():
    g = np.random.default_rng(1010).standard_normal((N, K, 2 * K))
    x = g @ g.swapaxes(1, 2) / (2 * K)
    print("| metric | karcher, ms | from Rust, ms | overhead | pyRiemann, ms | ratio | geomstats, ms | ratio | gradient norms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for metric, pyriemann, geomstats in (
        ("log-euclidean", lambda: mean_logeuclid(x), SPDLogEuclideanMetric),
        ("affine-invariant", lambda: mean_riemann(x, tol=TOLERANCE, maxiter=100), SPDAffineMetric),
    ):
        space = karcher.SPD(K, metric=metric)
        estimator = karcher.FrechetMean(space, tolerance=TOLERANCE)
        with tempfile.TemporaryDirectory() as folder:
            first, alone = least(lambda: estimator.fit(x).estimate_), rust(x, metric, folder)
        ours, mean = min(first, least(lambda: estimator.fit(x).estimate_), key=lambda pair: pair[0])
        theirs, expected = least(pyriemann, 3)
        others, third = least(lambda: geomstats_mean(x, geomstats), 2)
        norms = [space.norm(m, space.log(m, x).mean(axis=0)) for m in (mean, expected, third)]
        print(
            f"| {metric} | {1e3 * ours:.1f} | {1e3 * alone:.1f} | {100 * (ours / alone - 1):.1f} % | {1e3 * theirs:.1f} "
            f"| {theirs / ours:.1f} | {1e3 * others:.0f} | {others / ours:.1f} | {', '.join(f'{norm:.0e}' for norm in norms)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
