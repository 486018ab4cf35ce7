"""Cells of records: each is a number, missing, or invalid. What one cell holds decides nothing about another one."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple, Optional

import numpy as np

from ._quiet import silence
from .errors import InvalidPointError

_PLAIN = {float, int, bool, np.float64}
"""Types of numbers that NumPy converts as Python does."""


class Cells(NamedTuple):
    """Numbers, and which of them are missing or invalid: those are NaN. Without any, there is no mask."""

    values: Any
    missing: Any = None
    invalid: Any = None


def is_missing(entry: object) -> bool:
    """Whether an entry stands for one that is missing."""
    # pandas need not be there
    return entry is None or type(entry).__name__ in ("NAType", "NaTType", "MaskedConstant")


def is_nan(entry: object) -> bool:
    """Whether an entry is not equal to itself. Some cannot be compared, such as a signalling NaN."""
    try:
        return bool(entry != entry)
    except Exception:
        return True


def array_of(given: object, name: str, missing: str, shape: Optional[tuple[int, ...]]) -> Any:
    """Anything as an array of numbers, or of the objects and texts in it; ``None`` for what is none. ``shape`` is that
    of a record, where it is known. No error or warning of NumPy's, which could quote data, leaves."""
    try:
        with silence(), np.errstate(all="ignore"):
            array = np.asarray(given)
            if array.dtype.kind in "biuf" or not isinstance(given, (list, tuple)):
                return _unnested(array, name, missing, shape) if array.dtype.kind == "O" else array
            array = np.array(given, dtype=object)  # a type of all cells would depend on each
    except Exception:
        if not isinstance(given, (list, tuple)):
            return None
        array = np.empty(len(given), dtype=object)
        for i, row in enumerate(given):
            array[i] = row
    return _unnested(array, name, missing, shape)


def cells_of(array: Any, as_complex: bool) -> Optional[Cells]:
    """The cells of an array, ``None`` where its type is one of other things."""
    dtype = np.complex128 if as_complex else np.float64
    if array.dtype.kind in "biufc":
        with np.errstate(all="ignore"):
            return Cells(np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"]))
    if array.dtype.kind not in "OUST":
        return None
    entries = array.ravel().tolist()
    if set(map(type, entries)) <= _PLAIN:
        try:
            return Cells(np.array(entries, dtype=dtype).reshape(array.shape))
        except OverflowError:
            pass
    with silence(), np.errstate(all="ignore"):
        found = [_number(entry, as_complex) for entry in entries]
    values = np.array([number if isinstance(number, (float, complex)) else math.nan for number in found], dtype=dtype)
    masks = (np.array([number is kind for number in found], dtype=bool).reshape(array.shape) for kind in (None, ...))
    return Cells(values.reshape(array.shape), *masks)


def _number(entry: Any, as_complex: bool) -> Any:
    """A number; ``None`` for a cell that is missing, and ``...`` for one that is invalid."""
    try:
        if is_missing(entry) or (isinstance(entry, (str, bytes)) and not entry.strip()):
            return None
        is_one = not isinstance(entry, (np.datetime64, np.timedelta64)) and not getattr(entry, "ndim", 0)
        if not is_one or (isinstance(entry, (complex, np.complexfloating)) and not as_complex):
            return ...
        return complex(entry) if as_complex else float(entry)
    except OverflowError:
        return _infinite(entry)
    except Exception:  # of whatever the cell holds
        return ...


def _infinite(entry: Any) -> Any:
    """Infinity for a number that no double holds."""
    try:
        return math.inf if entry > 0 else -math.inf
    except Exception:
        return ...


def _unnested(array: Any, name: str, missing: str, shape: Optional[tuple[int, ...]]) -> Any:
    """A column of lists or arrays of one shape as an array with their axes; whatever else as it is. Another entry is
    refused, or missing where such are replaced."""
    if array.ndim != 1 and array.shape[1:] != (1,):
        return array
    entries = array.ravel().tolist()
    parts = [_part(entry) for entry in entries]
    shapes = Counter(part.shape for part in parts if part is not None)
    if not shapes or set(shapes) == {()}:
        return array
    # where records may be anything, no single one says how long the others are
    first = next(iter(shapes)) if missing == "refuse" else shapes.most_common(1)[0][0]
    shape = shape if shape in shapes else first
    if not shape:
        return array
    rows = np.empty((len(entries), *shape), dtype=object)
    for i, part in enumerate(parts):
        if part is not None and part.shape == shape:
            rows[i] = part
        elif missing == "refuse" and not is_missing(entries[i]):
            raise InvalidPointError(
                f"{name}, row {i + 1}: its list is not of the shape {shape} of the first: give lists of one length"
            )
    return rows


def _part(entry: object) -> Any:
    """A list or an array as an array of objects, a number as one without axes; ``None`` for other entries."""
    if not isinstance(entry, (list, tuple, np.ndarray)):
        return None if is_missing(entry) else _ONE
    try:
        part = np.array(entry, dtype=object)
        ragged = any(isinstance(one, (list, tuple, np.ndarray)) for one in part.ravel().tolist())
        return None if ragged else part
    except Exception:
        return None


_ONE = np.empty((), dtype=object)
