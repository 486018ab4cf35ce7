"""Classification of symmetric positive definite matrices by private class means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from .errors import Error
from .estimators import PrivateFrechetMean
from .manifolds import SPD
from .privacy import Guarantee
from .release import Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats


class PrivateMDM(ClassifierMixin, TransformerMixin, BaseEstimator):
    """Minimum distance to mean, with private class means: beside ``pyriemann.classification.MDM``, and used like it.

    A matrix belongs to the class whose mean is nearest (Barachant, Bonnet, Congedo and Jutten 2012). The means of the classes are the
    only thing that is learnt, and each is released by :class:`karcher.PrivateFrechetMean`.

    **Who is protected.** Labels are public: neighbouring training sets differ in one matrix, not in its label, so the sizes of the
    classes are public as well. A replaced matrix then changes the mean of one class only, and every class gets the whole budget
    (parallel composition): ``guarantee_`` is that of each ``releases_``. Labels that are to be protected too are refused, see ``labels``.

    What is predicted for *other* matrices is made of the private means and costs nothing. A prediction or score on the *training*
    matrices themselves reveals them like any other number computed from them.

    Parameters
    ----------
    radius : float
        Of the public ball to which the matrices of every class are clipped, in units of distance.
    center : array of shape (k, k), optional
        Of the ball, the identity by default. Public, as the radius is.
    metric : {"log-euclidean", "affine-invariant"}
        pyRiemann's names, "logeuclid" and "riemann", are understood as well. Log-Euclidean means need much less noise for large k.
    epsilon, delta, mu, rho : float, optional
        The budget: ``epsilon``, ``epsilon`` with ``delta``, ``mu`` or ``rho``.
    mechanism : str
        As for :class:`karcher.PrivateFrechetMean`.
    labels : {"public"}
        "private" is refused: a record whose label changes, changes the sizes of two classes, on which the noise depends.
    on_invalid : {"error", "replace-with-center"}
        What happens to a training matrix that is not positive definite.
    random_state : int, optional
        Reproducible noise, hence **not private**.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    covmeans_ : array of shape (n_classes, k, k)
        The private means, in the order of ``classes_``.
    releases_ : list of Release
        The same with everything that is to be known about them.
    guarantee_ : Guarantee
        Of all of it together.
    manifold_ : SPD

    Examples
    --------
    >>> import numpy as np
    >>> from karcher.classification import PrivateMDM
    >>> X = np.concatenate([np.tile(np.diag([2.0, 1.0]), (200, 1, 1)), np.tile(np.diag([1.0, 2.0]), (200, 1, 1))])
    >>> y = np.repeat(["left", "right"], 200)
    >>> mdm = PrivateMDM(radius=2.0, epsilon=1.0).fit(X, y)
    >>> mdm.guarantee_
    Guarantee(epsilon=1.0)
    >>> mdm.predict([[[3.0, 0.0], [0.0, 1.0]]])
    array(['left'], dtype='<U5')
    """

    def __init__(
        self,
        radius: float = 1.0,
        center: Optional[ArrayLike] = None,
        *,
        metric: str = "log-euclidean",
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        mechanism: str = "auto",
        labels: str = "public",
        on_invalid: str = "error",
        random_state: Optional[int] = None,
    ) -> None:
        self.radius = radius
        self.center = center
        self.metric = metric
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.rho = rho
        self.mechanism = mechanism
        self.labels = labels
        self.on_invalid = on_invalid
        self.random_state = random_state

    classes_: NDArray[Any]
    covmeans_: Floats
    releases_: list[Release]
    guarantee_: Guarantee
    manifold_: SPD

    def fit(self, X: ArrayLike, y: ArrayLike) -> PrivateMDM:
        """Releases the private means of the classes.

        Parameters
        ----------
        X : array of shape (n, k, k)
            Symmetric positive definite matrices, one a person.
        y : array of shape (n,)
            Their labels, which are public.

        Returns
        -------
        self
        """
        if self.labels != "public":
            raise Error(
                f"labels is {self.labels!r}: only public labels are supported; a private label would change the sizes of two "
                "classes, which the noise on their means depends on"
            )
        matrices, y = np.asarray(X), np.asarray(column_or_1d(y))
        check_classification_targets(y)
        if matrices.ndim != 3 or len(matrices) != len(y) or not len(y):
            raise Error(
                f"X has shape {matrices.shape} and y has {len(y)} labels: X must be (n, k, k), with a label for each matrix"
            )
        manifold = SPD(matrices.shape[-1], metric=self.metric)
        classes = np.unique(y)
        seeds: list[Optional[int]] = [None] * len(classes)
        if self.random_state is not None:
            seeds = [int(s) for s in np.random.SeedSequence(self.random_state).generate_state(len(classes), np.uint64)]
        releases = []
        for label, seed in zip(classes, seeds):
            mean = PrivateFrechetMean(
                manifold,
                self.radius,
                self.center,
                epsilon=self.epsilon,
                delta=self.delta,
                mu=self.mu,
                rho=self.rho,
                mechanism=self.mechanism,
                on_invalid=self.on_invalid,
                random_state=seed,
            )
            releases.append(mean.fit(matrices[y == label]).release_)
        self.classes_ = classes
        self.releases_ = releases
        self.covmeans_ = np.stack([release.value for release in releases])
        self.guarantee_ = releases[0].guarantee
        self.manifold_ = manifold
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """Distances to the private means.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n, n_classes)
        """
        check_is_fitted(self)
        return np.stack([self.manifold_.dist(mean, X) for mean in self.covmeans_], axis=-1)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of the nearest private mean.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n,)
        """
        nearest = self.transform(X).argmin(axis=1)
        return np.asarray(self.classes_[nearest])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Softmax of minus the squared distances, as pyRiemann's MDM has it.

        Parameters
        ----------
        X : array of shape (n, k, k)

        Returns
        -------
        array of shape (n, n_classes)
        """
        squares = self.transform(X) ** 2
        weights = np.exp(squares.min(axis=1, keepdims=True) - squares)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def fit_predict(self, X: ArrayLike, y: ArrayLike) -> NDArray[Any]:
        """Refused: predictions for the training matrices are not private."""
        raise Error("predictions for the training matrices themselves are not private: call fit, and predict other matrices")
