"""Private scores of fixed predictions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _spec, _spending
from ._containers import opened
from ._groups import check_groups, persons_of
from ._input import Input
from ._made_up import check_predicts
from ._parameters import estimator
from ._predictions import Metric, number_of, predictions_of
from ._private import Budgeted, OfNeighbours, released
from ._rows import check_rows
from ._sklearn import BaseEstimator
from ._threads import in_threads
from ._withheld import withholds
from .ledger import Ledger
from .manifolds import Manifold, resolve
from .privacy import Guarantee
from .release import ScoreRelease

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike

    from .manifolds import Floats


@estimator
class PrivateScore(OfNeighbours, Budgeted, BaseEstimator):
    """A score of a fixed predictor on confidential records, released with differential privacy. **Every call spends the
    budget**.

    It is a scorer as scikit-learn has them: ``score(estimator, X, y)`` returns a number, and ``release_`` is its
    release. The predictor has to be fixed independently of these records, for example public, or released before; its
    guarantee and that of the score then compose. It has to predict each record by itself.

    A record without a prediction, or with a label that is not in ``labels``, counts as wrong. No error and no warning
    of the predictor is shown.

    Parameters
    ----------
    metric : {"accuracy", "balanced-accuracy", "confusion", "mean-loss", "r2"}
        What is scored. ``"confusion"`` releases the confusion matrix, and the accuracy follows. ``"mean-loss"`` is the
        mean distance between predicted and actual points, each cut off at ``bound``.
    labels : array_like, optional
        Public list of labels; required for ``"balanced-accuracy"`` and ``"confusion"``.
    {budget}
    bound : float, optional
        Public bound at which the distances of ``"mean-loss"`` are cut off.
    range : tuple of float, optional
        Public range of the numbers of ``"r2"``, to which actual and predicted ones are moved.
    manifold : Manifold or str, optional
        Space of the points of ``"mean-loss"``; by default the line, whose distances are absolute errors.
    {neighbours}
    {settings}

    Attributes
    ----------
    release_ : ScoreRelease

    Notes
    -----
    User guide, "Scores and choices" (V2).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> class Sign:
    ...     def predict(self, X):
    ...         return np.where(X[:, 0] > 0, "up", "down")
    >>> X = np.random.default_rng(0).normal(size=(2000, 1))
    >>> y = np.where(X[:, 0] > 0.25, "up", "down")
    >>> score = karcher.PrivateScore(epsilon=1.0)
    >>> bool(abs(score(Sign(), X, y) - 0.9) < 0.03)
    True
    """

    metric: str = "accuracy"
    labels: Optional[ArrayLike] = None
    _: KW_ONLY
    bound: Optional[float] = None
    range: Optional[tuple[float, float]] = None
    manifold: Union[Manifold, str, None] = None
    n_jobs: Optional[int] = None

    def spec(self, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release that a call would make, for :func:`karcher.plan`.

        Parameters
        ----------
        unit : {"record", "person"}
            What the guarantee protects: ``"person"`` for a call with ``groups``.

        Returns
        -------
        dict
        """
        unit = _arguments.one_of("unit", unit, "record", "person")
        return _spec.checked(self._fields(unit))

    def guarantee(self) -> Guarantee:
        """The guarantee of each call: the budget."""
        self.spec()
        return self._budget()

    @withholds
    @in_threads
    def __call__(
        self, estimator: Any, X: Any, y: Any, groups: Optional[ArrayLike] = None, *, example: Any = None
    ) -> float:
        """Scores the predictions of an estimator, which spends the budget.

        Parameters
        ----------
        estimator : object with ``predict``
            A predictor that is fixed independently of these records.
        X : array of shape (n, ...) or DataFrame
            The records.
        y : array of shape (n,), or of points
            Their actual labels, numbers or points.
        groups : array of shape (n,), optional
            The person of each record. A person counts once, by the mean over their records, and the guarantee protects
            persons.
        example : array or DataFrame, optional
            A public record like those of ``X``, which is none of them. The predictor has to predict something for it,
            or else for made-up records; otherwise it is refused before the budget is spent.

        Returns
        -------
        float
        """
        check_rows(X=X, y=y, groups=groups)
        X = opened(X, "X")
        n = number_of(X)
        metric, unit = self._metric(), "record" if groups is None else "person"
        check_groups(groups, self.adjacency)
        fields, account = _spec.checked(self._fields(unit)), self._account()
        actual = metric.check_actual(y, n)
        persons = persons_of(groups, np.empty(n))
        check_predicts("the estimator", estimator, X, example, metric.takes)
        # from here on nothing is refused that depends on a record
        rows = metric.rows(actual, predictions_of(estimator, X, n))
        release: ScoreRelease = _of_rows(fields, rows, persons, account, self.random_state)
        self.release_ = release
        return release.score

    def _metric(self) -> Metric:
        return Metric(self.metric, self.labels, self.bound, self.range, self.manifold)

    def _fields(self, unit: str) -> dict[str, Any]:
        neighbours = {"adjacency": self.adjacency, "n_guess": self.n_guess}
        return _spec.filled("score", self._budget(), neighbours, unit=unit, score=self._metric().fields())


def _of_rows(
    fields: dict[str, Any], rows: Floats, persons: Optional[Floats], account: Optional[str], seed: object
) -> Any:
    """The release of a statistic of rows."""
    read = Input(resolve(f"euclidean:{rows.shape[1]}"), np.ascontiguousarray(rows), persons, rows)
    release = released(fields, read, account, replace=False, seed=seed)
    _spending.warn_of_noise(release.flags)
    return release


def private_score(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: str = "accuracy",
    labels: Optional[ArrayLike] = None,
    groups: Optional[ArrayLike] = None,
    example: Any = None,
    bound: Optional[float] = None,
    range: Optional[tuple[float, float]] = None,
    manifold: Union[Manifold, str, None] = None,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    adjacency: str = "replace-one",
    n_guess: Optional[int] = None,
    ledger: Union[Ledger, str, os.PathLike[str], None] = None,
    random_state: Optional[int] = None,
) -> ScoreRelease:
    """The release of a score of a fixed predictor on confidential records. It spends the budget.

    Parameters
    ----------
    estimator : object with ``predict``
        A predictor that is fixed independently of these records, for example public, or released before.
    X : array of shape (n, ...) or DataFrame
        The records.
    y : array of shape (n,), or of points
        Their actual labels, numbers or points.
    metric, labels : optional
        As for :class:`PrivateScore`.
    groups : array of shape (n,), optional
        The person of each record. A person counts once, by the mean over their records.
    example : array or DataFrame, optional
        As for a call of :class:`PrivateScore`.
    bound, range, manifold : optional
        As for :class:`PrivateScore`.
    {budget}
    {neighbours}
    {ledger}
    {random_state}

    Returns
    -------
    ScoreRelease

    Examples
    --------
    >>> import numpy as np, karcher
    >>> class Always:
    ...     def predict(self, X):
    ...         return np.zeros(len(X), dtype=int)
    >>> y = np.repeat([0, 1], [900, 100])
    >>> found = karcher.private_score(Always(), y, y, metric="balanced-accuracy", labels=[0, 1], epsilon=1.0)
    >>> bool(abs(found.score - 0.5) < 0.1)
    True
    """
    score = PrivateScore(
        metric, labels, bound=bound, range=range, manifold=manifold, epsilon=epsilon, delta=delta, mu=mu, rho=rho,
        adjacency=adjacency, n_guess=n_guess, ledger=ledger, random_state=random_state,
    )  # fmt: skip
    score(estimator, X, y, groups, example=example)
    return score.release_


__dir__ = _docs.complete(globals())
