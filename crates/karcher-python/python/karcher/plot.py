"""Pictures of releases and plans, as the command draws them.

They show public things and private values only, so they may be published like the release. A notebook displays them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _docs, _files, _karcher
from ._arrays import numbers
from .errors import ArgumentTypeError
from .privacy import Plan

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Picture:
    """A picture, which a notebook displays and :meth:`save` writes to a file.

    Attributes
    ----------
    svg : str
        The text of an SVG file.
    title : str
        The description for screen readers.
    """

    def __init__(self, drawn: _karcher.Picture) -> None:
        self._drawn = drawn

    @property
    def svg(self) -> str:
        return self._drawn.svg()

    @property
    def title(self) -> str:
        return self._drawn.title()

    def save(self, output: Union[str, os.PathLike[str]], *, force: bool = False) -> None:
        """Writes a file.

        Parameters
        ----------
        output : path
            Name of the file, which ends in ``.svg`` or ``.png``.
        force : bool
            Whether ``output`` may replace a file.

        Raises
        ------
        Error
            For another ending, and a file that cannot be written.
        """
        path = _files.named("output", output, ".svg", ".png")
        _files.write(path, self._drawn.png() if path.endswith(".png") else self.svg.encode(), force=force)

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        # an image, which a notebook from elsewhere shows too
        return self._drawn.image()

    def __repr__(self) -> str:
        return self.title


def release(release: Any) -> Picture:
    """The picture of a release: the value, the public ball, and the region of the mean with its probability.

    Means, medians, balls, regressions and collected means have one, on most spaces. ``release.plot()`` is the same.

    Parameters
    ----------
    release : release
        A release of any kind, or what :func:`karcher.collect` returns.

    Returns
    -------
    Picture

    Raises
    ------
    Error
        For a statistic or a space without pictures: which ones have some.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> mean = karcher.PrivateFrechetMean(karcher.SPD(3), radius=1.5, center=np.eye(3), epsilon=1.0)
    >>> mean.fit(np.tile(np.eye(3), (500, 1, 1))).release_.plot()
    Private mean on spd-log-euclidean:3: 500 records, ...
    """
    return Picture(_karcher.picture(_json_of(release), None))


def stereonet(release: Any, *, points: Optional[ArrayLike] = None) -> Picture:
    """A private direction or axis in the equal-area net of the lower hemisphere: the first axis is north, the second
    east, the third down.

    With layouts such as ``declination-inclination``, :func:`release` draws it too.

    Parameters
    ----------
    release : release
        A release on ``sphere:2`` or ``projective:2``.
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
    >>> karcher.plot.stereonet(found.release)
    Private extrinsic mean on sphere:2: 300 records, ...
    """
    public = [] if points is None else numbers(points, "points").reshape(-1, 3).tolist()
    return Picture(_karcher.picture(_json_of(release), public))


def plan_curves(plan: Plan) -> Picture:
    """The expected error of every mechanism of a plan, against the number of records and against the budget.

    A band goes up to the error that is exceeded with probability 0.05. It reads no records and spends no budget.
    ``plan.plot()`` is the same.

    Parameters
    ----------
    plan : Plan
        What :func:`karcher.plan` returns. The axes go from a tenth of its number of records, and of its budget, to ten
        times as much.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import karcher
    >>> karcher.plan("sphere:2", radius=0.9, n=1000, epsilon=1.0).plot()
    Planned Fréchet mean on sphere:2: n = 1000, pure differential privacy with epsilon 1.0, radius 0.9
    """
    if not isinstance(plan, Plan):
        raise ArgumentTypeError(f"give what karcher.plan returns, not a {type(plan).__name__}")
    return Picture(_karcher.plan_picture(plan._spec, plan.n))


def _json_of(release: Any) -> str:
    if not callable(getattr(release, "to_json", None)):
        raise ArgumentTypeError(f"give a release, such as the release_ of an estimator, not a {type(release).__name__}")
    text: str = release.to_json()
    return text


__dir__ = _docs.complete(globals())
