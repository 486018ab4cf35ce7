"""All operations on many points that karcher shares with pyRiemann, geomstats and SciPy, in one Markdown table.

With ``--csv FILE`` they also replace their rows in FILE, which is ``docs/evidence/benchmarks.csv``.

    python3 -m venv .venv && .venv/bin/pip install . -C build-args="--profile dist" \\
        "numpy<2.4" scipy geomstats==2.8.0 pyriemann==0.12
    .venv/bin/python benches/operations.py [--csv FILE] [WORDS…]

Runs the rows whose names contain one of the words, all by default. Each row is one call from Python in one thread,
input checks included:

* *karcher*, *peer*: processor time of a call, the least of several rounds in which both take turns, so that both meet
  the same neighbours;
* *ratio*: peer over karcher;
* *unchecked*: the same with ``check=False``, where karcher checks its input no more than the peers do;
* *difference*: the largest difference of the results, relative to the largest number of the peer's. Peers lose digits
  where points are near (an arc cosine near 1), so 1e-8 may be theirs; of private class means it is the noise;
* *limit*: the time that the machine needs at least, as a share of karcher's: the longer of the data, read and written
  once, over the measured bandwidth, and the floating-point operations over the peak of a matrix product. Operations are
  (16/3)k³ for a function of a matrix, (10/3)k³ for an affine-invariant distance and 12k³ for its logarithm. Vectors
  take as many as the formula has;
* *two threads*: the time that passes with one thread over that with two, from processes of their own that take turns.
"""

import argparse
import csv
import itertools
import json
import os
import subprocess
import sys

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import time  # noqa: E402
import warnings  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, Callable, Optional  # noqa: E402

import numpy as np  # noqa: E402

warnings.simplefilter("ignore")
import karcher  # noqa: E402

#: Seconds that the rounds of a row take, about, how many there are at least, and seconds after which one suffices.
SECONDS, ROUNDS, LONG = 2.0, 3, 20.0
COLUMNS = "peer", "karcher, ms", "peer, ms", "ratio", "unchecked", "difference", "limit", "two threads"
#: Seconds that calls are repeated for, which are timed together.
TOGETHER = 0.1


@dataclass
class Row:
    """A shared operation: the calls of karcher and of the peer, and their arguments."""

    name: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    #: numbers that are read and written, and operations on them
    numbers: float
    operations: float
    #: what is called without checks, where that is offered
    unchecked: Optional[Callable[[], Any]] = None
    #: what is compared, where results are not the same numbers
    of_ours: Callable[[Any], Any] = lambda x: x
    of_theirs: Callable[[Any], Any] = lambda x: x


def operation(name, peer, ours, theirs, numbers, operations, **compared):
    """A row whose operation, ``ours(check)``, is called with and without checks."""
    return Row(name, peer, lambda: ours(True), theirs, numbers, operations, lambda: ours(False), **compared)


def vectors(space, theirs, name, n, operations):
    """Exponential, logarithm, distance, … of geomstats, on vectors."""
    p, q = (space.random_point(n, scale=0.6, random_state=seed) for seed in (1, 2))
    v, metric = space.log(p, q), theirs.metric
    u = space.transport(q, p, -space.log(q, p))
    one, width, d = p[0], p.shape[1], n * operations

    def row(what, ours, theirs, numbers, operations):
        return operation(f"{name}, n = {n:,}: {what}", "geomstats", ours, theirs, n * numbers, operations)

    yield row("dist", lambda c: space.dist(p, q, check=c), lambda: metric.dist(p, q), 2 * width + 1, d)
    yield row("dist to one", lambda c: space.dist(one, q, check=c), lambda: metric.dist(one, q), width + 1, d)
    yield row("log", lambda c: space.log(p, q, check=c), lambda: metric.log(q, p), 3 * width, d)
    yield row("log at one", lambda c: space.log(one, q, check=c), lambda: metric.log(q, one), 2 * width, d)
    yield row("exp", lambda c: space.exp(p, v, check=c), lambda: metric.exp(v, p), 3 * width, d)
    yield row(
        "transport",
        lambda c: space.transport(p, q, v, check=c),
        lambda: metric.parallel_transport(v, p, end_point=q),
        4 * width,
        n * 8 * width,
    )
    yield row(
        "inner",
        lambda c: space.inner(p, u, v, check=c),
        lambda: metric.inner_product(u, v, p),
        3 * width + 1,
        n * 2 * width,
    )
    yield row("norm", lambda c: space.norm(p, v, check=c), lambda: metric.norm(v, p), 2 * width + 1, n * 2 * width)


