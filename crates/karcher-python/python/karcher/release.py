"""Releases: a private value with a record of how it was made."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from . import _arguments, _docs, _frames, _karcher
from ._arrays import by_content, hashable, numbers
from ._dates import moments
from ._json import pair, read
from ._statistics import STATISTICS
from .errors import ArgumentTypeError, Error
from .features import rows as feature_rows, values_at
from .manifolds import Manifold, manifold
from .privacy import Guarantee, Sensitivity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from ._json import Point, Points
    from .manifolds import Floats
    from .plot import Picture


class _Recorded:
    """What a JSON object records: equal to whatever the same object records, in whatever order and layout."""

    _json: str

    def to_json(self) -> str:
        """One JSON object with the library's field names."""
        return self._json

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(hashable(json.loads(self._json)) == hashable(json.loads(other._json)))

    def __hash__(self) -> int:
        return hash(hashable(json.loads(self._json)))


class _Published(_Recorded):
    """What prints as the command prints it."""

    def __repr__(self) -> str:
        return _karcher.words(self._json, "answer")

    def summary(self) -> str:
        """All facts as text, as the command prints them with ``--details``. ``print(release)`` shows only the
        answer."""
        return _karcher.words(self._json, "details")

    def sentence(self) -> str:
        """Sentences that state the release in a paper."""
        return _karcher.words(self._json, "sentence")

    def _repr_html_(self) -> Optional[str]:
        return _karcher.section(self._json)


@by_content
class Ball(NamedTuple):
    """The public ball to which records were clipped."""

    center: Point
    radius: float
    #: The radius in each factor of a product, where records were clipped in each by itself; ``radius`` is then that of
    #: the smallest ball around them.
    radii: Optional[tuple[float, ...]] = None


@dataclass(frozen=True)
class Radii:
    """A public grid of radii: the largest, the quotient of neighbouring ones, and how many there are."""

    largest: float
    ratio: float
    count: int


class Part(NamedTuple):
    """One of several mechanisms of a release: ``"center"``, ``"radius"`` or ``"mean"``, with its own guarantee, and the
    scope of its proof."""

    part: str
    guarantee: Guarantee
    numerics: str


@by_content
@dataclass(frozen=True, eq=False)
class Located:
    """A ball that was found with a part of the budget of a mean.

    Attributes
    ----------
    within : Ball
        The public outer ball in which it was sought.
    center : array of the manifold's ``shape``
    center_method : str
        Method of finding the center: ``"median-flow"`` or ``"coordinate-medians"``.
    radius : float
        Radius of the ball. If it is too large for a mean, the release's ``ball`` is smaller, and flagged
        ``"no-useful-mean"``.
    quantile, margin : float
        The radius is at most ``margin`` times the radius of the grid that aims at this share of the records.
    radii : Radii
    parts : tuple of Part
        The parts of the budget and their uses.
    """

    within: Ball
    center: Point
    center_method: str
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


class NoiseDraw(NamedTuple):
    """Draws of noise of one law and one scale: the noisy quantity, the law, its space (``None`` for a choice among
    places), the scale, the sensitivity, and the number of draws. The guarantee of a release follows from all its draws
    (user guide, P7)."""

    quantity: str
    law: str
    scale: float
    sensitivity: float
    space: Optional[str] = None
    draws: int = 1


class Region(NamedTuple):
    """A ball that contains the mean of the clipped records with a probability: at most ``radius`` from ``value``, or
    from ``noisy_value`` if that is its ``center``. ``coverage`` states how the probability is meant: ``"exactly"``,
    ``"at-least"``, ``"approximately"``, or ``"asymptotically"`` for the mean of a population."""

    probability: float
    radius: float
    center: str
    coverage: str


class NoisyNumber(NamedTuple):
    """A number released with noise: moved into its range, and as drawn. It has the scale and the law of the noise, its
    guarantee, and an interval that holds the number without noise with at least 95 % confidence."""

    value: float
    noisy_value: float
    scale: float
    mechanism: str
    guarantee: Guarantee
    interval: tuple[float, float]


class PrivateCount(NamedTuple):
    """A number of records released with noise: at least 0, and as drawn. It has the scale of the noise, and an interval
    that holds the true number with at least 95 % confidence."""

    value: float
    noisy_value: float
    scale: float
    interval: tuple[float, float]


class UniformSpread(NamedTuple):
    """The spread of uniform records on a compact space."""

    mean_square: float
    root_mean_square: float
    fraction_outside: float


class Spread(NamedTuple):
    """The distances of the records, before clipping to the ball, from a private mean, each at most ``clip``. It also
    has their share outside the ball. ``consistent_with_uniform`` is true if noise hides any difference from uniform
    records (``uniform``); their mean is then meaningless. ``clipping`` is an approximate bound of how far clipping
    moved the mean. ``population_region`` contains the mean of the population, clipped to the ball, in the limit of many
    records.

    For persons with several records "records" are contributions, for which the records were clipped to the ball first.
    Then ``fraction_outside`` and ``clipping`` do not show a ball that is too small."""

    clip: float
    mean_square: NoisyNumber
    root_mean_square: float
    root_mean_square_interval: tuple[float, float]
    fraction_outside: NoisyNumber
    uniform: Optional[UniformSpread]
    consistent_with_uniform: bool
    mean_guarantee: Guarantee
    clipping: Optional[float]
    population_region: Optional[Region]


