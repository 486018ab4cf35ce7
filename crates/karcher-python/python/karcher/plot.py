"""Pictures of releases and plans. Needs matplotlib: ``pip install matplotlib``.

Every function draws into ``ax``, or into new axes, and returns them. They show public things and private values only.
Legends are next to the axes, where they hide nothing; new axes make room for them.
"""

from __future__ import annotations

from base64 import b64encode
from html import escape
from io import BytesIO
from math import exp, lgamma, log
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher
from ._arrays import numbers
from .errors import ArgumentTypeError, Error
from .manifolds import SPD, Kendall, Manifold, Projective, Sphere, Torus, resolve
from .privacy import Noise, Plan, calibrate, plan
from .release import DirectionalSummary, Region, Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .manifolds import Floats


def release(release: Any, *, ax: Any = None, **options: Any) -> Any:
    """The picture of a release that its space has: :func:`stereonet` or :func:`rose` for an extrinsic mean of
    directions, axes or angles, else :func:`sphere_mean`, :func:`shape` or :func:`ellipsoid`. ``release.plot()`` is the
    same.

    Parameters
    ----------
    release : Release
    ax : axes, optional
    **options
        Options of that function.

    Raises
    ------
    Error
        Where a space has no picture.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> mean = karcher.PrivateFrechetMean(karcher.SPD(3), radius=1.5, center=np.eye(3), epsilon=1.0)
    >>> ax = mean.fit(np.tile(np.eye(3), (500, 1, 1))).release_.plot(color="C0")
    """
    draw = _picture_of(release)
    if draw is None:
        space = getattr(getattr(release, "manifold", None), "name", "no space")
        kind = getattr(release, "statistic", type(release).__name__)
        raise Error(f"there is no picture of a {kind} on {space}: karcher.report(release) makes a page of it")
    return draw(release.value if draw is ellipsoid else release, ax=ax, **options)


def _picture_of(release: Any) -> Any:
    """The function that draws a release, if there is one."""
    if not isinstance(release, Release):
        return None
    space = release.manifold
    if release.extrinsic is not None and space in (Sphere(2), Projective(2)):
        return stereonet
    if release.extrinsic is not None and space in (Torus(1), Sphere(1), Projective(1)):
        return rose
    if space == Sphere(2):
        return sphere_mean
    if isinstance(space, Kendall):
        return shape
    return ellipsoid if isinstance(space, SPD) and space.shape == (3, 3) else None


def sphere_mean(release: Release, *, ax: Any = None, coastlines: Optional[bool] = None) -> Any:
    """A private mean on S², the public ball, and a circle. It holds the mean of the clipped records with probability
    0.95, without the bias of a Karcher flow. The circle is about the value before denoising, whose noise has
    a known law. Where it is small a close-up shows it: a flat map about that value, whose distances from there
    are true.

    Parameters
    ----------
    release : Release
        On ``sphere:2``.
    ax : three-dimensional axes, optional
        Seen from above the mean, unless something is drawn in them already.
    coastlines : bool, optional
        Whether the records are places on the Earth, so that coastlines are shown. By default they are if the release
        has the layout ``"latlon"`` or ``"latlon-radians"``. Give ``True`` for records that ``Sphere.read`` read.

    Examples
    --------
    >>> import numpy as np, karcher, karcher.plot
    >>> X = np.tile([0.6, 0.0, 0.8], (100, 1))
    >>> mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0).fit(X)
    >>> ax = karcher.plot.sphere_mean(mean.release_)
    """
    _check_release(release)
    if release.manifold != Sphere(2):
        raise Error(f"sphere_mean draws releases on sphere:2, this one is on {release.manifold.name}")
    ax = _axes(ax, projection="3d")
    if not ax.has_data():
        x, y, z = release.value
        ax.view_init(elev=np.degrees(np.arcsin(np.clip(z, -1.0, 1.0))), azim=np.degrees(np.arctan2(y, x)))
    noisy, radius = _noisy(release), noise(release).quantile_95
    latitude, longitude = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, 13), np.linspace(-np.pi, np.pi, 25))
    grid = (np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude))
    ax.plot_wireframe(*grid, color="0.88", linewidth=0.5)
    shows_coasts = release.layout in _OF_PLACES if coastlines is None else _arguments.flag("coastlines", coastlines)
    coasts = _coasts() if shows_coasts else []
    if coasts:
        elevation, azimuth = np.radians([ax.elev, ax.azim])
        camera = [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)]
        ax.plot(*_one_line(_visible(coasts, np.array(camera))), color="0.6", linewidth=0.5, label="_coastlines")
    ax.plot(*_circle(release.ball.center, release.ball.radius).T, color="0.4", label="public ball")
    ax.plot(*_circle(noisy, radius).T, color="C0", label="95 %")
    ax.scatter(*release.value, color="C0", s=12, depthshade=False, label="private mean")
    # the grid says what the numbers of a cube around the sphere would
    ax.set_axis_off()
    ax.set_xlim(-0.72, 0.72)
    ax.set_ylim(-0.72, 0.72)
    ax.set_zlim(-0.72, 0.72)
    ax.set_box_aspect((1, 1, 1))
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    if radius < _SMALL:
        _close_up(ax, release, radius, coasts)
    return ax


