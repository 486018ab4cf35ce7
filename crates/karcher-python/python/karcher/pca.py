"""Private principal components of vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _spec
from ._parameters import estimator
from ._private import OfNeighbours, PrivateEstimator, check_is_fitted
from ._threads import in_threads
from .components import _AlongComponents
from .errors import Error
from .manifolds import Manifold
from .release import CovarianceRelease

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats


@estimator
class PrivatePCA(_AlongComponents, OfNeighbours, PrivateEstimator[CovarianceRelease]):
    """Principal component analysis of vectors, released with differential privacy. It has the names of scikit-learn's
    ``PCA``. **Every** ``fit`` **spends the budget**.

    The mean and the covariance come from one noisy sum, with less noise than if the budget were divided between them.
    ``transform`` gives the coordinates of records along the components. **Each row is as confidential as its record**.

    Parameters
    ----------
    n_components : int or float, optional
        Number of components that are kept; all by default. A number below 1 is the share of the variance that they
        explain at least. The release always has all.
    {budget}
    radius : float
        Radius of the public ball; records outside are moved to its edge. Noise on variances grows with its square.
    center : array of shape (n_features,), optional
        Public center of the ball; by default 0. Noise is least if the mean is near it.
    mechanism : {"auto", "laplace", "gaussian"}
        Law of the noise; by default the one with the smaller expected error.
    manifold : Manifold or str
        Space of the records, for a plan before there are any: ``"euclidean:10"``.
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    mean_ : array of shape (n_features,)
    components_ : array of shape (n_components, n_features)
        Orthonormal rows, the largest variance first. The number of each that is largest in size is positive.
    explained_variance_ : array of shape (n_components,)
        The variances along the components, over the number of records. Where noise makes one negative it is 0 here.
    explained_variance_ratio_ : array of shape (n_components,)
    singular_values_ : array of shape (n_components,)
    noise_variance_ : float
        The mean variance along the components that are not kept.
    noise_level_ : float
        About the largest variance due to noise alone: components with less are noise.
    n_components_ : int
    release_ : CovarianceRelease
        The release with all facts about it.
    manifold_ : Manifold

    Notes
    -----
    User guide, "Spread, regions, components" (D6).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.random.default_rng(0).normal(size=(20_000, 3)) * [2.0, 1.0, 0.1]
    >>> pca = karcher.PrivatePCA(n_components=2, radius=6.0, mu=1.0).fit(X)
    >>> pca.transform(X[:5]).shape, bool(abs(pca.components_[0, 0]) > 0.99)
    ((5, 2), True)
    """

    n_components: Union[int, float, None] = None
    _: KW_ONLY
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    mechanism: str = "auto"
    manifold: Union[Manifold, str] = "euclidean"

    @in_threads
    def transform(self, X: ArrayLike) -> Floats:
        """The coordinates of records along the components, which are as confidential as the records.

        Parameters
        ----------
        X : array of shape (n, n_features)

        Returns
        -------
        array of shape (n, n_components)

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        """
        coordinates: Floats = self._logarithms(X) @ self.components_.T
        return coordinates

    @in_threads
    def inverse_transform(self, X: ArrayLike) -> Floats:
        """The vectors with these coordinates along the components.

        Parameters
        ----------
        X : array of shape (n, n_components)

        Returns
        -------
        array of shape (n, n_features)
        """
        vectors: Floats = self._combined(X) + self.mean_
        return vectors

    def get_covariance(self) -> Floats:
        """The covariance matrix of the model: the variances along the components, and ``noise_variance_`` across them.
        The matrix as it was released is ``release_.covariance``.

        Returns
        -------
        array of shape (n_features, n_features)
        """
        check_is_fitted(self)
        across = self.noise_variance_ * np.eye(len(self.mean_))
        more = self.explained_variance_ - self.noise_variance_
        covariance: Floats = across + (self.components_.T * more) @ self.components_
        return covariance

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        self._kept(space.dim)
        ball = _spec.ball(
            space, radius=self.radius, center=self.center, without="the public ranges of the columns bound it"
        )
        return {**self._fields("covariance", space, unit), "ball": ball}

    def _kept(self, most: int, shares: Optional[Floats] = None) -> int:
        """The number of components; by a share of the variance, that of a release."""
        asked = self.n_components
        if asked is None:
            return most
        if isinstance(asked, (float, np.floating)) and not isinstance(asked, (int, np.integer)):
            share = _arguments.real("n_components", asked)
            if not 0.0 < share < 1.0:
                raise Error(f"n_components is {asked}: a share of the variance is above 0 and below 1")
            return most if shares is None else min(int(np.searchsorted(np.cumsum(shares), share)) + 1, most)
        kept = _arguments.count("n_components", asked)
        if not 1 <= kept <= most:
            raise Error(f"n_components is {kept}: it must be from 1 to {most}, the number of features")
        return kept

    def _tell(self) -> None:
        found = self.release_
        variances, shares = np.maximum(found.variances, 0.0), np.array(found.explained_variance_ratio)
        kept = self._kept(len(variances), shares)
        count = 0.0 if found.private_count is None else found.private_count.value
        count = count if found.n is None else float(found.n)
        self.n_components_: int = kept
        self.mean_: Floats = found.mean
        self.components_: Floats = found.directions[:kept]
        self.explained_variance_: Floats = variances[:kept]
        self.explained_variance_ratio_: Floats = shares[:kept]
        self.singular_values_: Floats = np.sqrt(variances[:kept] * count)
        rest = found.variances[kept:]
        self.noise_variance_: float = max(float(np.mean(rest)), 0.0) if len(rest) else 0.0
        self.noise_level_: float = found.noise_level


__dir__ = _docs.complete(globals())
