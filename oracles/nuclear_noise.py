"""Constants of the noise of the nuclear norm, and integers for a test of it (user guide, X6).

    python3 oracles/nuclear_noise.py constants [SIZES]
    python3 oracles/nuclear_noise.py pinned > crates/karcher-privacy/src/noise/nuclear/pinned.txt

    python3 oracles/nuclear_noise.py quantiles

`constants` computes mean squares and probabilities of acceptance as rational numbers: integrals over eigenvalues by
determinants and Pfaffians (de Bruijn 1955). `pinned` draws by the algorithm of the module, written down a second time:
matrices of complex numbers, eigenvalues in double precision where these are far enough from 0 to decide, and fractions
elsewhere. `quantiles` weighs uniform directions by the density, and integrates over the length (with SciPy).
"""

import sys
from fractions import Fraction
from math import factorial, isqrt, sqrt

import numpy as np
from exact_noise import WORD, ends, exponential, normal, rounded, splitmix64


class Dual:
    """A number and its derivative."""

    def __init__(self, value, slope=0):
        self.value, self.slope = Fraction(value), Fraction(slope)

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other):
        return Dual(self.value - other.value, self.slope - other.slope)

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __truediv__(self, other):
        slope = (self.slope * other.value - self.value * other.slope) / other.value**2
        return Dual(self.value / other.value, slope)


def determinant(m):
    m, result = [list(row) for row in m], Dual(1)
    for k in range(len(m)):
        pivot = next(i for i in range(k, len(m)) if m[i][k].value)
        if pivot != k:
            m[k], m[pivot], result = m[pivot], m[k], -result
        result = result * m[k][k]
        for i in range(k + 1, len(m)):
            factor = m[i][k] / m[k][k]
            m[i] = [x - factor * y for x, y in zip(m[i], m[k])]
    return result


def pfaffian(m):
    m, result = [list(row) for row in m], Dual(1)
    for k in range(0, len(m), 2):
        pivot = next(i for i in range(k + 1, len(m)) if m[k][i].value)
        if pivot != k + 1:
            m[k + 1], m[pivot], result = m[pivot], m[k + 1], -result
            for row in m:
                row[k + 1], row[pivot] = row[pivot], row[k + 1]
        result = result * m[k][k + 1]
        for i in range(k + 2, len(m)):
            for j in range(k + 2, len(m)):
                m[i][j] = m[i][j] + (m[i][k] * m[k + 1][j] - m[i][k + 1] * m[k][j]) / m[k][k + 1]
    return result


def ordered(i, j):
    """∫ xⁱyʲ·e^(−x−y) over 0 < x < y."""
    return factorial(i) * (factorial(j) - sum(Fraction(factorial(j + k), factorial(k) * 2 ** (j + k + 1))
                                              for k in range(i + 1)))


def skew(i, j, t):
    """∫∫ sgn(y − x)·xⁱyʲ·w(x)·w(y), w(x) = e^(−|x|), and a factor `t` for each positive number and power."""
    both = ordered(i, j) - ordered(j, i)
    across = factorial(i) * factorial(j) * ((-1) ** i * t ** (j + 1) - (-1) ** j * t ** (i + 1))
    return both * t ** (i + j + 2) - (-1) ** (i + j) * both + across


def moment(i, t):
    return factorial(i) * (t ** (i + 1) + (-1) ** i)


def integral(beta, size, t):
    """∫ ∏|λᵢ − λⱼ|^β·∏ w(λᵢ), up to a constant, with the derivative for w·(1 + η·λ²) at η = 0."""
    if beta == 2:
        return determinant([[Dual(moment(i + j, t), moment(i + j + 2, t)) for j in range(size)] for i in range(size)])
    def entry(i, j):
        return Dual(skew(i, j, t), skew(i + 2, j, t) + skew(i, j + 2, t))
    m = [[entry(i, j) for j in range(size)] for i in range(size)]
    if size % 2:
        border = [Dual(moment(i, t), moment(i + 2, t)) for i in range(size)]
        m = [[*row, x] for row, x in zip(m, border)] + [[*(-x for x in border), Dual(0)]]
    return pfaffian(m)