_OF_PLACES = ("latlon", "latlon-radians")
"""The layouts of places on the Earth; others are also those of directions."""


def _coasts() -> list[Floats]:
    """Coastlines as points of S²: public, and the same for all releases."""
    return [Sphere(2).read(line, "latlon") for line in _karcher.coastlines()]


def _visible(lines: list[Floats], above: Floats) -> list[Floats]:
    """The parts of lines on the half of the globe that is seen from above a point. They end at the horizon."""
    runs = []
    for line in lines:
        height = line @ above
        first, last, heights = line[:-1], line[1:], (height[:-1, np.newaxis], height[1:, np.newaxis])
        crosses = (height[:-1] >= 0) != (height[1:] >= 0)
        at = first[crosses] * heights[1][crosses] - last[crosses] * heights[0][crosses]
        at *= np.where(heights[1][crosses] > heights[0][crosses], 1, -1) / np.linalg.norm(at, axis=1, keepdims=True)
        places = np.insert(line, np.flatnonzero(crosses) + 1, at, axis=0)
        # a point of the horizon belongs to the visible run next to it
        seen = np.insert(height >= 0, np.flatnonzero(crosses) + 1, True)
        ends = np.flatnonzero(np.diff(np.r_[False, seen, False].astype(int)))
        runs += [places[a:b] for a, b in zip(ends[::2], ends[1::2])]
    return runs


def _one_line(lines: list[Floats]) -> Floats:
    """The coordinates of several lines, with a gap after each."""
    columns: Floats = np.concatenate([np.r_[line, np.full((1, line.shape[1]), np.nan)] for line in lines]).T
    return columns


_SMALL = 0.25
"""A circle of so many radians is seen on the whole sphere."""


_NARROWEST = 0.05
"""Coasts are off by a quarter of a degree: they would mislead where less than so many radians are seen."""


def _close_up(ax: Any, release: Release, radius: float, coasts: list[Floats]) -> None:
    """A flat map about the value before denoising, next to the sphere: distances and directions from there are true."""
    space, noisy = Sphere(2), _noisy(release)
    east = np.cross([0.0, 0.0, 1.0], noisy)
    # at a pole any direction is east
    east = east / np.linalg.norm(east) if np.linalg.norm(east) > 1e-9 else np.array([0.0, 1.0, 0.0])
    frame = np.stack([east, np.cross(noisy, east)], axis=1)
    near = ax.inset_axes([1.02, 0.12, 0.33, 0.33])
    near.set_aspect("equal")
    angles = np.linspace(0, 2 * np.pi, 181)
    near.plot(radius * np.cos(angles), radius * np.sin(angles), color="C0")
    near.plot(*(space.log(noisy, release.value) @ frame), "o", color="C0", markersize=3)
    away = _circle(release.ball.center, release.ball.radius)
    away = away[space.dist(noisy, away) < 3.0]
    near.plot(*(space.log(noisy, away) @ frame).T, color="0.4", linewidth=1.0)
    half = 1.3 * max(radius, min(float(space.dist(noisy, release.value)), 3.0 * radius))
    if half > _NARROWEST:
        for line in _visible(coasts, noisy):
            near.plot(*(space.log(noisy, line) @ frame).T, color="0.6", linewidth=0.5, zorder=0, label="_coastlines")
    near.set_xlim(-half, half)
    near.set_ylim(-half, half)
    # one length is enough of a scale
    near.set_xticks([-radius, radius], ["", ""])
    near.set_yticks([])
    near.set_xlabel(f"close-up\nradius {radius:.3g}", fontsize="small")


