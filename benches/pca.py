"""Principal components with privacy: `PrivatePCA` against what people do today.

    .venv/bin/python benches/pca.py

Prints the rows of the table in docs/proofs/covariance.md. diffprivlib is one of the rows if it is installed
(`pip install diffprivlib 'scikit-learn<1.7'`). It draws directions by rejection, which takes minutes in 20 dimensions,
so it is only tried in 5. It releases no covariance matrix.
"""

import math
import warnings

import karcher
import numpy as np
from karcher import PrivatePCA, PrivateTangentPCA

KEPT = 3
RELEASES = 20
DELTA = 1e-6


def records(rng, n, d):
    deviations = 0.3 * 0.75 ** np.arange(d)
    x = rng.normal(size=(n, d)) * deviations
    x[:, -1] += 0.1
    return x * np.minimum(1.0, 1.0 / np.linalg.norm(x, axis=1))[:, np.newaxis]


def errors(x, mean, covariance):
    own = np.cov(x.T, bias=True).reshape(len(mean), len(mean))
    best = np.linalg.eigvalsh(own)[-KEPT:].sum()
    found = np.linalg.eigh((covariance + covariance.T) / 2)[1][:, -KEPT:]
    lost = best - np.trace(found.T @ own @ found)
    return np.linalg.norm(mean - x.mean(axis=0)), np.linalg.norm(covariance - own), 100 * lost / np.trace(own)


def joint(x, rng, **budget):
    release = PrivatePCA(radius=1.0, **budget).fit(x).release_
    return release.mean, release.covariance


def two_releases(x, rng, **budget):
    release = PrivateTangentPCA("euclidean", radius=1.0, denoise="none", **budget).fit(x).release_
    found = release.components
    return release.value, (found.directions.T * np.array(found.variances)) @ found.directions


def symmetric_noise(rng, d, sigma):
    noise = np.triu(rng.normal(size=(d, d)) * sigma)
    return noise + np.triu(noise, 1).T


def one_noise_an_entry(x, rng, epsilon, delta):
    """Dwork et al. 2014, with the classical normal noise, and half of ε and δ for the mean."""
    n, d = x.shape
    unit = math.sqrt(2 * math.log(1.25 / (delta / 2))) / (epsilon / 2)
    mean = x.mean(axis=0) + rng.normal(size=d) * 2 / n * unit
    return mean, x.T @ x / n + symmetric_noise(rng, d, math.sqrt(2) / n * unit) - np.outer(mean, mean)


def wishart(x, rng, epsilon):
    """Jiang et al. 2016, with half of ε for the mean."""
    n, d = x.shape
    g = rng.normal(size=(d, d + 1)) * math.sqrt(3 / (2 * n * epsilon / 2))
    length = rng.gamma(d, 2 / n / (epsilon / 2))
    direction = rng.normal(size=d)
    mean = x.mean(axis=0) + length * direction / np.linalg.norm(direction)
    return mean, x.T @ x / n + g @ g.T - np.outer(mean, mean)


def of_diffprivlib(x, rng, epsilon):
    from diffprivlib.models import PCA

    ends = (-np.ones(x.shape[1]), np.ones(x.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed = int(rng.integers(1 << 31))
        pca = PCA(KEPT, epsilon=epsilon, bounds=ends, data_norm=1.0, random_state=seed).fit(x.copy())
    return pca.mean_, (pca.components_.T * pca.explained_variance_) @ pca.components_


def rows():
    gaussian, pure = {"mu": 1.0}, {"epsilon": 1.0}
    both = {"epsilon": 1.0, "delta": DELTA}
    yield "μ = 1", [("`PrivatePCA`", joint, gaussian), ("two releases", two_releases, gaussian)]
    entries = ("one noise an entry", one_noise_an_entry, both)
    yield "ε = 1, δ = 10⁻⁶", [("`PrivatePCA`", joint, both), ("two releases", two_releases, both), entries]
    others = [("Wishart", wishart, pure)]
    try:
        import diffprivlib  # noqa: F401

        others.append(("diffprivlib", of_diffprivlib, pure))
    except ImportError:
        pass
    yield "ε = 1", [("`PrivatePCA`", joint, pure), ("two releases", two_releases, pure), *others]


def main():
    warnings.simplefilter("ignore", karcher.errors.MostlyNoiseWarning)
    sizes = [(5, 2_000), (20, 20_000), (50, 50_000)]
    print("| budget | by | " + " | ".join(f"d = {d}, n = {n}" for d, n in sizes) + " |")
    print("| --- | --- | " + " | ".join("---" for _ in sizes) + " |")
    for budget, ways in rows():
        for name, way, given in ways:
            cells = []
            for d, n in sizes:
                if way is of_diffprivlib and d > 5:
                    cells.append("–")
                    continue
                rng = np.random.default_rng(d)
                x = records(rng, n, d)
                mean = np.mean([errors(x, *way(x, rng, **given)) for _ in range(RELEASES)], axis=0)
                matrix = "–" if way is of_diffprivlib else f"{mean[1]:.4f}"
                cells.append(f"{mean[0]:.4f}, {matrix}, {mean[2]:.2g} %")
            print(f"| {budget} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
