"""Accuracy of PrivateNearestCentroid on made-up embeddings, against its budget and the number of records, compared with
nearest centroids without noise and with other private classifiers.

    python3 -m venv .venv && .venv/bin/pip install . 'scikit-learn<1.8' diffprivlib==0.6.6
    OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 .venv/bin/python benches/nearest_centroid.py

Embeddings are unit vectors: a direction common to all, one of the class, and noise, in coordinates whose variance falls
like 1/i. The means of two classes have a cosine of about 0.7. Prints Markdown tables; takes four minutes of one core,
and 5 GB. Without diffprivlib its two rows are left out.
"""

import sys
import time
import warnings

import numpy as np
from sklearn.neighbors import NearestCentroid

import karcher
from karcher.classification import PrivateNearestCentroid

warnings.simplefilter("ignore")

BUDGETS = (0.1, 0.3, 1.0, 3.0)
DELTA = 1e-6
TESTED = 5000


def embeddings(n, d, classes, seed=0):
    """Records in float32, with labels, and ``TESTED`` others."""
    generator = np.random.default_rng(seed)
    normal = lambda *shape: generator.standard_normal(shape, dtype=np.float32)
    scale = np.sqrt(1.0 / np.arange(1, d + 1), dtype=np.float32)
    scale /= np.linalg.norm(scale)
    common, own = scale * normal(d), 0.6 * scale * normal(classes, d)
    y = generator.integers(0, classes, n + TESTED)
    X = normal(n + TESTED, d)
    X *= scale
    X += common + own[y]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X[:n], y[:n], X[n:], y[n:]


def timed(function, *arguments):
    """The result, and the seconds of one core."""
    start = time.process_time()
    found = function(*arguments)
    return found, time.process_time() - start


def accuracy(data, **budget):
    """With the seconds of ``fit``, and the model."""
    X, y, new, expected = data
    model = PrivateNearestCentroid("sphere", **budget)
    _, seconds = timed(model.fit, X, y)
    return model.score(new, expected), seconds, model


def table_of_budgets():
    names = [f"ε = {epsilon:g}" for epsilon in BUDGETS]
    columns = ["numbers", "classes", "records", *names, "ε = 1, δ = 0", "no noise", "scikit-learn", "fit, predict"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for d in (384, 768, 1536):
        for classes in (10, 100):
            for n in (10_000, 100_000):
                data = embeddings(n, d, classes)
                X, y, new, expected = data
                found = [accuracy(data, epsilon=epsilon, delta=DELTA) for epsilon in BUDGETS]
                found += [accuracy(data, epsilon=1.0), accuracy(data, mu=1e6)]
                fit, model = min(seconds for _, seconds, _ in found), found[-1][2]
                _, predict = timed(model.predict, X)
                plain = NearestCentroid().fit(X, y).score(new, expected)
                row = " | ".join(f"{100 * score:.1f} %" for score in [*(score for score, *_ in found), plain])
                print(f"| {d} | {classes} | {n:,} | {row} | {fit:.2f} s, {predict:.2f} s |", flush=True)


def gaussian_step(data, scale):
    """Means of unit vectors with Gaussian noise in floating point: one step of DPPL-Mean (Wahdany et al. 2025)."""
    X, y, new, expected = data
    generator = np.random.default_rng(1)
    means = np.stack([X[y == c].mean(axis=0, dtype=np.float64) for c in np.unique(y)])
    sizes = np.bincount(y)[:, None]
    means += generator.standard_normal(means.shape) * 2.0 * scale / sizes
    return nearest(means, new, expected)


def public_prototypes(data, epsilon):
    """A public vector for each class, drawn by the exponential mechanism with the sum of (1 + cosine)/2 as utility:
    DPPL-Public without clipping. The public vectors are 20,000 embeddings of 1,000 other classes."""
    X, y, new, expected = data
    generator = np.random.default_rng(1)
    public = embeddings(20_000, X.shape[1], 1000, seed=1)[0]
    sums = np.stack([X[y == c].sum(axis=0, dtype=np.float64) for c in np.unique(y)])
    utility = 0.5 * epsilon * 0.5 * (sums @ public.T)  # a replaced record moves it by 1; the sizes are the same for all
    return nearest(public[(utility + generator.gumbel(size=utility.shape)).argmax(axis=1)], new, expected)


def nearest(means, new, expected):
    means = means / np.linalg.norm(means, axis=1, keepdims=True)
    return float(((new @ means.T).argmax(axis=1) == expected).mean())


def peers(data, d):
    """Names, functions of the data to an accuracy."""
    X, y, new, expected = data
    scale = karcher.calibrate("euclidean:1", 1.0, mechanism="gaussian", epsilon=1.0, delta=DELTA).scale
    yield "PrivateNearestCentroid, ε = 1, δ = 10⁻⁶", lambda: accuracy(data, epsilon=1.0, delta=DELTA)[0]
    yield "Gaussian noise on means of unit vectors, ε = 1, δ = 10⁻⁶", lambda: gaussian_step(data, scale)
    yield "PrivateNearestCentroid, ε = 1", lambda: accuracy(data, epsilon=1.0)[0]
    yield "public prototypes, ε = 1", lambda: public_prototypes(data, 1.0)
    try:
        from diffprivlib.models import GaussianNB, LogisticRegression
    except ImportError:
        print("DIFFPRIVLIB IS NOT INSTALLED: ITS ROWS ARE MISSING.", file=sys.stderr)
        return
    bound = 4.0 / np.sqrt(d)  # public, and as good as a bound for all coordinates can be
    bayes = GaussianNB(epsilon=1.0, bounds=(-bound, bound), random_state=1)
    yield "diffprivlib GaussianNB, ε = 1", lambda: bayes.fit(X, y).score(new, expected)
    logistic = LogisticRegression(epsilon=1.0, data_norm=1.0, fit_intercept=False, random_state=1)
    yield "diffprivlib LogisticRegression, ε = 1", lambda: logistic.fit(X, y).score(new, expected)


def table_of_peers(d=384, classes=10):
    sizes = (10_000, 100_000)
    rows = {}
    for n in sizes:
        for name, function in peers(embeddings(n, d, classes), d):
            score, seconds = timed(function)
            rows.setdefault(name, []).append(f"{100 * score:.1f} % | {seconds:.1f} s")
    print(f"\n| {d} numbers, {classes} classes | " + " | ".join(f"{n:,} records | time" for n in sizes) + " |")
    print("| --- |" + " --- |" * (2 * len(sizes)))
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    table_of_budgets()
    table_of_peers()