def stereonet(release: Release, *, points: Optional[ArrayLike] = None, ax: Any = None) -> Any:
    """A private mean direction or axis in an equal-area net of the lower hemisphere, with its cone of confidence α₉₅.

    North is up, and an inclination of 90° is in the middle. Full marks and lines are on the lower hemisphere. Open
    marks and broken lines are on the upper one, seen through. An axis is where it meets the lower hemisphere.

    Parameters
    ----------
    release : Release
        Extrinsic mean on ``sphere:2`` or ``projective:2``.
    points : array of shape (n, 3), optional
        **Public** unit vectors to be drawn too. Never give it the records of the release.
    ax : axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np, karcher
    >>> directions = np.random.default_rng(0).normal([300.0, 60.0], [16.0, 8.0], size=(300, 2))
    >>> found = karcher.directional.fisher_statistics(directions, epsilon=1.0)
    >>> ax = karcher.plot.stereonet(found.release)
    """
    (factor,) = _extrinsic_factors(release, "stereonet", Sphere(2), Projective(2))
    is_axis = release.manifold == Projective(2)
    if points is not None:
        points = numbers(points, "points")
        release.manifold.dist(release.value, points)  # refuses numbers that are no points
    ax = _axes(ax)
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    ax.plot(np.sin(turn), np.cos(turn), color="0.3", linewidth=1.0)
    for steepness in (30.0, 60.0):  # inclinations
        radius = np.sqrt(2.0) * np.sin(np.radians(90.0 - steepness) / 2.0)
        ax.plot(radius * np.sin(turn), radius * np.cos(turn), color="0.88", linewidth=0.5)
    for azimuth in np.radians(np.arange(0, 360, 30)):
        ends = np.array([0.0, 1.0])
        ax.plot(ends * np.sin(azimuth), ends * np.cos(azimuth), color="0.88", linewidth=0.5)
    for name, (x, y) in {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}.items():
        ax.text(1.08 * x, 1.08 * y, name, ha="center", va="center")
    if points is not None:
        _net_marks(ax, points.reshape(-1, 3), is_axis, color="0.5", s=8, label="public points")
    region = _drawn(factor)
    if region is not None:
        label = f"{100 * region.probability:g} %: {np.degrees(region.radius):.3g}°"
        _net_line(ax, _circle(release.value, region.radius), is_axis, color="C0", label=label)
    _net_marks(ax, release.value.reshape(1, 3), is_axis, color="C0", s=30, label="private mean")
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_xlim(-1.2, 1.2)
    ax.set_ylim(-1.2, 1.2)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0)
    return ax


def _net(points: Floats) -> Floats:
    """The equal-area projection of points of the lower hemisphere, x north, y east and z down: east and north."""
    x, y, z = points.T
    scale = 1.0 / np.sqrt(1.0 + np.abs(z))
    found: Floats = np.stack([scale * y, scale * x], axis=1)
    return found


def _net_marks(ax: Any, points: Floats, is_axis: bool, *, color: str, s: float, label: str) -> None:
    """Points in the net: full ones below, open ones above."""
    below = points[:, 2] >= 0.0
    if is_axis:
        points, below = np.where(below[:, np.newaxis], points, -points), np.ones(len(points), dtype=bool)
    shown = label
    for chosen, face in ((below, color), (~below, "white")):
        if chosen.any():
            at = _net(points[chosen]).T
            ax.scatter(*at, facecolor=face, edgecolor=color, s=s, linewidth=0.8, label=shown, zorder=3)
            shown = f"_{label}"


def _drawn(factor: DirectionalSummary) -> Optional[Region]:
    """The region for the mean of the population, unless it is the whole space."""
    region = factor.population_region
    return None if region is None or factor._is_everywhere(region.radius) else region


def _net_line(ax: Any, line: Floats, is_axis: bool, *, color: str, label: str) -> None:
    """A closed line in the net: full where it is below, broken where it is above; of axes its other end there."""
    shown = label
    for sign, style in ((1.0, "-"), (-1.0, "-" if is_axis else "--")):
        for part in _visible([line], np.array([0.0, 0.0, sign])):
            ax.plot(*_net(sign * part if is_axis else part).T, style, color=color, label=shown)
            shown = f"_{label}"


