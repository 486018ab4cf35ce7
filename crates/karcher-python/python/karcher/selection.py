"""Private choices among public candidates, such as models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from sklearn.base import clone

from . import _arguments, _docs, _spec
from ._containers import opened
from ._groups import check_groups, persons_of
from ._made_up import check_predicts
from ._parameters import estimator
from ._predictions import Metric, number_of, predictions_of
from ._private import Budgeted, check_is_fitted
from ._rows import check_rows
from ._sklearn import BaseEstimator
from ._threads import in_threads
from ._withheld import withholds
from .errors import Error
from .manifolds import Manifold, resolve
from .privacy import Guarantee, compose
from .release import ScoreRelease, SelectionRelease
from .score import PrivateScore, _of_rows
from .tangent_classification import _part, _plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike
    from typing_extensions import Self


@estimator
class PrivateSelection(Budgeted, BaseEstimator):
    """The best of several models on confidential records, chosen with differential privacy. **Every** ``fit`` **spends
    the budget**.

    The utility of a model is its number of right predictions, or minus the sum of its losses. With pure ε the choice is
    permute-and-flip, with μ and ρ the exponential mechanism, both exact in the bits. The utilities are not released.

    Candidates are fixed independently of these records. With ``train``, copies of them are fitted first, which has to
    be private: each spends its own budget, and all guarantees add up.

    Parameters
    ----------
    candidates : dict of estimators, or list of pairs of a name and an estimator
        The models, each with a ``predict``. A record without a prediction counts as wrong.
    metric : {"accuracy", "mean-loss"}
        What makes a model useful.
    {budget}
    bound : float, optional
        As for :class:`PrivateScore`.
    manifold : Manifold or str, optional
        As for :class:`PrivateScore`.
    of_score : float, optional
        Part of the budget that is kept for the score of the chosen model, above 0 and below 1. By default no score is
        released.
    {settings}

    Attributes
    ----------
    best_estimator_ : object
        The chosen model.
    best_index_ : int
        Its place among the candidates, from 0.
    best_name_ : str
    release_ : SelectionRelease
    score_ : ScoreRelease or None
        The score of the chosen model, if a part of the budget is kept for it.
    guarantee_ : Guarantee
        That of the choice and the score, and of the candidates if they were fitted, together.

    Notes
    -----
    User guide, "Scores and choices" (V2).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> class Above:
    ...     def __init__(self, limit):
    ...         self.limit = limit
    ...     def predict(self, X):
    ...         return X[:, 0] > self.limit
    >>> X = np.random.default_rng(0).normal(size=(2000, 1))
    >>> models = [(f"above {limit}", Above(limit)) for limit in (-1, 0, 1)]
    >>> chosen = karcher.PrivateSelection(models, epsilon=1.0).fit(X, X[:, 0] > 0.1)
    >>> chosen.best_name_, chosen.guarantee_
    ('above 0', Guarantee(epsilon=1.0))
    """

    candidates: Union[Mapping[str, Any], Sequence[tuple[str, Any]], None] = None
    metric: str = "accuracy"
    _: KW_ONLY
    bound: Optional[float] = None
    manifold: Union[Manifold, str, None] = None
    of_score: Optional[float] = None
    n_jobs: Optional[int] = None

    def spec(self, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the choice that ``fit`` would release, for :func:`karcher.plan`.

        Parameters
        ----------
        unit : {"record", "person"}
            What the guarantee protects: ``"person"`` for a ``fit`` with ``groups``.

        Returns
        -------
        dict
        """
        unit = _arguments.one_of("unit", unit, "record", "person")
        return _spec.checked(self._fields(unit, self._parts()[0]))

    def guarantee(self, *, fitted_first: bool = False) -> Guarantee:
        """The guarantee of a ``fit``: the budget, and with ``train`` the budgets of all candidates.

        Parameters
        ----------
        fitted_first : bool
            Whether the candidates are fitted first.
        """
        own = self._budget()
        self.spec()
        if not _arguments.flag("fitted_first", fitted_first):
            return own
        return compose(*[_promised(name, model) for name, model in self._named()], own)

    @withholds
    @in_threads
    def fit(
        self,
        X: Any,
        y: Any,
        groups: Optional[ArrayLike] = None,
        *,
        train: Optional[tuple[Any, ...]] = None,
        example: Any = None,
    ) -> Self:
        """Chooses a model, which spends the budget.

        Parameters
        ----------
        X : array of shape (n, ...) or DataFrame
            The records that the models are compared on.
        y : array of shape (n,), or of points
            Their actual labels or points.
        groups : array of shape (n,), optional
            The person of each record. A person counts once, by the mean over their records.
        train : tuple, optional
            ``(X, y)`` or ``(X, y, groups)`` of records on which copies of the candidates are fitted first. Each has to
            be a private estimator.
        example : array or DataFrame, optional
            As for a call of :class:`PrivateScore`. Every candidate has to predict something for it.

        {self}
        """
        check_rows(X=X, y=y, groups=groups)
        X = opened(X, "X")
        n, metric, named = number_of(X), self._metric(), self._named()
        unit, (budget, kept) = "record" if groups is None else "person", self._parts()
        check_groups(groups, "replace-one")
        fields, account = _spec.checked(self._fields(unit, budget)), self._account()
        total = self.guarantee(fitted_first=train is not None)
        if train is not None:
            if (len(train) > 2 and train[2] is not None) != (groups is not None):
                raise Error("train and X protect different units: give groups for both, or for neither")
            for name, model in named:
                if account is not None and getattr(model, "ledger", None) is None:
                    raise Error(f"the candidate {name} has no ledger: give each candidate the ledger of the choice")
        actual, persons = metric.check_actual(y, n), persons_of(groups, np.empty(n))
        scorer = None if kept is None else self._scorer(kept, account)
        planned = [(fields, resolve(f"euclidean:{len(named)}"))]
        if scorer is not None:
            planned.append((scorer.spec(unit=unit), resolve("euclidean:1")))
        _plan(planned, n if persons is None else len(np.unique(persons)), account)
        models = [model if train is None else clone(model).fit(*train) for _, model in named]
        fits = "no budget is spent" if train is None else "the budget of the choice is not spent, and those of fits are"
        for (name, _), model in zip(named, models):
            check_predicts(f"the candidate {name}", model, X, example, metric.takes, fits)
        # from here on nothing is refused that depends on a record
        predicted = [predictions_of(model, X, n) for model in models]
        shares = np.hstack([metric.rows(actual, one) for one in predicted])
        seed, other = _arguments.seeds(self.random_state, 2)
        release = _of_rows(fields, 1.0 - shares if metric.name == "mean-loss" else shares, persons, account, seed)
        best = release.selected
        score: Optional[ScoreRelease] = None
        if scorer is not None:
            score = _of_rows(scorer.spec(unit=unit), metric.rows(actual, predicted[best]), persons, account, other)
        self.release_: SelectionRelease = release
        self.score_: Optional[ScoreRelease] = score
        self.best_index_: int = best
        self.best_name_: str = named[best][0]
        self.best_estimator_: Any = models[best]
        self.guarantee_: Guarantee = total
        return self

    def predict(self, X: Any) -> Any:
        """The predictions of the chosen model for other records.

        Parameters
        ----------
        X : array of shape (n, ...)
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    def _named(self) -> list[tuple[str, Any]]:
        given: Any = self.candidates
        given = list(given.items()) if isinstance(given, Mapping) else list(given or [])
        if any(not isinstance(one, tuple) or len(one) != 2 or not isinstance(one[0], str) for one in given):
            raise Error("candidates is a dict of estimators, or a list of pairs of a name and an estimator")
        for name, model in given:
            if not callable(getattr(model, "predict", None)):
                raise Error(f"the candidate {name} has no method predict")
        named: list[tuple[str, Any]] = given
        return named

    def _metric(self) -> Metric:
        name = _arguments.one_of("metric", self.metric, "accuracy", "mean-loss")
        return Metric(name, None, self.bound, None, self.manifold)

    def _parts(self) -> tuple[Guarantee, Optional[dict[str, Any]]]:
        """The budget of the choice, and that of the score if there is one."""
        total, part = self._budget(), _arguments.optional(_arguments.real, "of_score", self.of_score)
        if part is None:
            return total, None
        if not 0.0 < part < 1.0:
            raise Error(f"of_score is {part}: it is a part of the budget, above 0 and below 1, or None")
        return Guarantee(**_part(total, 1.0 - part)), _part(total, part)

    def _scorer(self, kept: dict[str, Any], account: Optional[str]) -> PrivateScore:
        """The score of the chosen model, within a part of the budget."""
        return PrivateScore(self.metric, bound=self.bound, manifold=self.manifold, **kept, ledger=account)

    def _fields(self, unit: str, budget: Guarantee) -> dict[str, Any]:
        metric = self._metric()
        if metric.name == "mean-loss" and metric.bound is None:
            raise Error("bound is missing: the public bound at which losses are cut off")
        return _spec.filled("selection", budget, {}, unit=unit, candidates=[name for name, _ in self._named()])


def _promised(name: str, model: Any) -> Guarantee:
    """The guarantee of a fit of a private estimator."""
    promised = getattr(model, "guarantee", None)
    if not callable(promised):
        raise Error(
            f"the candidate {name} has no guarantee: with train each is a private estimator of karcher; fit others on "
            "public records, and leave train out"
        )
    if getattr(model, "adjacency", "replace-one") != "replace-one":
        raise Error(f"the candidate {name} is for add-remove neighbours: with a choice, take replace-one")
    found = promised()
    if not isinstance(found, Guarantee):
        raise Error(f"the candidate {name} has no guarantee of karcher")
    return found


__dir__ = _docs.complete(globals())