def spheres():
    from geomstats.geometry.hypersphere import Hypersphere

    for d, n in ((2, 1_000_000), (10, 100_000)):
        # sums of p products, an arc tangent of 35 operations
        yield from vectors(karcher.Sphere(d), Hypersphere(d), f"sphere:{d}", n, 8 * (d + 1) + 40)


def hyperbolic_spaces():
    from geomstats.geometry.hyperboloid import Hyperboloid

    for d, n in ((2, 1_000_000), (10, 100_000)):
        yield from vectors(karcher.Hyperbolic(d), Hyperboloid(d), f"hyperbolic:{d}", n, 8 * (d + 1) + 60)


def shapes():
    from geomstats.geometry.pre_shape import PreShapeSpace

    for k, n in ((10, 5_000), (50, 2_000)):
        space, theirs = karcher.Kendall(k), PreShapeSpace(k, 2)
        theirs.equip_with_group_action("rotations")
        theirs.equip_with_quotient()
        metric = theirs.quotient.metric
        p, q = (space.random_point(n, scale=0.1, random_state=seed) for seed in (1, 2))
        v, name, width = space.log(p, q), f"kendall:{k}, n = {n:,}: ", 2 * k
        yield operation(
            name + "dist",
            "geomstats",
            lambda c: space.dist(p, q, check=c),
            lambda: metric.dist(p, q),
            n * 2 * width,
            n * 10 * width,
        )
        yield operation(
            name + "log",
            "geomstats",
            lambda c: space.log(p, q, check=c),
            lambda: metric.log(q, p),
            n * 3 * width,
            n * 14 * width,
        )
        yield operation(
            name + "exp",
            "geomstats",
            lambda c: space.exp(p, v, check=c),
            lambda: metric.exp(v, p),
            n * 3 * width,
            n * 8 * width,
        )


def rotations():
    from scipy.spatial.transform import Rotation

    n = 1_000_000
    space = karcher.Rotations(3)
    q, r = (space.random_point(n, scale=0.5, random_state=seed) for seed in (1, 2))
    v, last = space.log(q, r), [1, 2, 3, 0]
    a, b = (Rotation.from_quat(x[:, last]) for x in (q, r))
    turn = (a.inv() * b).as_rotvec()
    name = f"rotations:3, n = {n:,}: "
    yield operation(
        name + "dist", "SciPy", lambda c: space.dist(q, r, check=c), lambda: (a.inv() * b).magnitude(), n * 9, n * 70
    )
    # SciPy's rotation vector is that of the body's axes, half of it turned to q is the quaternions' vector
    yield operation(
        name + "log",
        "SciPy",
        lambda c: space.log(q, r, check=c),
        lambda: (a.inv() * b).as_rotvec(),
        n * 12,
        n * 80,
        of_ours=lambda v: space.norm(q, v),
        of_theirs=lambda w: np.linalg.norm(w, axis=1),
    )
    yield operation(
        name + "exp",
        "SciPy",
        lambda c: space.exp(q, v, check=c),
        lambda: (a * Rotation.from_rotvec(turn)).as_quat(),
        n * 12,
        n * 80,
        of_ours=lambda x: np.abs(x[:, last]),
        of_theirs=np.abs,
    )


