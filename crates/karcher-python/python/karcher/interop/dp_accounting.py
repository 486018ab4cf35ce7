"""Guarantees as events and privacy loss distributions of Google's dp_accounting. Needs ``pip install dp-accounting``.

:meth:`karcher.Guarantee.to_dp_event`, :meth:`karcher.Guarantee.to_pld` and :meth:`karcher.Profile.to_pld` call these.
"""

from __future__ import annotations

from math import exp, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _docs
from ..errors import Error

if TYPE_CHECKING:
    from ..privacy import Guarantee, Profile

LARGEST = 700.0
"""The largest ε whose exponential is a number of floating point, about."""


def event(guarantee: Guarantee) -> Any:
    """The event with the worst privacy loss that the guarantee allows.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of any definition except (ε, δ).
    """
    library = _library()
    if guarantee.rho is not None:
        return library.ZCDpEvent(guarantee.rho)
    if guarantee.mu is not None:
        return library.GaussianDpEvent(_below(1.0 / guarantee.mu))
    if guarantee.delta is not None:
        raise Error("dp_accounting has no event for (ε, δ): compose distributions, guarantee.to_pld()")
    small = exp(-_limited(guarantee.epsilon))
    answers = library.dp_event.RandomizedResponseDpEvent(_below(2.0 * small / (1.0 + small)), 2)
    # a PLDAccountant composes this event once, however often it is told to; it refuses the second, which loses nothing
    return library.ComposedDpEvent([answers, library.ZCDpEvent(0.0)])


def pld(guarantee: Guarantee, interval: float) -> Any:
    """A distribution that dominates all privacy losses that the guarantee allows.

    Parameters
    ----------
    guarantee : Guarantee
        Guarantee of any definition except ρ.
    interval : float
        Losses are rounded up to multiples of it.
    """
    _check(interval)
    from dp_accounting.pld import common, privacy_loss_distribution as distribution

    if guarantee.rho is not None:
        raise Error("ρ has no distribution of its own: compose events, guarantee.to_dp_event(), in an RdpAccountant")
    if guarantee.mu is not None:
        return distribution.from_gaussian_mechanism(_below(1.0 / guarantee.mu), value_discretization_interval=interval)
    both = common.DifferentialPrivacyParameters(_limited(guarantee.epsilon), guarantee.delta or 0.0)
    return distribution.from_privacy_parameters(both, interval)


def pld_of_profile(profile: Profile, interval: float) -> Any:
    """A distribution whose δ is at least the profile's at each ε.

    Points are moved up to multiples of ``interval`` and joined as dp_accounting joins them, above the convex curve. At
    negative ε the curve follows from exchanging the data sets: δ(−ε) = 1 − e^(−ε)·(1 − δ(ε)).

    Parameters
    ----------
    profile : Profile
        The δ at several ε, from 0 on.
    interval : float
        Losses are rounded up to multiples of it.
    """
    _check(interval)
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution as distribution

    steps = np.rint(np.ravel(profile.epsilon) / interval).astype(int)
    steps += steps * interval < np.ravel(profile.epsilon)  # up
    if steps.size == 0 or steps.min() < 0:
        raise Error("the profile has no ε, or a negative one: take ε from 0 on, such as np.arange(0, 20, 0.001)")
    # of several points on one step the last is the lowest bound
    known = dict(sorted(zip(steps.tolist(), np.ravel(profile.delta).tolist()), key=lambda pair: (pair[0], -pair[1])))
    at, delta = np.array(list(known)), np.minimum.accumulate(list(known.values()))
    mirrored = 1.0 - np.exp(-at * interval) * (1.0 - delta)
    from_zero = at > 0
    steps = np.concatenate([-at[from_zero][::-1], at])
    delta = np.concatenate([mirrored[from_zero][::-1], delta])
    return distribution.PrivacyLossDistribution(pld_pmf.create_pmf_pessimistic_connect_dots(interval, steps, delta))


def _library() -> Any:
    try:
        import dp_accounting
    except ImportError:
        raise Error("dp_accounting is not installed: pip install dp-accounting") from None
    return dp_accounting


def _check(interval: float) -> None:
    _library()
    if not 0.0 < interval < 1.0:
        raise Error(f"interval is {interval}: expected a step of the privacy loss above 0 and below 1, such as 1e-4")


def _below(x: float) -> float:
    """A little less: less noise, and more loss."""
    return nextafter(x * (1.0 - 2.0**-51), 0.0)


def _limited(epsilon: Any) -> float:
    if epsilon > LARGEST:
        raise Error(f"epsilon is {epsilon}: dp_accounting computes with {LARGEST:g} at most")
    return float(epsilon)


__dir__ = _docs.complete(globals())