def rose(
    release: Release,
    *,
    angles: Optional[ArrayLike] = None,
    bins: int = 36,
    compass: bool = False,
    ax: Any = None,
) -> Any:
    """A private mean angle as an arrow in the unit circle, of the mean resultant length. A sector holds the mean of the
    population with about 95 % confidence. An axis in the plane is a line with two ends.

    Parameters
    ----------
    release : Release
        Extrinsic mean on ``torus:1``, ``sphere:1`` or ``projective:1``.
    angles : array of shape (n,), optional
        **Public** angles in radians to be drawn as a rose, its areas proportional to counts. Never give it the records
        of the release.
    bins : int
        Number of sectors of the rose.
    compass : bool
        Whether angles are clockwise from the north; by default they are anticlockwise from the east.
    ax : polar axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import numpy as np, karcher
    >>> angles = np.random.default_rng(0).vonmises(1.0, 2.0, size=500)
    >>> found = karcher.directional.circular_mean(angles, epsilon=1.0)
    >>> ax = karcher.plot.rose(found.release, compass=True)
    """
    (factor,) = _extrinsic_factors(release, "rose", Torus(1), Sphere(1), Projective(1))
    is_axis = release.manifold == Projective(1)
    mean = float(release.value[0] if release.manifold == Torus(1) else np.arctan2(*release.value[::-1]))
    ends = [mean, mean + np.pi] if is_axis else [mean]
    ax = _axes(ax, projection="polar")
    if _arguments.flag("compass", compass):
        ax.set_theta_zero_location("N")
        ax.set_theta_direction(-1)
    if angles is not None:
        public = numbers(angles, "angles").ravel()
        public = np.concatenate([public, public + np.pi]) if is_axis else public
        edges = np.linspace(0.0, 2.0 * np.pi, _arguments.whole("bins", bins, 1, 3600) + 1)
        counts, _ = np.histogram(public % (2.0 * np.pi), edges)
        heights = np.sqrt(counts / max(counts.max(), 1))
        ax.bar(edges[:-1], heights, np.diff(edges), align="edge", color="0.85", edgecolor="0.6", linewidth=0.5,
               label="public angles")  # fmt: skip
    region, shown = _drawn(factor), ""
    for end in ends:
        if region is not None:
            sector = np.linspace(end - region.radius, end + region.radius, 181)
            ax.fill_between(sector, 0.0, 1.0, color="C0", alpha=0.25, linewidth=0.0,
                            label=f"{shown}{100 * region.probability:g} %")  # fmt: skip
        ax.plot([end, end], [0.0, factor.mean_resultant_length], color="C0", linewidth=2.0,
                label=f"{shown}private mean, R̄ = {factor.mean_resultant_length:.3g}")  # fmt: skip
        shown = "_"
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.5, 1.0])
    ax.set_yticklabels(["0.5", "1"])
    ax.legend(loc="upper left", bbox_to_anchor=(1.08, 1.0), borderaxespad=0.0)
    return ax


def _extrinsic_factors(release: Release, function: str, *spaces: Manifold) -> tuple[DirectionalSummary, ...]:
    """The summaries of an extrinsic mean on one of these spaces."""
    _check_release(release)
    if release.extrinsic is None or release.manifold not in spaces:
        names = " or ".join(space.name for space in spaces)
        raise Error(
            f"{function} draws extrinsic means on {names}, this is a {release.statistic} on {release.manifold.name}"
        )
    return release.extrinsic.factors


def ellipsoid(tensor: ArrayLike, *, ax: Any = None, center: ArrayLike = (0.0, 0.0, 0.0), **style: Any) -> Any:
    """A 3 × 3 positive definite matrix as the ellipsoid with its eigenvectors as axes and its eigenvalues as half-axes,
    as diffusion tensors are drawn.

    Parameters
    ----------
    tensor : array of shape (3, 3)
    ax : three-dimensional axes, optional
    center : array of shape (3,)
        Axes in which it is drawn.
    **style
        For ``plot_surface``.

    Examples
    --------
    >>> import numpy as np, karcher.plot
    >>> ax = karcher.plot.ellipsoid(np.diag([1.7, 0.4, 0.3]))
    """
    matrix = numbers(tensor, "tensor")
    if matrix.shape != (3, 3):
        raise Error(f"tensor has shape {matrix.shape}: it must be (3, 3)")
    middle = numbers(center, "center")
    if middle.shape != (3,):
        raise Error(f"center has shape {middle.shape}: it must be (3,)")
    ax = _axes(ax, projection="3d")
    polar, azimuth = np.meshgrid(np.linspace(0, np.pi, 25), np.linspace(0, 2 * np.pi, 49))
    ball = np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=-1)
    x, y, z = np.moveaxis(ball @ matrix, -1, 0)
    a, b, c = middle
    ax.plot_surface(x + a, y + b, z + c, **{"color": "C0", "linewidth": 0, "alpha": 0.8, **style})
    ax.set_aspect("equal")
    _even_ticks(ax)
    return ax


