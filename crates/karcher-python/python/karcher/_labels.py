"""Labels of records: texts or numbers, all of one kind."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Set
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from . import _spending
from ._arrays import as_column, first_missing, is_gone
from ._containers import refuse_others
from ._keys import key_of, keys_of
from .errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray


def labels_of(y: Any, *, private: bool = False, listed: bool = False, name: str = "y") -> NDArray[Any]:
    """Labels, one a record. Where the classes are ``listed``, there may be any number of labels. Private labels become
    texts where they are not in an array of a type: that a type is refused could reveal a record."""
    problem, is_typed = None, isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray)
    if y is None:
        raise Error("this classifier requires y to be passed, but the target y is None: a label for each record")
    if isinstance(y, np.ma.MaskedArray) and np.any(y.mask):  # a masked label is a missing one
        masked, y = y.mask, np.array(y.data, dtype=object)
        y[masked] = None
    if private and isinstance(y, (list, tuple)):  # NumPy would find a type that depends on all labels
        given, y = y, np.empty(len(y), dtype=object)
        for i, label in enumerate(given):
            y[i] = label
    try:
        labels: NDArray[Any] = as_column(y)
        if labels.ndim == 2 and labels.shape[1] == 1:
            sentence = f"A column-vector {name} was passed when a 1d array was expected: {name}.ravel() is one"
            warnings.warn(sentence, DataConversionWarning, stacklevel=_spending.caller())
            labels = labels[:, 0]
        missing = first_missing(labels) if labels.ndim == 1 and not private else None
        if labels.ndim != 1:
            problem = f"{name} has shape {labels.shape}: it must be (n,), a label for each record"
        elif missing is not None:
            problem = f"{name} has missing labels, the first in row {missing + 1}: every record needs one"
        elif private and (not is_typed or labels.dtype.kind in ("O", "T")):
            labels = np.array([*keys_of(labels.astype(object).tolist()), None], dtype=object)[:-1]
        elif len(labels) and not private:
            labels = _plain(labels)
            different = np.unique(labels) if not listed or labels.dtype.kind in "UST" else labels[:0]
            if not listed:
                check_classification_targets(labels)
            if len(set(keys_of(different))) < len(different):
                problem = f"{name} has one label in several forms, such as with blanks around it or in another encoding"
    except (TypeError, ValueError):
        problem = f"Unknown label type: {name} must hold texts or whole numbers, all of one kind"
    if problem is not None:
        if not hasattr(y, "__len__") or isinstance(y, (Mapping, Set)):
            refuse_others(y, name)
        raise Error(problem)
    return labels


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Objects as an array of their common type."""
    kind = _kind_of(labels)
    if kind == _SEVERAL:
        raise TypeError
    if labels.dtype.kind in ("O", "T") and kind == "texts":
        labels = labels.astype(str)
    elif labels.dtype.kind == "O" and kind == "numbers":
        labels = np.asarray(labels.tolist())
    return labels


def are(y: NDArray[Any], label: object) -> NDArray[np.bool_]:
    """Which labels are this one, of whatever types both are: those with the same key."""
    if y.dtype.kind in "biu" and isinstance(label, np.generic) and label.dtype.kind == y.dtype.kind:
        return np.asarray(y == label, dtype=bool)
    key = key_of(label)
    if y.dtype.kind == "O":  # private ones, which are keys already, and mixed ones
        return np.array([given == key for given in keys_of(y.tolist())], dtype=bool)
    different, inverse = np.unique(y, return_inverse=True)
    return np.array([given == key for given in keys_of(different)], dtype=bool)[inverse.reshape(len(y))]


def check_kinds(kinds: set[str], classes: NDArray[Any]) -> None:
    """Refuses labels of types that no class can equal."""
    of_classes = _kind_of(classes)
    if kinds and of_classes not in kinds:
        raise Error(f"y holds {' and '.join(sorted(kinds))}, and classes holds {of_classes}: give both as one type")


def kinds_of(labels: NDArray[Any]) -> set[str]:
    """The types of labels: those of two types are never equal. They are public."""
    if labels.dtype.kind != "O":
        return {_KINDS.get(labels.dtype.kind, str(labels.dtype))} if len(labels) else set()
    return {_kind_of_one(label) for label in labels.tolist() if not is_gone(label)}


def _kind_of(labels: NDArray[Any]) -> str:
    kinds = kinds_of(labels)
    return kinds.pop() if len(kinds) == 1 else _SEVERAL


def _kind_of_one(label: object) -> str:
    for kind, name in ((str, "texts"), (bytes, "bytes"), ((Number, np.bool_), "numbers")):
        if isinstance(label, kind):
            return name
    return type(label).__name__


_KINDS = {"b": "numbers", "i": "numbers", "u": "numbers", "f": "numbers", "U": "texts", "T": "texts", "S": "bytes"}
"""The types of labels by the letters of NumPy's. A Boolean is a number: it may equal 0 or 1."""

_SEVERAL = "objects of several types"
