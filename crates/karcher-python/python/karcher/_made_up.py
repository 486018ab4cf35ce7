"""Made-up records, on which a predictor is tried before a budget is spent.

They have the columns, the types and the shape of the records, which are public. They have no category or width that
NumPy and pandas take from entries, and whole numbers and others are both tried. So whatever they show about a predictor
may be said.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._containers import opened
from .errors import Error

_VARIANTS = 8
"""Numbers are 0, 1, equal shares, a unit vector, and then four draws that have nothing to do with the records."""


def check_predicts(
    predictor: str,
    estimator: Any,
    X: Any,
    example: Any,
    takes: Callable[[Any], bool],
    ending: str = "no budget is spent",
) -> None:
    """Refuses a predictor that would be wrong about every record, because it does not take their type. ``takes`` says
    whether a prediction is one at all. It is tried on the records of ``example``, or on made-up ones. ``ending`` says
    what has been spent."""
    if not callable(getattr(estimator, "predict", None)):
        raise Error(f"{predictor} has no method predict: give a fitted estimator, or one with a predict of its own")
    if example is None:
        tried = list(_made_up(X))
    else:
        example = opened(example, "example")
        tried = [example.iloc[:1] if hasattr(example, "iloc") else example[:1]]
    reason = ""
    for row in tried:
        try:
            with _silence():
                found = estimator.predict(row)
                listed = list(found) if isinstance(found, (list, tuple)) else list(np.asarray(found))
                if len(listed) == 1 and takes(listed[0]):
                    return
            reason = reason or f"it gives {len(listed)} predictions for one record, or one of another kind"
        except (Exception, SystemExit) as problem:
            reason = reason or f"{type(problem).__name__}: {' '.join(str(problem).split())[:160]}"
    if tried:
        what = "a made-up record of the type and columns of X" if example is None else "the record of example"
        instead = "give X as it was fitted on" + (", or a public record as example" if example is None else "")
        raise Error(f"{predictor} predicts nothing for {what} ({reason}): {instead}; {ending}")


@contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _made_up(X: Any) -> Iterator[Any]:
    """One record each time: of a data frame, a column or an array. Of other containers there are none, nor of types
    that no made-up entry has."""
    rng = np.random.default_rng(0)
    for variant, numbers in itertools.product(range(_VARIANTS), (np.float64, np.int64)):
        try:
            with _silence():
                record = _record(X, variant, numbers, rng)
        except Exception:
            continue
        if record is not None:
            yield record


def _record(X: Any, variant: int, numeric: Any, rng: np.random.Generator) -> Any:
    """A record with numbers of one type in place of those that NumPy and pandas choose."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        kinds = [_kind(kind, numeric) for kind in X.dtypes]
        numbers = _numbers((len(kinds),), variant, rng)
        columns = [pandas.Series([_entry(kind, x)]).astype(kind) for kind, x in zip(kinds, numbers)]
        frame = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=[0])
        return frame.set_axis(X.columns, axis=1)
    if not isinstance(X, np.ndarray):
        return None
    kind, numbers = _kind(X.dtype, numeric), _numbers(X.shape[1:], variant, rng)
    if getattr(kind, "kind", "O") in "biufc":
        return numbers[None].astype(kind)
    return np.array([_entry(kind, x) for x in numbers.ravel()]).reshape((1, *X.shape[1:])).astype(kind)


def _kind(kind: Any, numeric: Any) -> Any:
    """A type without what NumPy and pandas take from entries: whether all are whole, how long one is, which there
    are."""
    if kind in (np.dtype(np.float64), np.dtype(np.int64)):
        return np.dtype(numeric)
    if hasattr(kind, "categories"):
        return "category"
    return kind.type if getattr(kind, "kind", "O") in "US" else kind


def _numbers(shape: tuple[int, ...], variant: int, rng: np.random.Generator) -> Any:
    """The numbers of a made-up record. One of several axes is also a matrix that is positive definite, or a frame."""
    size = int(np.prod(shape))
    if len(shape) == 2 and variant < 4:
        some = rng.normal(size=shape)
        eye = np.eye(*shape)
        if shape[0] == shape[1]:
            return [eye, 2.0 * eye, eye + some @ some.T, some][variant]
        return [eye, some, some - some.mean(0), np.linalg.qr(some)[0] if shape[0] > shape[1] else some][variant]
    first = np.zeros(shape)
    first.ravel()[:1] = 1.0
    draw = rng.normal(size=shape)
    return [
        np.zeros(shape), np.ones(shape), np.full(shape, 1.0 / max(size, 1)), first, draw,
        draw / max(float(np.linalg.norm(draw)), 1e-300), np.abs(draw) + 1.0, np.round(10.0 * draw),
    ][variant]  # fmt: skip


def _entry(kind: Any, number: float) -> Any:
    """A cell of a type: a number, a date, or a text."""
    letter = np.dtype(kind).kind if isinstance(kind, type) else getattr(kind, "kind", "O")
    if letter in "mM":
        return round(number)
    if letter in "iu":
        return round(number) if letter == "i" else abs(round(number))
    if letter in "bfc":
        return bool(number) if letter == "b" else number
    return str(round(number))