def _even_ticks(ax: Any) -> None:
    """The same round step on three axes, so wide that the ticks of the shortest do not overlap."""
    from matplotlib.ticker import MaxNLocator, MultipleLocator

    axes = (ax.xaxis, ax.yaxis, ax.zaxis)
    longest = max(np.ptp(axis.get_view_interval()) for axis in axes)
    ticks = MaxNLocator(nbins=4, steps=[1, 2, 5, 10]).tick_values(0.0, longest)
    for axis in axes:
        axis.set_major_locator(MultipleLocator(ticks[1] - ticks[0]))


def shape(release: Release, *, ax: Any = None, closed: bool = True, draws: int = 1000) -> Any:
    """A private mean shape with its noise: for each landmark the circle that the noise leaves with probability 0.05.

    The circles are about the landmarks as they were before denoising. They come from draws of the noise about them,
    each turned to fit best; that costs no privacy. They hold landmark by landmark, and leave out the bias of a Karcher
    flow.

    Parameters
    ----------
    release : Release
        On ``kendall:K``.
    ax : axes, optional
    closed : bool
        Whether the outline is closed.
    draws : int
        Number of draws behind the circles.

    Examples
    --------
    >>> import numpy as np, karcher, karcher.plot
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> squares = np.tile(square, (200, 1, 1))
    >>> mean = karcher.PrivateFrechetMean(karcher.Kendall(4), 0.3, square, epsilon=1.0).fit(squares)
    >>> ax = karcher.plot.shape(mean.release_)
    """
    _check_release(release)
    if not isinstance(release.manifold, Kendall):
        raise Error(f"shape draws releases on kendall:K, this one is on {release.manifold.name}")
    from matplotlib.collections import EllipseCollection

    ax = _axes(ax)
    value, noisy = release.value, _noisy(release)
    radii = landmark_radii(release, draws)

    def outline(landmarks: Floats) -> Any:
        return (np.concatenate([landmarks, landmarks[:1]]) if closed else landmarks).T

    ax.plot(*outline(release.ball.center), ".--", color="0.6", linewidth=1.0, markersize=3, label="center of the ball")
    ax.plot(*outline(value), "o-", color="C0", markersize=2, linewidth=1.0, label="private mean shape")
    circles = EllipseCollection(
        2 * radii, 2 * radii, np.zeros(len(radii)), units="xy", offsets=noisy, transOffset=ax.transData,
        facecolor="C0", edgecolor="none", alpha=0.3,
    )  # fmt: skip
    ax.add_collection(circles)
    # a collection of circles has no key of its own
    words = f"95 % of the noise, each\nlandmark: at most {radii.max():.2g}"
    ax.plot([], [], "o", color="C0", alpha=0.3, markersize=8, label=words)
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return ax


def utility(
    manifold: Union[Manifold, str],
    radius: float,
    n: int,
    epsilon: ArrayLike,
    *,
    delta: Optional[float] = None,
    ax: Any = None,
) -> Any:
    """Expected error of the private mean against ε, for every mechanism that applies: no data, no budget.

    The error of a Karcher flow is drawn with the bound of its bias.

    Parameters
    ----------
    manifold : Manifold or str
    radius : float
    n : int
    epsilon : array_like
    delta : float, optional
        The δ of (ε, δ); pure ε without it.
    ax : axes, optional

    Examples
    --------
    >>> import karcher.plot
    >>> ax = karcher.plot.utility("sphere:2", radius=0.9, n=1000, epsilon=[0.1, 1.0], delta=1e-6)
    >>> ax.get_xlabel()
    'ε'
    """
    ax = _axes(ax)
    space = resolve(manifold)
    curves: dict[str, list[tuple[float, float]]] = {}
    for e in np.atleast_1d(numbers(epsilon, "epsilon")).ravel():
        for candidate in plan(space, radius, n, epsilon=float(e), delta=delta).candidates:
            # without a bound of its bias nothing is known of a flow's error
            if candidate.expected_distance is not None and candidate.bias_bound is not None:
                error = candidate.expected_distance + candidate.bias_bound
                curves.setdefault(candidate.mechanism, []).append((float(e), error))
    # curves may lie upon one another
    for i, (mechanism, curve) in enumerate(curves.items()):
        ax.plot(*np.array(curve).T, marker="o", linestyle=_DASHES[i % len(_DASHES)], markersize=3, label=mechanism)
    ax.set_xscale("log")
    ax.set_yscale("log")
    _logarithmic_ticks(ax.xaxis)
    _logarithmic_ticks(ax.yaxis)
    ax.set_xlabel("ε")
    ax.set_ylabel("expected distance to the mean")
    ax.set_title(f"{space.name}, radius {radius:g}, n = {n}" + (f", δ = {delta:g}" if delta is not None else ""))
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return ax


