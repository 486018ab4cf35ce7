"""Regression in one tangent space against geodesic regression, for a table of docs/evidence/benchmarks.md.

    .venv/bin/pip install . geomstats==2.8.0 autograd
    GEOMSTATS_BACKEND=autograd .venv/bin/python benches/tangent_space_against_geodesics.py

Geodesics are made up. Their length over the range is r, and in its middle they cross the way to the center of the ball
at right angles. Residuals have the root mean square r/4. Records outside of the ball are brought to its edge before, so
that what differs is curvature alone.
"""

from math import sqrt

import karcher
import numpy as np
from geomstats.geometry.hypersphere import Hypersphere
from geomstats.geometry.spd_matrices import SPDMatrices
from geomstats.learning.geodesic_regression import GeodesicRegression
from karcher.features import Linear

GEODESICS, N, OFFSETS = 10, 300, (0, 0.5, 0.85)


def normal(space, bases, seed):
    """Tangent vectors at points, normal in orthonormal coordinates."""
    away = space.random_point(len(bases), scale=0.01, random_state=seed)
    return space.transport(space.origin, bases, space.log(space.origin, away)) / 0.01


def scaled(space, base, v, length):
    return length * v / space.norm(base, v)


def fits(space, peer, r, offset, seed):
    """Points of the tangent space with next to no noise, of geomstats and of karcher's geodesic."""
    center, one = space.origin, [1] * space.origin.ndim
    v = scaled(space, center, normal(space, center[np.newaxis], 3 * seed)[0], offset * r + 1e-3)
    middle = space.exp(center, v)
    back, across = space.log(middle, center), normal(space, middle[np.newaxis], 3 * seed + 1)[0]
    across = across - back * space.inner(middle, back, across) / space.inner(middle, back, back)
    velocity = scaled(space, middle, across, r)
    x, at = np.random.default_rng(seed).uniform(0, 1, N), np.linspace(0, 1, 50)
    on = space.exp(middle, (x - 0.5).reshape(-1, *one) * velocity)
    y = space.exp(on, r / 4 / sqrt(space.dim) * normal(space, on, 3 * seed + 2))
    y = space.exp(center, np.minimum(1, r / space.dist(center, y)).reshape(-1, *one) * space.log(center, y))
    tangent = karcher.PrivateFeatureRegression(
        space, features=[Linear("x", 0, 1)], center=center, radius=1.001 * r, mu=1e6, random_state=seed
    )
    # its derivatives need a start with a velocity and distinct eigenvalues, and its steps a mean instead of a sum
    other = GeodesicRegression(peer, method="riemannian", initialization=np.stack([middle, velocity / 2]))
    other.optimizer.init_step_size, other.optimizer.tol, other.optimizer.max_iter = 0.5 / N, 1e-12, 1000
    own = karcher.GeodesicRegression(space)
    return tangent.fit({"x": x}, y).predict({"x": at}), other.fit(x, y).predict(at), own.fit(x, y).predict(at)


print("Root mean square distance of the two fits over r; in brackets the largest of all geodesics.\n")
print("| space | r |", " | ".join(f"middle {o}·r off" for o in OFFSETS), "| two geodesics |\n" + "| --- " * 6 + "|")
for name, peer in (("sphere:2", Hypersphere(2)), ("spd-affine-invariant:3", SPDMatrices(3))):
    space = karcher.manifold(name)
    for r in (0.3, 0.8):
        cells, two = [], 0.0
        for offset in OFFSETS:
            squares = []
            for seed in range(GEODESICS):
                tangent, geodesic, own = fits(space, peer, r, offset, seed)
                squares.append(np.mean(space.dist(tangent, geodesic) ** 2))
                two = max(two, space.dist(geodesic, own).max())
            cells.append(f"{np.sqrt(np.mean(squares)) / r:.4f} ({np.sqrt(np.max(squares)) / r:.4f})")
        print(f"| `{name}` | {r} |", " | ".join(cells), f"| {two / r:.0e} |", flush=True)
