"""Directional statistics with differential privacy: one call each for directions, axes, rotations and angles.

Every function releases an extrinsic mean, by :class:`karcher.PrivateFrechetMean` without a ball, and converts its
numbers to the terms of the field. You may publish the numbers and the ``release``. **Every call spends the budget**.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs
from ._arrays import by_content, numbers
from ._containers import opened
from ._names import names_of
from ._rows import check_rows
from ._tables import Options, is_table
from ._withheld import withholds
from .errors import Error
from .estimators import PrivateFrechetMean
from .ledger import Ledger
from .manifolds import Manifold, Projective, Rotations, Sphere, Torus
from .release import Concentration, DirectionalSummary, EmbeddedMean, Region, Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .manifolds import Floats

    Account = Union[Ledger, str, os.PathLike[str], None]

__all__ = [
    "AxialStatistics",
    "CircularMean",
    "FisherStatistics",
    "RotationMean",
    "axial_statistics",
    "circular_mean",
    "fisher_statistics",
    "rotation_mean",
]


@dataclass(frozen=True)
class FisherStatistics:
    """Fisher statistics of directions, with the names and definitions of PmagPy's ``fisher_mean``. Angles are in
    degrees.

    Attributes
    ----------
    dec, inc : float
        Declination and inclination of the mean direction, x north, y east and z down.
    n : float
        Number of directions; with ``adjacency="add-remove"`` the private number.
    r : float
        Length of the resultant vector, without the noise's share of its square.
    k : float
        Precision parameter, (n − 1)/(n − r).
    k_interval : tuple of float
        Interval that holds ``k`` without noise with at least 95 % confidence.
    alpha95 : float or None
        Half angle of the cone that holds the mean direction of the population with about 95 % confidence. It accounts
        for sampling and noise, for a von Mises–Fisher law; 180 if no direction is known.
    alpha95_any_population : float or None
        Half angle of a cone that holds the mean direction of a population of any law with about 95 % confidence; 180 if
        it would exceed 90.
    csd : float
        Circular standard deviation, 81/√k.
    p_value : float
        P-value of Rayleigh's test that the directions are spread evenly, noise included.
    release : Release
    """

    dec: float
    inc: float
    n: float
    r: float
    k: float
    k_interval: tuple[float, float]
    alpha95: Optional[float]
    alpha95_any_population: Optional[float]
    csd: float
    p_value: float
    release: Release


@by_content
@dataclass(frozen=True, eq=False)
class AxialStatistics:
    """Statistics of axes: the principal axis and the orientation tensor. Angles are in degrees.

    Attributes
    ----------
    axis : array of shape (p,)
        Principal axis, a unit vector of either sign.
    trend, plunge : float or None
        This axis in space, x north, y east and z down; ``None`` in other dimensions.
    eigenvalues : tuple of float
        Eigenvalues of the orientation tensor with noise, descending, of sum 1. Noise may take them out of [0, 1].
    eigenvectors : array of shape (p, p)
        Eigenvectors, one per row; the first is the principal axis.
    semi_axes : tuple of float
        Semi-axes of the ellipse that holds the axis of the population with about 95 % confidence, the longest first,
        towards the second eigenvector.
    alpha95 : float or None
        Radius of the circular region that holds the axis of the population with about 95 % confidence; 90 if no axis is
        known.
    kappa : float or None
        Concentration of a Watson law with this first eigenvalue, at most 10¹².
    bingham : tuple of float
        Concentrations λ₂ ≤ λ₃ ≤ … of Bingham's law with these eigenvalues, raised to the noise; empty in more than 16
        dimensions.
    p_value : float
        P-value of Bingham's test that the axes are spread evenly, noise included.
    n : float
    release : Release
    """

    axis: Floats
    trend: Optional[float]
    plunge: Optional[float]
    eigenvalues: tuple[float, ...]
    eigenvectors: Floats
    semi_axes: tuple[float, ...]
    alpha95: Optional[float]
    kappa: Optional[float]
    bingham: tuple[float, ...]
    p_value: float
    n: float
    release: Release


@by_content
@dataclass(frozen=True, eq=False)
class RotationMean:
    """The mean of rotations, as by ``scipy.spatial.transform.Rotation.mean``. Angles are in degrees.

    Attributes
    ----------
    quaternion : array of shape (4,)
        Unit quaternion of the mean, in the order of the records: the scalar is last unless ``scalar_first``.
    matrix : array of shape (3, 3)
    region : float or None
        Bound of the angle between this rotation and the mean without noise, with 95 % confidence; 180 if noise may hide
        it.
    alpha95 : float or None
        Angle of the region that holds the mean of the population with about 95 % confidence.
    mean_resultant_length : float
    kappa : float or None
        Concentration of a Watson law of the quaternions, at most 10¹².
    singular_values : tuple of float
        Singular values of the matrix Fisher law, s₁ ≥ s₂ ≥ abs(s₃), the last with the sign of the determinant.
    p_value : float
        P-value of Bingham's test that the rotations are spread evenly, noise included.
    n : float
    release : Release
    """

    quaternion: Floats
    matrix: Floats
    region: Optional[float]
    alpha95: Optional[float]
    mean_resultant_length: float
    kappa: Optional[float]
    singular_values: tuple[float, ...]
    p_value: float
    n: float
    release: Release


@dataclass(frozen=True)
class CircularMean:
    """The mean of angles, and how they are spread about it. Angles are in the unit of the records.

    Attributes
    ----------
    mean : float
        Mean direction, from 0 to a full turn; for axes to half a turn.
    region : float or None
        Bound of the distance from the mean without noise, with 95 % confidence; half a turn if noise may hide it.
    alpha95 : float or None
        Half width of the interval about ``mean`` that holds the population's mean with about 95 % confidence.
    mean_resultant_length : float
        Mean resultant length R̄ of the angles, or for axes of the doubled angles.
    mean_resultant_length_interval : tuple of float
        Interval that holds the length without noise with at least 95 % confidence.
    kappa : float or None
        Concentration of a von Mises law of the angles, or for axes of the doubled angles; at most 10¹².
    p_value : float
        P-value of Rayleigh's test that the angles are spread evenly, noise included.
    n : float
    release : Release
    """

    mean: float
    region: Optional[float]
    alpha95: Optional[float]
    mean_resultant_length: float
    mean_resultant_length_interval: tuple[float, float]
    kappa: Optional[float]
    p_value: float
    n: float
    release: Release


@withholds
def fisher_statistics(
    directions: Any,
    *,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    groups: Union[ArrayLike, str, None] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
    ledger: Account = None,
    random_state: Optional[int] = None,
) -> FisherStatistics:
    """Mean direction, precision parameter and α₉₅ of directions in space, released with differential privacy. **Every
    call spends the budget**.

    Parameters
    ----------
    directions : array of shape (n, 3) or (n, 2), or a table
        Unit vectors x, y, z, or declinations and inclinations in degrees.
    {budget}
    groups : array of shape (n,) or str, optional
        The person, core or site of each direction, or its column in a table. The guarantee then protects these units,
        and all statistics describe the means of units.
    adjacency, n_guess, ledger, random_state : optional
        As for :class:`PrivateFrechetMean`.

    Returns
    -------
    FisherStatistics

    Raises
    ------
    Error
        As for :meth:`PrivateFrechetMean.fit`.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> rng = np.random.default_rng(0)
    >>> directions = rng.normal([300.0, 60.0], [8.0, 4.0], size=(2000, 2))
    >>> found = karcher.directional.fisher_statistics(directions, epsilon=1.0)
    >>> abs(found.inc - 60.0) < 1.0, found.alpha95 < 1.0, found.release.guarantee
    (True, True, Guarantee(epsilon=1.0))
    """
    made = _release(
        Sphere(2), directions, "directions", {2: "declination-inclination", 3: "vectors"}, groups,
        epsilon=epsilon, delta=delta, mu=mu, rho=rho, adjacency=adjacency, n_guess=n_guess, ledger=ledger,
        random_state=random_state,
    )  # fmt: skip
    dec, inc = made.manifold.write(made.value, "declination-inclination").tolist()
    n, (factor,) = _number(made), _extrinsic(made).factors
    k = _precision(n, factor.mean_resultant_length)
    low, high = factor.mean_resultant_length_interval
    return FisherStatistics(
        dec=dec,
        inc=inc,
        n=n,
        r=n * factor.mean_resultant_length,
        k=k,
        k_interval=(_precision(n, low), _precision(n, high)),
        alpha95=_degrees(factor.population_region),
        alpha95_any_population=_degrees(factor.any_population_region),
        csd=81.0 / math.sqrt(k) if k > 0.0 else math.inf,
        p_value=factor.uniformity.p_value,
        release=made,
    )


@withholds
def axial_statistics(
    axes: Any,
    *,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    groups: Union[ArrayLike, str, None] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
    ledger: Account = None,
    random_state: Optional[int] = None,
) -> AxialStatistics:
    """Principal axis and orientation tensor of axes, released with differential privacy. **Every call spends the
    budget**.

    Parameters
    ----------
    axes : array of shape (n, p) or (n, 2), or a table
        Unit vectors of p ≥ 3 numbers with either sign, or trends and plunges (0 to 90) in degrees. For axes in the
        plane see :func:`circular_mean`.
    {budget}
    groups, adjacency, n_guess, ledger, random_state : optional
        As for :func:`fisher_statistics`.

    Returns
    -------
    AxialStatistics

    Raises
    ------
    Error
        As for :meth:`PrivateFrechetMean.fit`.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> rng = np.random.default_rng(0)
    >>> axes = rng.normal([120.0, 30.0], 5.0, size=(2000, 2))
    >>> found = karcher.directional.axial_statistics(axes, epsilon=1.0)
    >>> abs(found.plunge - 30.0) < 1.0, found.eigenvalues[0] > 0.9
    (True, True)
    """
    columns = _columns(axes, "axes", groups)
    space = Projective(2 if columns == 2 else max(columns - 1, 1))
    made = _release(
        space, axes, "axes", {columns: "trend-plunge" if columns == 2 else "vectors"}, groups,
        epsilon=epsilon, delta=delta, mu=mu, rho=rho, adjacency=adjacency, n_guess=n_guess, ledger=ledger,
        random_state=random_state,
    )  # fmt: skip
    extrinsic = _extrinsic(made)
    (factor,) = extrinsic.factors
    trend, plunge = space.write(made.value, "trend-plunge").tolist() if space.dim == 2 else (None, None)
    values, vectors = np.linalg.eigh(orientation_tensor(extrinsic.embedded_mean))
    vectors = vectors.T[::-1]
    if vectors[0] @ made.value < 0.0:
        vectors[0] *= -1.0
    return AxialStatistics(
        axis=made.value,
        trend=trend,
        plunge=plunge,
        eigenvalues=tuple(values[::-1].tolist()),
        eigenvectors=vectors,
        semi_axes=tuple(math.degrees(angle) for angle in factor.ellipse),
        alpha95=_degrees(factor.population_region),
        kappa=_kappa(factor.concentration),
        bingham=_several(factor),
        p_value=factor.uniformity.p_value,
        n=_number(made),
        release=made,
    )


@withholds
def rotation_mean(
    rotations: Any,
    *,
    scalar_first: bool = False,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    groups: Union[ArrayLike, str, None] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
    ledger: Account = None,
    random_state: Optional[int] = None,
) -> RotationMean:
    """Mean of rotations of space, released with differential privacy. **Every call spends the budget**.

    Parameters
    ----------
    rotations : scipy.spatial.transform.Rotation, array of shape (n, 4) or (n, 3, 3), or a table
        Rotations, unit quaternions of either sign, or rotation matrices.
    scalar_first : bool
        Whether the scalar part of a quaternion comes first, w x y z, in records and result. By default it is last, as
        SciPy writes it.
    {budget}
    groups, adjacency, n_guess, ledger, random_state : optional
        As for :func:`fisher_statistics`.

    Returns
    -------
    RotationMean

    Raises
    ------
    Error
        As for :meth:`PrivateFrechetMean.fit`.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> from scipy.spatial.transform import Rotation
    >>> rng = np.random.default_rng(0)
    >>> poses = Rotation.from_rotvec(rng.normal([0.0, 0.0, 1.0], 0.1, size=(2000, 3)))
    >>> found = karcher.directional.rotation_mean(poses, epsilon=1.0)
    >>> angle = (Rotation.from_quat(found.quaternion).inv() * poses.mean()).magnitude()
    >>> bool(np.degrees(angle) < 5.0), found.matrix.shape
    (True, (3, 3))
    """
    order = "quaternions" if _arguments.flag("scalar_first", scalar_first) else "quaternions-last"
    if hasattr(rotations, "as_quat"):
        rotations, read_as = np.atleast_2d(rotations.as_quat()), "quaternions-last"
    else:
        read_as = order
        if np.ndim(rotations) == 3 and not is_table(rotations, Options()):
            matrices = numbers(rotations, "rotations")
            rotations = matrices.reshape(len(matrices), -1)
    made = _release(
        Rotations(3), rotations, "rotations", {4: read_as, 9: "matrices"}, groups,
        epsilon=epsilon, delta=delta, mu=mu, rho=rho, adjacency=adjacency, n_guess=n_guess, ledger=ledger,
        random_state=random_state,
    )  # fmt: skip
    (factor,) = _extrinsic(made).factors
    return RotationMean(
        quaternion=made.manifold.write(made.value, order),
        matrix=made.manifold.write(made.value, "matrices").reshape(3, 3),
        region=_degrees(made.region),
        alpha95=_degrees(factor.population_region),
        mean_resultant_length=factor.mean_resultant_length,
        kappa=_kappa(factor.concentration),
        singular_values=_several(factor),
        p_value=factor.uniformity.p_value,
        n=_number(made),
        release=made,
    )


@withholds
def circular_mean(
    angles: Any,
    *,
    degrees: bool = False,
    axial: bool = False,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    groups: Union[ArrayLike, str, None] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
    ledger: Account = None,
    random_state: Optional[int] = None,
) -> CircularMean:
    """Mean of angles, released with differential privacy. **Every call spends the budget**.

    Parameters
    ----------
    angles : array of shape (n,) or (n, 1)
        Angles in radians, or in degrees.
    degrees : bool
        Whether angles are in degrees, in records and result.
    axial : bool
        Whether the angles belong to axes in the plane, with period π; they are then doubled for the statistics.
    {budget}
    groups, adjacency, n_guess, ledger, random_state : optional
        As for :func:`fisher_statistics`.

    Returns
    -------
    CircularMean

    Raises
    ------
    Error
        As for :meth:`PrivateFrechetMean.fit`.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> hours = np.random.default_rng(0).vonmises(3.0, 2.0, size=2000)
    >>> found = karcher.directional.circular_mean(hours, epsilon=1.0)
    >>> abs(found.mean - 3.0) < 0.2, found.p_value < 0.01
    (True, True)
    """
    unit = "degrees" if _arguments.flag("degrees", degrees) else "radians"
    is_axial = _arguments.flag("axial", axial)
    one = getattr(angles, "name", None)
    check_rows(angles=angles, groups=groups)
    angles = opened(angles, "angles")
    if not is_table(angles, Options()) and not hasattr(angles, "columns"):
        angles = numbers(angles, "angles")
        angles = angles.reshape(-1, 1) if angles.ndim == 1 else angles
    made = _release(
        Projective(1) if is_axial else Torus(1), angles, "angles", {1: unit}, groups,
        names=[one] if isinstance(one, str) else None,
        epsilon=epsilon, delta=delta, mu=mu, rho=rho, adjacency=adjacency, n_guess=n_guess, ledger=ledger,
        random_state=random_state,
    )  # fmt: skip
    (factor,) = _extrinsic(made).factors
    scale = math.degrees(1.0) if degrees else 1.0
    turn = (math.pi if is_axial else 2.0 * math.pi) * scale
    kappa = _kappa(factor.concentration)
    return CircularMean(
        mean=made.manifold.write(made.value, unit).item() % turn,
        region=None if made.region is None else made.region.radius * scale,
        alpha95=None if factor.population_region is None else factor.population_region.radius * scale,
        mean_resultant_length=factor.mean_resultant_length,
        mean_resultant_length_interval=factor.mean_resultant_length_interval,
        # κ·cos²t is ½κ·cos 2t up to a constant
        kappa=0.5 * kappa if is_axial and kappa is not None else kappa,
        p_value=factor.uniformity.p_value,
        n=_number(made),
        release=made,
    )


def orientation_tensor(coordinates: Floats) -> Floats:
    """The symmetric matrix of trace 1 with these orthonormal coordinates: those off the diagonal row by row, then those
    of the diagonal in Helmert's basis."""
    p = math.isqrt(2 * len(coordinates) + 2)  # p(p + 1)/2 − 1 of them
    found = np.zeros((p, p))
    above = np.triu_indices(p, 1)
    off, rest = np.split(np.asarray(coordinates), [len(above[0])])
    found[above] = off / math.sqrt(2.0)
    found += found.T
    for k, c in enumerate(rest, start=1):
        unit = c / math.sqrt(k * (k + 1))
        found[range(k), range(k)] += unit
        found[k, k] -= k * unit
    return found + np.eye(p) / p