def plan_curves(
    manifold: Union[Manifold, str],
    radius: float,
    n: int,
    *,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    axes: Any = None,
) -> Any:
    """Expected error of the private mean against the number of records, and against the budget, for every mechanism
    that applies. It draws what ``karcher plan --plot`` does, spends no budget and reads no records.

    A band goes up to the error that is exceeded with probability 0.05. The error of a Karcher flow is drawn with the
    bound of its bias.

    Parameters
    ----------
    manifold : Manifold or str
    radius : float
    n : int
        The planned number of records. Its axis, as that of the budget, goes from a tenth of it to ten times as many.
    {budget}
    axes : pair of axes, optional

    Returns
    -------
    pair of axes

    Examples
    --------
    >>> import karcher.plot
    >>> over_n, over_budget = karcher.plot.plan_curves("sphere:2", radius=0.9, n=1000, epsilon=1.0)
    >>> over_n.get_xlabel(), over_budget.get_xlabel()
    ('number of records n', 'ε')
    """
    space, n = resolve(manifold), _arguments.count("n", n)
    budget = {"epsilon": epsilon, "mu": mu, "rho": rho}
    given = [name for name, value in budget.items() if value is not None]
    if len(given) != 1:
        raise Error("plan_curves takes one budget: epsilon, with or without delta, mu or rho")
    planned = _arguments.real(given[0], budget[given[0]])
    if axes is None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), sharey=True)
        figure.subplots_adjust(left=0.08, right=0.82, wspace=0.18)
    factors = np.logspace(-1, 1, 13)
    numbers_of = np.unique(np.maximum(np.rint(factors * n), 1).astype(int))
    over_n, over_budget = axes
    fixed: dict[str, Any] = {given[0]: planned, "delta": delta}
    _draw_curves(over_n, n, [(int(m), plan(space, radius, int(m), **fixed)) for m in numbers_of])
    changed = [(float(e), plan(space, radius, n, **{**fixed, given[0]: float(e)})) for e in factors * planned]
    _draw_curves(over_budget, planned, changed)
    over_n.set_xlabel("number of records n")
    over_n.set_ylabel("expected distance to the mean")
    over_budget.set_xlabel({"epsilon": "ε", "mu": "μ", "rho": "ρ"}[given[0]])
    for ax in axes:
        _logarithmic_ticks(ax.xaxis)
        _logarithmic_ticks(ax.yaxis)
    words = f"{space.name}, radius {radius:g}, n = {n}, {over_budget.get_xlabel()} = {planned:g}"
    over_n.set_title(words + (f", δ = {delta:g}" if delta is not None else ""), loc="left", fontsize="medium")
    over_budget.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)
    return axes


def _draw_curves(ax: Any, planned: float, plans: list[tuple[float, Plan]]) -> None:
    """A curve and a band for each mechanism that applies, and a line where it was planned."""
    curves: dict[str, list[tuple[float, float, float]]] = {}
    for at, found in plans:
        for candidate in found.candidates:
            # without a bound of its bias nothing is known of a flow's error
            if candidate.expected_distance is not None and candidate.bias_bound is not None:
                error, most = candidate.expected_distance + candidate.bias_bound, candidate.quantile_95
                above = np.nan if most is None else most + candidate.bias_bound
                curves.setdefault(candidate.mechanism, []).append((at, error, above))
    ax.set_xscale("log")
    ax.set_yscale("log")
    for i, (mechanism, curve) in enumerate(curves.items()):
        x, error, most = np.array(curve).T
        ax.fill_between(x, error, most, color=f"C{i}", alpha=0.12, linewidth=0)
        ax.plot(x, error, color=f"C{i}", linestyle=_DASHES[i % len(_DASHES)], label=mechanism)
    ax.axvline(planned, color="0.5", linestyle="--", linewidth=1.0, label="_planned")
    ax.margins(x=0)


