"""Accuracy of PrivateMDM against its budget, compared with MDM without privacy, on handwritten digits and on EEG
covariances if available.

    python3 -m venv .venv && .venv/bin/pip install . pyriemann==0.12
    .venv/bin/python benches/private_mdm.py [ERP.csv]

Digits: the 1,797 images of scikit-learn, each reduced to the 9 × 9 covariance matrix of nine features of its pixels
(Utpala, Vepakomma and Miolane 2023). ERP.csv: 216 matrices of 32 × 32, upper triangle column by column after the label
(the data set ERP of the R package Riemann). Log-Euclidean metric, four-fold cross-validation, five draws of the noise
each; prints Markdown tables.
"""

import sys
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

import karcher
from karcher.classification import PrivateMDM

warnings.simplefilter("ignore")
from pyriemann.classification import MDM  # noqa: E402

BUDGETS = (0.25, 0.5, 1.0, 2.0, 4.0)


def descriptors(images, eta):
    """Covariances of (x, y, I, |I_x|, |I_y|, |I_xx|, |I_yy|, |grad I|, arctan(|I_x|/|I_y|)) over the pixels, plus eta
    times the identity."""
    n, height, width = images.shape
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1)), mode="symmetric")
    left, right = padded[:, 1:-1, :-2], padded[:, 1:-1, 2:]
    above, below = padded[:, :-2, 1:-1], padded[:, 2:, 1:-1]
    ix, iy = np.abs(right - left) / 2, np.abs(below - above) / 2
    ixx, iyy = np.abs(right - 2 * images + left), np.abs(below - 2 * images + above)
    x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    place = [np.broadcast_to(a, images.shape) for a in (x, y)]
    features = np.stack([*place, images, ix, iy, ixx, iyy, np.hypot(ix, iy), np.arctan2(ix, iy)], axis=1)
    features = features.reshape(n, 9, -1)
    features = features - features.mean(axis=2, keepdims=True)
    return features @ features.swapaxes(1, 2) / features.shape[2] + eta * np.eye(9)


def erp(path):
    """Matrices and labels."""
    rows = np.genfromtxt(path, delimiter=",", skip_header=1, dtype=str)
    k = 32
    place = [(i, j) for j in range(k) for i in range(j + 1)]
    matrices = np.empty((len(rows), k, k))
    for column, (i, j) in enumerate(place):
        matrices[:, i, j] = matrices[:, j, i] = rows[:, column + 1].astype(float)
    return matrices, rows[:, 0]


def accuracies(X, y, radius, center, labels):
    own = {}
    if labels == "private":
        classes = np.unique(y)
        own = {"labels": "private", "classes": list(classes), "n_guess": 3 * len(y) // (4 * len(classes))}
    folds = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    plain = np.mean([MDM(metric="logeuclid").fit(X[a], y[a]).score(X[b], y[b]) for a, b in folds])
    private = []
    for mu in BUDGETS:
        scores = [
            PrivateMDM(radius, center, mu=mu, mechanism="gaussian", random_state=seed, **own)
            .fit(X[a], y[a])
            .score(X[b], y[b])
            for seed in range(5)
            for a, b in folds
        ]
        private.append(np.mean(scores))
    return private, plain


def line(name, X, y, radius, center=None, labels="public"):
    space = karcher.SPD(X.shape[1])
    center = np.eye(X.shape[1]) if center is None else center
    inside = (space.dist(center, X) <= radius).mean()
    private, plain = accuracies(X, y, radius, center, labels)
    numbers = " | ".join(f"{a:.3f}" for a in private)
    size = f"{len(X)} × {X.shape[1]}²"
    name = f"{name}, private labels" if labels == "private" else name
    print(f"| {name} | {size} | {radius:g} | {100 * inside:.0f} % | {numbers} | {plain:.3f} |", flush=True)


def main():
    budgets = " | ".join(f"μ = {mu:g}" for mu in BUDGETS)
    print(f"| data | matrices | radius | in the ball | {budgets} | without privacy |")
    print("| --- |" + " --- |" * (4 + len(BUDGETS)))
    digits = load_digits()
    images = digits.images / 16
    eta = 1e-3
    X = descriptors(images, eta)
    # the center is public: the descriptor of noise, that is of random images, and a radius that no image's contrast
    # exceeds
    noise = descriptors(np.random.default_rng(0).uniform(size=(1000, 8, 8)), eta)
    center = karcher.FrechetMean("spd-log-euclidean").fit(noise).estimate_
    for radius in (6.0, 4.0):
        for labels in ("public", "private"):
            line("digits", X, digits.target, radius, center, labels)
    if len(sys.argv) > 1:
        X, y = erp(sys.argv[1])
        X *= 8.5e26  # public: microvolts to a power that makes entries about 1
        first = np.arange(0, 32, 4)  # public: the first component of each of the eight groups of four
        for labels in ("public", "private"):
            line("ERP", X, y, 9.0, labels=labels)
            line("ERP, 8 components", X[:, first][:, :, first], y, 4.5, labels=labels)
    else:
        print("NO FILE GIVEN: THE COMPARISON ON EEG COVARIANCES DID NOT RUN.", file=sys.stderr)


if __name__ == "__main__":
    main()