def subspaces():
    from geomstats.geometry.grassmannian import Grassmannian

    n, k, rows = 5, 2, 200
    space, theirs = karcher.Grassmannian(n, k), Grassmannian(n, k)
    rng = np.random.default_rng(1)
    p, q = (np.linalg.qr(np.eye(n, k) + 0.3 * rng.standard_normal((rows, n, k)))[0] for _ in range(2))
    a, b = (x @ x.swapaxes(1, 2) for x in (p, q))
    name = f"grassmann:{n},{k}, n = {rows:,}: "
    # lengths of geomstats, those of projectors, are longer by √2
    yield operation(
        name + "dist",
        "geomstats",
        lambda c: space.dist(p, q, check=c),
        lambda: theirs.metric.dist(a, b),
        rows * 2 * n * k,
        rows * 4 * n * k * k,
        of_theirs=lambda d: d / np.sqrt(2),
    )
    yield operation(
        name + "log",
        "geomstats",
        lambda c: space.log(p, q, check=c),
        lambda: theirs.metric.log(b, a),
        rows * 3 * n * k,
        rows * 12 * n * k * k,
        of_ours=lambda v: np.linalg.norm(v, axis=(1, 2)),
        of_theirs=lambda w: np.linalg.norm(w, axis=(1, 2)) / np.sqrt(2),
    )


def distance_matrices():
    from geomstats.geometry.hypersphere import Hypersphere
    from scipy.spatial.distance import cdist

    n, rng = 2_000, np.random.default_rng(3)
    for d in (3, 10):
        x, y = rng.standard_normal((2, n, d))
        flat = karcher.Euclidean(d)
        yield operation(
            f"euclidean:{d}, {n:,} × {n:,}: dist",
            "SciPy",
            lambda c: flat.dist(x[:, None], y, check=c),
            lambda: cdist(x, y),
            n * n,
            n * n * 3 * d,
        )
    n = 500
    sphere, theirs = karcher.Sphere(2), Hypersphere(2)
    x, y = (sphere.random_point(n, scale=0.6, random_state=seed) for seed in (1, 2))
    yield operation(
        f"sphere:2, {n} × {n}: dist",
        "geomstats",
        lambda c: sphere.dist(x[:, None], y, check=c),
        lambda: theirs.metric.dist(np.repeat(x, n, axis=0), np.tile(y, (n, 1))).reshape(n, n),
        n * n,
        n * n * 60,
    )


def wishart(n, k, seed, complex=False):
    generator = np.random.default_rng(seed)
    g = generator.standard_normal((n, k, 2 * k))
    if complex:
        g = g + 1j * generator.standard_normal(g.shape)
    return g @ g.conj().swapaxes(1, 2) / (2 * k)


def table(space, n, peer, rows):
    """Rows of one space: what is called, karcher's call, the peer's, numbers and operations of one element."""
    for what, ours, theirs, numbers, operations, *compared in rows:
        name = f"{space.name}, n = {n:,}: {what}"
        yield operation(name, peer, ours, theirs, n * numbers, n * operations, **dict(*compared))


def other_metrics():
    """What pyRiemann has of metrics of real and complex matrices, all of them at one."""
    from pyriemann.geometry import distance, mean, tangentspace

    n = 2_000
    # operations of a distance, a logarithm and a transport, over k³
    real = (
        (karcher.SPD, "log-euclidean", "logeuclid", 16 / 3, 13, 16),
        (karcher.SPD, "log-cholesky", "logchol", 1 / 3, 2, 3),
    )
    hermitian = (
        (karcher.HPD, "log-euclidean", "logeuclid", 64 / 3, 52, 64),
        (karcher.HPD, "affine-invariant", "riemann", 40 / 3, 48, 16),
    )
    for (of, metric, suffix, *costs), k in itertools.product(real + hermitian, (3, 8, 22)):
        space, is_complex = of(k, metric=metric), of is karcher.HPD
        x, y = (wishart(n, k, seed, is_complex) for seed in (1, 2))
        one, other, m = y[0], y[1], k * k * (1 + is_complex)
        v = space.log(one, x)
        dist, average = getattr(distance, f"distance_{suffix}"), getattr(mean, f"mean_{suffix}")
        estimator = karcher.FrechetMean(space, tolerance=1e-9)
        d, function, carry = (cost * k**3 for cost in costs)
        rows = (
            ("dist", lambda c: space.dist(one, x, check=c), lambda: dist(x, one), m, d),
            ("dist, pairs", lambda c: space.dist(x, y, check=c), lambda: dist(x, y), 2 * m, 2 * d),
            (
                "log at one",
                lambda c: space.log(one, x, check=c),
                lambda: tangentspace.log_map(x, one, metric=suffix, C12=True),
                2 * m,
                function,
            ),
            (
                "exp at one",
                lambda c: space.exp(one, v, check=c),
                lambda: tangentspace.exp_map(v, one, metric=suffix, Cm12=True),
                2 * m,
                function,
            ),
            (
                "transport",
                lambda c: space.transport(one, other, v, check=c),
                lambda: tangentspace.transport(v, one, other, metric=suffix),
                2 * m,
                carry,
            ),
            ("mean", lambda c: estimator.fit(x).estimate_, lambda: average(x, tol=1e-9, maxiter=100), m, d),
        )
        yield from table(space, n, "pyRiemann", rows)