_DASHES = ("-", "--", ":", "-.", (0, (1, 3)))


def _logarithmic_ticks(axis: Any) -> None:
    """Plain numbers, about as many on every logarithmic axis: over few decades within them, too."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = np.log10(high / low)
    within: tuple[float, ...] = (1.0,) if decades > 4 else (1.0, 3.0) if decades > 2 else (1.0, 2.0, 5.0)
    if decades < 0.7:
        within = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
    axis.set_major_locator(LogLocator(subs=within))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


class Image:
    """A drawn picture, as a notebook displays it."""

    def __init__(self, png: bytes, words: str) -> None:
        self.png, self.words = png, words

    def _repr_html_(self) -> str:
        # PNG, which is shown in notebooks of others too, where SVG is not
        data = b64encode(self.png).decode("ascii")
        return f'<img alt="{escape(self.words)}" src="data:image/png;base64,{data}">'

    def __repr__(self) -> str:
        return self.words


def image(ax: Any, words: str, *, colors: int = 128) -> Image:
    """The figure of some axes as a small image with a description, for notebooks that are sent to others. It closes the
    figure, which would otherwise be shown a second time.

    Parameters
    ----------
    ax : axes, or several of one figure
    words : str
        The description, which screen readers read.
    colors : int
        Number of colors, at most 256.

    Returns
    -------
    Image
        With ``png``, the bytes of the file, and ``words``.

    Examples
    --------
    >>> import karcher.plot
    >>> axes = karcher.plot.plan_curves("sphere:2", radius=0.9, n=1000, epsilon=1.0)
    >>> karcher.plot.image(axes, "Two panels of falling curves")
    Two panels of falling curves
    """
    import matplotlib.pyplot as plt
    from PIL import Image as Pillow

    words, colors = _arguments.text("words", words), _arguments.count("colors", colors)
    if colors > 256:
        raise Error(f"colors is {colors}: it must be at most 256")
    figure = np.ravel(ax)[0].figure
    drawn, small = BytesIO(), BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight")
    plt.close(figure)
    picture = Pillow.open(drawn)
    is_opaque = picture.getchannel("A").getextrema()[0] == 255
    # with transparency colors are chosen in a coarser way
    (picture.convert("RGB") if is_opaque else picture).quantize(colors).save(small, "png", optimize=True)
    return Image(small.getvalue(), words)


def noise(release: Release) -> Noise:
    """The law of the distance between a released value, as it was before denoising, and the true one, without the bias
    of a Karcher flow: its mean, median and 95 % quantile. Where ``chart`` stretches distances, that of the true value
    for which they are longest.

    Parameters
    ----------
    release : Release
        A private mean.

    Examples
    --------
    >>> import numpy as np, karcher, karcher.plot
    >>> headings = np.tile([1.0, 0.0, 0.0], (100, 1))
    >>> mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0.6, 0.0, 0.8], epsilon=1.0).fit(headings)
    >>> noise = karcher.plot.noise(mean.release_)
    >>> noise.expected_distance == mean.release_.expected_distance
    True
    """
    _check_release(release)
    if release.private_count is not None and release.n_guess is not None:
        return _joint_noise(release, release.n_guess, release.private_count.noisy_value)
    if release.mechanism == "chart":
        return _chart_noise(release)
    if release.mechanism not in ("laplace", "gaussian", "karcher-flow"):
        raise Error(f"the law of {release.mechanism} has no formula: karcher.report(release) makes a page")
    if release.mechanism != "karcher-flow":
        return calibrate(
            release.manifold, release.sensitivity.value, mechanism=release.mechanism, scale=release.scale
        )
    # what arrives of the noise of all steps is normal in the tangent space: its length has the law of a normal vector's
    # in R^d
    d = release.manifold.dim
    mean_of_chi = exp(0.5 * log(2.0) + lgamma((d + 1) / 2) - lgamma(d / 2))
    scale = release.expected_distance / mean_of_chi
    return calibrate(f"euclidean:{d}", release.sensitivity.value, mechanism="gaussian", scale=scale)


def _joint_noise(release: Release, n_guess: int, count: float) -> Noise:
    """The same where the number of records is confidential: about that of noise on a flat space, for as many records as
    the private number says."""
    d = release.manifold.dim
    off = release.expected_distance * n_guess / max(count, 1.0)
    law = release.noise[0].law if release.noise else "gaussian"
    unit = d if law == "laplace" else exp(0.5 * log(2.0) + lgamma((d + 1) / 2) - lgamma(d / 2))
    return calibrate(f"euclidean:{d}", release.sensitivity.value, mechanism=law, scale=off / unit)


def _chart_noise(release: Release) -> Noise:
    """The same for ``chart``, as its plan says it: its noise is flat, in the tangent space at the ball's center."""
    space, moved, given = release.manifold, release.sensitivity.value, release.guarantee
    epsilon, delta, mu, rho = given.epsilon, given.delta, given.mu, given.rho

    def off(law: str) -> float:
        flat = f"euclidean:{space.dim}"
        noise = calibrate(flat, moved, mechanism=law, epsilon=epsilon, delta=delta, mu=mu, rho=rho)
        return abs(noise.scale - release.scale)

    # of two laws the plan takes one, which depends on public quantities and shows in the scale
    law = "laplace" if given.definition == "pure" else min("laplace", "gaussian", key=off)
    n = release.n or 1  # it is public
    planned = plan(space, release.ball.radius, n, epsilon=epsilon, delta=delta, mu=mu, rho=rho)["chart"]
    expected, median, most = planned.expected_distance, planned.median, planned.quantile_95
    if expected is None or median is None or most is None:
        raise Error(f"no plan for such a release: {planned.reason}")
    # a tolerance of one's own changes the noise by a little, and the law in proportion
    stretch = release.expected_distance / expected
    return Noise(law, release.scale, moved, given, release.expected_distance, stretch * median, stretch * most)


