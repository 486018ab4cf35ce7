"""The Fréchet variance about a public point."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _docs, _spec
from ._private import PrivateEstimator
from .ledger import Ledger
from .manifolds import Manifold
from .release import VarianceRelease

if TYPE_CHECKING:
    from numpy.typing import ArrayLike



class PrivateFrechetVariance(PrivateEstimator):
    """How far records are from a public point, on average: the mean of ``min(ρ², clip²)``, released with differential
    privacy and with the whole budget. **Every** ``fit`` **spends the budget**.

    The point is public, or was released before, for example by :class:`PrivateFrechetMean`; then the two budgets add
    up. With ``PrivateFrechetMean(spread=True)`` both are released within one budget.

    Parameters
    ----------
    {manifold}
    clip : float, optional
        Public bound at which distances are cut off, in units of distance. Noise grows with its square. Required,
        except on spheres, shapes and other bounded spaces.
    center : array of the manifold's ``shape``, optional
        The point. On Euclidean and hyperbolic space the manifold's origin by default; elsewhere required, as none suits
        all.
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

    def __init__(
        self,
        manifold: Union[Manifold, str] = "euclidean",
        clip: Optional[float] = None,
        center: Optional[ArrayLike] = None,
        *,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        on_invalid: str = "error",
        adjacency: str = "replace-one",
        n_guess: Optional[int] = None,
        ledger: Union[Ledger, str, os.PathLike[str], None] = None,
        random_state: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> None:
        self.manifold = manifold
        self.clip = clip
        self.center = center
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.rho = rho
        self.on_invalid = on_invalid
        self.adjacency = adjacency
        self.n_guess = n_guess
        self.ledger = ledger
        self.random_state = random_state
        self.n_jobs = n_jobs

    variance_: float
    root_mean_square_: float
    release_: VarianceRelease
    manifold_: Manifold

    _kind = VarianceRelease

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        cut = "distances are cut off there"
        if self.center is None:
            # a point is not as good as any other, even where nothing is cut off
            _spec.ball(space, radius=1e-9, without="or take that of a private mean, which adds to the budget")
        return _spec.filled(
            "frechet-variance",
            self._budget(),
            manifold=space.name,
            ball=_spec.ball(
                space, center=self.center, radius=self.clip, everywhere=True, called="clip", without=cut
            ),
            unit=unit,
            adjacency=_arguments.text("adjacency", self.adjacency),
            n_guess=_arguments.optional(_arguments.count, "n_guess", self.n_guess),
        )

    def _tell(self) -> None:
        self.variance_ = self.release_.mean_square.value
        self.root_mean_square_ = self.release_.root_mean_square


__dir__ = _docs.complete(globals())
