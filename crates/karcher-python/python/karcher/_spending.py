"""Warnings that no record decides: of weak budgets, of values that are mostly noise, and of training records that are
given again."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional
from weakref import ref, WeakKeyDictionary

import numpy as np

from . import _karcher
from .errors import MostlyNoiseWarning, TrainingRecordsWarning, WeakBudgetWarning

if TYPE_CHECKING:
    from .manifolds import Floats

_TRAINED: WeakKeyDictionary[object, ref[Any]] = WeakKeyDictionary()
"""The arrays that estimators were fitted with, and nothing of what is in them."""


def warn_if_weak(fields: dict[str, Any], records: Optional[Floats]) -> None:
    """Warns, before anything is spent, of a budget that protects hardly anyone. A confidential number of records
    decides nothing, nor does the number of records of persons."""
    budget = fields["budget"]
    numbers = tuple(budget.get(name) for name in ("epsilon", "delta", "mu", "rho"))
    is_public = fields.get("adjacency") != "add-remove"
    n = fields.get("n_guess")
    if is_public:
        n = 1
        if fields.get("unit") != "person" and records is not None and records.ndim:
            n = len(records)
    for sentence in _karcher.budget_caveats(numbers, n or 1):
        warnings.warn(sentence, WeakBudgetWarning, stacklevel=caller())


def trained(estimator: object, records: Optional[Floats]) -> None:
    """Remembers the array that an estimator was fitted with, if it was one."""
    if records is None:
        _TRAINED.pop(estimator, None)
    else:
        _TRAINED[estimator] = ref(records)


def warn_of_noise(flags: Iterable[str]) -> None:
    """Warns of a value that is mostly noise. The flag depends on public quantities alone."""
    if "noise-exceeds-ball" in flags:
        warnings.warn(
            "the expected error exceeds the radius of the ball, so this value is mostly noise: use more records, a "
            "smaller ball or a larger budget; karcher.plan says so before anything is spent",
            MostlyNoiseWarning,
            stacklevel=caller(),
        )


def warn_of_training_records(estimator: object, records: Floats) -> None:
    """Warns when an estimator that was fitted in this process is given the array of its training records again, or a
    part of it. What is in the array decides nothing: a warning that did would tell whether a record was among them."""
    known = _TRAINED.get(estimator)
    trained = None if known is None else known()
    if trained is not None and np.may_share_memory(trained, records):
        warnings.warn(
            "these are records that the estimator was trained with, so the result is confidential: only the private "
            "means or the private geodesic may leave; score and predict with records of other people, or keep the "
            "result to yourself",
            TrainingRecordsWarning,
            stacklevel=caller(),
        )


def caller() -> int:
    """The number of levels from the calling function up to the user's own code, which is neither here nor in
    scikit-learn and its helpers."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "karcher",
        "sklearn",
        "joblib",
        "contextlib",
    ):
        frame, level = frame.f_back, level + 1
    return level
