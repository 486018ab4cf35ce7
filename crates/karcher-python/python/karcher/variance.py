"""The Fréchet variance about a public point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from . import _docs, _spec
from ._parameters import estimator
from ._private import OfNeighbours, PrivateEstimator
from .manifolds import Manifold
from .release import VarianceRelease

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike


@estimator
class PrivateFrechetVariance(OfNeighbours, PrivateEstimator[VarianceRelease]):
    """The mean square distance of records from a public point, ``min(ρ², clip²)`` on average, released with
    differential privacy. **Every** ``fit`` **spends the budget**.

    The point is public, or was released before, for example by :class:`PrivateFrechetMean`; then the two budgets add
    up. ``PrivateFrechetMean(spread=True)`` releases both within one budget.

    Parameters
    ----------
    {manifold}
    clip : float, optional
        Public bound at which distances are cut off, in units of distance. Noise grows with its square. Required,
        except on spheres, shapes and other bounded spaces.
    center : array of the manifold's ``shape``, optional
        The point. By default the origin of Euclidean and hyperbolic space; required on other spaces.
    {budget}
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    variance_ : float
        The mean square distance.
    root_mean_square_ : float
    release_ : VarianceRelease
    manifold_ : Manifold

    Notes
    -----
    User guide, "Spread, regions, components" (D1).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.random.default_rng(0).normal(size=(10_000, 2))
    >>> variance = karcher.PrivateFrechetVariance("euclidean", clip=6.0, center=[0, 0], epsilon=1.0).fit(X)
    >>> bool(abs(variance.variance_ - 2.0) < 0.2)
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    clip: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        clip = {"radius": self.clip, "called": "clip", "without": "distances are cut off there"}
        fields = self._fields("frechet-variance", space, unit)
        return {**fields, "ball": _spec.ball_about(space, self.center, **clip)}

    def _tell(self) -> None:
        self.variance_: float = self.release_.mean_square.value
        self.root_mean_square_: float = self.release_.root_mean_square


__dir__ = _docs.complete(globals())
