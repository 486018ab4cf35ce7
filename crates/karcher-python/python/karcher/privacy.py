"""Sensitivity, calibration, privacy profiles, plans and audits, all without records.

These functions read no data and spend no budget.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from decimal import ROUND_CEILING, Context
from html import escape
from math import prod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, Union, overload

import numpy as np

from . import _arguments, _docs, _karcher, _spec
from ._arguments import _Budget, budget, count, optional, real
from ._arrays import by_content, numbers
from ._json import read
from ._statistics import PLANNED
from .errors import ArgumentTypeError, Error
from .manifolds import Manifold, resolve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from ._sklearn import BaseEstimator

    from .manifolds import Floats
    from .plot import Picture


LARGEST_MADE_UP = 5 * 10**6
"""Numbers in a data set that an audit makes up."""


@dataclass(frozen=True, repr=False)
class Guarantee:
    """A guarantee of differential privacy, for neighbouring data sets that differ in one record, replaced by any other.

    Parameters
    ----------
    epsilon : float, optional
        Pure differential privacy, if given alone.
    delta : float, optional
        Slack δ, with ``epsilon``: (ε, δ)-differential privacy.
    mu : float, optional
        Gaussian differential privacy (Dong, Roth and Su 2022).
    rho : float, optional
        Zero-concentrated differential privacy (Bun and Steinke 2016).

    Raises
    ------
    Error
        For no budget, two budgets, or numbers out of range.

    Examples
    --------
    >>> import karcher
    >>> guarantee = karcher.Guarantee(mu=0.5)
    >>> guarantee.definition
    'gaussian'
    >>> round(guarantee.epsilon_at(1e-6), 4)
    2.2541
    >>> guarantee.group(3), guarantee + guarantee.group(2)
    (Guarantee(mu=1.5), Guarantee(mu=1.118033988749895))
    >>> karcher.Guarantee(epsilon=0.5) <= guarantee.group(2)
    True
    """

    epsilon: Optional[float] = None
    delta: Optional[float] = None
    mu: Optional[float] = None
    rho: Optional[float] = None

    def __post_init__(self) -> None:
        checked = budget(self.epsilon, self.delta, self.mu, self.rho)
        _karcher.check_budget(checked)
        for one, number in zip(fields(self), checked):
            object.__setattr__(self, one.name, number)

    def __add__(self, other: Guarantee) -> Guarantee:
        """The guarantee of two releases about the same people, as from :func:`compose`."""
        return compose(self, other) if isinstance(other, Guarantee) else NotImplemented

    def __le__(self, other: Guarantee) -> bool:
        """Whether this guarantee implies the other one. It is possible that neither implies the other."""
        return _karcher.implies(self._budget, other._budget) if isinstance(other, Guarantee) else NotImplemented

    def __lt__(self, other: Guarantee) -> bool:
        """Whether this guarantee implies the other one, but not conversely."""
        return self <= other and not other <= self if isinstance(other, Guarantee) else NotImplemented

    def group(self, k: int) -> Guarantee:
        """The guarantee for data sets that differ in ``k`` records: kε, kμ, k²ρ, and (kε, (e^kε − 1)/(e^ε − 1)·δ),
        rounded up.

        Parameters
        ----------
        k : int
            Number of records, at least 1.

        Raises
        ------
        Error
            When a number is too large for a guarantee.
        """
        return Guarantee(*_karcher.group(self._budget, _arguments.whole("k", k, 1, 2**32 - 1)))

    @property
    def _budget(self) -> _Budget:
        return self.epsilon, self.delta, self.mu, self.rho

    @property
    def definition(self) -> str:
        """``"pure"``, ``"approximate"``, ``"gaussian"`` or ``"concentrated"``."""
        if self.mu is not None:
            return "gaussian"
        if self.rho is not None:
            return "concentrated"
        return "pure" if self.delta is None else "approximate"

    @overload
    def delta_at(self, epsilon: float) -> float: ...
    @overload
    def delta_at(self, epsilon: ArrayLike) -> Union[float, Floats]: ...
    def delta_at(self, epsilon: ArrayLike) -> Union[float, Floats]:
        """The smallest δ for which this guarantee implies (ε, δ)-differential privacy, rounded up: a number, or an
        array for an array of ε."""
        return _at(_karcher.delta_at, self._budget, "epsilon", epsilon)

    @overload
    def epsilon_at(self, delta: float) -> float: ...
    @overload
    def epsilon_at(self, delta: ArrayLike) -> Union[float, Floats]: ...
    def epsilon_at(self, delta: ArrayLike) -> Union[float, Floats]:
        """The smallest ε for which this guarantee implies (ε, δ)-differential privacy, rounded up: a number, or an
        array for an array of δ."""
        return _at(_karcher.epsilon_at, self._budget, "delta", delta)

    def to_gaussian(self) -> Guarantee:
        """The μ-GDP that this guarantee implies."""
        return Guarantee(*_karcher.convert(self._budget, "gaussian"))

    def to_concentrated(self) -> Guarantee:
        """The ρ-zCDP that this guarantee implies."""
        return Guarantee(*_karcher.convert(self._budget, "concentrated"))

    def to_dp_event(self) -> Any:
        """The event of Google's dp_accounting with the worst loss that this guarantee allows. Keep the accountant's
        default neighbours, except for ε, which takes ``NeighboringRelation.REPLACE_ONE`` and an ``RdpAccountant``. A
        ``PLDAccountant`` would count repeated releases of ε once, and refuses this event: compose :meth:`to_pld`
        instead.

        Returns
        -------
        dp_accounting.DpEvent
            ``GaussianDpEvent(1/μ)``, ``ZCDpEvent(ρ)``, or for ε a ``RandomizedResponseDpEvent`` of two answers together
            with ``ZCDpEvent(0)``, which has no loss.

        Raises
        ------
        Error
            For (ε, δ), which has no event; and if dp_accounting is not installed.

        Examples
        --------
        >>> import karcher
        >>> karcher.Guarantee(rho=0.1).to_dp_event()
        ZCDpEvent(rho=0.1, xi=0.0)
        """
        from .interop import dp_accounting

        return dp_accounting.event(self)

    def to_pld(self, interval: float = 1e-4) -> Any:
        """A privacy loss distribution of dp_accounting that dominates all that this guarantee allows.

        Parameters
        ----------
        interval : float
            Losses are rounded up to multiples of it.

        Returns
        -------
        dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution

        Raises
        ------
        Error
            For ρ, which no single distribution represents; and if dp_accounting is not installed.

        Examples
        --------
        >>> import karcher
        >>> both = karcher.Guarantee(epsilon=0.5, delta=1e-6).to_pld().compose(karcher.Guarantee(mu=0.5).to_pld())
        >>> round(both.get_epsilon_for_delta(1e-5), 2)
        2.45
        """
        from .interop import dp_accounting

        return dp_accounting.pld(self, _arguments.real("interval", interval))

    def __repr__(self) -> str:
        numbers = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f"Guarantee({', '.join(f'{name}={value!r}' for name, value in numbers if value is not None)})"


def _at(
    function: Callable[[_Budget, Floats], Any], given: _Budget, name: str, at: object
) -> Union[float, Floats]:
    """A function of a guarantee at a number, or at each number of an array."""
    is_several = isinstance(at, (list, tuple)) or getattr(at, "ndim", 0) > 0
    found = function(given, numbers(at, name) if is_several else np.array(_arguments.real(name, at)))
    return np.asarray(found) if is_several else float(found)


class Sensitivity(NamedTuple):
    """How far a statistic can move when one record is replaced."""

    value: float
    """Upper bound, in units of distance."""
    bound: str
    """The name of the theorem that bounds it."""


class Noise(NamedTuple):
    """Calibrated noise. All numbers are public."""

    mechanism: str
    """``"laplace"`` or ``"gaussian"``."""
    scale: float
    """In units of distance."""
    sensitivity: float
    """What it is calibrated to."""
    guarantee: Guarantee
    """What it guarantees."""
    expected_distance: float
    """Mean distance between the private value and the true one."""
    median: float
    """Median of that distance."""
    quantile_95: float
    """The distance that is exceeded with probability 0.05."""


@by_content
class Profile(NamedTuple):
    """The guarantees of noise of a given scale in every definition."""

    epsilon: Floats
    """As given."""
    delta: Floats
    """The smallest δ for each ε."""
    guarantee: Guarantee
    """The Gaussian differential privacy that the noise gives."""

    def to_pld(self, interval: float = 1e-4) -> Any:
        """A privacy loss distribution of dp_accounting with at least this δ at each ε. It is tight if the ε are dense,
        from 0 to values with a negligible δ.

        Parameters
        ----------
        interval : float
            Losses are rounded up to multiples of it.

        Returns
        -------
        dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution

        Raises
        ------
        Error
            For a negative ε; and if dp_accounting is not installed.
        """
        from .interop import dp_accounting

        return dp_accounting.pld_of_profile(self, _arguments.real("interval", interval))


class Gain(NamedTuple):
    """The gain by denoising for one true mean: root mean square distances to it, in the tangent space at the center of
    the ball."""

    at: float
    """The true mean's distance from the center."""
    noisy: float
    """The value's distance from the true mean before denoising, which is the same for every mean."""
    denoised: float
    """The same after denoising."""


