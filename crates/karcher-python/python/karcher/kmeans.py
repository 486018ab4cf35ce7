"""Private k-means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _spec, _spending
from ._arrays import real_rows
from ._parameters import estimator
from ._private import OfNeighbours, PrivateEstimator, onto_template, seen_records
from ._sklearn import ClusterMixin
from .errors import Error
from .manifolds import Manifold
from .release import KMeansRelease

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


@estimator
class PrivateKMeans(OfNeighbours, ClusterMixin, PrivateEstimator[KMeansRelease]):
    """Centers of clusters of records, released with differential privacy, on every manifold. **Every** ``fit`` **spends
    the budget**.

    A few noisy steps of Lloyd's algorithm move the centers to the means of the records nearest to them. The first steps
    have eight times as many cells, which are then merged; this avoids poor starting centers.

    Parameters
    ----------
    {manifold}
    n_clusters : int
        Number of clusters, from 2 to 1,000; required.
    radius : float, optional
        Radius of the public ball to which records are clipped, in units of distance. By default the whole space if it
        is bounded, as spheres and shapes are; required on other spaces.
    {center}
    {budget}
    first_centers : array of shape (n_clusters, *shape), optional
        Public first centers. By default many cells are drawn in the ball.
    steps : int, optional
        Number of steps; 3 by default.
    cost : bool
        Release also the cost, with an eighth of the budget: the mean square of the distances to the nearest center,
        each cut off at the radius.
    {on_invalid}
    {neighbours}
    {settings}

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, *shape)
        The private centers, by decreasing size of the cluster.
    weights_ : array of shape (n_clusters,)
        The share of the records in each cluster.
    cost_ : float or None
    release_ : KMeansRelease
    manifold_ : Manifold

    Notes
    -----
    User guide, "Learning" (K1).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> X = np.repeat([[0.5, 0.5], [-0.5, 0.0]], [3000, 1000], axis=0)
    >>> clusters = karcher.PrivateKMeans("euclidean", n_clusters=2, radius=1.0, mu=1.0).fit(X)
    >>> bool(abs(clusters.weights_[0] - 0.75) < 0.02)
    True
    >>> clusters.predict([[0.4, 0.4], [-0.4, 0.0]])
    array([0, 1])
    """

    manifold: Union[Manifold, str] = "euclidean"
    n_clusters: Optional[int] = None
    radius: Optional[float] = None
    center: Optional[ArrayLike] = None
    _: KW_ONLY
    first_centers: Optional[ArrayLike] = None
    steps: Optional[int] = None
    cost: bool = False

    def predict(self, X: ArrayLike) -> NDArray[np.int_]:
        """The cluster with the nearest center, for points other than the records.

        Parameters
        ----------
        X : array of shape (n, *shape)
            After a ``fit`` with a template they are rotated onto it.
        """
        nearest: NDArray[np.int_] = self.distances(X).argmin(axis=1)
        return nearest

    def distances(self, X: ArrayLike) -> Floats:
        """The distances to the centers, for points other than the records.

        Parameters
        ----------
        X : array of shape (n, *shape)
            As for :meth:`predict`.
        """
        points = seen_records(self, X)
        _spending.warn_of_training_records(self, points)
        turned = onto_template(self.manifold_, self.release_, points)
        distances: Floats = self.manifold_.dist(turned[:, np.newaxis], self.cluster_centers_)
        return distances

    def fit_predict(self, X: ArrayLike, y: object = None, **options: Any) -> NDArray[np.int_]:
        """Refused: the clusters of the training records are not private."""
        raise Error("the clusters of the training records are not private: call fit, and predict other records")

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        clusters: dict[str, Any] = {"number": _arguments.whole("n_clusters", self.n_clusters, 2, 1000)}
        if self.first_centers is not None:
            first = np.atleast_1d(space._points(self.first_centers, "first_centers"))
            clusters["centers"] = real_rows(first).tolist()
        if _arguments.flag("cost", self.cost):
            clusters["cost"] = True
        fields = self._fields("k-means", space, unit, clusters=clusters)
        return {**fields, "ball": _spec.ball(space, center=self.center, radius=self.radius, everywhere=True)}

    def _tell(self) -> None:
        clusters = self.release_.clusters
        self.cluster_centers_: Floats = np.array([cluster.center for cluster in clusters])
        self.weights_: Floats = np.array([cluster.weight for cluster in clusters])
        self.cost_: Optional[float] = None if self.release_.cost is None else self.release_.cost.value


__dir__ = _docs.complete(globals())