@by_content
class Components(NamedTuple):
    """The directions in which the records vary most about a private mean, as unit tangent vectors. It has the mean
    squared lengths of the records' logarithms along them, and their shares of the sum. Variances below ``noise_level``
    are noise. ``shrunk_variances`` have less error as a matrix. ``population_semi_axes``, along the directions, are the
    semi-axes of an ellipsoid that contains the population's mean with about 95 % confidence, if there is one."""

    clip: float
    variances: tuple[float, ...]
    shrunk_variances: tuple[float, ...]
    explained_variance_ratio: tuple[float, ...]
    directions: Points
    scale: float
    mechanism: str
    noise_level: float
    guarantee: Guarantee
    mean_guarantee: Guarantee
    population_semi_axes: Optional[tuple[float, ...]]

    @classmethod
    def _own(cls, given: dict[str, Any], space: Optional[Manifold]) -> dict[str, Any]:
        region = given.get("population_region")
        return {"population_semi_axes": None if region is None else tuple(region["semi_axes"])}


class Concentration(NamedTuple):
    """The concentration κ ≤ 10¹² of a law of directions, axes or shapes, and an interval for it, perhaps unbounded.
    ``law`` is ``"von-mises-fisher"``, ``"watson"`` or ``"complex-watson"``."""

    law: str
    kappa: float
    interval: tuple[float, float]

    @classmethod
    def _own(cls, given: dict[str, Any], space: Optional[Manifold]) -> dict[str, Any]:
        low, high = given["interval"]
        return {"interval": (low, math.inf if high is None else high)}


class Concentrations(NamedTuple):
    """The concentrations of a law with one for each direction, and an interval for each, perhaps unbounded. ``law`` is
    ``"bingham"``, with λ₂ ≤ … ≤ λ_p and λ₁ = 0, or ``"matrix-fisher"``, with the singular values s₁ ≥ s₂ ≥ abs(s₃)."""

    law: str
    values: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]

    @classmethod
    def _own(cls, given: dict[str, Any], space: Optional[Manifold]) -> dict[str, Any]:
        largest = sys.float_info.max
        ends = [[math.copysign(math.inf, x) if abs(x) == largest else x for x in ends] for ends in given["intervals"]]
        return {"intervals": tuple(map(pair, ends))}


class Uniformity(NamedTuple):
    """Test that the records are spread evenly over the space: Rayleigh's for directions, Bingham's for axes. The null
    law of the p-value includes the noise. It holds in the limit of many records."""

    statistic: float
    p_value: float


class DirectionalSummary(NamedTuple):
    """The spread of the records about their extrinsic mean, on a space or a factor of a product. Every interval
    contains the number without noise with at least 95 % confidence."""

    space: str
    """The space, or the factor: ``"sphere:2"``."""
    mean_resultant_length: float
    """Length of the embedded mean over that of an embedded point, without the noise's share of its square: 1 if all
    records are one, 0 if they are spread evenly."""
    mean_resultant_length_interval: tuple[float, float]
    square_without_bias: float
    """Square of the mean resultant length, without bias by the noise. It may be negative."""
    concentration: Optional[Concentration]
    """Concentration of a law with such a mean. ``None`` where the space has no such law."""
    concentrations: Optional[Concentrations]
    """Concentrations of Bingham's law of axes, or of the matrix Fisher law of rotations."""
    frechet_mean_within: Optional[float]
    """Upper bound of the distance from the extrinsic mean of the records to each of their Fréchet means, with at least
    95 % confidence: the diameter where the records are too spread out for another one."""
    population_region: Optional[Region]
    """Region for the extrinsic mean of the population, the cone of confidence: the whole space where no direction is
    known."""
    any_population_region: Optional[Region]
    """Region for the mean direction of the population, whatever its law is; of directions alone."""
    ellipse: tuple[float, ...]
    """Semi-axes of the ellipse that holds the axis of the population with 95 % confidence, the longest first; of axes
    alone."""
    uniformity: Uniformity

    def summary(self) -> dict[str, Any]:
        """The plain numbers by name, for a row of a table."""
        law = self.concentration
        low, high = self.mean_resultant_length_interval
        return {
            "space": self.space,
            "mean_resultant_length": self.mean_resultant_length,
            "mean_resultant_length_low": low,
            "mean_resultant_length_high": high,
            "law": None if law is None else law.law,
            "kappa": None if law is None else law.kappa,
            "kappa_low": None if law is None else law.interval[0],
            "kappa_high": None if law is None else law.interval[1],
            "population_radius": None if self.population_region is None else self.population_region.radius,
            "any_population_radius": None if self.any_population_region is None else self.any_population_region.radius,
            "frechet_mean_within": self.frechet_mean_within,
            "uniformity_statistic": self.uniformity.statistic,
            "uniformity_p_value": self.uniformity.p_value,
        }


@by_content
class EmbeddedMean(NamedTuple):
    """The noisy mean of the embedded records of an extrinsic mean, and results that follow from it. ``factors`` has one
    entry for a space, or for each factor of a product or each angle of a torus.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = karcher.Sphere(2).random_point(4000, center=[0.0, 0.0, 1.0], scale=0.1, random_state=1)
    >>> release = karcher.PrivateFrechetMean("sphere:2", epsilon=1.0).fit(X).release_
    >>> (row,) = release.extrinsic.summary()
    >>> row["law"], row["uniformity_p_value"] < 0.01
    ('von-mises-fisher', True)
    """

    embedded_mean: Floats
    factors: tuple[DirectionalSummary, ...]

    def summary(self) -> list[dict[str, Any]]:
        """One dict of plain numbers for each factor; ``pandas.DataFrame`` takes the list."""
        return [factor.summary() for factor in self.factors]

    def to_frame(self) -> Any:
        """The summary as a ``pandas.DataFrame``, one row for each factor."""
        import pandas

        return pandas.DataFrame(self.summary())