class RehearsedBall(NamedTuple):
    """A simulation of a mean in two stages with made-up records. Its numbers are not bounds."""

    expected_spread: float
    """As given: the root mean square distance of the cloud from its mean."""
    center: float
    """How far from the cloud's median the center is found, the root mean square."""
    radius: float
    """The radius that is found, the median."""
    noise: float
    """The expected error of the mean in the ball, against that of the clipped records."""
    clipping: float
    """How far clipping to the ball moves the mean."""
    mechanism: str
    """The mechanism of the mean in a ball of that radius."""


@dataclass(frozen=True)
class Candidate:
    """A mechanism for a private mean, with its expected error, or the reason why it does not apply."""

    mechanism: str
    reason: Optional[str] = None
    """Why it does not apply; ``None`` when it does."""
    numerics: Optional[str] = None
    """What its proof speaks of: ``"exact"``, the bits that leave; ``"idealized"``, real numbers; ``"mcmc"``, the limit
    of a Markov chain."""
    by_name: Optional[str] = None
    """Why ``"auto"`` does not take it although it applies; ``None`` when it may."""
    expected_distance: Optional[float] = None
    """Mean distance to the mean of the clipped records, but for the bias."""
    median: Optional[float] = None
    quantile_95: Optional[float] = None
    bias_bound: Optional[float] = None
    """How far a Karcher flow may end from that mean without noise; 0 for the others."""
    mu: Optional[float] = None
    """Of Laplace noise with pure ε the μ that it guarantees as well, by which its releases compose, where that is less
    than what ε implies."""
    scale: Optional[float] = None
    steps: Optional[int] = None
    """Of a Karcher flow."""
    chain_steps: Optional[int] = None
    """Steps of the Markov chain that stands in for an exact draw, which makes the guarantee approximate; ``None`` where
    the draw is exact."""
    denoised: Optional[tuple[Gain, Gain, Gain]] = None
    """What denoising gains for a mean at the center of the ball, halfway to its edge and there; ``None`` where the
    noise is not denoised."""
    rehearsed: Optional[RehearsedBall] = None
    """Of ``"two-stage"``: the ball that is expected to be found, on which its expected distance rests, which is to the
    mean of all records and no bound; ``None`` for the others."""
    at_most: bool = False
    """Whether less than the expected distance is to be expected: a cautious figure, simulated with made-up clusters of
    which the worst counts, or for ``"kng"`` a bound of a law that depends on the records."""
    noise_exceeds_ball: bool = False
    """Whether the expected distance exceeds the radius of the ball, so that the release is mostly noise and is
    flagged ``"noise-exceeds-ball"``."""
    of_best_unbiased: Optional[float] = None
    """Length of the noise on a mean in flat space, before denoising, over the least one of any unbiased release with
    the same guarantee; ``None`` where no such bound is known."""


