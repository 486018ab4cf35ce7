"""The measured part of the rounding allowance (docs/proofs/clipping.md) against mpmath with 80 digits.

    cargo build --example logarithms
    python3 oracles/rounding_allowance.py target/debug/examples/logarithms

For each ball: the largest error of a logarithm and of an exponential among pairs of points in it, as a share of the
allowance. The true values are those of the points that the printed numbers stand for, put exactly on the manifold.
"""

import subprocess
import sys

from mpmath import acos, asin, asinh, atan2, cos, cosh, exp, log, nint, pi, sin, sinh, sqrt
from mpmath import cholesky, diag, eighe, eigsy, matrix, mp, mpc, mpf, svd_r

mp.dps = 80
EPSILON = mpf(2) ** -52
BALLS = [
    ("sphere:2", 1.5), ("sphere:2", 1.5564), ("sphere:2", 1e-6), ("sphere:30", 1.5),
    ("kendall:3", 0.75), ("kendall:20", 0.75), ("kendall:20", 1e-6),
    ("hyperbolic:2", 1.0), ("hyperbolic:2", 5.0), ("hyperbolic:2", 11.0),
    ("hyperbolic:8", 11.0), ("hyperbolic:2", 1e-6),
    ("spd-affine-invariant:2", 1.0), ("spd-affine-invariant:2", 8.0), ("spd-affine-invariant:2", 16.0),
    ("spd-affine-invariant:5", 2.0), ("spd-affine-invariant:5", 3.0), ("spd-affine-invariant:5", 4.0),
    ("spd-affine-invariant:5", 6.0), ("spd-affine-invariant:5", 10.0), ("spd-affine-invariant:10", 4.0),
    ("spd-affine-invariant:2", 1e-6),
    ("hpd-affine-invariant:2", 1.0), ("hpd-affine-invariant:2", 8.0), ("hpd-affine-invariant:2", 16.0),
    ("hpd-affine-invariant:4", 3.0), ("hpd-affine-invariant:4", 10.0), ("hpd-affine-invariant:2", 1e-6),
    ("projective:2", 0.78), ("projective:30", 0.78), ("projective:2", 1e-6),
    ("rotations:3", 1.57), ("rotations:3", 1e-6),
    ("torus:3", 1.57), ("torus:3", 1e-6),
    ("grassmann:4,2", 0.78), ("grassmann:10,3", 0.78), ("grassmann:5,4", 0.78), ("grassmann:4,2", 1e-6),
    ("sphere:2*euclidean:1", 1.5), ("hyperbolic:2*spd-affine-invariant:2", 8.0), ("projective:2*torus:2", 0.78),
]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Sphere:
    growth, kappa = 0, 1

    def __init__(self, size):
        self.numbers = int(size) + 1

    def point(self, p):
        n = sqrt(dot(p, p))
        return [x / n for x in p]

    def tangent(self, p, v):
        c = dot(p, v)
        return [x - c * y for x, y in zip(v, p)]

    def norm(self, p, v):
        return sqrt(dot(v, v))

    def log(self, p, q):
        w = self.tangent(p, q)
        s = sqrt(dot(w, w))
        if s == 0:
            return w
        angle = asin(s) if dot(p, q) > 0 else acos(dot(p, q))
        return [angle / s * x for x in w]

    def exp(self, p, v):
        t = sqrt(dot(v, v))
        return [cos(t) * x + (sin(t) / t if t else 1) * y for x, y in zip(p, v)]

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


class Projective(Sphere):
    def log(self, p, q):
        return super().log(p, q if dot(p, q) > 0 else [-x for x in q])


class Rotations(Projective):
    """Quaternions up to sign, with all lengths doubled."""

    kappa = mpf(1) / 4

    def norm(self, p, v):
        return 2 * sqrt(dot(v, v))

    def exp(self, p, v):
        t = self.norm(p, v) / 2
        return [cos(t) * x + (sin(t) / t if t else 1) * y for x, y in zip(p, v)]


class Euclidean:
    growth, kappa = 0, 0
    point = vector = list

    def __init__(self, size):
        self.numbers = int(size)

    def tangent(self, p, v):
        return v

    def norm(self, p, v):
        return sqrt(dot(v, v))

    def log(self, p, q):
        return [y - x for x, y in zip(p, q)]

    def exp(self, p, v):
        return [x + y for x, y in zip(p, v)]

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


class Torus(Euclidean):
    def log(self, p, q):
        return [y - x - 2 * pi * nint((y - x) / (2 * pi)) for x, y in zip(p, q)]


