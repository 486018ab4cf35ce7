"""Symmetric matrices and their exponentials less 1, to 60 digits: crates/karcher-geometry/src/linalg/exponentials.txt.

    .venv/bin/pip install mpmath numpy
    .venv/bin/python oracles/matrix_exponentials.py > crates/karcher-geometry/src/linalg/exponentials.txt

Lines as those of matrix_logarithms.py.
"""

import mpmath as mp
import numpy as np
from matrix_logarithms import line, with_spectrum


def kinds(k):
    along = np.linspace(-1.0, 1.0, k)
    for size in (1e-12, 1e-5, 0.09, 0.45, 0.55, 1.6, 4.2, 8.0, 12.8):
        yield f"radius-{size}", with_spectrum(size * along)
    yield "clustered", with_spectrum(np.where(along < 0.0, -5.0, 6.0) + 1e-9 * along)
    yield "near-cluster", with_spectrum(np.where(along < 0.0, -5e-4, 6e-4) + 1e-12 * along)
    yield "outlier-above", with_spectrum(np.where(along < 1.0, 1e-3 * along, 12.8))
    yield "outlier-below", with_spectrum(np.where(along > -1.0, 1e-3 * along, -12.8))
    yield "one-above", with_spectrum(np.where(along < 1.0, -12.8, 12.8) + 0.01 * along)
    yield "one-below", with_spectrum(np.where(along > -1.0, 12.8, -12.8) - 0.01 * along)
    yield "near-one-above", with_spectrum(np.where(along < 1.0, -0.4, 0.4) + 1e-4 * along)
    yield "all-positive", with_spectrum(9.0 + 2.0 * along)
    yield "all-negative", with_spectrum(2.0 * along - 9.0)


def exponential_less_one(a):
    values, vectors = mp.eigsy(mp.matrix(a.tolist()))
    return vectors * mp.diag([mp.expm1(x) for x in values]) * vectors.T


if __name__ == "__main__":
    for k in (5, 6, 9, 14):
        for kind, a in kinds(k):
            print(line(kind, a, exponential_less_one))
