"""The proved bounds of the error of logarithms' coordinates (manifold/log_error.rs) against mpmath with 80 digits.

    cargo build --example log_errors
    python3 oracles/log_error.py target/debug/examples/log_errors [TABLE]

For each space: the largest error among pairs of each kind, as a share of the bound. None may exceed it. On each space
some error exceeds a hundredth of the bound, so that the check would notice too small a bound. The worst pairs of each
space are written to TABLE, which the tests of the crate read.
"""

import math
import subprocess
import sys

from mpmath import asinh, atan2, mp, mpc, mpf, nint, pi, sqrt

mp.dps = 80
SPACES = [
    ("sphere:1", 2), ("sphere:2", 2), ("sphere:3", 2), ("sphere:10", 2), ("sphere:50", 2),
    ("projective:1", 1), ("projective:2", 1), ("projective:10", 1), ("rotations:3", 2),
    ("kendall:3", 1), ("kendall:5", 1), ("kendall:20", 1), ("kendall:50", 1),
    ("hyperbolic:1", 1), ("hyperbolic:2", 1e-6), ("hyperbolic:2", 0.1), ("hyperbolic:2", 1), ("hyperbolic:2", 5),
    ("hyperbolic:20", 1), ("hyperbolic:20", 10),
    ("torus:1", 2), ("torus:3", 2), ("euclidean:3", 2), ("sphere:2*euclidean:3", 1), ("hyperbolic:2*torus:2", 1),
    ("kendall:4*rotations:3", 1),
]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(p):
    n = sqrt(dot(p, p))
    return [x / n for x in p]


def reflected(p, x):
    """All but the first number of the image of x under the reflection that carries p to an end of the first axis."""
    sign = 1 if math.copysign(1, float(p[0])) > 0 else -1
    factor = (dot(p, x) + sign * x[0]) / (1 + abs(p[0]))
    return [a - factor * b for a, b in zip(x[1:], p[1:])]


def stretched(y, arc):
    s = sqrt(dot(y, y))
    return [arc(s) / s * c for c in y] if s else y


def sphere(p, x):
    p, x = unit(p), unit(x)
    return stretched(reflected(p, x), lambda sine: atan2(sine, dot(p, x)))


def projective(p, x):
    p, x = unit(p), unit(x)
    cosine = dot(p, x)
    sign = (1 if cosine > 0 else -1) * (1 if math.copysign(1, float(p[0])) > 0 else -1)
    return [sign * c for c in stretched(reflected(p, x), lambda sine: atan2(sine, abs(cosine)))]


def rotations(p, x):
    p, x = unit(p), unit(x)
    cosine = dot(p, x)
    if cosine < 0:
        x = [-c for c in x]
    (a, b, c, d), (w, i, j, k) = p, x
    imaginary = [a * i - b * w - c * k + d * j, a * j + b * k - c * w - d * i, a * k - b * j + c * i - d * w]
    return stretched(imaginary, lambda sine: 2 * atan2(sine, abs(cosine)))


def helmert(z):
    total, y = mpc(0), []
    for j in range(1, len(z)):
        total += z[j - 1]
        y.append((total - j * z[j]) / sqrt(mpf(j) * (j + 1)))
    return y


def kendall(p, x):
    # the computed phase of the first number in Helmert's basis is part of the definition of the frame
    first = [(float(p[i]) - float(p[i + 2])) / math.sqrt(2.0) for i in (0, 1)]
    size = math.hypot(*first)
    phase = mpc(first[0] / size, first[1] / size) if size > 0 else mpc(1)
    phase /= abs(phase)
    shapes = []
    for numbers in (p, x):
        y = helmert([mpc(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)])
        n = sqrt(sum(abs(c) ** 2 for c in y))
        shapes.append([c / n for c in y])
    a, y = shapes
    product = sum(b.conjugate() * c for b, c in zip(a, y))
    y = [c * product.conjugate() / abs(product) for c in y]
    w = [a[0] + phase, *a[1:]]
    factor = sum(b.conjugate() * c for b, c in zip(w, y)) / (1 + phase.conjugate() * a[0])
    image = [c - factor * b for b, c in zip(w, y)][1:]
    real = [part for c in image for part in (c.real, c.imag)]
    return stretched(real, lambda sine: atan2(sine, abs(product)))


def hyperbolic(p, x):
    p, x = ([sqrt(1 + dot(q[1:], q[1:])), *q[1:]] for q in (p, x))
    factor = dot(p[1:], x[1:]) / (1 + p[0]) - x[0]
    return stretched([a + factor * b for a, b in zip(x[1:], p[1:])], asinh)


def torus(p, x):
    return [y - x - 2 * pi * nint((y - x) / (2 * pi)) for x, y in zip(p, x)]


def euclidean(p, x):
    return [y - x for x, y in zip(p, x)]


EXTRA = {"sphere": 1, "projective": 1, "rotations": 1, "hyperbolic": 1}


def coordinates(name, p, x):
    found = []
    for factor in name.split("*"):
        family, size = factor.split(":")
        n = 2 * int(size) if family == "kendall" else int(size) + EXTRA.get(family, 0)
        found += globals()[family](p[:n], x[:n])
        p, x = p[n:], x[n:]
    assert not p and not x
    return found


def in_two(x):
    """A number as the sum of two doubles."""
    high = float(x)
    return f"{high!r} {float(x - mpf(high))!r}"


def main():
    worst, table = 0, []
    for name, spread in SPACES:
        command = [sys.argv[1], name, str(spread), "400" if "50" not in name else "160"]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        shares = {}
        for line in lines:
            kind, *parts, bound = line.split("|")
            p, x, c = ([mpf(float(n)) for n in part.split()] for part in parts)
            true = coordinates(name, p, x)
            error = sqrt(sum((a - b) ** 2 for a, b in zip(c, true)))
            share = float(error / mpf(float(bound)))
            assert share == share, f"{name} {kind}: {line}"
            shares.setdefault(kind.strip(), []).append((share, parts, true))
        largest = {kind: max(found, key=lambda f: f[0]) for kind, found in shares.items()}
        told = ", ".join(f"{kind} {share:.3f}" for kind, (share, *_) in largest.items())
        print(f"{name:24} {spread:<6g} {told} of the bound, {len(lines)} pairs", flush=True)
        of_space = max(share for share, *_ in largest.values())
        assert of_space > 0.01, f"{name}: no error exceeds a hundredth of the bound"
        worst = max(worst, of_space)
        # the worst pair of each end of the scale, of small spaces
        for kind in ("nearly-edge", "near"):
            _, (p, x, _), true = largest[kind]
            if len(p.split()) <= 12:
                table.append(f"{name} |{p}|{x}| {' '.join(map(in_two, true))}\n")
    assert worst < 1, f"an error is {worst:.2f} of its bound"
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as out:
            out.writelines(table)


if __name__ == "__main__":
    main()
