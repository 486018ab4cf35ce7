"""Private quantiles of numbers, angles and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _docs, _spec
from ._arrays import numbers
from ._parameters import estimator
from ._private import OfNeighbours, PrivateEstimator
from .manifolds import Manifold
from .release import QuantilesRelease

if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats


@estimator
class PrivateQuantiles(OfNeighbours, PrivateEstimator[QuantilesRelease]):
    """Many quantiles at once, of numbers, of angles or of distances, released with differential privacy. **Every**
    ``fit`` **spends the budget**.

    All levels together cost the budget once: they follow from one noisy distribution function on a public grid. On
    ``euclidean:1`` they are quantiles of the numbers, on a circle those of the angles from the center. On other spaces,
    and with ``distances=True``, they are quantiles of the distances to the center.

    Parameters
    ----------
    {manifold}
    levels : sequence of float
        Levels strictly between 0 and 1, in rising order.
    radius : float, optional
        Radius of the public ball, in units of distance: records outside count as on its edge. By default the whole
        space if it is bounded, as circles and spheres are; required on other spaces.
    {center}
    {budget}
    cells : int, optional
        Number of cells of the grid, a power of two; 1,024 by default.
    distances : bool
        Quantiles of the distances to the center, on a line and a circle too.
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    quantiles_ : array of shape (n_levels,)
        The quantiles, which never fall.
    levels_ : array of shape (n_levels,)
        Their levels.
    intervals_ : array of shape (n_levels, 2)
        For each, an interval that holds the quantile of the records with at least 95 % confidence.
    population_intervals_ : array of shape (n_levels, 2)
        The same for the quantile of a population, if the records are an independent sample of it.
    release_ : QuantilesRelease
    manifold_ : Manifold

    Notes
    -----
    User guide, "Quantiles" (D5).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> ages = np.random.default_rng(0).uniform(20, 70, size=(10_000, 1))
    >>> quartiles = karcher.PrivateQuantiles("euclidean:1", radius=50.0, center=[50], mu=1.0).fit(ages)
    >>> bool(abs(quartiles.quantiles_[1] - 45.0) < 1.5)
    True
    """

    manifold: Union[Manifold, str] = "euclidean"
    levels: Sequence[float] = (0.25, 0.5, 0.75)
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    cells: Optional[int] = None
    distances: bool = False

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        quantiles: dict[str, Any] = {"levels": numbers(self.levels, "levels").ravel().tolist()}
        if self.cells is not None:
            quantiles["cells"] = _arguments.whole("cells", self.cells, 2, 4096)
        if _arguments.flag("distances", self.distances):
            quantiles["distances"] = True
        fields = self._fields("quantiles", space, unit, quantiles=quantiles)
        return {**fields, "ball": _spec.ball_about(space, self.center, radius=self.radius)}

    def _tell(self) -> None:
        release = self.release_
        self.quantiles_: Floats = release.quantiles
        self.levels_: Floats = release.levels
        self.intervals_: Floats = release.intervals
        self.population_intervals_: Floats = release.population_intervals


__dir__ = _docs.complete(globals())