def coefficients(places, values):
    """Of the polynomial with these values (Newton)."""
    divided = list(values)
    for k in range(1, len(places)):
        for i in range(len(places) - 1, k - 1, -1):
            divided[i] = (divided[i] - divided[i - 1]) / (places[i] - places[i - k])
    result = [Fraction(0)]
    for i in range(len(places) - 1, -1, -1):
        shifted = [Fraction(0), *result]
        result = [a - places[i] * b for a, b in zip(shifted, [*result, 0])]
        result[0] += divided[i]
    return result


def without_trace(polynomial, total):
    """The same integral over eigenvalues with the sum 0: the positive ones have a sum `r` with the density
    r^(a−1)/(a−1)!·e^(−r) for each power `a` of `t`, and the negative ones likewise for total − a."""
    result = Fraction(0)
    for a in range(1, total):
        b = total - a
        if a < len(polynomial):
            both = Fraction(factorial(total - 2), 2 ** (total - 1) * factorial(a - 1) * factorial(b - 1))
            result += polynomial[a] * both
    return result


def constants(beta, size):
    """The mean square of a coordinate, and the probability that a pair is accepted."""
    dimension = size + beta * size * (size - 1) // 2
    places = [Fraction(k) for k in range(2, dimension + 6)]
    values = [integral(beta, size, t) for t in places]
    one = coefficients(places, [value.value for value in values])
    square = coefficients(places, [value.slope for value in values])
    mass = without_trace(one, dimension)
    mean_square = without_trace(square, dimension + 2) / mass / (dimension - 1)
    pairs = Fraction(2 ** (dimension - 1) * factorial(dimension - 1) ** 2, factorial(2 * dimension - 2))
    return mean_square, mass / one[dimension] * pairs


def middle(signed_number, limbs):
    sign, number = signed_number
    low, high = ends(number, limbs)
    return sign * (low + high) / 2


def draw(beta, size, sigma, words, has_border=False):
    """Numbers of round(N): orthonormal coordinates, or with a border those on the diagonal themselves."""
    columns = size + 1 if beta == 1 else size
    while True:
        factors = [[normal(words) for _ in range(beta * size * columns)] for _ in range(2)]
        halves = [near_trace_one(beta, size, factor, 1)[1] for factor in factors]
        p, q = (np.array([[complex(float(x), float(y)) for x, y in row] for row in half]) for half in halves)
        values, vectors = np.linalg.eigh(p - q)
        absolute = (vectors * np.abs(values)) @ vectors.conj().T
        least = np.linalg.eigvalsh(p + q - absolute)[0]
        if abs(least) < 1e-10:
            raise ValueError("too near: take another seed")
        if least > 0:
            break
    dimension = size + beta * size * (size - 1) // 2
    lengths = [exponential(words) for _ in range(2 * dimension - 1)]
    for limbs in range(1, 8):
        (off, p), (other, q) = (near_trace_one(beta, size, factor, limbs) for factor in factors)
        off += other
        def entry(i, j):
            return p[i][j][0] - q[i][j][0], p[i][j][1] - q[i][j][1]
        squares = []
        for i in range(size):
            if has_border and i:
                squares.append((entry(i, i)[0], entry(i, i)[0] ** 2))
            for j in range(i + 1, size):
                squares += [(x, 2 * x * x) for x in entry(i, j)[:beta]]
        for k in range(1, 1 if has_border else size):
            x = sum(entry(i, i)[0] for i in range(k)) - k * entry(k, k)[0]
            squares.append((x, x * x / (k * (k + 1))))
        shortest, longest = (sum(ends(length, limbs)[i] for length in lengths) / 2 for i in (0, 1))
        result = []
        for x, square in squares:
            root = Fraction(isqrt(int(square * WORD ** (2 * limbs))), WORD**limbs)
            low, high = root - off, root + Fraction(1, WORD**limbs) + off
            low, high = (low, high) if x >= 0 else (-high, -low)
            low, high = low * (shortest if low >= 0 else longest), high * (longest if high >= 0 else shortest)
            result.append(rounded(1, sigma * low, sigma * high))
        if None not in result:
            return result
    raise ValueError("more digits are needed")


