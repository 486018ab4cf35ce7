"""Accuracy of classifiers of covariance matrices against the budget and the number of records: the tangent-space
pipeline, class means, and both without privacy.

    python3 -m venv .venv && .venv/bin/pip install . scikit-learn
    OMP_NUM_THREADS=1 .venv/bin/python benches/tangent_classifiers.py

Made-up covariances of K channels around one matrix. Classes differ in the variance of two channels; the variance of all
channels together varies in every class. Prints a Markdown table; takes two minutes.
"""

import time
import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

import karcher
from karcher.classification import PrivateMDM, PrivateTangentClassifier

warnings.simplefilter("ignore")

RUNS = 5
DELTA = 1e-6


def epochs(n, k, classes, seed):
    """Matrices with labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    noise = rng.normal(size=(n, k, k)) * 0.6 / k
    logs = (noise + noise.transpose(0, 2, 1)) / 2
    for c in range(classes):
        logs[y == c, c % k, c % k] += 0.25
        logs[y == c, (c + 1) % k, (c + 1) % k] -= 0.25
    nuisance = 0.35 * rng.normal(size=n)
    logs += nuisance[:, None, None] * np.eye(k)
    return karcher.SPD(k).exp(np.eye(k), logs), y


def private(method, k, classes, epsilon, seed):
    at = {"radius": 2.0, "center": np.eye(k), "epsilon": epsilon, "delta": DELTA, "random_state": seed}
    if method == "class means":
        return PrivateMDM(**at)
    clip = 1.2 if k < 8 else 1.5
    return PrivateTangentClassifier("spd-affine-invariant", range(classes), method=method, clip=clip, **at)


def without(method, X, y, new, labels):
    """Accuracy without privacy."""
    space = karcher.TangentSpace("spd-affine-invariant", reference=np.eye(X.shape[1])).fit(X)
    if method == "class means":
        means = [karcher.FrechetMean(space.manifold_).fit(X[y == c]).estimate_ for c in np.unique(y)]
        found = space.manifold_.dist(new[:, None], np.stack(means)).argmin(axis=1)
        return (found == labels).mean()
    model = LinearDiscriminantAnalysis() if method == "lda" else LogisticRegression(max_iter=2000)
    return model.fit(space.transform(X), y).score(space.transform(new), labels)


print("| channels | classes | records | method | ε = 0.5 | ε = 1 | ε = 3 | no noise | fit |")
print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
for k, classes, n in [(4, 2, 500), (4, 2, 2_000), (4, 3, 10_000), (8, 4, 2_000), (8, 4, 20_000), (16, 2, 20_000)]:
    X, y = epochs(n, k, classes, 0)
    new, labels = epochs(4_000, k, classes, 1)
    for method in ("lda", "logistic", "class means"):
        cells, seconds = [], 0.0
        for epsilon in (0.5, 1.0, 3.0):
            scores = []
            for seed in range(RUNS):
                start = time.perf_counter()
                model = private(method, k, classes, epsilon, seed).fit(X, y)
                seconds = time.perf_counter() - start
                scores.append(model.score(new, labels))
            cells.append(f"{np.mean(scores):.1%}")
        best = without(method, X, y, new, labels)
        row = [str(k), str(classes), f"{n:,}", method, *cells, f"{best:.1%}", f"{seconds:.2f} s"]
        print(f"| {' | '.join(row)} |", flush=True)