def correlated(covariances):
    deviations = np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))
    return covariances / (deviations[:, :, None] * deviations[:, None])


def correlations():
    from geomstats.geometry.full_rank_correlation_matrices import FullRankCorrelationMatrices, OffLogMetric

    n = 2_000
    for k in (5, 10):
        space, theirs = karcher.Correlations(k), FullRankCorrelationMatrices(k)
        # the Frobenius norm without the diagonal
        theirs.equip_with_metric(OffLogMetric, alpha=1.0, beta=0.0, gamma=0.0)
        x, y = (correlated(wishart(n, k, seed)) for seed in (1, 2))
        one, m, metric, few = y[0], k * k, theirs.metric, 100
        v = space.log(one, x)
        rows = (
            ("dist", lambda c: space.dist(one, x, check=c), lambda: metric.dist(x, one), m, 16 / 3 * k**3),
            ("dist, pairs", lambda c: space.dist(x, y, check=c), lambda: metric.dist(x, y), 2 * m, 32 / 3 * k**3),
            ("log at one", lambda c: space.log(one, x, check=c), lambda: metric.log(x, one), 2 * m, 21 * k**3),
            ("log, pairs", lambda c: space.log(x, y, check=c), lambda: metric.log(y, x), 3 * m, 40 * k**3),
        )
        yield from table(space, n, "geomstats", rows)
        exp = (
            "exp at one",
            lambda c: space.exp(one, v[:few], check=c),
            lambda: metric.exp(v[:few], one),
            2 * m,
            40 * k**3,
        )
        yield from table(space, few, "geomstats", (exp,))


def compositions():
    from geomstats.information_geometry.categorical import CategoricalDistributions

    n = 100_000
    for k in (3, 10):
        space, metric = karcher.SimplexFisherRao(k), CategoricalDistributions(k - 1).metric
        a, b = np.random.default_rng(1).dirichlet(np.full(k, 3.0), (2, n))
        p, q = np.sqrt(a), np.sqrt(b)
        # points of the peer are the parts, which change by twice the root times its change
        v = space.log(p, q)
        w = 2 * p * v
        rows = (
            ("dist", lambda c: space.dist(p, q, check=c), lambda: metric.dist(a, b), 2 * k + 1, 8 * k + 40),
            (
                "log",
                lambda c: space.log(p, q, check=c),
                lambda: metric.log(b, a),
                3 * k,
                8 * k + 40,
                {"of_ours": lambda v: 2 * p * v},
            ),
            (
                "exp",
                lambda c: space.exp(p, v, check=c),
                lambda: metric.exp(w, a),
                3 * k,
                8 * k + 40,
                {"of_ours": np.square},
            ),
        )
        yield from table(space, n, "geomstats", rows)


def poses():
    from geomstats.geometry.special_euclidean import SpecialEuclidean
    from scipy.spatial.transform import Rotation

    # a turn by an angle is √2 times as long for the peer
    n, space, metric = 20, karcher.Poses(length=2**0.5), SpecialEuclidean(3).metric
    rotations = karcher.Rotations(3)

    def drawn(seed):
        t = np.random.default_rng(seed).standard_normal((n, 3))
        return np.hstack([rotations.random_point(n, scale=0.5, random_state=seed), t])

    def matrix(p):
        out = np.tile(np.eye(4), (n, 1, 1))
        out[:, :3, :3], out[:, :3, 3] = Rotation.from_quat(p[:, [1, 2, 3, 0]]).as_matrix(), p[:, 4:]
        return out

    p, q = drawn(1), drawn(2)
    a, b, v = matrix(p), matrix(q), space.log(p, q)
    w = metric.log(b, a)
    length = {"of_ours": lambda v: space.norm(p, v), "of_theirs": lambda w: np.linalg.norm(w, axis=(1, 2)) / 2**0.5}
    rows = (
        (
            "dist",
            lambda c: space.dist(p, q, check=c),
            lambda: metric.dist(a, b),
            15,
            80,
            {"of_theirs": lambda d: d / 2**0.5},
        ),
        ("log", lambda c: space.log(p, q, check=c), lambda: metric.log(b, a), 21, 90, length),
        ("exp", lambda c: space.exp(p, v, check=c), lambda: metric.exp(w, a), 21, 90, {"of_ours": matrix}),
    )
    yield from table(space, n, "geomstats", rows)


