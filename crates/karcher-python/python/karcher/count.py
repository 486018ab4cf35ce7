"""The number of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from . import _arguments, _docs, _karcher, _spec, _spending
from ._containers import opened, refuse_others
from ._parameters import estimator
from ._private import Specified
from ._sklearn import BaseEstimator
from ._tables import Options, is_table, refuse_plans, scanned
from ._withheld import withholds
from .cluster import Remote
from .errors import ArgumentTypeError, Error, UnansweredError
from .release import CountRelease

if TYPE_CHECKING:
    from dataclasses import KW_ONLY


@estimator
class PrivateCount(Specified[CountRelease], BaseEstimator):
    """The number of records, released with differential privacy. **Every** ``fit`` **spends the budget**.

    Neighbouring data sets differ in one record added or removed, so the number is confidential.

    Parameters
    ----------
    {budget}
    {ledger}
    {random_state}

    Attributes
    ----------
    count_ : int
        The private number, not below 0.
    release_ : CountRelease

    Notes
    -----
    User guide, "One record added or removed" (U2).

    Examples
    --------
    >>> import numpy as np, karcher
    >>> count = karcher.PrivateCount(epsilon=1.0).fit(np.zeros((1000, 3)))
    >>> bool(abs(count.count_ - 1000) < 40)
    True
    """

    _: KW_ONLY

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True  # what the records are is not looked at
        tags.input_tags.sparse = True
        return tags

    def spec(self, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release that ``fit`` would make, for :func:`karcher.run`.

        Parameters
        ----------
        unit : {"record"}
            Protected unit: records are counted, not persons.

        Returns
        -------
        dict
        """
        unit = _arguments.one_of("unit", unit, "record", "person")
        return _spec.checked(_spec.filled("count", self._budget(), {}, adjacency="add-remove", unit=unit))

    @withholds
    def fit(self, X: Any, y: object = None) -> PrivateCount:
        """Releases the number of rows of ``X``, which spends the budget.

        Parameters
        ----------
        X : array of shape (n, ...), or a table
            One row per record; there may be none. A table is an object with ``__arrow_c_stream__``, or a pyarrow
            dataset; the content of its columns does not matter.
        y : ignored

        {self}
        """
        fields = self.spec()
        _spending.warn_if_weak(fields, None)
        spec, count = _spec.as_text(fields), _rows(X)
        account = self._account()
        text = _karcher.private_count(spec, count, _arguments.seed(self.random_state), account)
        self.release_ = CountRelease.from_json(text)
        self.count_: int = self.release_.value
        return self


def _rows(X: Any) -> int:
    """How many records there are. No value is read."""
    refuse_plans(X)
    X = opened(X, "X", "rotations")  # rotations are records like any other
    if isinstance(X, Remote) or hasattr(X, "mapInArrow"):
        kind = type(X).__name__
        raise ArgumentTypeError(
            f"X is of type {kind}: PrivateCount counts the rows of arrays and tables, which are at hand"
        )
    if is_table(X, Options()):
        counts = getattr(X, "count_rows", None)
        return _asked(counts) if counts is not None else _karcher.count_rows(scanned(X, Options()))
    shape = (len(X),) if isinstance(X, (list, tuple)) else getattr(X, "shape", ())
    if not shape:
        refuse_others(X, "X")
        raise Error("X is no array of records: records come one a row")
    return int(shape[0])


def _asked(counts: Callable[[], int]) -> int:
    """The rows of a dataset, which need not be read; an error of its own could quote records."""
    try:
        return int(counts())
    except Exception:
        pass
    raise UnansweredError("the rows of the dataset could not be counted: read it without karcher to see why")


__dir__ = _docs.complete(globals())
