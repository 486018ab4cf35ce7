"""Descents on losses of one's own, compared with the estimator of the same statistic.

    python3 -m venv .venv && .venv/bin/pip install .
    OMP_NUM_THREADS=1 .venv/bin/python benches/descent.py

Leading eigenvectors: 50,000 made-up vectors of 22 numbers, no longer than 1, of two spectra. The risk is that of Han,
Mishra, Jawanpuria and Gao (2024): the largest eigenvalue of the second moment less that along the released direction.
Means: of made-up positive definite matrices and points of the hyperbolic plane. Prints Markdown tables; takes two
minutes.
"""

import warnings

import numpy as np

import karcher

warnings.simplefilter("ignore")

RUNS = 5
DELTA = 1e-6


def vectors(n, d, gap, seed=0):
    """Rows of length 1 at most whose second moment has a gap between its first and second eigenvalue."""
    rng = np.random.default_rng(seed)
    scale = np.full(d, 1.0)
    scale[0] = gap
    X = rng.normal(size=(n, d)) * scale @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def rayleigh(point, X):
    """The gradient of −½·⟨x, θ⟩²."""
    along = (X * point).sum(axis=1, keepdims=True)
    return -along * (X - along * point)


def eigenvector(X, epsilon, seed, steps=40):
    """By descent, from a public random direction."""
    d = X.shape[1]
    start = np.random.default_rng(seed).normal(size=d)
    sphere = karcher.Sphere(d - 1)
    return karcher.PrivateDescent(
        sphere, rayleigh, f"euclidean:{d}", np.pi, start / np.linalg.norm(start), clip=0.5, steps=steps, step_size=8.0,
        epsilon=epsilon, delta=DELTA, random_state=seed,
    ).fit(X).estimate_  # fmt: skip


def component(X, epsilon, seed):
    """By private components about 0."""
    model = karcher.PrivateTangentPCA(
        "euclidean", radius=1.0, epsilon=epsilon, delta=DELTA, random_state=seed, n_components=1
    ).fit(X)
    return model.components_[0]


def risk(X, v):
    second = X.T @ X / len(X)
    return np.linalg.eigvalsh(second)[-1] - v @ second @ v / (v @ v)


print("| first deviation over the others | ε | descent | components | a random direction |")
print("| --- | --- | --- | --- | --- |")
for gap in (1.5, 3.0):
    X = vectors(50_000, 22, gap)
    for epsilon in (0.1, 0.3, 1.0):
        rows = [np.mean([risk(X, method(X, epsilon, s)) for s in range(RUNS)]) for method in (eigenvector, component)]
        guess = np.mean([risk(X, np.random.default_rng(s).normal(size=22)) for s in range(RUNS)])
        print(f"| {gap} | {epsilon} | {rows[0]:.1e} | {rows[1]:.1e} | {guess:.1e} |", flush=True)

print()
print("| space | records | ε | descent | mean | Huber descent, a tenth wild | mean, a tenth wild |")
print("| --- | --- | --- | --- | --- | --- | --- |")


def points(space, n, seed, wild):
    rng = np.random.default_rng(seed)
    origin = space.origin
    coordinates = 0.3 * rng.normal(size=(n, space.dim))
    if wild:
        coordinates[: n // 10, 0] += 2.5
    is_spd = space.name.startswith("spd")
    return _matrices(space, coordinates) if is_spd else space._core.from_coordinates(origin, coordinates)


def _matrices(space, c):
    logs = np.zeros((len(c), 2, 2))
    logs[:, 0, 0], logs[:, 1, 1] = c[:, 0], c[:, 1]
    logs[:, 0, 1] = logs[:, 1, 0] = c[:, 2] / np.sqrt(2)
    return space.exp(space.origin, logs)


def by_descent(space, X, epsilon, seed, huber=None):
    def gradient(point, X):
        logs = space.log(point, X)
        if huber is None:
            return -logs
        length = space.norm(point, logs).reshape(-1, *[1] * (logs.ndim - 1))
        return -logs * np.minimum(1.0, huber / np.maximum(length, 1e-12))

    clip = 2.0 if huber is None else huber
    return karcher.PrivateDescent(
        space, gradient, space, 3.0, space.origin, clip=clip, steps=8, step_size=0.7 if huber is None else 1.0,
        epsilon=epsilon, delta=DELTA, random_state=seed,
    ).fit(X).estimate_  # fmt: skip


def by_mean(space, X, epsilon, seed):
    at = {"epsilon": epsilon, "delta": DELTA, "random_state": seed}
    return karcher.PrivateFrechetMean(space, 2.0, space.origin, **at).fit(X).release_.value


for space in (karcher.SPD(2, "affine-invariant"), karcher.Hyperbolic(2)):
    for n, epsilon in ((300, 1.0), (3_000, 0.3), (30_000, 0.1)):
        cells = []
        for wild in (False, True):
            X = points(space, n, 1, wild)
            truth = karcher.FrechetMean(space).fit(points(space, n, 1, False)).estimate_
            descent = lambda seed: by_descent(space, X, epsilon, seed, 0.5 if wild else None)
            for method in (descent, lambda seed: by_mean(space, X, epsilon, seed)):
                cells.append(f"{np.mean([space.dist(truth, method(seed)) for seed in range(RUNS)]):.3f}")
        print(f"| {space.name} | {n:,} | {epsilon} | {' | '.join(cells)} |", flush=True)