def landmarks():
    from geomstats.geometry.pre_shape import PreShapeSpace

    n = 10_000
    for k in (10, 50):
        space, metric = karcher.Landmarks(k, 3), PreShapeSpace(k, 3).metric
        p, q = (space.random_point(n, scale=0.1, random_state=seed) for seed in (1, 2))
        v, width = space.log(p, q), 3 * k
        rows = (
            ("dist", lambda c: space.dist(p, q, check=c), lambda: metric.dist(p, q), 2 * width, 8 * width + 40),
            ("log", lambda c: space.log(p, q, check=c), lambda: metric.log(q, p), 3 * width, 8 * width + 40),
            ("exp", lambda c: space.exp(p, v, check=c), lambda: metric.exp(v, p), 3 * width, 8 * width + 40),
        )
        yield from table(space, n, "geomstats", rows)


def matrices():
    from pyriemann.geometry.base import expm, logm
    from pyriemann.geometry.distance import distance_logeuclid, distance_riemann, pairwise_distance
    from pyriemann.geometry.mean import mean_logeuclid, mean_riemann
    from pyriemann.geometry.tangentspace import exp_map_riemann, log_map_riemann, transport

    for k, n in ((3, 10_000), (10, 5_000), (22, 2_000), (30, 1_000), (64, 200)):
        x, y = wishart(n, k, 1), wishart(n, k, 2)
        flat, curved = karcher.SPD(k), karcher.SPD(k, metric="affine-invariant")
        one, identity, m = y[0], np.eye(k), k * k
        v, w = curved.log(one, x), flat.log(identity, x)
        name = f"spd:{k}, n = {n:,}: "
        function, distance, logarithm = n * 16 / 3 * k**3, n * 10 / 3 * k**3, n * 12 * k**3
        means = [karcher.FrechetMean(space, tolerance=1e-9) for space in (flat, curved)]

        def row(what, *rest):
            return operation(name + what, "pyRiemann", *rest)

        yield row("logm", lambda c: flat.log(identity, x, check=c), lambda: logm(x), 2 * n * m, function)
        yield row("expm", lambda c: flat.exp(identity, w, check=c), lambda: expm(w), 2 * n * m, function)
        yield row(
            "log-euclidean dist",
            lambda c: flat.dist(one, x, check=c),
            lambda: distance_logeuclid(x, one),
            n * m,
            function,
        )
        yield row(
            "affine-invariant dist",
            lambda c: curved.dist(one, x, check=c),
            lambda: distance_riemann(x, one),
            n * m,
            distance,
        )
        yield row(
            "affine-invariant dist, pairs",
            lambda c: curved.dist(x, y, check=c),
            lambda: distance_riemann(x, y),
            2 * n * m,
            distance,
        )
        yield row(
            "affine-invariant log at one",
            lambda c: curved.log(one, x, check=c),
            lambda: log_map_riemann(x, one, C12=True),
            2 * n * m,
            logarithm,
        )
        yield row(
            "affine-invariant exp at one",
            lambda c: curved.exp(one, v, check=c),
            lambda: exp_map_riemann(v, one, Cm12=True),
            2 * n * m,
            logarithm,
        )
        yield row(
            "affine-invariant transport",
            lambda c: curved.transport(one, y[1], v, check=c),
            lambda: transport(v, one, y[1], metric="riemann"),
            2 * n * m,
            n * 4 * k**3,
        )
        few = min(n, 100)
        yield row(
            f"affine-invariant dist, {few} × {few}",
            lambda c: curved.dist(x[:few, None], y[:few], check=c),
            lambda: pairwise_distance(x[:few], y[:few], metric="riemann"),
            few * few,
            few * few * 10 / 3 * k**3,
        )
        yield Row(
            name + "log-euclidean mean",
            "pyRiemann",
            lambda: means[0].fit(x).estimate_,
            lambda: mean_logeuclid(x),
            n * m,
            n * 4 * k**3,
        )
        yield Row(
            name + "affine-invariant mean",
            "pyRiemann",
            lambda: means[1].fit(x).estimate_,
            lambda: mean_riemann(x, tol=1e-9, maxiter=100),
            n * m,
            n * 12 * k**3,
        )