@dataclass(frozen=True, repr=False)
class Plan:
    """All mechanisms for a private mean, and the best one, which ``mechanism="auto"`` takes."""

    best: Optional[str]
    """The one with the smallest expected error of those that need not be asked for by name and whose proofs are
    accepted; ``None`` when there is none."""
    candidates: tuple[Candidate, ...]
    n: int
    """The number of records; the smallest that reaches an ``error`` if one was given in its place."""
    guarantee: Guarantee
    """The budget; the smallest ε that reaches an ``error`` if one was given in its place."""
    forecast: Optional[dict[str, dict[str, float]]] = None
    """Forecast of a spread or of components, in addition to the error of the mean: ``clip``, and for a spread
    how far noise takes its ``mean_square`` and ``fraction_outside`` with a probability of at most 5 %, for
    components the ``scale`` of the noise and the ``noise_level`` of the largest variance. ``None`` for the others."""
    detectable_difference: Optional[dict[str, float]] = None
    """For a spread: the ``distance`` between the means of two such groups that :func:`compare` finds with the
    probability ``power``, 0.8, if the root mean square distance of the records is ``assumed_spread``, half the radius.
    ``None`` for the others."""
    _spec: str = field(default="", compare=False)

    def plot(self) -> Picture:
        """The picture of the plan, as :func:`karcher.plot.plan_curves` draws it."""
        from . import plot

        return plot.plan_curves(self)

    def __getitem__(self, mechanism: str) -> Candidate:
        """The candidate with a mechanism's name; ``KeyError`` if there is none."""
        return {c.mechanism: c for c in self.candidates}[mechanism]

    def __repr__(self) -> str:
        lines = [f"Plan of {self.n} records with {self.guarantee!r}: the best is {self.best}"]
        for c in self.candidates:
            words = c.reason
            if words is None:
                words = f"{_meant(c)}mean {_shown(c.expected_distance)}"
                words += "" if c.quantile_95 is None else f", 95 % below {_shown(c.quantile_95)}"
                words += f", {c.numerics}"
                words += "" if not c.bias_bound else f", bias at most {_shown(c.bias_bound)}"
                words += "" if c.mu is None else f", also {_rounded_up(c.mu)}-GDP"
                words += "" if c.by_name is None else ", on request"
                words += ", noise exceeds the ball" if c.noise_exceeds_ball else ""
            lines.append(f"  {c.mechanism:<13} {words}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for c in self.candidates:
            name = f"<b>{escape(c.mechanism)}</b>" if c.mechanism == self.best else escape(c.mechanism)
            if c.reason is not None:
                rows.append(f"<tr><td>{name}</td><td colspan=6>{escape(c.reason)}</td></tr>")
            else:
                numbers = (c.expected_distance, c.median, c.quantile_95, c.bias_bound)
                name += "" if c.chain_steps is None else " (approximate)"
                mean, *others = map(_shown, numbers)
                mean += ", more than the ball" if c.noise_exceeds_ball else ""
                cells = [_meant(c) + mean, *others, _shares(c.denoised), c.numerics or ""]
                rows.append(f"<tr><td>{name}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
        columns = ("mechanism", "mean", "median", "95 % below", "bias at most", "denoised", "proof")
        head = "".join(f"<th>{x}</th>" for x in columns)
        above = f"<caption>{self.n} records, {escape(repr(self.guarantee))}</caption>"
        return f"<table>{above}<tr>{head}</tr>{''.join(rows)}</table>"


def _meant(candidate: Candidate) -> str:
    """How an expected distance is meant that is no mean of a known law."""
    if candidate.rehearsed is not None:
        return "simulated with a made-up cloud: "
    return "approximate upper bound: " if candidate.at_most else ""


def _shown(x: Optional[float]) -> str:
    return "unknown" if x is None else f"{x:.4g}"


def _rounded_up(x: float) -> str:
    """Four significant digits of a guarantee, rounded up."""
    return f"{float(Context(prec=4, rounding=ROUND_CEILING).create_decimal(x)):.4g}"


def _shares(gains: Optional[tuple[Gain, ...]]) -> str:
    """The part of the error that denoising keeps: the least and the most of three places in the ball."""
    if gains is None:
        return "no"
    kept = [gain.denoised / gain.noisy for gain in gains]
    least, most = f"{100 * min(kept):.0f}", f"{100 * max(kept):.0f}"
    return f"{most} %" if least == most else f"{least} to {most} %"


class AuditedPart(NamedTuple):
    """The result of an audit for one part of a release: the point, a companion number, or a located ball."""

    part: str
    claim: Guarantee
    """What it promises by itself, given what is released before it."""
    lower_bound: float
    """What the results prove of the parameter of that promise."""
    data: str
    score: str
    passed: bool
    """Whether the lower bound is at most what was promised."""


class AuditedProfile(NamedTuple):
    """The result of an audit of the privacy profile of the noise that a release states."""

    epsilon: float
    """The ε at which the most was found."""
    delta: float
    """The lower bound of δ(ε) that the results prove."""
    stated: float
    """δ(ε) of the stated law, scale and sensitivity."""
    data: tuple[str, ...]
    """The neighbouring data sets that proved it together."""
    score: str
    passed: bool
    """Whether the lower bound is at most what the noise states."""


class Audit(NamedTuple):
    """The result of an audit."""

    mechanism: str
    claim: Guarantee
    """What the mechanism promises."""
    lower_bound: float
    """What the results prove of the parameter of that promise: ε, also of (ε, δ), μ or ρ."""
    data: str
    """The neighbouring data sets that proved it."""
    score: str
    """What was looked at: the likelihood ratio, or something about the published numbers."""
    releases: int
    """Releases from each data set."""
    error_probability: float
    """The probability that the lower bound is above the true parameter."""
    provable: float
    """The lower bound that so many releases would prove of a mechanism that keeps nothing private, and the most that
    they can prove of any."""
    conclusive: bool
    """Whether more than was promised is provable. Where not, more releases are needed."""
    passed: bool
    """Whether the lower bound is at most what was promised, in an audit that is conclusive, and every part passed."""
    parts: tuple[AuditedPart, ...] = ()
    """What was found of each part of a release that has several."""
    profile: Optional[AuditedProfile] = None
    """What was found of the privacy profile of the stated noise, if it has one that is known."""


def sensitivity(
    manifold: Union[Manifold, str], radius: Union[float, Sequence[float]], n: int, *, bound: Optional[str] = None
) -> Sensitivity:
    """How far the Fréchet mean of ``n`` records in a ball can move when one of them is replaced.

    Parameters
    ----------
    manifold : Manifold or str
    radius : float or sequence of float
        Radius of the ball, in units of distance, or one for each factor of a product.
    n : int
        Number of records.
    bound : {"published", "averaged-hessian", "sharp", "optimal"}, optional
        Bound to compute; by default ``"optimal"``, the smallest.

    Returns
    -------
    Sensitivity

    Raises
    ------
    RadiusTooLargeError
        When the bound does not exist, and when a private mean is refused because it might not be computable.

    Notes
    -----
    ``2r/n`` without positive curvature, ``2·tan(√κ r)/(√κ n)`` up to curvature κ > 0 (user guide, S4).

    Examples
    --------
    >>> import karcher
    >>> karcher.sensitivity("sphere:2", radius=0.9, n=100)
    Sensitivity(value=0.025203..., bound='optimal')
    """
    return Sensitivity(
        *_karcher.sensitivity(
            resolve(manifold)._core,
            _arguments.lengths("radius", radius),
            _arguments.whole("n", n),
            _arguments.optional(_arguments.text, "bound", bound),
        )
    )


def calibrate(
    manifold: Union[Manifold, str],
    sensitivity: float,
    *,
    mechanism: str,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    scale: Optional[float] = None,
    calibration: Optional[str] = None,
) -> Noise:
    """The noise for a budget, or the guarantee of noise of a given scale, with the expected error.

    Parameters
    ----------
    manifold : Manifold or str
    sensitivity : float
        Largest distance by which one record can move the statistic, in units of distance.
    mechanism : {"laplace", "gaussian"}
    {budget}
    scale : float, optional
        Scale of the noise, instead of a budget.
    calibration : {"analytic", "classical"}, optional
        Calibration of Gaussian noise on flat spaces to (ε, δ).

    Returns
    -------
    Noise

    Raises
    ------
    UnsupportedError
        For Gaussian noise if the curvature is not constant.
    TooMuchNoiseError
        For a Laplace law that does not exist.

    Notes
    -----
    Scales and guarantees are rounded up. Gaussian noise on curved spaces is calibrated by its exact privacy profile
    (user guide, G2 and G4).

    Examples
    --------
    >>> import karcher
    >>> karcher.calibrate("sphere:2", 0.02520316, mechanism="laplace", epsilon=0.5).scale
    0.05040632
    """
    sensitivity = _arguments.real("sensitivity", sensitivity)
    found, promised, mean, (median, quantile_95) = _karcher.calibrate(
        resolve(manifold)._core,
        _arguments.text("mechanism", mechanism),
        sensitivity,
        _arguments.optional(_arguments.real, "scale", scale),
        budget(epsilon, delta, mu, rho),
        _arguments.optional(_arguments.text, "calibration", calibration),
        [0.5, 0.95],
    )
    return Noise(mechanism, found, sensitivity, Guarantee(*promised), mean, median, quantile_95)


def profile(
    manifold: Union[Manifold, str], sensitivity: float, scale: float, epsilon: ArrayLike, *, mechanism: str = "gaussian"
) -> Profile:
    """The privacy profile of one noisy release on a space of constant curvature: for each ε the smallest δ, by
    quadrature.

    Parameters
    ----------
    manifold : Manifold or str
    sensitivity : float
        Largest distance by which one record can move the statistic, in units of distance.
    scale : float
        Scale of the noise, in units of distance.
    epsilon : array_like
        Values of ε at which it is evaluated.
    mechanism : {"gaussian", "laplace"}

    Returns
    -------
    Profile
        Profile with ``delta`` of the shape of ``epsilon``.

    Notes
    -----
    User guide, "Privacy profiles on curved spaces" (G1, G2).

    Examples
    --------
    >>> import karcher
    >>> karcher.profile("sphere:2", sensitivity=0.25, scale=0.25, epsilon=[0.5]).delta.round(6)
    array([0.234253])
    """
    at = numbers(epsilon, "epsilon")
    deltas, promised = _karcher.profile(
        resolve(manifold)._core,
        _arguments.text("mechanism", mechanism),
        _arguments.real("sensitivity", sensitivity),
        _arguments.real("scale", scale),
        at,
    )
    return Profile(at, np.asarray(deltas), Guarantee(*promised))


def plan(
    manifold: Union[Manifold, str, dict[str, Any], BaseEstimator],
    radius: Optional[float] = None,
    n: Optional[int] = None,
    *,
    within: Optional[float] = None,
    error: Optional[float] = None,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    bound: Optional[str] = None,
    numerics: str = "exact",
    statistic: str = "mean",
    clip: Optional[float] = None,
    expected_spread: Optional[float] = None,
    ball: Optional[str] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
) -> Plan:
    """The expected error of each mechanism for the private mean of ``n`` records, or another statistic. With ``error``
    it finds the number of records, or the ε, for this error. It spends no budget, so compare freely.

    Parameters
    ----------
    manifold : Manifold, str, dict or estimator
        A manifold, its name, or a specification, as from :meth:`PrivateFrechetMean.spec`. An estimator with such a
        method stands for its specification. With a specification give only ``n`` and ``error``, and without a budget
        ``delta``; with ``n_guess`` in it, no ``n``. If it names a mechanism, only this one is planned. Requests that
        :func:`run` refuses before it reads records are refused here too.
    radius : float, optional
        Radius of the public ball, in units of distance. Without it the extrinsic mean is planned, if there is one.
    n : int, optional
        Number of records. With ``error`` and no budget, the plan finds the smallest ε for them.
    within : float, optional
        With ``ball="auto"`` and ``statistic="ball"``, instead of ``radius``: radius of the outer ball. By default the
        whole space if it is bounded, as spheres and shapes are.
    error : float, optional
        The error to reach, a distance like the radius. For a spread or components it is the smallest spread, or
        deviation along a component, that exceeds the noise level. For a variance it is a squared distance. With a
        budget and no ``n``, the plan finds the smallest number of records.
    {budget}
    bound : str, optional
        Bound of the sensitivity, as for :func:`sensitivity`.
    numerics : {"exact", "any"}
        Proofs that the best mechanism may have: about the released bits, or also about real numbers, for noise in
        floating point.
    statistic : {"mean", "extrinsic-mean", "median", "ball", "variance", "quantiles", "spread", "components"}
        ``"extrinsic-mean"`` is a :class:`PrivateFrechetMean` without a ball, ``"median"`` a
        :class:`PrivateGeometricMedian`, and ``"ball"`` a :class:`PrivateBall`, with ``within`` as the radius. The
        errors of the last two are simulated with made-up clusters. ``"variance"`` is a :class:`PrivateFrechetVariance`,
        with ``clip`` as the radius and errors in units of squared distance. ``"quantiles"`` are quartiles, as of
        :class:`PrivateQuantiles`. ``"spread"`` and ``"components"`` are planned together with a mean.
    clip : float, optional
        Length at which distances are cut off with ``"spread"``, and logarithms with ``"components"``.
    expected_spread : float, optional
        A public guess of the root mean squared distance of the records from their mean. Then ``"two-stage"`` is planned
        too: a part of the budget finds a smaller ball for the mean, as ``PrivateFrechetMean(ball="auto", within=...)``
        does. Its expected error is simulated with made-up records of this spread. So is the error of a median or a
        ball, which otherwise is simulated with many made-up clusters.
    ball : "auto", optional
        Plans only a mean in a ball that is found ``within`` an outer one. Needs ``expected_spread``.
    adjacency : {"replace-one", "add-remove"}
        Neighbours. With ``"add-remove"`` the number of records is confidential.
    n_guess : int, optional
        Public guess of ``n``, instead of ``n``, with ``"add-remove"``.

    Returns
    -------
    Plan

    Raises
    ------
    Error
        When no mechanism applies; the message gives the reasons.

    Examples
    --------
    >>> import karcher
    >>> plan = karcher.plan("kendall:50", radius=0.3, n=1000, epsilon=1, delta=1e-6)
    >>> plan.best, round(plan["laplace"].expected_distance, 4)
    ('chart', 0.0656)
    >>> plan["laplace"].numerics, plan["laplace"].by_name
    ('idealized', 'its noise is drawn in floating point, while the proof is about real numbers')
    >>> karcher.plan("euclidean:2", radius=1000.0, n=4000, mu=1.0, statistic="median").best
    'median-flow'

    A ball of radius 1 is wide for records that are 0.05 from their mean:

    >>> plan = karcher.plan("sphere:2", radius=1.0, n=2000, mu=1.0, expected_spread=0.05)
    >>> plan.best, plan["chart"].expected_distance > 10 * plan["two-stage"].expected_distance
    ('two-stage', True)

    How many records a mean takes that is off by a hundredth, and which ε a thousand need, in a ball that is sought
    everywhere:

    >>> karcher.plan("sphere:2", radius=0.5, epsilon=1, error=0.01).n
    219
    >>> karcher.plan("sphere:2", n=1000, error=0.01, ball="auto", expected_spread=0.1).guarantee
    Guarantee(epsilon=0.405)
    """
    of_estimator = getattr(manifold, "spec", None)
    if callable(of_estimator):
        manifold = of_estimator()
    if isinstance(manifold, dict):
        others: dict[str, object] = {
            "radius": radius, "within": within, "epsilon": epsilon, "mu": mu, "rho": rho, "bound": bound, "clip": clip,
            "expected_spread": expected_spread, "ball": ball, "n_guess": n_guess,
            "delta": None if "budget" not in manifold else delta,
            "numerics": None if numerics == "exact" else numerics,
            "statistic": None if statistic == "mean" else statistic,
            "adjacency": None if adjacency == "replace-one" else adjacency,
        }  # fmt: skip
        for name, value in others.items():
            if value is not None:
                raise Error(f"{name} does not go with a specification, which has all that is public")
        spec = manifold
    else:
        promised = None if epsilon is mu is rho is None else Guarantee(epsilon, delta, mu, rho)
        located = _located(ball, statistic, clip, expected_spread)
        searched = located or statistic == "ball"
        cut = _spec.number("clip", clip)
        companions = {statistic: {} if cut is None else {"clip": cut}}
        space = resolve(manifold)
        spec = _spec.filled(
            _statistic(statistic, **_COMPANIONS),
            promised,
            {"adjacency": adjacency, "n_guess": n_guess, "bound": bound, "numerics": numerics,
             "expected_spread": expected_spread},
            manifold=space.name,
            mechanism="two-stage" if located else "auto",
            spread=companions.get("spread"),
            components=companions.get("components"),
        )
        if _spec.takes_no_ball(spec, radius=radius, within=within, ball=ball):
            _refuse_ball(radius=radius, within=within, ball=ball)
            spec = {**spec, "statistic": "extrinsic-mean"}
        else:
            spec["ball"] = _planned_ball(space, radius, within, statistic, searched)
    text, n, found, completed = _karcher.plan(
        _spec.as_text(spec),
        _arguments.optional(_arguments.whole, "n", n),
        _arguments.optional(_arguments.real, "error", error),
        _arguments.optional(_arguments.real, "delta", delta),
    )
    planned = json.loads(text)
    return read(Plan, planned, n=n, guarantee=Guarantee(*found), _spec=completed)


_COMPANIONS = {"spread": "frechet-mean", "components": "frechet-mean"}
"""Statistics that are planned together with a mean."""


def _statistic(name: object, **others: str) -> str:
    """The statistic of a name. Every function knows some of the names."""
    known = {**PLANNED, **others}
    return known[_arguments.one_of("statistic", name, *known)]


def _planned_ball(
    space: Manifold, radius: object, within: object, statistic: str, searched: bool
) -> dict[str, Any]:
    """The ball that is planned in. No plan depends on its center."""
    if searched:
        return _searched(space, radius, within, statistic)
    return _spec.ball(space, center=space.origin, radius=radius, within=within)


def _refuse_ball(**given: object) -> None:
    """Refuses parameters of a ball."""
    for name, value in given.items():
        if value is not None:
            raise Error(f"{name} does not go with statistic='extrinsic-mean', which takes no ball: leave it out")


def _searched(space: Manifold, radius: object, within: object, statistic: str) -> dict[str, Any]:
    """The public outer ball, whose radius has two names. A mean in two stages is planned in it."""
    if radius is not None and within is not None:
        raise Error("radius and within both mean the radius of the outer ball here: leave one out")
    called = "within" if radius is None else "radius"
    outer = within if radius is None else radius
    ball = _spec.ball(space, center=space.origin, locate=True, within=outer, called=called)
    return ball if statistic == "ball" else {"center": ball["center"], "radius": ball["within"]}


def _located(ball: object, statistic: object, clip: object, expected_spread: object) -> bool:
    """Whether a mean in a located ball alone is planned; refuses parameters that do not go together."""
    if clip is not None and statistic not in ("spread", "components"):
        raise Error("clip belongs to statistic='spread' and statistic='components'")
    if ball is None:
        return False
    _arguments.one_of("ball", ball, "auto")
    if statistic != "mean":
        raise Error("ball='auto' is for means; statistic='ball' plans the ball alone, with radius")
    if expected_spread is None:
        raise Error("ball='auto' takes expected_spread: a public guess of how far records are from their mean")
    return True


def audit(
    manifold: Union[Manifold, str],
    radius: Optional[float] = None,
    n: Optional[int] = None,
    *,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    mechanism: str = "auto",
    steps: Optional[int] = None,
    calibration: Optional[str] = None,
    bound: Optional[str] = None,
    numerics: str = "exact",
    denoise: Optional[str] = None,
    statistic: str = "mean",
    ball: Optional[str] = None,
    within: Optional[float] = None,
    spread: bool = False,
    spread_clip: Optional[float] = None,
    components: bool = False,
    components_clip: Optional[float] = None,
    releases: int = 100_000,
    error_probability: float = 1e-6,
    random_state: int = 0,
    adjacency: str = "replace-one",
) -> Audit:
    """Tries to refute a guarantee: runs a mechanism on made-up neighbours and computes how much privacy loss the
    results prove.

    A lower bound above the promise means a defect. A lower one proves nothing. If the releases are too few to exceed
    the promise, the audit is not conclusive, and has not passed. It reads no data and spends no budget.

    Parameters
    ----------
    manifold : Manifold or str
    radius : float, optional
        Radius of the public ball, in units of distance. Without it the extrinsic mean is audited, if there is one.
    n : int
        Number of records in the made-up data sets.
    {budget}
    mechanism, steps, calibration, bound, numerics, denoise : optional
        As for :class:`PrivateFrechetMean`.
    statistic : {"mean", "extrinsic-mean", "median", "ball", "variance"}
        The released statistic, as for :func:`plan`.
    ball, within : optional
        ``ball="auto"``, instead of a ``radius``, audits a mean in a ball that is found first.
    spread, spread_clip : optional
        As for :class:`PrivateFrechetMean`; the numbers of the spread are audited too.
    components, components_clip : optional
        Release also the components of :class:`PrivateTangentPCA`, and audit the second moment.
    releases : int
        Number of releases from each data set. More releases bring the lower bound closer to the truth.
    error_probability : float
        The probability that the lower bound is wrong.
    random_state : int
        Seed of the audit's randomness.
    adjacency : {"replace-one", "add-remove"}
        Neighbours of the made-up data sets. With ``"add-remove"`` one data set lacks a record, and ``n`` is the guess
        of the number.

    Returns
    -------
    Audit

    Notes
    -----
    User guide, "Audit".

    Examples
    --------
    >>> import karcher
    >>> found = karcher.audit("sphere:2", radius=0.5, n=20, epsilon=1.0, mechanism="laplace", releases=10_000)
    >>> found.passed, 0.5 < found.lower_bound < 1
    (True, True)
    """
    space, n = resolve(manifold), _arguments.whole("n", n)
    named = _statistic(statistic)
    is_located = ball is not None
    if is_located:
        _arguments.one_of("ball", ball, "auto")
        if statistic != "mean":
            raise Error("ball='auto' is for means: give statistic='ball' for a ball by itself")
    elif statistic == "ball":
        radius, within, is_located = None, radius, True
    most = LARGEST_MADE_UP // prod(space.shape)
    if n > most:
        raise Error(f"n is {n}: an audit makes up its data sets, which on {space.name} may have {most} records at most")
    spec = _spec.filled(
        named,
        Guarantee(epsilon, delta, mu, rho),
        {"adjacency": adjacency, "mechanism": mechanism, "steps": steps, "calibration": calibration, "bound": bound,
         "numerics": numerics, "denoise": denoise},
        manifold=space.name,
        n_guess=n if adjacency == "add-remove" else None,
        spread=_spec.companion("spread", spread, spread_clip),
        components=_spec.companion("components", components, components_clip),
    )
    if _spec.takes_no_ball(spec, radius=radius, within=within, ball=ball):
        _refuse_ball(radius=radius, within=within, ball=ball)
        spec = {**spec, "statistic": "extrinsic-mean"}
    else:
        spec["ball"] = _spec.ball(space, center=space.origin, radius=radius, locate=is_located, within=within)
    text, used = _karcher.audit(
        _spec.as_text(spec),
        n,
        _arguments.whole("releases", releases, 0, 4_000_000),
        _arguments.real("error_probability", error_probability),
        _arguments.whole("random_state", random_state, 0, _arguments.LARGEST_SEED),
    )
    return read(Audit, json.loads(text), mechanism=used)


def compose(*guarantees: Guarantee, delta: float | None = None, shuffled: int | None = None) -> Guarantee:
    """The guarantee of several releases about the same people together, rounded up.

    Parameters
    ----------
    *guarantees : Guarantee
        Guarantees of the releases. Without `delta` each may have been chosen after seeing earlier results.
    delta : float, optional
        The total δ. The result is then the smallest ε at this δ, for guarantees that were all fixed in advance.
    shuffled : int, optional
        Number of people who each sent a report of every guarantee, from `randomize`, through a shuffler that hides the
        senders. Needs `delta`, and guarantees of pure ε.

    Examples
    --------
    >>> import karcher
    >>> karcher.compose(karcher.Guarantee(epsilon=0.25), karcher.Guarantee(epsilon=0.5))
    Guarantee(epsilon=0.75)
    >>> study = [karcher.Guarantee(epsilon=0.3)] * 10 + [karcher.Guarantee(mu=0.3)] * 10
    >>> round(karcher.compose(*study, delta=1e-6).epsilon, 4)
    6.4753
    >>> round(karcher.compose(karcher.Guarantee(epsilon=1.0), delta=1e-6, shuffled=10_000).epsilon, 3)
    0.043
    """
    budgets = _budgets("compose", guarantees)
    if shuffled is not None and delta is None:
        raise Error("shuffled needs delta, the total at which ε is sought")
    return Guarantee(*_karcher.compose(budgets, optional(real, "delta", delta), optional(count, "shuffled", shuffled)))


def parallel(*guarantees: Guarantee) -> Guarantee:
    """The guarantee of releases about different people together: the smallest one that each guarantee implies.

    Parameters
    ----------
    *guarantees : Guarantee
        Guarantees of the releases, in any order. No record may be in two releases.

    Examples
    --------
    >>> import karcher
    >>> karcher.parallel(karcher.Guarantee(epsilon=0.25), karcher.Guarantee(epsilon=0.5, delta=1e-6))
    Guarantee(epsilon=0.5, delta=1e-06)
    """
    return Guarantee(*_karcher.parallel(_budgets("parallel", guarantees)))


def _budgets(name: str, guarantees: tuple[object, ...]) -> list[_Budget]:
    """The budgets of arguments, which have to be guarantees."""
    for given in guarantees:
        if not isinstance(given, Guarantee):
            advice = f"; write {name}(*guarantees)" if isinstance(given, (list, tuple)) else ""
            raise ArgumentTypeError(
                f"{name} takes guarantees, one of the arguments is of type {type(given).__name__}{advice}"
            )
    return [given._budget for given in guarantees if isinstance(given, Guarantee)]


__dir__ = _docs.complete(globals())
