"""Steps before a private estimator: covariance matrices in a public ball that holds all of them, and records that are
carried along with the mean of their person. It also reads the arrays of MATLAB files and NIfTI images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from . import _arguments, _docs
from ._arrays import check_size, check_square, numbers
from ._cells import OF_FIRST
from ._foreign_files import read_mat, read_nifti
from ._recentering import PersonRecenter
from ._rows import marked_like
from ._sklearn import BaseEstimator, TransformerMixin
from .errors import Error, InvalidPointError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .manifolds import Floats

__all__ = ["PersonRecenter", "PublicBall", "ShrinkTrace", "read_mat", "read_nifti"]

SMALLEST = 1e-6
"""The smallest ``alpha``: beyond it the rounding of the matrices themselves would show in the ball."""

TOLERANCE = 1e-6
"""How far below 0 rounding may have brought an eigenvalue, relative to the trace, and how far from symmetric a matrix
may be: single precision leaves 1e-7."""


_NOT_FINITE = "it has numbers that are NaN, missing or infinite"


class PublicBall(TypedDict):
    """Center and radius, named like the parameters of the estimators.

    Examples
    --------
    >>> from karcher.preprocessing import ShrinkTrace
    >>> sorted(ShrinkTrace(alpha=0.1).ball(2))
    ['center', 'radius']
    """

    center: Floats
    radius: float


class ShrinkTrace(TransformerMixin, BaseEstimator):
    """Covariance matrices without their unit, bounded away from singular matrices: ``X ↦ (1 − α)·(k/tr X)·X + α·I``.

    The distance of a covariance matrix to any fixed center depends on its unit: an EEG in volts is 60 away from the
    identity. This step divides every matrix by its mean eigenvalue and mixes in the identity. The eigenvalues of the
    result lie between ``α`` and ``L = α + (1 − α)·k``. So it is at most ``½·√k·ln(L/α)`` away from ``√(α·L)·I`` in both
    metrics of :class:`karcher.SPD`. This public ball (:meth:`ball`) holds *every* record, without any knowledge of the
    data. The power of a record, its trace, is lost.

    Each matrix is treated by itself, so nothing is learned from the records. The output is as confidential as the
    input.

    Parameters
    ----------
    alpha : float
        Public weight of the identity, from 1e-6 to below 1. A smaller one gives a larger ball and more noise; a larger
        one makes matrices more alike.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a matrix that is 0 or not a covariance matrix: an error, or the center of the ball replaces it.

    Attributes
    ----------
    n_features_in_ : int
        Number of rows of the matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from karcher.classification import PrivateMDM
    >>> from karcher.preprocessing import ShrinkTrace
    >>> rng = np.random.default_rng(0)
    >>> signals = 1e-5 * rng.normal(size=(400, 4, 100))                 # volts
    >>> signals[200:, 0] *= 3.0
    >>> X, y = signals @ signals.swapaxes(1, 2) / 100, np.repeat(["rest", "move"], 200)
    >>> shrink = ShrinkTrace(alpha=0.1)
    >>> model = make_pipeline(shrink, PrivateMDM(**shrink.ball(4), epsilon=2.0)).fit(X, y)
    >>> model[-1].covmeans_.shape
    (2, 4, 4)
    """

    def __init__(self, alpha: float = 0.1, *, on_invalid: str = "error") -> None:
        self.alpha = alpha
        self.on_invalid = on_invalid

    def ball(self, k: int) -> PublicBall:
        """The public ball that holds every transformed matrix of ``k`` rows, as the parameters ``center`` and
        ``radius``.

        Parameters
        ----------
        k : int
            Number of rows of the matrices: the number of channels.

        Returns
        -------
        dict
            Arguments of an estimator, as in ``PrivateMDM(**ShrinkTrace(0.1).ball(8), epsilon=1.0)``.

        Examples
        --------
        >>> from karcher.preprocessing import ShrinkTrace
        >>> ball = ShrinkTrace(alpha=0.1).ball(2)
        >>> round(ball["radius"], 4)
        2.082
        """
        alpha, k = self._alpha(), _arguments.count("k", k)
        largest = alpha + (1.0 - alpha) * k
        return {
            "center": np.sqrt(alpha * largest) * np.eye(k),
            "radius": float(0.5 * np.sqrt(k) * np.log(largest / alpha)),
        }

    def fit(self, X: ArrayLike, y: object = None) -> ShrinkTrace:
        """Checks the parameters, the shape of the matrices, and that they are numbers; learns nothing.

        Parameters
        ----------
        X : array of shape (n, k, k)
        y : ignored

        {self}
        """
        matrices = self._matrices(X)
        if self.on_invalid == "error":
            self._refuse(~np.isfinite(matrices).all(axis=(1, 2)), _NOT_FINITE)
        self.n_features_in_ = matrices.shape[-1]
        return self

    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = False, True
        tags.input_tags.allow_nan = self.on_invalid == "replace-with-center"
        return tags

    def transform(self, X: ArrayLike) -> Floats:
        """The matrices with trace ``k``, shrunk towards the identity.

        Parameters
        ----------
        X : array of shape (n, k, k)
            Covariance matrices, which may be singular: symmetric, no eigenvalue below 0 except by rounding, and not 0.

        Returns
        -------
        array of shape (n, k, k)

        Raises
        ------
        InvalidPointError
            When a matrix is invalid; the message names it and the reason.
        """
        matrices = self._matrices(X)
        if hasattr(self, "n_features_in_"):
            check_size(self, matrices.shape[-1])
        k, alpha = matrices.shape[-1], self._alpha()
        replace = self.on_invalid == "replace-with-center"
        finite = np.isfinite(matrices).all(axis=(1, 2))
        matrices = np.where(finite[:, None, None], matrices, 0.0)
        # divided by the largest entry first, so that no trace overflows
        largest = np.abs(matrices).max(axis=(1, 2), keepdims=True)
        unit = matrices / np.where(largest > 0.0, largest, 1.0)
        turned = unit.swapaxes(1, 2)
        trace = np.trace(unit, axis1=1, axis2=2)
        slack = TOLERANCE * np.maximum(trace, 0.0)
        symmetric = np.abs(unit - turned).max(axis=(1, 2)) <= slack
        unit = 0.5 * (unit + turned)
        values, vectors = np.linalg.eigh(unit)
        positive = values[:, 0] >= -slack
        valid = finite & symmetric & positive & (trace > 0.0)
        if not replace:
            i = int(np.argmin(valid))
            reason = (
                _NOT_FINITE if not finite[i]
                else "its trace is not above 0" if trace[i] <= 0.0
                else "it is not symmetric" if not symmetric[i]
                else "it has an eigenvalue below 0"
            )  # fmt: skip
            self._refuse(~valid, reason)
        # what rounding brought below 0 is 0
        below = valid & (values[:, 0] < 0.0)
        unit[below] = (vectors[below] * np.maximum(values[below], 0.0)[:, None, :]) @ vectors[below].swapaxes(1, 2)
        trace = np.trace(unit, axis1=1, axis2=2)
        scale = np.where(valid, k / np.where(valid, trace, 1.0), 0.0)
        shrunk = (1.0 - alpha) * scale[:, None, None] * unit + alpha * np.eye(k)
        shrunk[~valid] = self.ball(k)["center"]
        return marked_like(np.asarray(shrunk), X)

    def _refuse(self, invalid: NDArray[np.bool_], reason: str) -> None:
        """Refuses the first of the matrices that are invalid, if there is one."""
        if invalid.any():
            raise InvalidPointError(
                f"X, row {int(np.argmax(invalid)) + 1}: not a covariance matrix: {reason}; leave it out, or "
                "on_invalid='replace-with-center'"
            )

    def _alpha(self) -> float:
        alpha = _arguments.real("alpha", self.alpha)
        if not SMALLEST <= alpha < 1.0:
            raise Error(f"alpha is {alpha:g}: it must be at least {SMALLEST:g} and below 1")
        return alpha

    def _matrices(self, X: ArrayLike) -> Any:
        replaces = _arguments.one_of("on_invalid", self.on_invalid, "error", "replace-with-center") != "error"
        self._alpha()
        matrices = numbers(X, "X", missing="nan", shape=None if replaces else OF_FIRST)
        check_square(matrices, "X")
        if not len(matrices):
            raise Error(f"X has 0 sample(s) (shape={matrices.shape}) while a minimum of 1 is required")
        return matrices


__dir__ = _docs.complete(globals())