def _release(
    space: Manifold,
    given: Any,
    name: str,
    layouts: dict[int, str],
    groups: Any,
    *,
    names: Optional[list[str]] = None,
    **parameters: Any,
) -> Release:
    """The extrinsic mean of records in a layout, which their number of columns decides. Columns without ``names`` of
    their own may have some here."""
    check_rows(**{name: given, "groups": groups})
    given = opened(given, name)
    columns = _columns(given, name, groups)
    layout = layouts.get(columns)
    if layout is None:
        expected = " or ".join(f"{count} for {known}" for count, known in layouts.items())
        raise Error(f"{name} has {columns} columns: expected {expected}, one record a row")
    estimator = PrivateFrechetMean(space, mechanism="extrinsic", **parameters)
    whose = groups if isinstance(groups, str) else None
    numbers_of = [column for column in names_of(given) or names or [] if column != whose]
    kind, sentence = Error, None
    try:
        if numbers_of:
            space._core.check_names(numbers_of, layout, name, f"{name}.to_numpy()", None, names_of(given) or [])
        return _fitted(estimator, space, given, groups, layout, numbers_of)
    except Error as error:
        kind, sentence = type(error), _in_words(str(error), space, name, groups)
    raise kind(sentence)


def _fitted(
    estimator: PrivateFrechetMean, space: Manifold, given: Any, groups: Any, layout: str, numbers_of: list[str]
) -> Release:
    if isinstance(groups, str):
        return estimator.fit(given, groups=groups, columns=numbers_of, layout=layout).release_
    if is_table(given, Options()):
        return estimator.fit(given, groups=groups, layout=layout).release_
    points = given if layout == "vectors" else space.read(given, layout)
    return estimator.fit(points, groups=groups).release_