class Comparison(NamedTuple):
    """A test of the difference between the means of populations, from releases."""

    distance: Optional[float]
    """Distance between the private means of two groups; ``None`` for more groups."""
    threshold: float
    """The threshold that the statistic exceeds with about 5 % at most if the populations are the same."""
    differ: bool
    """Whether the statistic exceeds it."""
    p_value: float
    """The probability of a statistic at least as large if the populations are the same."""
    statistic: float
    """The difference that is tested: the distance of two means in coordinates at the center of the ball, and the
    weighted root mean square of the distances of all pairs of several means."""
    distances: Floats
    """Distances between the private means of all pairs of groups."""

    def __repr__(self) -> str:
        groups = len(self.distances)
        pairs = [(i, j) for i in range(groups) for j in range(i + 1, groups)]
        several = [(f"{self.distances[i, j]:.4g}", f"between releases {i + 1} and {j + 1}") for i, j in pairs]
        between = [(f"{self.distance:.4g}", "between the private means")] if self.distance is not None else several
        found = "the means of the populations differ, at the level of 5 %"
        return _frames.lines(
            *[("distance", " ".join(one)) for one in between],
            ("statistic", f"{self.statistic:.4g}"),
            ("threshold", f"{self.threshold:.4g}, exceeded by chance with at most about 5 %"),
            ("p-value", f"{self.p_value:.4g}, the probability of so large a difference of equal means"),
            ("verdict", found if self.differ else "no difference is found: equal means, or too few records"),
        )


@dataclass(frozen=True, eq=False)
class MeanOverSites:
    """The mean over sites whose populations differ: the sites of a :class:`PooledMean` are a sample of many. ``τ²`` is
    estimated as DerSimonian and Laird do, and the region as Hartung, Knapp, Sidik and Jonkman do (user guide, F3).

    Attributes
    ----------
    value : array of the manifold's ``shape``
        The mean over sites.
    noisy_value : array or None
        The same before it was projected onto the ball that all sites have.
    embedded_mean : array or None
        The embedded mean over sites, for extrinsic means.
    weights : array
        The weights ``1/(s²/n + v + τ²)`` of the releases, in their order. Their sum is 1.
    between_sites : float
        ``τ``, the root mean square distance of a site's own mean from the mean over sites.
    i_squared : float
        The share of the differences between sites that noise and sampling do not explain.
    distances : array
        The distance of each site's released point from the mean over sites.
    errors : array
        The root mean square error of each site's released point, by noise, and by sampling where there is a spread.
    radii : array
        The length that this error exceeds with 5 % if it is normal.
    region : Region
        For the mean over sites.
    """

    value: Point
    noisy_value: Optional[Point]
    embedded_mean: Optional[Floats]
    weights: Floats
    between_sites: float
    i_squared: float
    distances: Floats
    errors: Floats
    radii: Floats
    region: Region


@dataclass(frozen=True, eq=False, repr=False)
class PooledMean(_Recorded):
    """One mean from the releases of several sites, made by :func:`pool`.

    Attributes
    ----------
    value : array of the manifold's ``shape``
        The pooled point.
    noisy_value : array or None
        The pooled point before projection onto the ball of all sites.
    embedded_mean : array or None
        The pooled embedded mean, for extrinsic means.
    manifold : Manifold
    statistic : str
    weights : array
        The weights of the releases, in their order. Their sum is 1.
    spread : float
        The root mean square distance of records from their mean that the weights assume.
    spread_source : str
        ``"given"``, ``"released"``, or ``"unknown"``, which counts as 0.
    n : float
        The number of records of all sites, approximate if it is confidential.
    noise_error : float
        The root mean square distance by which noise moves the pooled point.
    region : Region or None
        Region for the weighted mean of the sites' means of clipped records.
    population_region : Region or None
        Region for the weighted mean of the sites' populations, clipped to their balls.
    over_sites : MeanOverSites or None
        The mean over sites whose populations differ; None for one site.
    same_ball : bool
        Whether all sites clipped their records to the same ball.
    guarantee : Guarantee or None
        Guarantee of all releases together, for people at one site each; None if there is no common definition.
    guarantees : tuple of Guarantee
        Guarantees of the releases.
    unit, adjacency, numerics : str
    flags : tuple of str
        The flags of all releases.
    """

    value: Point
    noisy_value: Optional[Point]
    embedded_mean: Optional[Floats]
    manifold: Manifold
    statistic: str
    weights: Floats
    spread: float
    spread_source: str
    n: float
    noise_error: float
    region: Optional[Region]
    population_region: Optional[Region]
    over_sites: Optional[MeanOverSites]
    same_ball: bool
    guarantee: Optional[Guarantee]
    guarantees: tuple[Guarantee, ...]
    unit: str
    adjacency: str
    numerics: str
    flags: tuple[str, ...]
    _json: str = field(repr=False)
    _given: tuple[list[str], Optional[float]] = field(repr=False)

    def plot(self, names: Optional[Sequence[str]] = None) -> Picture:
        """A forest plot: the distance of each site from the mean over sites, in units of distance, and how far noise
        and sampling reach.

        Parameters
        ----------
        names : sequence of str, optional
            Names of the sites, in the order of their releases; by default ``site 1``, ``site 2`` and so on.

        Returns
        -------
        karcher.plot.Picture

        Raises
        ------
        Error
            For one site alone, sites without a mean, and another number of names than of sites.
        """
        from . import plot

        releases, spread = self._given
        shown = [f"site {i + 1}" for i in range(len(releases))] if names is None else [str(name) for name in names]
        if len(shown) != len(releases):
            raise Error(f"names has {len(shown)} entries, and there are {len(releases)} sites: give one for each")
        return plot.Picture(_karcher.sites_picture(releases, spread, shown))

    def __repr__(self) -> str:
        value = np.array2string(self.value, precision=6, threshold=50).split("\n")
        regions = (("region", "sites' means of clipped records", self.region),
                   ("population", "sites' populations", self.population_region))  # fmt: skip
        people = f"{'about ' * (self.adjacency == 'add-remove')}{self.n:.0f} {self.unit}s on {self.manifold.name}"
        spread = "unknown" if self.spread_source == "unknown" else f"{self.spread:.4g}, {self.spread_source}"
        promised = "; ".join(map(str, self.guarantees)) if self.guarantee is None else str(self.guarantee)
        return _frames.lines(
            *[("" if i else "pooled mean", row) for i, row in enumerate(value)],
            ("sites", f"{len(self.weights)}, {people}; each person must be at one site only"),
            ("weights", ", ".join(f"{weight:.4g}" for weight in self.weights)),
            ("spread", spread),
            ("noise", f"{self.noise_error:.4g}, root mean square"),
            *[
                (name, f"the weighted mean of the {what} is within {region.radius:.4g}, {region.probability:.0%}")
                for name, what, region in regions
                if region is not None
            ],
            *self._between_sites(),
            ("guarantee", promised),
            ("numerics", self.numerics),
            *[("note", flag) for flag in self.flags],
        )

    def _between_sites(self) -> list[tuple[str, str]]:
        """How the sites differ, in words."""
        over = self.over_sites
        if over is None:
            return []
        value, region = np.array2string(over.value, precision=6, threshold=50).split("\n"), over.region
        errors = "noise" if self.spread_source == "unknown" else "noise and sampling"
        differences = f"between sites {over.between_sites:.4g}, root mean square"
        return [
            *[("" if i else "over sites", row) for i, row in enumerate(value)],
            ("", f"the mean over sites is within {region.radius:.4g} of this point, {region.probability:.0%}"),
            ("differences", f"{differences}; {over.i_squared:.0%} of them are not explained by {errors}"),
        ]


