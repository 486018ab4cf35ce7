"""Why a request was refused. The text is a sentence: what was wrong, where, and what to do.

Errors about records arise only while input is validated, before any computation. Later ones of a mechanism depend on
public quantities alone, so their text may be shown to anyone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _docs

if TYPE_CHECKING:
    from ._not_fitted import NotFittedError as NotFittedError


class Error(ValueError):
    """Every error of this package."""


class ArgumentTypeError(Error, TypeError):
    """An argument of the wrong kind: a text where a number belongs, dates where records belong. A ``TypeError`` as
    well."""


class InvalidPointError(Error):
    """Numbers that are not a point of the space, or not a tangent vector at their point."""


class InvalidCellError(InvalidPointError, TypeError):
    """A cell, a label or a key of a record that is of the wrong kind: a text that is no number, a date. An
    ``InvalidPointError``, as all that a record decides is."""


class CutLocusError(Error):
    """A logarithm or a transport between points that more than one shortest geodesic joins."""


class RadiusTooLargeError(Error):
    """A ball beyond which a bound of the sensitivity does not exist."""


class TooMuchNoiseError(Error):
    """A scale at which the noise has no law, or no exact draw is practical: it takes more records, or a larger
    budget."""


class UnsupportedError(Error):
    """A mechanism that is not available on a space."""


class BudgetError(Error):
    """A release that exceeds the rest of its ledger, or whose guarantee the ledger does not count. Nothing was
    released or spent."""


class LedgerError(Error):
    """A ledger that is missing, damaged, a copy or an older state, or cannot be written to. Nothing was released."""


class UnansweredError(Error):
    """Records that are not at hand could not be read or asked: a stream that broke off, a file that changed, a worker
    that was lost. Nothing was released."""


class NoConvergenceError(Error):
    """An iteration from public values did not reach its tolerance. Mechanisms never raise it, and estimators without
    privacy warn instead, by scikit-learn's ``ConvergenceWarning``."""


class WeakBudgetWarning(UserWarning):
    """A budget protects hardly anyone: ε is above 10, μ above 7.8, ρ above 30, or δ above 1/n. It comes before anything
    is spent."""


class MostlyNoiseWarning(UserWarning):
    """The expected error of a release exceeds the radius of its ball: its value is mostly noise. A plan says so before
    anything is spent."""


class TrainingRecordsWarning(UserWarning):
    """The array of confidential training records was given to an estimator again: the results are not
    private. Equal records in another array do not warn."""


def __getattr__(name: str) -> Any:
    """``NotFittedError``, a class of scikit-learn too, which is imported only where it is used."""
    if name == "NotFittedError":
        from ._not_fitted import NotFittedError

        return NotFittedError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__dir__ = _docs.complete(globals(), "NotFittedError")