def _in_words(sentence: str, space: Manifold, name: str, groups: Any) -> str:
    """A sentence with the arguments of these functions instead of a layout."""
    instead = lambda found: _ARGUMENTS.get(found[1]) or f"{space!r}.read({name}, {found[1]!r})"
    sentence = re.sub("layout='([^']*)'", instead, sentence)
    sentence = re.sub(r"(choose|give) the layout degrees", "give degrees=True", sentence)
    if isinstance(groups, str):
        sentence = sentence.replace("']]", f"', {groups!r}]]")
    return re.sub("^[xX], row", f"{name}, row", sentence)


_ARGUMENTS = {
    "degrees": "degrees=True",
    "radians": "degrees=False",
    "quaternions": "scalar_first=True",
    "quaternions-last": "scalar_first=False",
}
"""The arguments that choose a layout."""


def _columns(given: Any, name: str, groups: Any) -> int:
    """How many numbers a record has. A column of persons is none."""
    shape = tuple(given.shape) if hasattr(given, "shape") else numbers(given, name).shape
    if len(shape) != 2:
        raise Error(f"{name} has shape {shape}: expected one record a row")
    if isinstance(groups, str) and groups not in (names_of(given) or []):
        raise Error(f"groups is {groups!r}, and {name} has no such column")
    return int(shape[1]) - isinstance(groups, str)


def _extrinsic(release: Release) -> EmbeddedMean:
    assert release.extrinsic is not None  # as every extrinsic mean has it
    return release.extrinsic


def _number(release: Release) -> float:
    """The number of records, or the private one."""
    if release.private_count is not None:
        return release.private_count.value
    assert release.n is not None
    return release.n


def _precision(n: float, resultant: float) -> float:
    """(n − 1)/(n − R)."""
    short = n * (1.0 - resultant)
    return max(n - 1.0, 0.0) / short if short > 0.0 else math.inf


def _degrees(region: Optional[Region]) -> Optional[float]:
    """The radius of a region."""
    return None if region is None else math.degrees(region.radius)


def _several(factor: DirectionalSummary) -> tuple[float, ...]:
    """The concentrations of a law with one for each direction."""
    return () if factor.concentrations is None else factor.concentrations.values


def _kappa(found: Optional[Concentration]) -> Optional[float]:
    return None if found is None else found.kappa


__dir__ = _docs.complete(globals())
