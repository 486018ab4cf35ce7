"""The measured part of the rounding allowance (docs/clipping.md) against mpmath with 80 digits.

    cargo build --example logarithms
    python3 oracles/rounding_allowance.py target/debug/examples/logarithms

For each ball: the largest error of a logarithm and of an exponential among pairs of points in it, as a share of the
allowance. The true values are those of the points that the printed numbers stand for, put exactly on the manifold.
"""

import subprocess
import sys

from mpmath import acos, acosh, asin, asinh, cos, cosh, exp, log, sin, sinh, sqrt
from mpmath import cholesky, diag, eigsy, eye, matrix, mp, mpc, mpf

mp.dps = 80
EPSILON = mpf(2) ** -52
BALLS = [
    ("sphere:2", 1.5), ("sphere:2", 1.5564), ("sphere:2", 1e-6), ("sphere:30", 1.5),
    ("kendall:3", 0.75), ("kendall:20", 0.75), ("kendall:20", 1e-6),
    ("hyperbolic:2", 1.0), ("hyperbolic:2", 5.0), ("hyperbolic:2", 11.0),
    ("hyperbolic:8", 11.0), ("hyperbolic:2", 1e-6),
    ("spd-affine-invariant:2", 1.0), ("spd-affine-invariant:2", 8.0), ("spd-affine-invariant:2", 16.0),
    ("spd-affine-invariant:5", 4.0), ("spd-affine-invariant:5", 10.0), ("spd-affine-invariant:2", 1e-6),
]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class Sphere:
    growth = 0

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


class Kendall(Sphere):
    """Complex numbers; the Hermitian product makes tangent vectors horizontal."""

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
    growth = 1

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
    growth = sqrt(mpf(1) / 2)

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
        return inverse * x * inverse.T

    def apply(self, a, f):
        values, q = eigsy((a + a.T) / 2)
        return q * diag([f(x) for x in values]) * q.T

    def norm(self, p, v):
        w = self.white(p, v)
        return sqrt(sum(x**2 for x in w))

    def log(self, p, q):
        factor = cholesky(p)
        return factor * self.apply(self.white(p, q), log) * factor.T

    def exp(self, p, v):
        factor = cholesky(p)
        return factor * self.apply(self.white(p, v), exp) * factor.T

    def dist(self, p, q):
        return self.norm(p, self.log(p, q))


GEOMETRY = {"sphere": Sphere(), "kendall": Kendall(), "hyperbolic": Hyperbolic(), "spd-affine-invariant": Spd()}


def difference(a, b):
    return a - b if isinstance(a, matrix) else [x - y for x, y in zip(a, b)]


def main():
    worst = 0
    for name, radius in BALLS:
        geometry = GEOMETRY[name.split(":")[0]]
        pairs = 24 if name.startswith("spd") else 300
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
            kappa = {"sphere": 1, "kendall": 4}.get(name.split(":")[0], 0)
            logs = 16 * unit * growth**2 / cos(sqrt(mpf(kappa)) * mpf(radius))
            true = geometry.log(m, x)
            error = geometry.norm(m, geometry.tangent(m, difference(v, true)))
            of_log = max(of_log, error / logs)
            of_size = max(of_size, abs(size - geometry.norm(m, true)) / logs)
            step = geometry.tangent(m, v)
            step = step * share if isinstance(step, matrix) else [c * share for c in step]
            steps = 4 * unit * growth + 16 * unit * growth**2 * geometry.norm(m, step)
            of_exp = max(of_exp, geometry.dist(geometry.exp(m, step), end) / steps)
        worst = max(worst, of_log, of_size, of_exp)
        parts = [("log", of_log), ("its length", of_size), ("exp", of_exp)]
        shares = ", ".join(f"{what} {float(part):.1e}" for what, part in parts)
        print(f"{name:24} radius {radius:<6g} {shares} of the allowance")
    assert worst < 1, f"an error is {float(worst):.2f} of its allowance"


if __name__ == "__main__":
    main()
