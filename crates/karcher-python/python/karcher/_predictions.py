"""Fixed predictions against confidential labels, as rows of shares: what a private score and a private choice sum.

Nothing here refuses a record, or says anything about one. A prediction that cannot be made is wrong.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _arguments
from ._containers import opened
from ._keys import keys_of
from ._labels import labels_of
from .errors import Error
from .manifolds import Manifold, resolve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .manifolds import Floats


class Metric:
    """A metric with its public parameters, as they are in a specification."""

    def __init__(self, metric: object, labels: Any, bound: object, range_: object, manifold: object) -> None:
        names = ("accuracy", "balanced-accuracy", "confusion", "mean-loss", "r2")
        self.name = _arguments.one_of("metric", metric, *names)
        self.labels = [] if labels is None else _listed(labels)
        self.bound = _arguments.optional(_arguments.real, "bound", bound)
        self.space: Optional[Manifold] = None
        if self.name == "mean-loss":
            self.space = resolve("euclidean:1" if manifold is None else manifold)
        elif manifold is not None:
            raise Error("manifold belongs to metric='mean-loss': distances are losses")
        self.range = None
        if range_ is not None:
            low, high = (_arguments.real("range", end) for end in _two(range_))
            self.range = (low, high)

    def fields(self) -> dict[str, Any]:
        """What the specification says of it."""
        given: dict[str, Any] = {"metric": self.name}
        if self.labels:
            given["labels"] = self.labels
        if self.bound is not None:
            given["bound"] = self.bound
        if self.range is not None:
            given["range"] = {"low": self.range[0], "high": self.range[1]}
        return given

    def rows(self, actual: Any, predicted: Any) -> Floats:
        """A row of shares of each record. Numbers that overflow say nothing, whatever NumPy is set to."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._rows(actual, predicted)

    def _rows(self, actual: Any, predicted: Any) -> Floats:
        if self.name == "mean-loss":
            assert self.space is not None and self.bound is not None
            losses: Floats = _losses(self.space, self.bound, actual, predicted)[:, None]
            return losses
        if self.name == "r2":
            assert self.range is not None
            return _squares(self.range, _numbers(actual), _numbers(predicted))
        actual_keys, predicted_keys = _keys(actual), _keys(predicted)
        if self.name == "accuracy" and not self.labels:
            return _column(_equal(actual_keys, predicted_keys))
        places: dict[Optional[str], int] = {key: place for place, key in enumerate(self.labels)}
        actual_at, predicted_at = (
            np.array([places.get(key, -1) for key in keys], dtype=np.int64) for keys in (actual_keys, predicted_keys)
        )
        right = (actual_at == predicted_at) & (actual_at >= 0)
        if self.name == "accuracy":
            return _column(right)
        k = len(self.labels)
        if self.name == "balanced-accuracy":
            cells, known, size = 2 * actual_at + ~right, actual_at >= 0, 2 * k
        else:
            cells, known, size = k * actual_at + predicted_at, (actual_at >= 0) & (predicted_at >= 0), k * k
        rows = np.zeros((len(cells), size))
        rows[np.flatnonzero(known), cells[known]] = 1.0
        return rows

    def takes(self, predicted: Any) -> bool:
        """Whether a prediction is a label, a number or a point, whatever its value is."""
        if self.name == "mean-loss":
            assert self.space is not None
            try:
                return bool(np.asarray(predicted).reshape(self.space.shape).dtype.kind in "biufc")
            except ValueError:
                return False
        if self.name == "r2":
            return not np.isnan(_number(predicted))
        return _keys([predicted])[0] is not None

    def check_actual(self, y: Any, n: int) -> Any:
        """The actual labels, points or numbers, as many as there are records. Their number is public."""
        if self.name in ("mean-loss", "r2"):
            found = opened(y, "y")
            if isinstance(found, (list, tuple)):  # NumPy would find a type that depends on all entries
                entries, found = found, np.empty(len(found), dtype=object)
                for i, one in enumerate(entries):
                    found[i] = one
            found = np.asarray(found)
            if found.ndim == 0:
                raise Error("y is no array: it has a value for each record")
        else:
            found = labels_of(y, private=True)
        if len(found) != n:
            raise Error(f"y has {len(found)} entries: it has one for each of the {n} records")
        return found


