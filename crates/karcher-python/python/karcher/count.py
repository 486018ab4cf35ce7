"""The number of records."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Optional, Union

from sklearn.base import BaseEstimator

from . import _arguments, _karcher, _spending
from ._arrays import numbers
from ._private import documented
from .errors import Error
from .ledger import Accounted, Ledger
from .release import CountRelease

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@documented
class PrivateCount(Accounted, BaseEstimator):
    """How many records there are, released with differential privacy and with the whole budget. **Every** ``fit``
    **spends the budget.**

    Neighbouring data sets differ in one record more or less: the number is what is confidential.

    Parameters
    ----------
    {budget}
    {ledger}
    random_state : int, optional
        Reproducible noise, hence **not private**: for tests and demonstrations.

    Attributes
    ----------
    count_ : int
        The private number, not below 0.
    release_ : CountRelease

    Notes
    -----
    User guide, "One record more or less" (U2).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> count = karcher.PrivateCount(epsilon=1.0).fit(np.zeros((1000, 3)))
    >>> bool(abs(count.count_ - 1000) < 40)
    True
    """

    def __init__(
        self,
        *,
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        ledger: Union[Ledger, str, os.PathLike[str], None] = None,
        random_state: Optional[int] = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mu = mu
        self.rho = rho
        self.ledger = ledger
        self.random_state = random_state

    count_: int
    release_: CountRelease

    def fit(self, X: ArrayLike, y: object = None) -> PrivateCount:
        """Releases the number of rows of ``X``, which spends the budget.

        Parameters
        ----------
        X : array of shape (n, ...)
            One row a record; none is a number like any other.
        y : ignored

        Returns
        -------
        self
        """
        budget = _arguments.budget(self.epsilon, self.delta, self.mu, self.rho)
        records = numbers(X, "X", missing="nan")
        if records.ndim == 0:
            raise Error("X is one number: records come one a row")
        account = self._account()
        text = _karcher.private_count(len(records), budget, _arguments.seed(self.random_state), account)
        release = CountRelease.from_json(text)
        _spending.spend(self, records, release.guarantee, seeded=release.seeded, counted=account is not None)
        self.release_ = release
        self.count_ = release.value
        return self