def _noisy(release: Release) -> Floats:
    """The value before denoising."""
    return release.value if release.noisy_value is None else release.noisy_value


def landmark_radii(release: Release, draws: int = 1000) -> Floats:
    """For each landmark of a released shape, as it was before denoising, the distance that the noise exceeds with
    probability 0.05, once turned to fit best.

    Parameters
    ----------
    release : Release
        A private mean of shapes.
    draws : int
        Draws of the noise.

    Returns
    -------
    array of shape (k,)
    """
    draws = _arguments.count("draws", draws)
    value, law = _noisy(release), noise(release)
    if release.mechanism == "chart":
        noisy = _chart_draws(release, law, draws)
    else:
        noisy = release.manifold.random_point(draws, center=value, scale=law.scale, law=law.mechanism, random_state=0)
    z, w = _complex(value), _complex(noisy)
    product = w @ z.conj()
    turned = w * (product.conj() / np.abs(product))[:, np.newaxis]
    return np.asarray(np.quantile(np.abs(turned - z), 0.95, axis=0))


def _chart_draws(release: Release, law: Noise, draws: int) -> Floats:
    """Shapes that noise in the tangent space at the center of the ball makes of the released one."""
    rng, center = np.random.default_rng(0), release.ball.center
    z = _complex(center)
    steps = rng.normal(size=(draws, *release.manifold.shape))
    n = _complex(steps)
    # what neither moves, turns nor scales the landmarks is the tangent space, in which this is normal
    n -= n.mean(axis=1, keepdims=True)
    n -= np.outer(n @ z.conj(), z) / (z @ z.conj())
    if law.mechanism == "laplace":
        n *= (rng.gamma(release.manifold.dim, size=draws) / np.linalg.norm(n, axis=1))[:, np.newaxis]
    tangent = law.scale * np.stack([n.real, n.imag], axis=-1)
    return release.manifold.exp(center, release.manifold.log(center, _noisy(release)) + tangent)


def _complex(landmarks: Floats) -> Any:
    return landmarks[..., 0] + 1j * landmarks[..., 1]


def _check_release(release: object) -> None:
    if not isinstance(release, Release):
        raise ArgumentTypeError(f"give the release_ of a fitted private mean, not a {type(release).__name__}")


def _circle(center: Floats, radius: float) -> Floats:
    """Points at one distance from a point of S²."""
    space = Sphere(2)
    # any tangent plane's basis: what is left of two axes, made orthonormal
    basis = np.linalg.svd(center[np.newaxis])[2][1:]
    angles = np.linspace(0, 2 * np.pi, 181)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1) @ basis
    return space.exp(center, radius * directions)


def _axes(ax: Any, **options: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    # with room for the legends next to the axes
    figure = plt.figure(figsize=(7.6, 4.8))
    figure.subplots_adjust(left=0.11, right=0.66)
    return figure.add_subplot(**options)


__dir__ = _docs.complete(globals())