def _how_many(given: dict[str, Any]) -> dict[str, Any]:
    """How many records there are: the number where it is public, else a guess of it and the private number."""
    if given["adjacency"] != "add-remove":
        return {"n": _arguments.count("n", given["n"]), "n_guess": None, "private_count": None}
    if "n" in given:
        raise Error("with add-remove neighbours a release has n_guess and private_count, and no n")
    count = read(PrivateCount, given["private_count"])
    return {"n": None, "n_guess": _arguments.count("n_guess", given["n_guess"]), "private_count": count}


@dataclass(frozen=True, eq=False, repr=False)
class _Released(_Published):
    """What all releases have."""

    manifold: Manifold
    n: Optional[int]
    n_guess: Optional[int]
    private_count: Optional[PrivateCount]
    guarantee: Guarantee
    also: tuple[Guarantee, ...]
    unit: str
    adjacency: str
    mechanism: str
    scale: float
    sensitivity: Sensitivity
    noise: tuple[NoiseDraw, ...]
    ball: Ball
    numerics: str
    expected_distance: float
    steps: Optional[tuple[Step, ...]]
    flags: tuple[str, ...]
    statistic: str
    lattice: Optional[float]
    ledger_entry: Optional[int]
    spec: Optional[dict[str, Any]]
    layout: Optional[str]
    columns: tuple[str, ...]
    template: Optional[Point]
    trust: Optional[str]
    series: Optional[dict[str, Any]]
    _json: str = field(repr=False)

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        """The attributes that are no field of the JSON object, or others there."""
        return {**_how_many(given), "ledger_entry": _entry(given)}

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The release that a JSON object records.

        Raises
        ------
        Error
            When the text is not a release of this kind, or has a later schema.
        """
        try:
            given: dict[str, Any] = json.loads(text)
            if given["schema"] != 3:
                raise Error(f"the release has schema {given['schema']}, this version reads schema 3")
            return read(cls, given, manifold(given["manifold"]), _json=text)
        except Error:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
            raise Error(f"the text is not a {cls.__name__}: {type(problem).__name__} {problem}") from problem

    def to_pandas(self) -> Any:
        """The release as a row of a ``pandas.DataFrame``: the released numbers, then the guarantee. A release of
        clusters has a row for each cluster.

        A direction or an axis has the columns ``value_x``, ``value_y`` and ``value_z``, a rotation ``value_w`` before
        them. Landmarks have ``value_x1``, ``value_y1``, …; other numbers are named by their positions: ``value_0``, or
        ``value_0_1`` in a matrix. ``pandas.concat`` joins the rows of several releases.
        """
        return _frames.frame(self)

    def plot(self) -> Picture:
        """The picture of the release, as :func:`karcher.plot.release` and the command draw it."""
        from . import plot

        return plot.release(self)


@dataclass(frozen=True, eq=False, repr=False)
class Release(_Released):
    """A private mean, or a median, with all facts about it. All of it may be published.

    Made by :class:`PrivateFrechetMean` and :class:`PrivateGeometricMedian`; :meth:`from_json` reads a release written
    by :meth:`to_json` or the command.

    Attributes
    ----------
    value : array of the manifold's ``shape``
        The private value.
    noisy_value : array of the manifold's ``shape`` or None
        The value before denoising; None without denoising. Its distance to the mean of the clipped records has the
        announced law.
    noisy_coordinates : array or None
        The coordinates of the noisy point at the center of the ball, multiples of ``lattice``, from which value, flags
        and regions follow. None on flat spaces whose numbers are coordinates, and with idealized numerics.
    manifold : Manifold
    n : int or None
        Number of records if it is public, with ``adjacency="replace-one"``.
    n_guess : int or None
        The public guess of the number for which the release was planned, if the number is confidential.
    private_count : PrivateCount or None
        The noisy number, if the number is confidential.
    guarantee : Guarantee
    also : tuple of Guarantee
        Guarantees of the same noise in pure ε and μ, if the guarantee is an (ε, δ) of Laplace noise; otherwise empty.
        Compose with one of them instead of ``guarantee``, not in addition.
    unit : str
        Protected unit, such as ``"record"``.
    adjacency : str
        ``"replace-one"``: neighbouring data sets differ in the value of one record; ``"add-remove"``: one has an
        additional record.
    mechanism : str
    scale : float
        Scale of the noise, in units of distance; of a Karcher flow the scale of the last step.
    sensitivity : Sensitivity
    noise : tuple of NoiseDraw
        All noise of the release, draw by draw.
    ball : Ball
    numerics : str
        The scope of the proof: ``"exact"``, the released bits; ``"idealized"``, real numbers; ``"mcmc"``, the limit of
        a Markov chain.
    expected_distance : float
        Mean distance between the private value, before denoising, and the mean of the clipped records.
    bias_bound : float or None
        Of a Karcher flow, a bound of its distance from this mean without noise. None if the ball is too large for a
        known bound.
        steps : tuple of Step or None
        Steps of a Karcher flow.
    flags : tuple of str
        Caveats to the guarantee.
    statistic : str
    lattice : float or None
        The step of the public lattice of the value before denoising, seen from the ball's center. None in releases of
        version 0.1.
    logarithm : array of the manifold's ``shape`` or None
        The matrix logarithm of the value, for ``spd-log-euclidean`` matrices beyond the range of numbers (flag
        ``beyond-precision``).
    region : Region or None
        A region that contains the mean of the clipped records with a probability. None if no law of the distance is
        known.
    spread : Spread or None
        The spread of the records about the value, if it was asked for.
    components : Components or None
        The directions in which the records vary most, from a :class:`PrivateTangentPCA`.
    extrinsic : EmbeddedMean or None
        The embedded mean of an extrinsic mean, with the concentration, the confidence cone and a test of uniformity.
    located : Located or None
        With ``ball="auto"``: how the ball was found, and the parts of the budget.
    ledger_entry : int or None
        The number of the entry in the :class:`Ledger` that counted the release, if one did.
    spec : dict or None
        The specification of the release, with everything public except the number of records, for :func:`karcher.run`.
        None for randomized records.
    layout : str or None
        The chosen layout of a table of records, such as ``"latlon"``.
    columns : tuple of str
        Of compositions: the columns of that table, where they were chosen. Pictures name the parts by them.
    template : array of the manifold's ``shape`` or None
        The public template onto which landmarks were rotated, if there was one.
    trust : str or None
        Parties that have to be honest for the guarantee, if aggregators added the noise: ``"one of two aggregators"``.
    series : dict or None
        Of a :class:`Series`: the ``period``, ``periods`` and ``growth``, the scale of the noise over that of one draw.
    """

    value: Point
    noisy_value: Optional[Point]
    noisy_coordinates: Optional[Floats]
    bias_bound: Optional[float]
    logarithm: Optional[Point]
    region: Optional[Region]
    spread: Optional[Spread]
    components: Optional[Components]
    extrinsic: Optional[EmbeddedMean]
    located: Optional[Located]


@dataclass(frozen=True, eq=False, repr=False)
class RegressionRelease(_Released):
    """A private geodesic with all facts about it. All of it may be published.

    Made by :class:`PrivateGeodesicRegression`; :meth:`from_json` reads what :meth:`to_json` or the command line wrote.
    Other attributes are as in :class:`Release`.

    Attributes
    ----------
    footpoint : array of the manifold's ``shape``
        Prediction in the middle of the predictor's range.
    shooting_vector : array of the manifold's ``shape``
        The velocity there, **per length of the range**.
    predictor_range : tuple of float
        The public ends of the range.
    slope_bound : float
        Public bound of the shooting vector's length.
    residual_bound : float
        Public length to which residuals were clipped.
    predictor_variance : float or None
        Private variance of the predictor, in units of the squared length of its range: 1/12 if it is spread evenly.
        ``None`` for the mechanism ``"kng"``.
    expected_distance : float
        Expected root mean square distance over the range to the least-squares geodesic: a prediction from public
        quantities, not a bound.
    """

    footpoint: Point
    shooting_vector: Point
    predictor_range: tuple[float, float]
    slope_bound: float
    residual_bound: float
    predictor_variance: Optional[float]

    def predict(self, X: ArrayLike) -> Floats:
        """The predictions of the geodesic for values of the predictor, (n,) or (n, 1). They cost no privacy."""
        low, high = self.predictor_range
        t = (_karcher.predictor(numbers(moments(X), "X"), high) - low) / (high - low) - 0.5
        return along(self.manifold, self.footpoint, self.shooting_vector, t)

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        ends, variance = given["predictor_range"], given.get("predictor_variance", {}).get("value")
        own = {"predictor_range": (ends["low"], ends["high"]), "predictor_variance": variance}
        return {**super()._own(given, space), **own}


@dataclass(frozen=True)
class Effect:
    """The difference of predictions at two values of a term.

    Attributes
    ----------
    term, from_value, to_value : str
    vector : array of the manifold's ``shape``
        The difference: a tangent vector at the center of the ball.
    distance : float
        Its length.
    interval : tuple of float
        An interval that contains the length in the population with 95 % confidence, for many records.
    change, change_interval : float and tuple of float, or None
        The length with a sign, in one dimension: on a line, on a circle, or along the only vector of a basis.
    little_information : bool
        Whether noise hides the effect.
    """

    term: str
    from_value: str
    to_value: str
    vector: Point
    distance: float
    interval: tuple[float, float]
    change: Optional[float]
    change_interval: Optional[tuple[float, float]]
    little_information: bool

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        ends = {f"{name}_value": _arguments.text(name, given[name]) for name in ("from", "to")}
        change = given.get("change")
        if change is None:
            return {**ends, "change": None, "change_interval": None}
        return {**ends, "change": change["value"], "change_interval": pair(change["interval"])}


@dataclass(frozen=True)
class TermTest:
    """A test that predictions do not depend on a term, given all others. ``p_value`` is for the population. It is an
    upper bound for any residuals.

    ``even_p_value`` assumes residuals of equal size at all levels and values; otherwise it may be far too small. No
    p-value is below ``1 / (draws + 1)``. With ``little_information`` noise hides another term, whose effect may appear
    as an effect of this one.
    """

    term: str
    statistic: float
    p_value: float
    little_information: bool
    even_p_value: Optional[float] = None
    draws: int = 2000


@dataclass(frozen=True)
class Predictions:
    """Predictions of a regression on features.

    Attributes
    ----------
    points : array of shape (n, *shape)
    region : array of shape (n,)
        Radii of the regions that contain the prediction of least squares without noise with 95 % confidence. Terms that
        noise hides count with coefficients of the usual size, so choose ranges of covariates that the records fill.
    population_region : array of shape (n,)
        Radii for the prediction in the population of clipped responses, for residuals of equal size.
    little_information : list of bool
        Whether noise hides a part of a prediction.
    """

    points: Floats
    region: Floats
    population_region: Floats
    little_information: list[bool]


@dataclass(frozen=True, eq=False, repr=False)
class FeatureRegressionRelease(_Released):
    """A private regression on features with all facts about it. All of it may be published.

    Made by :class:`PrivateFeatureRegression`; :meth:`from_json` reads what :meth:`to_json` or the command line wrote.
    Other attributes are as in :class:`Release`.

    Attributes
    ----------
    features : list of str or dict
        The terms, or the number of columns of a matrix.
    feature_names : list of str
        The names of the features.
    coefficients : array of shape (q, d)
        For each feature the coordinates of a tangent vector at the center, in an orthonormal frame; with a basis,
        coordinates in the orthonormalized basis.
    moments : array
        The noisy moments: the private numbers.
    residual_spread : float
        Root mean square distance of responses from their predictions, up to noise.
    effects : tuple of Effect
        Effects of changing from one level to another, and from one end of a range to the other.
    term_tests : tuple of TermTest
        A test for each term.
    """

    features: Any
    feature_names: list[str]
    coefficients: Floats
    moments: Floats
    residual_spread: float
    effects: tuple[Effect, ...]
    term_tests: tuple[TermTest, ...]

    def predict(self, X: Any = None) -> Predictions:
        """Predictions with their regions. They cost no privacy.

        Parameters
        ----------
        X : DataFrame, table or mapping of columns, or an array of shape (n, q)
            The covariates by name, or rows of features. None for a regression without features, which is a mean.
        """
        points, region, population, little = _karcher.feature_predictions(self._json, self._rows_of(X))
        return Predictions(self.manifold._as_points(points), region, population, little)

    def _rows_of(self, X: Any) -> Floats:
        """The rows of features of covariates."""
        is_matrix = isinstance(self.features, dict)
        if not self.features:
            return np.ones((1, 1))
        rows = numbers(X, "X") if is_matrix else feature_rows(self.features, values_at(X))
        if rows.ndim != 2 or rows.shape[1] != len(self.feature_names):
            raise Error(f"X has shape {rows.shape}: a row has {len(self.feature_names)} features")
        return np.ascontiguousarray(rows)

    @classmethod
    def _own(cls, given: dict[str, Any], space: Manifold) -> dict[str, Any]:
        names = _karcher.feature_columns(json.dumps(given["features"]))[1]
        return {**super()._own(given, space), "feature_names": names}


def compare(first: Release, second: Release, *others: Release) -> Comparison:
    """Tests whether the means of two or more groups **of different people** differ, from releases with ``spread=True``
    in the same ball. It uses only public values, and spends no budget.

    The law of the difference between equal populations is simulated from the releases. The level, 5 %, holds in the
    limit of many records (user guide, "Spread, regions, components", D4).

    Parameters
    ----------
    first, second, *others : Release
        Releases of :class:`PrivateFrechetMean` with ``spread=True``.

    Returns
    -------
    Comparison

    Raises
    ------
    Error
        For releases on different spaces or in different balls, for one without a spread, and for a release given twice.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> def released(low, high):
    ...     mean = karcher.PrivateFrechetMean(karcher.Euclidean(1), radius=1.0, epsilon=1.0, spread=True)
    ...     return mean.fit(np.linspace(low, high, 2000)[:, np.newaxis]).release_
    >>> karcher.compare(released(-0.2, 0.2), released(0.1, 0.5)).differ
    True
    """
    releases = (first, second, *others)
    names = ("first", "second", *(f"others[{i}]" for i in range(len(others))))
    for name, release in zip(names, releases):
        if not isinstance(release, Release):
            raise ArgumentTypeError(f"{name} is {type(release).__name__}: expected a Release")
    distance, statistic, threshold, p_value, differ, distances = _karcher.compare([one.to_json() for one in releases])
    return Comparison(distance, threshold, differ, p_value, statistic, np.asarray(distances))


def pool(releases: Iterable[Release], spread: Optional[float] = None) -> PooledMean:
    """One mean from the releases of several sites, **about different people**, without any protocol between the sites.
    It uses only public values, and spends no budget.

    The weights are ``1/(s²/n + v)``, with ``s`` the spread of the records, ``n`` their number and ``v`` the mean square
    of the noise. Each person must be at only one site. Then the weakest guarantee covers each person (user guide, F2).

    Parameters
    ----------
    releases : iterable of Release
        Releases of :class:`PrivateFrechetMean`, one from each site.
    spread : float, optional
        Public guess of the root mean square distance of records from their mean. By default it is taken from releases
        with ``spread=True``; if there are none, only noise decides the weights.

    Returns
    -------
    PooledMean

    Raises
    ------
    Error
        For different spaces, units or neighbours, for a release given twice, for two releases from one ledger, and for
        statistics other than means.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> def site(n, epsilon):
    ...     mean = karcher.PrivateFrechetMean(karcher.Euclidean(2), radius=1.0, epsilon=epsilon)
    ...     return mean.fit(np.full((n, 2), 0.3)).release_
    >>> pooled = karcher.pool([site(500, 1.0), site(1000, 0.5)])
    >>> np.round(pooled.weights, 2).tolist(), pooled.guarantee.epsilon
    ([0.5, 0.5], 1.0)
    """
    if not hasattr(releases, "__iter__"):
        raise ArgumentTypeError(f"releases is of type {type(releases).__name__}: give a list, one release of each site")
    given = list(releases)
    for i, release in enumerate(given):
        if not isinstance(release, Release):
            raise ArgumentTypeError(f"releases[{i}] is {type(release).__name__}: expected a Release")
    length = _arguments.optional(_arguments.length, "spread", spread)
    releases_as_text = [one.to_json() for one in given]
    text = _karcher.pool(releases_as_text, length)
    pooled = json.loads(text)
    return read(PooledMean, pooled, manifold(pooled["manifold"]), _json=text, _given=(releases_as_text, length))


@dataclass(frozen=True, eq=False, repr=False)
class BallRelease(_Released):
    """A private ball with all facts about it. All of it may be published.

    Made by :class:`PrivateBall`; :meth:`from_json` reads what :meth:`to_json` or the command line wrote. Other
    attributes are as in :class:`Release`.

    Attributes
    ----------
    center : array of the manifold's ``shape``
        A private median.
    center_method : str
        Method of the median: geometric, by a ``"median-flow"``, or ``"coordinate-medians"``.
    radius : float
        Private radius, at most ``margin`` times the chosen radius of the grid.
    quantile : float
        The share of the records at which the chosen radius aims.
    margin : float
    radii : Radii
        The public grid.
    parts : tuple of Part
        The parts of the budget and their uses.
    ball : Ball
        The public **outer** ball of the search.
    """

    center: Point
    center_method: str
    radius: float
    quantile: float
    margin: float
    radii: Radii
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False, repr=False)
class VarianceRelease(_Released):
    """A private Fréchet variance with all facts about it. All of it may be published.

    Made by :class:`PrivateFrechetVariance`; :meth:`from_json` reads what :meth:`to_json` wrote. Other attributes are as
    in :class:`Release`; ``scale`` and ``expected_distance`` are in units of distance squared.

    Attributes
    ----------
    clip : float
        The bound at which distances are cut off.
    mean_square : NoisyNumber
        The mean of the squared distances to the center of ``ball``, each at most ``clip²``.
    root_mean_square : float
    root_mean_square_interval : tuple of float
        Interval that contains the root of the mean square without noise with at least 95 % confidence.
    uniform : UniformSpread or None
        The spread of uniform records on a compact space.
    consistent_with_uniform : bool
        Whether noise hides any difference from uniform records.
    """

    clip: float
    mean_square: NoisyNumber
    root_mean_square: float
    root_mean_square_interval: tuple[float, float]
    uniform: Optional[UniformSpread]
    consistent_with_uniform: bool


@dataclass(frozen=True, eq=False, repr=False)
class CovarianceRelease(_Released):
    """A private mean and covariance of vectors with all facts about it. All of it may be published.

    Made by :class:`PrivatePCA`; :meth:`from_json` reads what :meth:`to_json` wrote. Other attributes are as in
    :class:`Release`; ``scale`` is in units of the moments, and ``expected_distance`` is a Frobenius distance.

    Attributes
    ----------
    mean : array of shape (d,)
    mean_radius : float
        The mean of the clipped records is no farther from ``mean``, with at least 95 % confidence.
    covariance : array of shape (d, d)
        The covariance matrix, over the number of records. Noise may make it indefinite.
    variances : tuple of float
        Its eigenvalues, the largest first. Noise may make some negative.
    explained_variance_ratio : tuple of float
        Each variance over their sum, from 0 to 1.
    directions : array of shape (d, d)
        The eigenvectors, one a row. The number of each that is largest in size is positive.
    noise_level : float
        About the largest variance due to noise alone.
    variance_half_width : float
        The variances without noise are no farther from ``variances``, all together, with at least 95 % confidence.
    weight : float
        The weight of the mean among the moments.
    noisy_moments : array
        The noisy mean of ``(weight·u, u·uᵀ)``, with records ``u`` in units of the ball. Numbers off the diagonal are √2
        times as large.
    """

    mean: Point
    mean_radius: float
    covariance: Points
    variances: tuple[float, ...]
    explained_variance_ratio: tuple[float, ...]
    directions: Points
    noise_level: float
    variance_half_width: float
    weight: float
    noisy_moments: Floats


@dataclass(frozen=True, eq=False)
class Cluster:
    """A private cluster.

    Attributes
    ----------
    center : array of the manifold's ``shape``
    noisy_count : float
        The noisy number of records nearest to the center before the last step.
    weight : float
        The cluster's share of all records.
    """

    center: Point
    noisy_count: float
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class KMeansRelease(_Released):
    """Private clusters with all facts about them. All of it may be published.

    Made by :class:`PrivateKMeans`; :meth:`from_json` reads what :meth:`to_json` wrote. Other attributes are as in
    :class:`Release`.

    Attributes
    ----------
    clusters : tuple of Cluster
        Clusters, the largest first.
    cost : NoisyNumber or None
        The mean of the squared distances to the nearest center, each cut off at the square of the radius.
    """

    clusters: tuple[Cluster, ...]
    cost: Optional[NoisyNumber]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreRelease(_Released):
    """A private score of fixed predictions with all facts about it. All of it may be published.

    Made by :func:`private_score` and :class:`PrivateScore`; :meth:`from_json` reads what :meth:`to_json` wrote. Other
    attributes are as in :class:`Release`; ``scale`` is in records, or in persons.

    Attributes
    ----------
    metric : str
        The metric, such as ``"accuracy"``.
    labels : tuple of str
        The public list of labels.
    bound : float or None
        The bound at which losses were cut off.
    range : dict or None
        The public range of numbers, ``low`` and ``high``.
    score : float
        The score; of ``"confusion"`` the accuracy.
    score_interval : tuple of float
        Interval that contains the score without noise with at least 95 % confidence.
    noisy_counts : array
        The noisy number of records, or persons, in each cell of the table that the score follows from.
    half_width : float
        A cell without noise is no farther from the noisy one, with at least 95 % confidence for each.
    """

    metric: str
    labels: tuple[str, ...]
    bound: Optional[float]
    range: Optional[dict[str, float]]
    score: float
    score_interval: tuple[float, float]
    noisy_counts: Floats
    half_width: float

    @property
    def confusion_matrix(self) -> Floats:
        """The confusion matrix, a row for each actual label and a column for each predicted one. Each number is moved
        to one from 0 to ``n``.

        Raises
        ------
        Error
            For another metric.
        """
        k = len(self.labels)
        if self.metric != "confusion":
            raise Error("this release has no confusion matrix: take metric='confusion'")
        cells: Floats = np.clip(self.noisy_counts[: k * k], 0.0, self.n).reshape(k, k)
        return cells


@dataclass(frozen=True, eq=False, repr=False)
class SelectionRelease(_Released):
    """A private choice among public candidates with all facts about it. All of it may be published.

    Made by :class:`PrivateSelection`; :meth:`from_json` reads what :meth:`to_json` wrote. Other attributes are as in
    :class:`Release`; ``expected_distance`` is the utility that the choice misses, at most, as a share of the records.

    Attributes
    ----------
    selected : int
        Place of the chosen candidate, from 0.
    candidate : str
        Its name.
    candidates : tuple of str
        All names.
    """

    selected: int
    candidate: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class QuantilesRelease(_Released):
    """Private quantiles with all facts about them. All of it may be published.

    Made by :class:`PrivateQuantiles`; :meth:`from_json` reads what :meth:`to_json` wrote. Other attributes are as in
    :class:`Release`; ``scale`` is in records, or in persons.

    Attributes
    ----------
    positions : str
        What a position is: ``"number"``, ``"angle"`` or ``"distance"``.
    position_range : tuple of float
        The public range of positions; others count as its ends.
    levels : array
        The levels.
    quantiles : array
        The quantile of each level: the middle of a cell of the grid.
    intervals : array of shape (n_levels, 2)
        For each, an interval that holds the quantile of the records with at least 95 % confidence.
    population_intervals : array of shape (n_levels, 2)
        The same for the quantile of a population, if the records are an independent sample of it.
    noisy_sums : array
        The numbers that got noise, in records, or in persons: all others follow from them.
    """

    positions: str
    position_range: tuple[float, float]
    levels: Floats
    quantiles: Floats
    intervals: Floats
    population_intervals: Floats
    noisy_sums: Floats


def along(space: Manifold, footpoint: Floats, velocity: Floats, t: Floats) -> Floats:
    """``Exp_p(t·v)`` for every ``t``."""
    return space.exp(footpoint, np.multiply.outer(t, velocity))


def _entry(given: dict[str, Any]) -> Optional[int]:
    """The entry of a ledger that counted a release, if one did."""
    return None if given.get("ledger") is None else _arguments.count("entry", given["ledger"]["entry"])


@dataclass(frozen=True, eq=False, repr=False)
class CountRelease(_Published):
    """A private number of records, with all facts about it. All of it may be published.

    Attributes
    ----------
    value : int
        The number, at least 0.
    noisy_value : int
        The number as drawn.
    interval : tuple of float
        Interval that contains the true number with at least 95 % confidence.
    guarantee : Guarantee
    adjacency : str
        ``"add-remove"``: neighbouring data sets differ in one record added or removed.
    mechanism : {"laplace", "gaussian"}
    scale : float
        Scale of the noise, in records.
    seeded : bool
        Whether the noise can be reproduced, so that the number is **not private**.
    trust : str or None
        Parties that had to be honest, if several added noise.
    series : dict or None
        As for :class:`Release`.
    ledger_entry : int or None
    spec : dict or None
    """

    value: int
    noisy_value: int
    interval: tuple[float, float]
    guarantee: Guarantee
    adjacency: str
    mechanism: str
    scale: float
    seeded: bool
    trust: Optional[str]
    series: Optional[dict[str, Any]]
    ledger_entry: Optional[int]
    spec: Optional[dict[str, Any]]
    _json: str = field(repr=False)

    @classmethod
    def from_json(cls, text: str) -> CountRelease:
        """The release that a JSON object records.

        Raises
        ------
        Error
            When the text is not a release of a count.
        """
        try:
            given: dict[str, Any] = json.loads(text)
            _arguments.one_of("statistic", given["statistic"], "count")
            whole = {name: int(_arguments.real(name, given[name])) for name in ("value", "noisy_value")}
            own: dict[str, Any] = {**whole, "ledger_entry": _entry(given), "_json": text}
            return read(cls, given, **own)
        except Error:
            raise
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as problem:
            raise Error(f"the text is not a CountRelease: {type(problem).__name__} {problem}") from problem

    def to_pandas(self) -> Any:
        """The release as a row of a ``pandas.DataFrame``: the number, then the guarantee."""
        return _frames.frame(self)


_KINDS: dict[str, type[Any]] = {
    "ball": BallRelease,
    "clusters": KMeansRelease,
    "count": CountRelease,
    "covariance": CovarianceRelease,
    "features": FeatureRegressionRelease,
    "geodesic": RegressionRelease,
    "quantiles": QuantilesRelease,
    "score": ScoreRelease,
    "selection": SelectionRelease,
    "variance": VarianceRelease,
}
"""The classes of releases by the kind of their value, except points."""


def kind_of(statistic: str) -> type[Any]:
    """The class of the releases of a statistic."""
    return _KINDS.get(STATISTICS[statistic].value, Release)


__dir__ = _docs.complete(globals())