def predictions_of(estimator: Any, X: Any, n: int) -> list[Any]:
    """The prediction of each record, ``None`` where there is none. Each is by itself: in a batch, the last bits of a
    prediction depend on how many others there are, and an error on all of them. Warnings, which could say something of
    a record, are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_predicted(estimator.predict, _row(X, i)) for i in range(n)]


def _predicted(predict: Any, row: Any) -> Any:
    """The prediction of one record."""
    try:
        found = predict(row)
        listed = list(found) if isinstance(found, (list, tuple)) else list(np.asarray(found))
    except (Exception, SystemExit):
        return None
    return listed[0] if len(listed) == 1 else None


def _row(X: Any, i: int) -> Any:
    """One record of an array or a DataFrame."""
    return X.iloc[i : i + 1] if hasattr(X, "iloc") else X[i : i + 1]


def number_of(X: Any) -> int:
    """How many records there are."""
    shape = getattr(X, "shape", None)
    if shape is None:
        if not isinstance(X, (list, tuple)):
            raise Error("X is no array of records: records come one a row")
        return len(X)
    if not shape:
        raise Error("X is no array of records: records come one a row")
    return int(shape[0])


def _listed(labels: Any) -> list[str]:
    keys = keys_of(np.asarray(opened(labels, "labels"), dtype=object).ravel().tolist())
    if any(key is None for key in keys):
        raise Error("labels has an entry that is no label: labels are texts, numbers or dates")
    return [key for key in keys if key is not None]


def _two(given: Any) -> tuple[Any, Any]:
    try:
        low, high = given
    except (TypeError, ValueError):
        low = high = None
    if low is None:
        raise Error("range is the lower and the upper end of the numbers: range=(0, 100)")
    return low, high


def _keys(entries: Any) -> list[Optional[str]]:
    listed = entries if isinstance(entries, list) else entries.tolist()
    return keys_of([one.item() if isinstance(one, np.generic) else one for one in listed])


def _column(right: NDArray[np.bool_]) -> Floats:
    column: Floats = right.astype(np.float64)[:, None]
    return column


def _equal(actual: list[Optional[str]], predicted: list[Optional[str]]) -> NDArray[np.bool_]:
    return np.array([a is not None and a == b for a, b in zip(actual, predicted)], dtype=bool)


def _numbers(entries: Any) -> Floats:
    """A number for each, NaN for what is none."""
    return np.array([_number(entry) for entry in entries], dtype=np.float64)


def _number(entry: Any) -> float:
    try:
        return float(np.asarray(entry, dtype=np.float64).reshape(()))
    except Exception:  # of an object of any type
        return np.nan


def _losses(space: Manifold, bound: float, actual: Any, predicted: Any) -> Floats:
    """The distance between an actual and a predicted point over the bound, 1 where it is larger, or is none."""
    found = np.ones(len(actual))
    for i, (one, other) in enumerate(zip(actual, predicted)):
        try:
            points = [np.asarray(point).reshape(space.shape) for point in (one, other)]
            distance = float(space.dist(*points)) / bound
        except Exception:
            continue  # no points
        if 0.0 <= distance < 1.0:
            found[i] = distance
    return found


def _squares(ends: tuple[float, float], actual: Floats, predicted: Floats) -> Floats:
    """``(e², v², 2v(1 − v))``, in the length of the range; of a number that is none the error is 1."""
    low, high = ends
    places = [np.clip((numbers - low) / (high - low), 0.0, 1.0) for numbers in (actual, predicted)]
    errors = (places[1] - places[0]) ** 2
    v = np.where(np.isnan(places[0]), 0.5, places[0])
    return np.stack([np.where(np.isnan(errors), 1.0, errors), v**2, 2.0 * v * (1.0 - v)], axis=1)
