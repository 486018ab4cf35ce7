"""The geometric median, and balls that are found privately if you do not know where the records are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from . import _docs, _karcher, _spec
from ._parameters import estimator
from ._private import PrivateEstimator
from .estimators import _Location
from .manifolds import Manifold
from .release import BallRelease, Release

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats


@estimator
class GeometricMedian(_Location):
    """The geometric median: the point with the least mean distance to the records, which a minority of wild records
    hardly moves. **Not private**.

    Parameters
    ----------
    manifold : Manifold or str
        A manifold, its name, or its name without the size, which the records then determine.
    max_iter : int
        The largest number of iterations.
    tolerance : float, optional
        The length of a step at which Weiszfeld's iteration stops, in units of distance. By default 1e-10 times the
        largest distance between the start and a record.
    start : array of the manifold's ``shape``, optional
        Start of the iteration; the first record by default.
    {jobs}

    Attributes
    ----------
    estimate_ : array of the manifold's ``shape``
    manifold_ : Manifold
    n_iter_ : int
        Number of iterations; 1 if there is a closed form.

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0], [1000.0, 1000.0]])
    >>> karcher.GeometricMedian().fit(X).estimate_.round(3)
    array([1., 1.])
    >>> karcher.GeometricMedian().fit(X, sample_weight=[1, 1, 6, 1, 1, 1]).estimate_.round(3)
    array([2., 2.])
    """

    _: KW_ONLY
    max_iter: int = 10_000

    _iterate = staticmethod(_karcher.geometric_median)


@estimator
class PrivateGeometricMedian(PrivateEstimator[Release]):
    """The geometric median of records, released with differential privacy. **Every** ``fit`` **spends the budget**.

    Parameters
    ----------
    {manifold}
    radius : float, optional
        Radius of the public ball in which the median is sought, in units of distance. It may be large, because noise
        does not grow with it. By default the whole space if it is bounded, as spheres and shapes are; required on other
        spaces.
    {center}
    {budget}
    steps : int, optional
        Steps of the flow; by default the best number in a simulation.
    {on_invalid}
    {settings}

    Attributes
    ----------
    estimate_ : array of the manifold's ``shape``
        The private median.
    release_ : Release
    manifold_ : Manifold

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.concatenate([np.full((1600, 2), 7.0), np.full((400, 2), -90.0)])
    >>> median = karcher.PrivateGeometricMedian("euclidean", radius=200.0, mu=1.0).fit(X)
    >>> bool(np.linalg.norm(median.estimate_ - 7.0) < 5.0)
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    steps: Optional[int] = None

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        fields = self._fields("geometric-median", space, unit)
        return {**fields, "ball": _spec.ball(space, center=self.center, radius=self.radius, everywhere=True)}

    def _tell(self) -> None:
        self.estimate_: Floats = self.release_.value


@estimator
class PrivateBall(PrivateEstimator[BallRelease]):
    """A ball that holds most of the records, found with differential privacy. **Every** ``fit`` **spends the budget**.

    The center is a private median, the radius a private quantile of the distances to it. Give the release to
    :class:`PrivateFrechetMean` as ``ball=``; the two budgets add up.

    Parameters
    ----------
    {manifold}
    within : float, optional
        Radius of the public outer ball in which the center is sought, in units of distance. It may be a thousand times
        too large. By default the whole space if it is bounded, as spheres and shapes are.
    center : array of the manifold's ``shape``, optional
        Center of the outer ball.
    {budget}
    quantile : float, optional
        The share of the records at which the radius aims, before it is enlarged to hold 97 % of a normal cluster. By
        default 0.75, so that less than a quarter of wild records cannot enlarge it. It is below 1, because noise hides
        the farthest record.
    steps : int, optional
        Steps of a flow that finds the center; by default the best number in a simulation. If medians of coordinates are
        better, there is no flow.
    {on_invalid}
    {settings}

    Attributes
    ----------
    center_ : array of the manifold's ``shape``
    radius_ : float
    release_ : BallRelease
        Flagged ``"no-useful-mean"`` if the ball is too large for a useful mean.
    manifold_ : Manifold

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.random.default_rng(0).normal(size=(4000, 2)) + [700.0, -300.0]
    >>> ball = karcher.PrivateBall("euclidean", within=1000.0, mu=0.5).fit(X).release_
    >>> mean = karcher.PrivateFrechetMean("euclidean", ball=ball, mu=0.5)
    >>> bool(ball.radius < 10.0)
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    within: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    quantile: Optional[float] = None
    steps: Optional[int] = None

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        fields = self._fields("ball", space, unit)
        ball = _spec.ball(space, center=self.center, locate=True, within=self.within, quantile=self.quantile)
        return {**fields, "ball": ball}

    def _tell(self) -> None:
        self.center_: Floats = self.release_.center
        self.radius_: float = self.release_.radius


__dir__ = _docs.complete(globals())
