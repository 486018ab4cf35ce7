"""Arguments that are not arrays: each is checked before anything is computed, and refused in a sentence that names
it."""

from __future__ import annotations

import operator
from decimal import Decimal
from numbers import Real
from typing import Callable, Optional, TypeVar

import numpy as np

from .errors import ArgumentTypeError, Error

T = TypeVar("T")

_Budget = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]

LARGEST_SEED = 2**64 - 1

MOST_RECORDS = 10**15
"""As many as the library plans a release for."""


def real(name: str, given: object) -> float:
    """A number; whether it is a sensible one is for the library to say."""
    if isinstance(given, bool) or not isinstance(given, (Real, Decimal)):
        raise ArgumentTypeError(f"{name} is {_shown(given)}: expected a number")
    try:
        return float(given)
    except OverflowError:
        pass
    raise Error(f"{name} is too large for a floating-point number")


def length(name: str, given: object) -> float:
    """A number in the manifold's unit of distance; of a text the error says so."""
    if isinstance(given, str):
        raise ArgumentTypeError(
            f"{name} is {_shown(given)}: expected a number in the manifold's unit of distance, radians where distances "
            "are angles: math.radians(60), or 5700 / 6371 for 5700 km on the Earth"
        )
    return real(name, given)


def lengths(name: str, given: object) -> list[float]:
    """A length, or one for each factor of a product."""
    if isinstance(given, (list, tuple, np.ndarray)) and np.ndim(given) == 1:
        return [length(name, one) for one in given]
    return [length(name, given)]


def whole(name: str, given: object, least: int = 0, largest: int = 2**53) -> int:
    """A whole number within bounds."""
    try:
        number = None if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise ArgumentTypeError(f"{name} is {_shown(given)}: expected a whole number")
    if not least <= number <= largest:
        raise Error(f"{name} is {_shown(given)}: expected a whole number from {least} to {largest}")
    return number


def text(name: str, given: object) -> str:
    """A name of something."""
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{name} is {_shown(given)}: expected a text")
    return given


def flag(name: str, given: object) -> bool:
    """Yes or no."""
    if type(given).__name__ not in ("bool", "bool_"):  # NumPy's as well
        raise ArgumentTypeError(f"{name} is {_shown(given)}: expected True or False")
    return bool(given)


def one_of(name: str, given: object, *choices: str) -> str:
    """One of a few words."""
    for choice in choices:
        if isinstance(given, str) and given == choice:
            return choice
    raise Error(f"{name} is {_shown(given)}: expected {' or '.join(map(repr, choices))}")


def optional(check: Callable[[str, object], T], name: str, given: object) -> Optional[T]:
    """``None``, or what is checked."""
    return None if given is None else check(name, given)


def count(name: str, given: object) -> int:
    """A whole number that is not 0; nothing is counted beyond :data:`MOST_RECORDS`."""
    return whole(name, given, 1, MOST_RECORDS)


def steps(name: str, given: object) -> int:
    """Steps of an iteration that is planned in advance."""
    return whole(name, given, 1, 10**6)


def seed(given: object) -> Optional[int]:
    """``random_state``."""
    return None if given is None else whole("random_state", given, 0, LARGEST_SEED)


def seeds(given: object, count: int) -> list[Optional[int]]:
    """Seeds of several releases, from one."""
    if given is None:
        return [None] * count
    return [int(one) for one in np.random.SeedSequence(seed(given)).generate_state(count, np.uint64)]


def budget(epsilon: object, delta: object, mu: object, rho: object) -> _Budget:
    """The four numbers of a budget; most are ``None``."""
    return (
        optional(real, "epsilon", epsilon),
        optional(real, "delta", delta),
        optional(real, "mu", mu),
        optional(real, "rho", rho),
    )


def pair(name: str, given: object) -> tuple[float, float]:
    """Two numbers."""
    ends = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(ends, (tuple, list)):
        ends = []
    if len(ends) != 2:
        raise ArgumentTypeError(f"{name} is {_shown(given)}: expected two numbers, (low, high)")
    return real(f"{name}[0]", ends[0]), real(f"{name}[1]", ends[1])


def _shown(given: object) -> str:
    """A public argument as an error may show it: what is long, and arrays, which could be records given at the wrong
    place, by type alone."""
    if given is None or isinstance(given, (str, int, float, complex)):
        shown = repr(given)
        if len(shown) <= 60:
            return shown
    return f"of type {type(given).__name__}"