def means():
    from geomstats.geometry.hyperboloid import Hyperboloid
    from geomstats.geometry.hypersphere import Hypersphere
    from geomstats.learning.frechet_mean import FrechetMean

    n = 100_000
    for space, theirs in ((karcher.Sphere(2), Hypersphere(2)), (karcher.Hyperbolic(2), Hyperboloid(2))):
        x = space.random_point(n, scale=0.4, random_state=1)
        ours, other = karcher.FrechetMean(space, tolerance=1e-9), FrechetMean(theirs)
        other.set(epsilon=1e-18 / space.dim, max_iter=100)
        yield Row(
            f"{space.name}, n = {n:,}: mean",
            "geomstats",
            lambda: ours.fit(x).estimate_,
            lambda: other.fit(x).estimate_,
            n * 3,
            n * 60,
        )


def classifiers():
    from pyriemann.classification import MDM
    from pyriemann.tangentspace import TangentSpace

    from karcher.classification import PrivateMDM

    n = 10_000
    for k in (22, 64):
        x, new, y, m = wishart(n, k, 1), wishart(n, k, 2), np.arange(n) % 2, k * k
        for metric, name in (("logeuclid", "log-euclidean"), ("riemann", "affine-invariant")):
            # the mechanism that a usual budget leads to; the difference of the means is the noise
            ours = PrivateMDM(12.0, np.eye(k), metric=metric, mu=1.0, random_state=1)
            theirs = MDM(metric=metric)
            start = f"mdm {name}, n = {n:,} of {k} × {k}: "
            yield Row(
                start + "fit",
                "pyRiemann",
                lambda: ours.fit(x, y),
                lambda: theirs.fit(x, y),
                n * m,
                n * (4 if metric == "logeuclid" else 12) * k**3,
                of_ours=lambda fitted: fitted.covmeans_,
                of_theirs=lambda fitted: fitted.covmeans_,
            )
            # the same means
            theirs.fit(x[:50], y[:50])
            ours.fit(x[:50], y[:50]).covmeans_ = np.ascontiguousarray(theirs.covmeans_)
            count = (16 / 3 if metric == "logeuclid" else 2 * 10 / 3) * n * k**3
            for what in ("predict", "transform"):
                mine, other = getattr(ours, what), getattr(theirs, what)
                yield Row(start + what, "pyRiemann", lambda: mine(new), lambda: other(new), n * m, count)
        space = karcher.TangentSpace("spd-affine-invariant", reference=x[0]).fit(x[:50])
        other = TangentSpace(metric="riemann").fit(x[:50])
        other.reference_ = x[0]
        yield Row(
            f"tangent space, n = {n:,} of {k} × {k}: transform",
            "pyRiemann",
            lambda: space.transform(new),
            lambda: other.transform(new),
            1.5 * n * m,
            n * 12 * k**3,
        )


PARTS = (
    spheres,
    hyperbolic_spaces,
    shapes,
    landmarks,
    rotations,
    poses,
    compositions,
    subspaces,
    distance_matrices,
    means,
    matrices,
    other_metrics,
    correlations,
    classifiers,
)


def chosen(words):
    """The rows, one at a time: their arrays are gone when the next one comes."""
    for part in PARTS:
        for row in part():
            if not words or any(word in row.name for word in words):
                yield row


def processor_time(function):
    """Processor time of one call, averaged over enough calls that a running thread's uncounted time is negligible."""
    calls, begun, start = 0, time.monotonic(), time.process_time()
    while time.monotonic() - begun < TOGETHER:
        value = function()
        calls += 1
    return (time.process_time() - start) / calls, value