class Kendall(Sphere):
    """Complex numbers; the Hermitian product makes tangent vectors horizontal."""

    kappa = 4

    def __init__(self, size):
        self.numbers = 2 * int(size)

    def point(self, p):
        z = [mpc(p[i], p[i + 1]) for i in range(0, len(p), 2)]
        mean = sum(z) / len(z)
        z = [x - mean for x in z]
        n = sqrt(sum(abs(x) ** 2 for x in z))
        return [x / n for x in z]

    def vector(self, v):
        return [mpc(v[i], v[i + 1]) for i in range(0, len(v), 2)]

    def inner(self, a, b):
        return sum(x.conjugate() * y for x, y in zip(a, b))

    def tangent(self, p, v):
        mean = sum(v) / len(v)
        v = [x - mean for x in v]
        c = self.inner(p, v)
        return [x - c * y for x, y in zip(v, p)]

    def norm(self, p, v):
        return sqrt(sum(abs(x) ** 2 for x in v))

    def log(self, p, q):
        product = self.inner(p, q)
        size = abs(product)
        w = self.tangent(p, [x * product.conjugate() / size for x in q])
        s = self.norm(p, w)
        return [x * (asin(s) / s if size > mpf(1) / 2 else acos(size) / s) for x in w] if s else w

    def exp(self, p, v):
        t = self.norm(p, v)
        return [cos(t) * x + (sin(t) / t if t else 1) * y for x, y in zip(p, v)]


class Hyperbolic:
    growth, kappa = 1, 0

    def __init__(self, size):
        self.numbers = int(size) + 1

    def minkowski(self, a, b):
        return dot(a[1:], b[1:]) - a[0] * b[0]

    def point(self, p):
        return [sqrt(1 + dot(p[1:], p[1:])), *p[1:]]

    def tangent(self, p, v):
        c = self.minkowski(p, v)
        return [x + c * y for x, y in zip(v, p)]

    def norm(self, p, v):
        return sqrt(abs(self.minkowski(v, v)))

    def log(self, p, q):
        w = self.tangent(p, q)
        s = self.norm(p, w)
        return [asinh(s) / s * x for x in w] if s else w

    def exp(self, p, v):
        t = self.norm(p, v)
        return [cosh(t) * x + (sinh(t) / t if t else 1) * y for x, y in zip(p, v)]

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


class Spd:
    growth, kappa = sqrt(mpf(1) / 2), 0

    def __init__(self, size):
        self.numbers = int(size) ** 2

    def square(self, p):
        k = round(len(p) ** 0.5)
        a = matrix(k, k)
        for i in range(k):
            for j in range(k):
                a[i, j] = (p[i * k + j] + p[j * k + i]) / 2
        return a

    point = vector = square

    def tangent(self, p, v):
        return v

    def white(self, p, x):
        inverse = cholesky(p) ** -1
        return inverse * x * inverse.H

    def apply(self, a, f):
        values, q = eigsy((a + a.T) / 2)
        return q * diag([f(x) for x in values]) * q.T

    def norm(self, p, v):
        w = self.white(p, v)
        return sqrt(sum(abs(x) ** 2 for x in w))

    def log(self, p, q):
        factor = cholesky(p)
        return factor * self.apply(self.white(p, q), log) * factor.H

    def exp(self, p, v):
        factor = cholesky(p)
        return factor * self.apply(self.white(p, v), exp) * factor.H

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


class Hpd(Spd):
    """The same in complex numbers."""

    def __init__(self, size):
        self.numbers = 2 * int(size) ** 2

    def square(self, p):
        k = round((len(p) / 2) ** 0.5)
        a = matrix(k, k)
        for i in range(k):
            for j in range(k):
                a[i, j] = mpc(p[2 * (i * k + j)], p[2 * (i * k + j) + 1])
        return (a + a.H) / 2

    point = vector = square

    def apply(self, a, f):
        values, q = eighe((a + a.H) / 2)
        return q * diag([f(x) for x in values]) * q.H

    def exp(self, p, v):
        end = super().exp(p, v)
        return (end + end.H) / 2  # as cholesky asks of large matrices