def near_trace_one(beta, size, factor, limbs):
    """AAᴴ/tr AAᴴ from the middles of the numbers in A, and a bound of the error of each coordinate."""
    numbers = [middle(number, limbs) for number in factor]
    columns = len(numbers) // beta // size
    split = len(numbers) // beta
    imaginary = numbers[split:] if beta == 2 else [Fraction(0)] * split
    a = [[(numbers[i * columns + j], imaginary[i * columns + j]) for j in range(columns)] for i in range(size)]
    trace = sum(x * x for x in numbers)
    w = [[(sum(x[0] * y[0] + x[1] * y[1] for x, y in zip(one, other)) / trace,
           sum(x[1] * y[0] - x[0] * y[1] for x, y in zip(one, other)) / trace) for other in a] for one in a]
    # each number is off by half a unit: 2·(2‖A‖e + e²)/‖A‖²
    e = sqrt(len(numbers)) / 2 * 1.001
    return Fraction(2 * (2 * sqrt(trace) * e + e * e) / float(trace) * 1.001) / WORD**limbs, w


def pinned():
    print("# matrices, size, seed of splitmix64, scale, integers; made by oracles/nuclear_noise.py")
    for beta, name, sizes in (1, "symmetric", (2, 3, 4, 5)), (2, "hermitian", (2, 3, 4)), (1, "bordered", (1, 2, 3, 4)):
        has_border = name == "bordered"
        for size in sizes:
            for scale in 0.3, 7.0, 2.0**40, 1.3 * 2.0**51, 1.9 * 2.0**62, 1.25 * 2.0**120:
                seed = 100 * size + beta + 7 * has_border
                numbers = draw(beta, size + has_border, Fraction(scale), splitmix64(seed), has_border)
                print(name, size, seed, scale, *numbers)


def quantiles(batches=300, count=50_000):
    """What the length of the numbers of the border exceeds with 5 % and with 2.5 %, and the spectral norm of the rest
    with 2.5 %, for noise of scale 1. Each with the standard error of the estimate."""
    from scipy.special import gammaincc

    for size in range(3, 9):
        rng, numbers = np.random.default_rng(size), size * (size + 1) // 2 - 1
        shares = []
        for _ in range(batches):
            a = rng.normal(size=(count, size, size))
            a = (a + np.swapaxes(a, 1, 2)) / 2
            a -= np.trace(a, axis1=1, axis2=2)[:, None, None] / size * np.eye(size)
            nuclear = np.abs(np.linalg.eigvalsh(a)).sum(1)
            border = np.sqrt(2 * (a[:, 1:, 0] ** 2).sum(1)) / nuclear
            rest = np.abs(np.linalg.eigvalsh(a[:, 1:, 1:])).max(1) / nuclear
            weight = (np.sqrt((a**2).sum((1, 2))) / nuclear) ** numbers
            ends = np.linspace(0, 1, 20_001)
            shares.append([np.histogram(x, ends, weights=weight)[0] for x in (border, rest)])
        shares, middles = np.array(shares), (ends[1:] + ends[:-1]) / 2

        def quantile(share, beyond):
            low, high = 0.0, 100.0
            while high - low > 1e-6:
                middle = (low + high) / 2
                exceeds = share @ gammaincc(numbers, middle / middles) / share.sum()
                low, high = (middle, high) if exceeds > beyond else (low, middle)
            return high

        found = []
        for which, beyond in (0, 0.05), (0, 0.025), (1, 0.025):
            parts = [quantile(shares[k::10, which].sum(0), beyond) for k in range(10)]
            found.append(f"{quantile(shares[:, which].sum(0), beyond):.3f} ± {np.std(parts) / sqrt(10):.3f}")
        print(f"{size - 1} with a border:", ", ".join(found), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "constants":
        sizes = range(2, 9) if len(sys.argv) < 3 else [int(size) for size in sys.argv[2:]]
        for beta, name in (1, "symmetric"), (2, "hermitian"):
            for size in sizes:
                square, accepted = constants(beta, size)
                ratio = sqrt(2 * square / (size + beta * size * (size - 1) // 2))
                print(f"{name} {size}: {square} = {float(square)!r}, {float(1 / accepted)!r} pairs, ratio {ratio:.3f}")
    elif sys.argv[1] == "pinned":
        pinned()
    elif sys.argv[1] == "quantiles":
        quantiles()