def least(*functions):
    """The least processor time of each function, and its value; they take turns."""
    times, values, begun = [[] for _ in functions], [None for _ in functions], time.monotonic()
    passed = 0.0
    while passed < SECONDS or (passed < LONG and len(times[0]) < ROUNDS):
        for i, function in enumerate(functions):
            taken, values[i] = processor_time(function)
            times[i].append(taken)
        passed = time.monotonic() - begun
    return [min(t) for t in times], values


def machine():
    """Bytes and floating-point operations a second, of a copy and of a matrix product in one thread."""
    a, b = np.zeros(2**25), np.ones(2**25)
    (copy,), _ = least(lambda: np.copyto(a, b))
    m = np.random.default_rng(0).standard_normal((1000, 1000))
    (product,), _ = least(lambda: m @ m)
    return 2 * a.nbytes / copy, 2e9 / product


def serve(words):
    """For another process: runs each row once for each line that it reads, and writes the time that passed."""
    for row in chosen(words):
        row.ours()
        while sys.stdin.readline().strip() == "again":
            start = time.perf_counter()
            row.ours()
            print(json.dumps(time.perf_counter() - start), flush=True)


class Threads:
    """The same rows in another process, with so many threads."""

    def __init__(self, count, words):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", *words],
            env={**os.environ, "RAYON_NUM_THREADS": str(count)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def again(self):
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def next(self):
        self.process.stdin.write("next\n")
        self.process.stdin.flush()


def write(path, results):
    """Replaces these rows in a file of all tables, whose columns are table, row, column, value."""
    names = {name for name, *_ in results}
    rows = [("operations", n, column, cell) for n, *cells in results for column, cell in zip(COLUMNS, cells) if cell]
    with open(path, newline="", encoding="utf-8") as file:
        header, *others = csv.reader(file)
    others = [row for row in others if row[0] != "operations" or row[1] not in names]
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows, *others])


def main(words, path):
    bandwidth, peak = machine()
    print(f"A copy moves {bandwidth / 1e9:.1f} GB/s, a matrix product makes {peak / 1e9:.1f} GFLOP/s, in one thread.\n")
    print(f"| operation | {' | '.join(COLUMNS)} |\n|{' --- |' * (1 + len(COLUMNS))}", flush=True)
    threads = [Threads(count, words) for count in (1, 2)]
    ratios, results = [], []
    for row in chosen(words):
        functions = [row.ours, row.theirs] + ([row.unchecked] if row.unchecked else [])
        (ours, theirs, *unchecked), (mine, other, *_) = least(*functions)
        mine, other = np.asarray(row.of_ours(mine)), np.asarray(row.of_theirs(other))
        difference = np.abs(mine - other).max() / np.abs(other).max()
        without = f"{theirs / unchecked[0]:.1f}" if unchecked else ""
        limit = max(8 * row.numbers / bandwidth, row.operations / peak)
        rounds = 3 if ours > 0.5 else 7
        passed = [[process.again() for process in threads] for _ in range(rounds)]
        one, two = (min(times) for times in zip(*passed))
        for process in threads:
            process.next()
        times = f"{1e3 * ours:.3g}", f"{1e3 * theirs:.3g}", f"{theirs / ours:.1f}", without
        rest = f"{difference:.0e}", f"{100 * limit / ours:.0f} %", f"{one / two:.2f}"
        results.append((row.name, row.peer, *times, *rest))
        print(f"| {' | '.join(results[-1])} |", flush=True)
        ratios.append((theirs / ours, theirs / min([ours, *unchecked]), row.name))
    if path:
        write(path, results)
    for i, what in enumerate(("With checks", "Where points and vectors are taken as they are")):
        below = [f"{name} ({all_ratios[i]:.1f})" for *all_ratios, name in ratios if all_ratios[i] < 3]
        least_ratio = min(all_ratios[i] for *all_ratios, _ in ratios)
        print(f"\n{what}: {len(ratios)} operations, the least ratio {least_ratio:.1f}.")
        print(f"Below 3: {'; '.join(below) or 'none'}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="words of rows that are run, all by default")
    parser.add_argument("--csv", type=Path, help="file of all tables, in which the rows are replaced")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    serve(given.words) if given.serve else main(given.words, given.csv)
