"""Matrices and their logarithms to 60 digits: crates/karcher-geometry/src/linalg/logarithms.txt.

    .venv/bin/pip install mpmath numpy
    .venv/bin/python oracles/matrix_logarithms.py > crates/karcher-geometry/src/linalg/logarithms.txt

A line for each: its kind, the number of rows, the lower triangle of the matrix (exact doubles), that of its logarithm.
"""

import mpmath as mp
import numpy as np

mp.mp.dps = 60
RNG = np.random.default_rng(1)


def orthogonal(k):
    return np.linalg.qr(RNG.standard_normal((k, k)))[0]


def with_spectrum(values):
    q = orthogonal(len(values))
    a = (q * values) @ q.T
    return (a + a.T) / 2


def kinds(k):
    along = np.linspace(0.0, 1.0, k)
    yield "plain", with_spectrum(np.exp(3.0 * along - 1.0))
    yield "wide", with_spectrum(10.0 ** (-6.0 * along))
    yield "widest", with_spectrum(10.0 ** (-12.0 * along))
    scale = 10.0 ** (-6.0 * along)
    yield "graded", with_spectrum(np.exp(3.0 * along - 1.0)) * scale * scale[:, None]
    yield "shuffled", (with_spectrum(np.exp(2.0 * along)) * scale * scale[:, None])[::-1, ::-1]
    yield "clustered", with_spectrum(np.where(along < 0.5, 2.0, 5.0) + 1e-9 * along)
    yield "near", np.eye(k) + 1e-7 * with_spectrum(2.0 * along - 1.0)
    yield "nearer", np.eye(k) + 2.0**-40 * with_spectrum(along)
    yield "edge", with_spectrum(0.5 + 1.5 * along)
    yield "far", 1e200 * with_spectrum(1.0 + along)


def logarithm(a):
    values, vectors = mp.eigsy(mp.matrix(a.tolist()))
    return vectors * mp.diag([mp.log(x) for x in values]) * vectors.T


def line(kind, a, function):
    """A symmetric matrix, given by its lower triangle, and a function of it."""
    a = np.tril(a) + np.tril(a, -1).T
    image = function(a)
    lower = [(i, j) for i in range(len(a)) for j in range(i + 1)]
    return " ".join([kind, str(len(a)), *(repr(float(x[i, j])) for x in (a, image) for i, j in lower)])


if __name__ == "__main__":
    for k in (2, 4, 5, 6, 9, 13):
        for kind, a in kinds(k):
            print(line(kind, a, logarithm))
