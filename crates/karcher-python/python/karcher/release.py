"""What leaves: a private value with an honest record of how it was made."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from . import _arguments, _karcher
from ._arrays import numbers
from .errors import Error
from .manifolds import Manifold, manifold
from .privacy import Guarantee, Sensitivity, guarantee_from

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from .manifolds import Floats


class Ball(NamedTuple):
    """The public ball to which records were clipped."""

    center: Floats
    radius: float


@dataclass(frozen=True)
class Radii:
    """A public grid of radii: the largest, the quotient of neighbouring ones, and how many there are."""

    largest: float
    ratio: float
    count: int


class Part(NamedTuple):
    """One of several mechanisms that a release was made by: ``"center"``, ``"radius"`` or ``"mean"``, what it
    guarantees by itself, and what its proof speaks of."""

    part: str
    guarantee: Guarantee
    numerics: str


@dataclass(frozen=True, eq=False)
class Located:
    """A ball that was located with a part of the budget of a mean.

    Attributes
    ----------
    within : Ball
        The public outer ball in which it was sought.
    center : array of the manifold's ``shape``
    radius : float
        Of the located ball. Where it is too large for a mean the release's ``ball`` is smaller, and flagged
        ``"no-useful-mean"``.
    quantile, margin : float
        The radius is at most ``margin`` times the one of the grid that aims at this share of the records.
    radii : Radii
    parts : tuple of Part
        What was spent on what.
    """

    within: Ball
    center: Floats
    radius: float
    quantile: float
    margin: float
    radii: Radii
    parts: tuple[Part, ...]


class Step(NamedTuple):
    """One step of a Karcher flow or a descent: the length to which logarithms were clipped, and the scale of the noise
    on their mean."""

    clip: float
    scale: float


_NOTES = {
    "idealized-numerics": "the proof is about real numbers, the noise was drawn in floating point",
    "rounding-allowance": "what rounding in logarithms adds to the sensitivity is measured, not proved",
    "estimated-integrals": "the noise scale comes from integrals whose numerical errors are estimated, not proved",
    "mcmc-approximate": "drawn by a Markov chain stopped at a finite time, so the guarantee is approximate",
    "beyond-precision": "the value is so far out that its numbers do not hold all of it; for matrices see logarithm",
    "seeded": "the noise can be reproduced, so this release is NOT private",
    "missing-dropped": "records that lacked a value were left out: n tells how many did not, and is not protected",
    "no-useful-mean": "the located ball is larger than any in which a mean is of use: the records are too far "
    "apart for one that says where they are",
    "assumed-in-ball": "records were not clipped; private only if all of them lie in the ball",
}


@dataclass(frozen=True, eq=False)
class _Released:
    """What all releases have."""

    manifold: Manifold
    n: int
    guarantee: Guarantee
    unit: str
    adjacency: str
    mechanism: str
    scale: float
    sensitivity: Sensitivity
    ball: Ball
    numerics: str
    expected_distance: float
    steps: Optional[tuple[Step, ...]]
    flags: tuple[str, ...]
    statistic: str
    lattice: Optional[float]
    _json: str = field(repr=False)

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        """The attributes that only this kind of release has."""
        raise NotImplementedError

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The release that a JSON object records.

        Raises
        ------
        Error
            When the text is no release of this kind, or one of a later schema.
        """
        try:
            given: dict[str, Any] = json.loads(text)
            if given["schema"] not in (1, 2):
                raise Error(f"the release has schema {given['schema']}, this version reads schemas 1 and 2")
            if given["schema"] == 1:
                # what the later schema says was so of every release
                given = {"unit": "record", "numerics": "mcmc" if "mcmc-approximate" in given["flags"] else "idealized", **given}
            space = manifold(given["manifold"])
            steps, ball = given.get("steps"), given["ball"]
            plain: dict[str, Any] = {
                **{name: _arguments.text(name, given[name]) for name in ("unit", "adjacency", "mechanism", "numerics", "statistic")},
                **{name: _arguments.real(name, given[name]) for name in ("scale", "expected_distance")},
            }
            return cls(
                **plain,
                n=_arguments.count("n", given["n"]),
                **cls._own(given, space),
                manifold=space,
                guarantee=guarantee_from(given["guarantee"]),
                sensitivity=Sensitivity(**given["sensitivity"]),
                ball=Ball(_numbers(ball["center"], space), _arguments.real("radius", ball["radius"])),
                steps=None if steps is None else tuple(Step(**step) for step in steps),
                flags=_texts(given["flags"]),
                lattice=_arguments.optional(_arguments.real, "lattice", given.get("lattice")),
                _json=text,
            )
        except Error:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
            raise Error(f"the text is not a {cls.__name__}: {type(problem).__name__} {problem}") from problem

    def to_json(self) -> str:
        """One JSON object with the library's field names."""
        return self._json

    def _value_rows(self) -> list[tuple[str, str]]:
        """Name and HTML of what was released."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        rows = [
            *self._value_rows(),
            ("space", escape(f"{self.manifold.name}, {self.n} records")),
            ("guarantee", escape(f"{self.guarantee!r}, {self.adjacency}")),
            ("mechanism", escape(f"{self.mechanism}, scale {self.scale:.7g}")),
            ("sensitivity", escape(f"{self.sensitivity.value:.7g} ({self.sensitivity.bound} bound)")),
            ("ball", f"radius {self.ball.radius:.7g} around {_html(self.ball.center)}"),
            ("expected error", f"{self.expected_distance:.7g}"),
            *(("note", escape(f"{flag}: {_NOTES.get(flag, '')}")) for flag in self.flags),
        ]
        cells = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{cell}</td></tr>" for name, cell in rows)
        return f"<table>{cells}</table>"


@dataclass(frozen=True, eq=False)
class Release(_Released):
    """A private mean, or a median, and everything that is to be known about it, all of which may be published.

    Made by :class:`PrivateFrechetMean` and :class:`PrivateGeometricMedian`; :meth:`from_json` reads what :meth:`to_json`
    or the command line wrote.

    Attributes
    ----------
    value : array of the manifold's ``shape``
        The private value.
    noisy_value : array of the manifold's ``shape`` or None
        Where noise on a vector was denoised, the value before that, whose distance to the mean of the clipped records
        has the law that was announced. None where nothing was done to the value.
    manifold : Manifold
    n : int
        Number of records, which is public.
    guarantee : Guarantee
    unit : str
        ``"record"``: what the guarantee protects.
    adjacency : str
        ``"replace-one"``: neighbouring data sets differ in one record.
    mechanism : str
    scale : float
        Of the noise, in units of distance; of a Karcher flow's last step.
    sensitivity : Sensitivity
    ball : Ball
    numerics : str
        What the proof speaks of: ``"exact"``, the bits that left; ``"idealized"``, real numbers; ``"mcmc"``, the limit
        of a Markov chain.
    expected_distance : float
        Mean distance between the private value, before denoising, and the mean of the clipped records.
    bias_bound : float or None
        For a Karcher flow, how far it would end from that mean without noise, at most. None where the ball is so large
        that nothing is known of it.
    steps : tuple of Step or None
        For a Karcher flow.
    flags : tuple of str
        What a reader has to know beyond the guarantee.
    statistic : str
    lattice : float or None
        The step of the public lattice on which the value lies before denoising, seen from the ball's center. None in
        releases of version 0.1.
    logarithm : array of the manifold's ``shape`` or None
        For ``spd-log-euclidean`` matrices that their numbers do not hold (flag ``beyond-precision``): the matrix
        logarithm of the value.
    located : Located or None
        With ``ball="auto"``: how the ball was found, and what was spent on what.
    """

    value: Floats
    noisy_value: Optional[Floats]
    bias_bound: Optional[float]
    logarithm: Optional[Floats]
    located: Optional[Located]

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        noisy_value, logarithm = given.get("noisy_value"), given.get("logarithm")
        return {
            "value": _numbers(given["value"], space),
            "noisy_value": None if noisy_value is None else _numbers(noisy_value, space),
            "bias_bound": given.get("bias_bound"),
            "logarithm": None if logarithm is None else _numbers(logarithm, space),
            "located": None if given.get("located") is None else _located(given["located"], space),
        }

    def _value_rows(self) -> list[tuple[str, str]]:
        rows = [(f"private {self.statistic.replace('-', ' ')}", _html(self.value))]
        if self.noisy_value is not None:
            rows.append(("before denoising", _html(self.noisy_value)))
        if self.bias_bound is not None:
            rows.append(("bias", f"at most about {self.bias_bound:.7g} beside the expected error"))
        elif self.mechanism == "karcher-flow":
            rows.append(("bias", "unknown: in so large a ball the flow may end far from the mean"))
        return rows


@dataclass(frozen=True, eq=False)
class RegressionRelease(_Released):
    """A private geodesic and everything that is to be known about it, all of which may be published.

    Made by :class:`PrivateGeodesicRegression`; :meth:`from_json` reads what :meth:`to_json` or the command line wrote.
    Attributes that are not listed are those of a :class:`Release`.

    Attributes
    ----------
    footpoint : array of the manifold's ``shape``
        What is predicted in the middle of the predictor's range.
    shooting_vector : array of the manifold's ``shape``
        The velocity there, **per length of the range**.
    predictor_range : tuple of float
        Its public ends.
    slope_bound : float
        Public bound of the shooting vector's length.
    residual_bound : float
        Public length to which residuals were clipped.
    expected_distance : float
        Expected root mean square distance over the range to the least-squares geodesic: a prediction from public
        quantities, not a bound.
    """

    footpoint: Floats
    shooting_vector: Floats
    predictor_range: tuple[float, float]
    slope_bound: float
    residual_bound: float

    def predict(self, X: ArrayLike) -> Floats:
        """What the geodesic predicts for values of the predictor, (n,) or (n, 1): processing of private values,
        free."""
        low, high = self.predictor_range
        t = (_karcher.predictor(numbers(X, "X")) - low) / (high - low) - 0.5
        return along(self.manifold, self.footpoint, self.shooting_vector, t)

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        ends = given["predictor_range"]
        return {
            "footpoint": _numbers(given["footpoint"], space),
            "shooting_vector": _numbers(given["shooting_vector"], space),
            "predictor_range": (ends["low"], ends["high"]),
            "slope_bound": given["slope_bound"],
            "residual_bound": given["residual_bound"],
        }

    def _value_rows(self) -> list[tuple[str, str]]:
        low, high = self.predictor_range
        return [
            ("private footpoint", f"{_html(self.footpoint)} where the predictor is {low + 0.5 * (high - low):.7g}"),
            ("private shooting vector", f"{_html(self.shooting_vector)} from {low:.7g} to {high:.7g}"),
            ("bounds", f"slope {self.slope_bound:.7g}, residuals {self.residual_bound:.7g}"),
        ]


@dataclass(frozen=True, eq=False)
class BallRelease(_Released):
    """A private ball and everything that is to be known about it, all of which may be published.

    Made by :class:`PrivateBall`; :meth:`from_json` reads what :meth:`to_json` or the command line wrote. Attributes
    that are not listed are those of a :class:`Release`.

    Attributes
    ----------
    center : array of the manifold's ``shape``
        The private geometric median.
    radius : float
        At most ``margin`` times the radius of the grid that was chosen.
    quantile : float
        The share of the records that that radius aims at.
    margin : float
    radii : Radii
        The public grid.
    parts : tuple of Part
        What was spent on what.
    ball : Ball
        The public **outer** ball in which it was sought.
    """

    center: Floats
    radius: float
    quantile: float
    margin: float
    radii: Radii
    parts: tuple[Part, ...]

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        return _ball(given, space)

    def _value_rows(self) -> list[tuple[str, str]]:
        return [("private center", _html(self.center)), ("private radius", f"{self.radius:.7g}")]


def _ball(given: dict[str, Any], space: Manifold) -> dict[str, Any]:
    """What is known of a located ball."""
    parts = [(_arguments.text("part", p["part"]), p["guarantee"], p["numerics"]) for p in given["parts"]]
    return {
        "center": _numbers(given["center"], space),
        **{name: _arguments.real(name, given[name]) for name in ("radius", "quantile", "margin")},
        "radii": Radii(**given["radii"]),
        "parts": tuple(Part(name, guarantee_from(guarantee), numerics) for name, guarantee, numerics in parts),
    }


def _located(given: dict[str, Any], space: Manifold) -> Located:
    within = given["within"]
    outer = Ball(_numbers(within["center"], space), _arguments.real("radius", within["radius"]))
    return Located(within=outer, **_ball(given, space))


def along(space: Manifold, footpoint: Floats, velocity: Floats, t: Floats) -> Floats:
    """``Exp_p(t·v)`` for every ``t``."""
    return space.exp(footpoint, np.multiply.outer(t, velocity))


def _numbers(given: Any, space: Manifold) -> Floats:
    return np.array(given, dtype=float).reshape(space.shape)


def _texts(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise TypeError("flags")
    return tuple(_arguments.text("flag", flag) for flag in given)


def _html(x: Floats) -> str:
    with np.printoptions(precision=6, threshold=30):
        return f"<pre style='margin:0'>{escape(str(x))}</pre>"
