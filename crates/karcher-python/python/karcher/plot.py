"""Pictures of releases and plans, and figures for Matplotlib: ``pip install matplotlib``.

Pictures of releases are SVG files, those of the command: public things and private values, with a legend. Figures draw
into ``ax``, or into new axes, and return them. Their legends are next to the axes, where they hide nothing.
"""

from __future__ import annotations

import os
from base64 import b64encode
from html import escape
from io import BytesIO
from math import exp, lgamma, log
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _spec
from ._arrays import numbers
from .errors import ArgumentTypeError, Error
from .manifolds import Kendall, Manifold, Projective, Sphere, Torus, resolve
from .privacy import Guarantee, Noise, calibrate, plan
from .release import DirectionalSummary, Region, Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .manifolds import Floats


class Picture:
    """The picture of a release or a plan, as a notebook displays it: an SVG file and a description in words.

    Attributes
    ----------
    svg : str
        The file. The same release makes the same bytes.
    words : str
        The description, which screen readers read.
    """

    def __init__(self, svg: str, words: str) -> None:
        self.svg, self.words = svg, words

    def save(self, path: Union[str, os.PathLike[str]], *, force: bool = False) -> None:
        """Writes the file.

        Parameters
        ----------
        path : path
            A name that ends in ``.svg``.
        force : bool
            Whether it may replace a file.

        Raises
        ------
        Error
            For another name, and for a file that exists or cannot be written.
        """
        name = os.fspath(path)
        if not name.endswith(".svg"):
            raise Error(f"path is {name}: it must end in .svg; karcher plot writes .png files too")
        try:
            with open(name, "w" if _arguments.flag("force", force) else "x", encoding="utf-8") as file:
                file.write(self.svg)
        except FileExistsError:
            raise Error(f"path is {name}, which exists: give another name, or force=True to replace it") from None
        except OSError as error:
            raise Error(f"path: {name} cannot be written ({error.strerror})") from None

    def _repr_html_(self) -> str:
        # shorter than in base 64
        address = self.svg.translate({ord(letter): f"%{ord(letter):02X}" for letter in "%#\"<>&\n"})
        return f'<img alt="{escape(self.words)}" src="data:image/svg+xml;charset=utf-8,{address}">'

    def __repr__(self) -> str:
        return self.words


def release(release: Any) -> Picture:
    """The picture of a release, which ``karcher plot`` draws: there is one for means, medians, balls and regressions on
    most spaces. ``release.plot()`` is the same.

    Parameters
    ----------
    release : release

    Returns
    -------
    Picture

    Raises
    ------
    Error
        Where a space has no picture: which have.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> mean = karcher.PrivateFrechetMean(karcher.SPD(3), radius=1.5, center=np.eye(3), epsilon=1.0)
    >>> picture = mean.fit(np.tile(np.eye(3), (500, 1, 1))).release_.plot()
    >>> picture.words.startswith("Private mean on spd-log-euclidean:3")
    True
    """
    text = getattr(release, "to_json", None)
    if not callable(text):
        raise ArgumentTypeError(f"what is drawn is a release, such as mean.release_; this is a {type(release).__name__}")
    return Picture(*_karcher.picture(text(), None))


def sphere_mean(release: Release) -> Picture:
    """A private mean on S² on a globe: the public ball, the region of the mean, and a close-up where that is small.
    Releases with the layout ``"latlon"`` have coastlines.

    Parameters
    ----------
    release : Release
        On ``sphere:2``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import numpy as np, karcher, karcher.plot
    >>> X = np.tile([0.6, 0.0, 0.8], (100, 1))
    >>> mean = karcher.PrivateFrechetMean("sphere:2", 0.8, [0.0, 0.0, 1.0], epsilon=1.0).fit(X)
    >>> picture = karcher.plot.sphere_mean(mean.release_)
    """
    _check_release(release)
    if release.manifold != Sphere(2):
        raise Error(f"sphere_mean draws releases on sphere:2, this one is on {release.manifold.name}")
    return Picture(*_karcher.picture(release.to_json(), None))


def shape(release: Release) -> Picture:
    """A private mean shape, the center of the ball, and for each landmark the circle that the noise leaves with
    probability 0.05.

    Parameters
    ----------
    release : Release
        On ``kendall:K``.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import numpy as np, karcher, karcher.plot
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> squares = np.tile(square, (200, 1, 1))
    >>> mean = karcher.PrivateFrechetMean(karcher.Kendall(4), 0.3, square, epsilon=1.0).fit(squares)
    >>> picture = karcher.plot.shape(mean.release_)
    """
    _check_release(release)
    if not isinstance(release.manifold, Kendall):
        raise Error(f"shape draws releases on kendall:K, this one is on {release.manifold.name}")
    return Picture(*_karcher.picture(release.to_json(), None))


def stereonet(release: Release, *, points: Optional[ArrayLike] = None) -> Picture:
    """A private mean direction or axis in an equal-area net of the lower hemisphere, with its region: the cone of
    confidence α₉₅ of an extrinsic mean.

    North is up, and an inclination of 90° is in the middle. Full marks and lines are on the lower hemisphere. Open
    marks and broken lines are on the upper one, seen through. An axis is where it meets the lower hemisphere.

    Parameters
    ----------
    release : Release
        On ``sphere:2`` or ``projective:2``, x north, y east and z down.
    points : array of shape (n, 3), optional
        **Public** unit vectors to be drawn too. Never give it the records of the release.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import numpy as np, karcher
    >>> directions = np.random.default_rng(0).normal([300.0, 60.0], [16.0, 8.0], size=(300, 2))
    >>> found = karcher.directional.fisher_statistics(directions, epsilon=1.0)
    >>> picture = karcher.plot.stereonet(found.release)
    """
    _check_release(release)
    public = np.zeros((0, 3)) if points is None else numbers(points, "points")
    if public.shape[-1:] != (3,):
        raise Error(f"points has shape {public.shape}: it must be (n, 3)")
    return Picture(*_karcher.picture(release.to_json(), public.reshape(-1, 3).tolist()))


def _drawn(factor: DirectionalSummary) -> Optional[Region]:
    """The region for the mean of the population, unless it is the whole space."""
    region = factor.population_region
    return None if region is None or factor._is_everywhere(region.radius) else region


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
) -> Picture:
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

    Returns
    -------
    Picture

    Examples
    --------
    >>> import karcher.plot
    >>> picture = karcher.plot.plan_curves("sphere:2", radius=0.9, n=1000, epsilon=1.0)
    >>> "n = 1000" in picture.words
    True
    """
    space, n = resolve(manifold), _arguments.count("n", n)
    spec = _spec.filled("frechet-mean", Guarantee(epsilon, delta, mu, rho), manifold=space.name)
    spec["ball"] = _spec.ball(space, center=space.origin, radius=radius, within=None)
    plan(spec, n=n)  # refuses what cannot be planned
    return Picture(*_karcher.plan_picture(_spec.as_text(spec), n))


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
    >>> axes = karcher.plot.utility("sphere:2", radius=0.9, n=1000, epsilon=[0.1, 1.0])
    >>> karcher.plot.image(axes, "Falling curves")
    Falling curves
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


def _axes(ax: Any, **options: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    # with room for the legends next to the axes
    figure = plt.figure(figsize=(7.6, 4.8))
    figure.subplots_adjust(left=0.11, right=0.66)
    return figure.add_subplot(**options)


__dir__ = _docs.complete(globals())