class Grassmann:
    """Orthonormal bases up to rotation, by singular vectors."""

    growth = 0

    def __init__(self, size):
        self.n, self.k = map(int, size.split(","))
        self.numbers = self.n * self.k
        self.kappa = 1 if 1 in (self.k, self.n - self.k) else 2

    def vector(self, v):
        return matrix([v[i * self.k : (i + 1) * self.k] for i in range(self.n)])

    def point(self, p):
        """The orthonormal basis nearest to the printed one."""
        u, _, v = svd_r(self.vector(p))
        return u * v

    def tangent(self, p, v):
        return v - p * (p.T * v)

    def norm(self, p, v):
        return sqrt(sum(x**2 for x in v))

    def log(self, p, q):
        u, cosines, v = svd_r(p.T * q)
        across = self.tangent(p, q) * v.T
        for j, cosine in enumerate(cosines):
            sine = self.norm(p, across[:, j])
            across[:, j] *= atan2(sine, cosine) / sine if sine else 1
        return across * u.T

    def exp(self, p, v):
        squares, right = eigsy(v.T * v)
        angles = [sqrt(max(x, 0)) for x in squares]
        along = p * right * diag([cos(t) for t in angles])
        return (along + v * right * diag([sin(t) / t if t else 1 for t in angles])) * right.T

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


class Product:
    def __init__(self, factors):
        self.factors = factors
        self.numbers = sum(f.numbers for f in factors)
        self.growth, self.kappa = max(f.growth for f in factors), max(f.kappa for f in factors)

    def split(self, numbers, read):
        parts, start = [], 0
        for f in self.factors:
            parts.append(read(f)(numbers[start : start + f.numbers]))
            start += f.numbers
        return parts

    def point(self, p):
        return self.split(p, lambda f: f.point)

    def vector(self, v):
        return self.split(v, lambda f: getattr(f, "vector", list))

    def tangent(self, p, v):
        return [f.tangent(*x) for f, *x in zip(self.factors, p, v)]

    def norm(self, p, v):
        return sqrt(sum(f.norm(*x) ** 2 for f, *x in zip(self.factors, p, v)))

    def log(self, p, q):
        return [f.log(*x) for f, *x in zip(self.factors, p, q)]

    def exp(self, p, v):
        return [f.exp(*x) for f, *x in zip(self.factors, p, v)]

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


FAMILIES = {
    "euclidean": Euclidean, "sphere": Sphere, "projective": Projective, "rotations": Rotations, "torus": Torus,
    "kendall": Kendall, "grassmann": Grassmann, "hyperbolic": Hyperbolic, "spd-affine-invariant": Spd,
    "hpd-affine-invariant": Hpd,
}


def geometry_of(name):
    factors = [FAMILIES[family](size) for family, size in (factor.split(":") for factor in name.split("*"))]
    return factors[0] if len(factors) == 1 else Product(factors)


def difference(a, b):
    return [difference(x, y) for x, y in zip(a, b)] if isinstance(a, list) else a - b


def times(v, share):
    return [times(x, share) for x in v] if isinstance(v, list) else v * share


def main():
    worst = 0
    for name, radius in BALLS:
        geometry = geometry_of(name)
        pairs = 24 if "pd-" in name or "grassmann" in name else 300
        command = [sys.argv[1], name, str(radius), str(pairs)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        of_log = of_size = of_exp = 0
        for line in lines.splitlines():
            numbers = [mpf(x) for x in line.split()]
            p, share = (len(numbers) - 2) // 4, numbers[-1]
            m, x, end = (geometry.point(numbers[i : i + p]) for i in (0, p, 3 * p + 1))
            vector = getattr(geometry, "vector", list)
            v, size = vector(numbers[2 * p : 3 * p]), numbers[3 * p]
            growth = exp(geometry.growth * mpf(radius))
            unit = EPSILON * sqrt(p)
            logs = 16 * unit * growth**2 / cos(sqrt(mpf(geometry.kappa)) * mpf(radius))
            true = geometry.log(m, x)
            error = geometry.norm(m, geometry.tangent(m, difference(v, true)))
            of_log = max(of_log, error / logs)
            of_size = max(of_size, abs(size - geometry.norm(m, true)) / logs)
            step = times(geometry.tangent(m, v), share)
            steps = 4 * unit * growth + 16 * unit * growth**2 * geometry.norm(m, step)
            of_exp = max(of_exp, geometry.dist(geometry.exp(m, step), end) / steps)
        worst = max(worst, of_log, of_size, of_exp)
        parts = [("log", of_log), ("its length", of_size), ("exp", of_exp)]
        shares = ", ".join(f"{what} {float(part):.1e}" for what, part in parts)
        print(f"{name:36} radius {radius:<6g} {shares} of the allowance")
    assert worst < 1, f"an error is {float(worst):.2f} of its allowance"


if __name__ == "__main__":
    main()
