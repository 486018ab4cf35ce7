"""Integers for a test in crates/karcher-privacy/src/noise/tests.rs.

    python3 oracles/exact_noise.py > crates/karcher-privacy/src/noise/pinned.txt

The algorithms are those of the module, written down a second time and otherwise: a deviate is a fraction that knows how
exactly it is known, events are loops, intervals are pairs of fractions, and roots are found by bisection. Only the
order in which words are taken is the same. Words are those of SplitMix64 with seed 2026, and of the library's
generator with seed 7. No floating point anywhere: a scale is the fraction that the number in double precision is.
"""

from fractions import Fraction
from math import floor

WORD = 2**64


def splitmix64(state):
    """Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % WORD
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB % WORD
        yield z ^ z >> 31


def rotated(x, left):
    return (x << left | x >> 32 - left) % 2**32


def chacha20(seed):
    """RFC 8439 with a counter of 64 bits and no nonce, as the library seeds it from an integer (O'Neill 2014, PCG)."""
    key, state = [], seed
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) % WORD
        shifted, turn = ((state >> 18 ^ state) >> 27) % 2**32, state >> 59
        key.append(rotated(shifted, (32 - turn) % 32))
    counter = 0
    while True:
        start = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, *key, counter % 2**32, counter >> 32, 0, 0]
        x = list(start)
        for _ in range(10):
            for quarter in ([0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
                            [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]):
                a, b, c, d = quarter
                for to, other, turned, left in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                    x[to] = (x[to] + x[other]) % 2**32
                    x[turned] = rotated(x[turned] ^ x[to], left)
        block = [(one + other) % 2**32 for one, other in zip(x, start)]
        yield from (low | high << 32 for low, high in zip(block[::2], block[1::2]))
        counter += 1


class Digits:
    """A number in (0, 1) with some known digits in base 2⁶⁴."""

    def __init__(self, words):
        self.words = words
        self.known = [next(words)]

    def to(self, count):
        """The first digits as one fraction."""
        while len(self.known) < count:
            self.known.append(next(self.words))
        return sum(Fraction(w, WORD**i) for i, w in enumerate(self.known[:count], 1))

    def below(self, other):
        count = 1
        while True:
            mine = self.to(count)
            if isinstance(other, Digits):
                theirs = other.to(count)
            else:
                theirs = Fraction(floor(other * WORD**count), WORD**count)
            if mine != theirs:
                return mine < theirs
            if theirs == other:  # a fraction whose digits have ended
                return False
            count += 1


def coin(words):
    return next(words) < WORD // 2


def even_run(words, start):
    """Whether the run of numbers that falls from `start` has even length: probability e^(−start)."""
    length, last = 0, start
    while True:
        new = Digits(words)
        if not new.below(last):
            return length % 2 == 0
        length, last = length + 1, new


def even_thinned_run(words, start):
    """Probability e^(−start²/2)."""
    length, last = 0, start
    while True:
        if not coin(words):
            break
        new = Digits(words)
        if not new.below(last):
            break
        if not Digits(words).below(start):
            break
        length, last = length + 1, new
    return length % 2 == 0


def exponential(words):
    whole = 0
    while True:
        x = Digits(words)
        if even_run(words, x):
            return whole, x
        whole += 1


def normal(words):
    half = Fraction(1, 2)
    while True:
        k = 0
        while even_run(words, half):
            k += 1
        if not all(even_run(words, half) for _ in range(k * (k - 1))):
            continue
        x = Digits(words)
        if all(even_run(words, x) for _ in range(k)) and even_thinned_run(words, x):
            return -1 if coin(words) else 1, (k, x)


def ends(number, limbs):
    whole, digits = number
    low = whole + digits.to(limbs)
    return low, low + Fraction(1, WORD**limbs)


def root_below(square, limbs):
    """The largest multiple of 2^(−64·limbs) whose square is at most `square`."""
    unit, low, high = WORD**limbs, 0, WORD ** (limbs + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(middle, unit) ** 2 <= square else (low, middle)
    return Fraction(low, unit)


def rounded(sign, low, high):
    one, other = (floor(sign * end + Fraction(1, 2)) for end in (low, high))
    return one if one == other else None


def limbs_to_begin_with(sigma):
    limbs = 1
    while sigma >= Fraction(WORD**limbs, 2):
        limbs += 1
    return limbs


def gaussian(sigma, dim, words):
    vector = []
    for _ in range(dim):
        sign, number = normal(words)
        limbs, result = limbs_to_begin_with(sigma), None
        while result is None:
            result = rounded(sign, *(sigma * end for end in ends(number, limbs)))
            limbs += 1
        vector.append(result)
    return vector


def laplace(sigma, dim, words):
    exponentials = [exponential(words) for _ in range((dim + 1) // 2)]
    extra = [normal(words)[1]] if dim % 2 == 0 else []
    direction = [normal(words) for _ in range(dim)]
    vector, limbs = [None] * dim, limbs_to_begin_with(sigma)
    while None in vector:
        bounds = [ends(number, limbs) for number in exponentials]
        bound = [ends(number, limbs) for number in extra]
        squares = [2 * sum(b[i] for b in bounds) + sum(b[i] ** 2 for b in bound) for i in (0, 1)]
        roots = root_below(squares[0], limbs), root_below(squares[1], limbs) + Fraction(1, WORD**limbs)
        for i, (sign, number) in enumerate(direction):
            if vector[i] is None:
                vector[i] = rounded(sign, *(sigma * root * end for root, end in zip(roots, ends(number, limbs))))
        limbs += 1
    return vector


if __name__ == "__main__":
    print("# generator, law, scale, the word after those that were taken, integers; made by oracles/exact_noise.py")
    for generator, seed in ((splitmix64, 2026), (chacha20, 7)):
        for law in (gaussian, laplace):
            for scale in (5e-324, 0.3, 7.0, 2.0**40, 1.3 * 2.0**51, 1.9 * 2.0**62, 1.25 * 2.0**120, 1e300):
                for dim in (1, 2, 5) if scale > 2.0**60 else (1, 2, 5, 24):
                    words = generator(seed)
                    numbers = law(Fraction(scale), dim, words)
                    print(generator.__name__, law.__name__, scale, next(words), *numbers)
