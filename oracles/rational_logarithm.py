"""The poles and weights of crates/karcher-geometry/src/linalg/poles.rs, with 60 digits.

    .venv/bin/pip install mpmath
    .venv/bin/python oracles/rational_logarithm.py

`ln x = (x − 1)·∫ ds/((1 + τ) + (1 − τ)x)` over `−1 < τ < 1`. Let `r` be the rational function with `N` poles that
interpolates `ln x/(x − 1)` at `2N` points `ξᵢ` of `[1/s, s]`: it is the Gauss rule of that integral for the measure
`dτ/Π ωᵢ`, `ωᵢ(τ) = (ξᵢ + 1) − (ξᵢ − 1)τ`, with its weights multiplied by `Π ωᵢ` again. Zolotarev's points, `ξᵢ = s·dn²`
at odd multiples of `K/4N`, make the error on the interval nearly the least, of the order of
`exp(−2π²N/(ln s² + 2.77))`. For each number of poles the widest interval is taken where the error is below LARGEST.
"""

import mpmath as mp

mp.mp.dps = 60
LARGEST = mp.mpf("4e-16")
POLES = (8, 12, 16, 20, 24, 32, 48)
PANELS = 40


def legendre(n):
    """Nodes and weights of Gauss and Legendre."""
    nodes, weights = [], []
    for i in range(n):
        x = mp.cos(mp.pi * (i + mp.mpf("0.75")) / (n + mp.mpf("0.5")))
        for _ in range(8):
            before, value = mp.mpf(1), x
            for j in range(2, n + 1):
                before, value = value, ((2 * j - 1) * x * value - (j - 1) * before) / j
            slope = n * (x * value - before) / (x * x - 1)
            x -= value / slope
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope**2))
    return nodes, weights


def quadrature(s):
    """Nodes `v` and weights for integrals over `τ = tanh v`, which decay like `e^(−2|v|)`."""
    reach = 32 + mp.log(s) / 2
    panels = int(mp.ceil(2 * reach / mp.mpf("2.2")))
    half = reach / panels
    return [(-reach + (2 * p + 1 + x) * half, w * half) for p in range(panels) for x, w in zip(*LEGENDRE)]


def rule(s, count):
    """`(t, w)` of `ln x ≈ (x − 1)·Σ w/(x + t)` on `[1/s, s]`."""
    m = 1 - 1 / s**2
    quarter = mp.ellipk(m)
    points = [s * mp.ellipfun("dn", (2 * i - 1) * quarter / (4 * count), m=m) ** 2 for i in range(1, 2 * count + 1)]

    def omega(tau):
        return mp.fprod((x + 1) - (x - 1) * tau for x in points)

    taus = [mp.tanh(v) for v, _ in QUADRATURE]
    measure = [w / mp.cosh(v) ** 2 / omega(tau) for (v, w), tau in zip(QUADRATURE, taus)]
    total = mp.fsum(measure)
    # the orthogonal polynomials' recurrence (Stieltjes), then the eigenvalues of its matrix (Golub and Welsch)
    matrix = mp.matrix(count, count)
    before, now, square, beta = [mp.mpf(0)] * len(taus), [mp.mpf(1)] * len(taus), total, mp.mpf(0)
    for j in range(count):
        alpha = mp.fsum(w * q * q * tau for w, q, tau in zip(measure, now, taus)) / square
        matrix[j, j] = alpha
        before, now = now, [(tau - alpha) * q - beta * b for tau, q, b in zip(taus, now, before)]
        following = mp.fsum(w * q * q for w, q in zip(measure, now))
        beta, square = following / square, following
        if j + 1 < count:
            matrix[j, j + 1] = matrix[j + 1, j] = mp.sqrt(beta)
    values, vectors = mp.eigsy(matrix)
    pairs = [
        ((1 + tau) / (1 - tau), vectors[0, j] ** 2 * total * omega(tau) / (1 - tau))
        for j, tau in enumerate(values[i] for i in range(count))
    ]
    return pairs


def error(s, pairs):
    """The largest error of the rule."""
    xs = (s ** (mp.mpf(2 * i) / 399 - 1) for i in range(400))
    return max(abs((x - 1) * mp.fsum(w / (x + t) for t, w in pairs) - mp.log(x)) for x in xs)


LEGENDRE = legendre(PANELS)

for poles in POLES:
    # steps of 2^(1/8) around where the formula says
    step = int(mp.floor(8 * mp.log(mp.exp(poles * 2 * mp.pi**2 / mp.mpf("36.5") - mp.mpf("2.77")), 2) / 2)) + 5
    while True:
        spread = float(mp.mpf(2) ** (mp.mpf(step) / 8))
        QUADRATURE = quadrature(mp.mpf(spread))
        pairs = rule(mp.mpf(spread), poles)
        if error(mp.mpf(spread), pairs) <= LARGEST:
            break
        step -= 1
    print(f"    // {poles} poles, error {mp.nstr(error(mp.mpf(spread), pairs), 2)}")
    print(f"    Level {{ spread: {spread!r}, poles: &[")
    for t, w in pairs:
        print(f"        ({float(t)!r}, {float(w)!r}),")
    print("    ] },", flush=True)
