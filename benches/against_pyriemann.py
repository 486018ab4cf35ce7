"""Non-private means of SPD matrices: karcher against pyRiemann, one thread each, same data, same run.

    python3 -m venv .venv && .venv/bin/pip install pyriemann==0.12
    cargo build --release -p karcher-io --example time_mean
    .venv/bin/python benches/against_pyriemann.py

Prints a Markdown table. Log-Euclidean means, and affine-invariant means to a Riemannian gradient norm of 1e-9; the two
libraries' means are compared as well.
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
from pyriemann.utils.mean import mean_logeuclid, mean_riemann  # noqa: E402

N = 10_000
BINARY = pathlib.Path(__file__).parent.parent / "target/release/examples/time_mean"


def least(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = function()
        times.append(time.perf_counter() - start)
    return min(times), value


def main():
    print("| metric | k | pyRiemann, ms | karcher, ms | ratio | gradient norm | difference |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        data, mean = os.path.join(folder, "data.npy"), os.path.join(folder, "mean.npy")
        for k in (3, 10, 22, 30):
            g = np.random.default_rng(1000 + k).standard_normal((N, k, 2 * k))
            matrices = g @ g.swapaxes(1, 2) / (2 * k)
            np.save(data, matrices)
            for metric, peer in (
                ("log-euclidean", lambda: mean_logeuclid(matrices)),
                ("affine-invariant", lambda: mean_riemann(matrices, tol=1e-9)),
            ):
                repeats = 5 if k <= 10 else 3
                theirs, expected = least(peer, repeats)
                output = subprocess.run(
                    [BINARY, data, f"spd-{metric}:{k}", "1e-9", str(repeats), mean],
                    check=True, capture_output=True, text=True,
                ).stdout.split()
                ours, gradient = float(output[0]), float(output[1])
                value = np.load(mean).reshape(k, k)
                difference = np.abs(value - expected).max() / np.abs(expected).max()
                norm = f"{gradient:.0e}" if metric == "affine-invariant" else "closed form"
                print(
                    f"| {metric} | {k} | {1e3 * theirs:.1f} | {1e3 * ours:.1f} | {theirs / ours:.1f} "
                    f"| {norm} | {difference:.0e} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
