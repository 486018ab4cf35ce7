"""The cost of private k-means over that of scikit-learn's without privacy, and diffprivlib's, on the same records.

    python3 -m venv .venv && .venv/bin/pip install . "scikit-learn<1.8" diffprivlib==0.6.6
    OMP_NUM_THREADS=1 .venv/bin/python benches/k_means.py

The records are made-up clusters in the unit ball, and handwritten digits (64 numbers, of scikit-learn). All get the
same public bounds: the ball, and for diffprivlib the box around it. The budgets of both are pure ε; karcher has a row
with δ = 10⁻⁶ as well.
"""

import time
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import karcher

RUNS = 8


def made_up(n, d, k, spread, rng):
    """Points around k centers, in the unit ball."""
    centers = rng.normal(size=(k, d))
    centers *= 0.8 * rng.uniform(size=(k, 1)) ** (1 / d) / np.linalg.norm(centers, axis=1, keepdims=True)
    return centers[rng.integers(k, size=n)] + spread * rng.normal(size=(n, d)) / np.sqrt(d)


def digits():
    X = (load_digits().data - 8.0) / (0.8 * 64.0)
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)


def cost(X, centers):
    return np.square(X[:, None] - centers).sum(axis=2).min(axis=1).mean()


def of_karcher(X, k, epsilon, delta=None):
    model = karcher.PrivateKMeans("euclidean", k, 1.0, np.zeros(X.shape[1]), epsilon=epsilon, delta=delta)
    return model.fit(X).cluster_centers_


def of_diffprivlib(X, k, epsilon):
    from diffprivlib.models import KMeans as PrivateKMeans

    bounds = (-np.ones(X.shape[1]), np.ones(X.shape[1]))
    return PrivateKMeans(k, epsilon=epsilon, bounds=bounds).fit(X).cluster_centers_


METHODS = {
    "karcher, δ = 10⁻⁶": lambda X, k, epsilon: of_karcher(X, k, epsilon, 1e-6),
    "karcher": of_karcher,
    "diffprivlib": of_diffprivlib,
}


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    cases = [(n, d, k, made_up(n, d, k, s, rng)) for n, d, k, s in
             [(2_000, 2, 5, 0.1), (20_000, 2, 15, 0.08), (20_000, 10, 10, 0.2), (100_000, 16, 26, 0.3)]]
    cases.append((1_797, 64, 10, digits()))
    print("| records | numbers | clusters | ε |", " | ".join(METHODS), "| one cluster | seconds |")
    for n, d, k, X in cases:
        best = KMeans(k, n_init=10, random_state=0).fit(X).inertia_ / n
        for epsilon in (0.5, 1.0, 4.0):
            row, began = [], time.perf_counter()
            for name, method in METHODS.items():
                row.append(f"{np.mean([cost(X, method(X, k, epsilon)) for _ in range(RUNS)]) / best:.2f}")
                if name == "karcher":
                    spent = (time.perf_counter() - began) / RUNS / 2
            one = cost(X, X.mean(axis=0, keepdims=True)) / best
            print(f"| {n:,} | {d} | {k} | {epsilon} |", " | ".join(row), f"| {one:.2f} | {spent:.2f} |", flush=True)


if __name__ == "__main__":
    main()
