"""Errors of refused requests. The message states what was wrong, where, and what to do.

Errors about records occur only while input is validated, before any computation. Later errors of a mechanism depend
only on public quantities, so you may show their message to anyone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _docs

if TYPE_CHECKING:
    from ._not_fitted import NotFittedError as NotFittedError


class Error(ValueError):
    """Base class of all errors of this package."""


class ArgumentTypeError(Error, TypeError):
    """An argument of the wrong kind, such as a text instead of a number, or dates instead of records. Also a
    ``TypeError``."""


class InvalidPointError(Error):
    """Numbers that are not a point of the space, or not a tangent vector at their point."""


class InvalidCellError(InvalidPointError, TypeError):
    """A cell, a label or a key of the wrong kind in a record, such as a text that is not a number, or a date. Like all
    errors that depend on a record, it is an ``InvalidPointError``."""


class CutLocusError(Error):
    """A logarithm or a transport between points that more than one shortest geodesic joins."""


class RadiusTooLargeError(Error):
    """A ball that is too large for a bound of the sensitivity."""


class TooMuchNoiseError(Error):
    """A scale at which the noise has no law, or no practical exact draw. More records or a larger budget help."""


class UnsupportedError(Error):
    """A mechanism that is not available on a space."""


class BudgetError(Error):
    """A release that exceeds the budget left in its ledger, or whose guarantee the ledger does not count. There was no
    release, and no budget was spent."""


class LedgerError(Error):
    """A ledger that is missing, damaged, a copy or an older state, or cannot be written to. There was no release."""


class UnansweredError(Error):
    """Records elsewhere could not be read: a stream broke off, a file changed, or a worker was lost. There was no
    release."""


class NoConvergenceError(Error):
    """An iteration from public values did not reach its tolerance. Mechanisms never raise it, and estimators without
    privacy warn instead, by scikit-learn's ``ConvergenceWarning``."""


class WeakBudgetWarning(UserWarning):
    """A budget protects hardly anyone: ε is above 10, μ above 7.8, ρ above 30, or δ above 1/n. The warning comes before
    the budget is spent."""


class MostlyNoiseWarning(UserWarning):
    """The expected error of a release exceeds the radius of its ball, so its value is mostly noise. A plan shows this
    before any budget is spent."""


class TrainingRecordsWarning(UserWarning):
    """An estimator got the array of confidential training records again, so the results are not private. There is no
    warning for equal records in another array."""


def __getattr__(name: str) -> Any:
    """``NotFittedError``, a class of scikit-learn too, which is imported only where it is used."""
    if name == "NotFittedError":
        from ._not_fitted import NotFittedError

        return NotFittedError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__dir__ = _docs.complete(globals(), "NotFittedError")
