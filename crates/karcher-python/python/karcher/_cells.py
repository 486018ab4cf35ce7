"""Cells of records: each is a number, missing, or invalid. What one cell holds decides nothing about another one."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ._quiet import silence
from .errors import Error, InvalidPointError

Shape = Optional[tuple[int, ...]]
"""The shape of a record, if it is known."""

OF_FIRST: Any = object()
"""The shape that the first of the records has, where a record may decide it."""

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


def array_of(given: object, name: str, missing: str, shape: Shape) -> Any:
    """Anything as an array of numbers, or of the objects and texts in it; ``None`` for what is none. ``shape`` is that
    of a record, where it is known. No error or warning of NumPy's, which could quote data, leaves."""
    is_list = isinstance(given, (list, tuple))
    array: Any = None
    try:
        with silence(), np.errstate(all="ignore"):
            array = np.asarray(given)
            if array.dtype.kind in "biuf" and not (is_list and missing == "nan" and array.shape[1:] != shape):
                return array
            if not is_list and (array.dtype.kind != "O" or _has_rows(array, missing, shape)):
                return array
            if is_list and missing == "refuse":
                array = np.array(given, dtype=object)  # a type of all cells would depend on each
    except Exception:
        if not is_list:
            return None
        array = None
    entries: Any = given if is_list else array.ravel().tolist()
    if missing == "nan":
        return _of_shape(entries, name, shape)
    if array is None:
        array = np.empty(len(entries), dtype=object)
        for i, row in enumerate(entries):
            array[i] = row
    return array if array.ndim != 1 and array.shape[1:] != (1,) else _unnested(array, name)


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


def _has_rows(array: Any, missing: str, shape: Shape) -> bool:
    """Whether an array of objects has a cell for each number, and not one for each record."""
    is_of_ones = missing == "nan" and shape in ((), (1,))
    return array.ndim != 1 and (is_of_ones or array.shape[1:] != (1,))


def _of_shape(entries: Any, name: str, shape: Shape) -> Any:
    """Records of a public shape, one an entry: another entry is missing. Where no shape is public it is refused."""
    if shape is None:
        raise Error(
            f"{name} is a list, or an array of objects, and no record may decide the shape of the others: give "
            f"numpy.array({name}, dtype=float), or where there is a manifold its size, as in 'sphere:2', or center="
        )
    parts = [part_of(entry) for entry in entries]
    if shape is OF_FIRST:
        shape = next((part.shape for part in parts if part is not None), ())
    rows = np.empty((len(entries), *shape), dtype=object)
    for i, (entry, part) in enumerate(zip(entries, parts)):
        if part is None or (part is ONE and shape not in ((), (1,))):
            continue
        if part is ONE:
            rows[i] = entry
        elif part.shape == shape or (shape == () and part.shape == (1,)):
            rows[i] = part.reshape(shape)
    return rows


def _unnested(array: Any, name: str) -> Any:
    """A column of lists or arrays of one shape as an array with their axes; whatever else as it is. Another shape than
    that of the first is refused."""
    entries = array.ravel().tolist()
    parts = [part_of(entry) for entry in entries]
    shape = next((part.shape for part in parts if part is not None), ())
    if not shape:
        return array
    rows = np.empty((len(entries), *shape), dtype=object)
    for i, part in enumerate(parts):
        if part is not None and part.shape == shape:
            rows[i] = part
        elif not is_missing(entries[i]):
            raise InvalidPointError(
                f"{name}, row {i + 1}: its list is not of the shape {shape} of the first: give lists of one length"
            )
    return rows


def part_of(entry: object) -> Any:
    """A list or an array as an array of objects, a number as one without axes; ``None`` for other entries."""
    if is_missing(entry):
        return None
    if not isinstance(entry, (list, tuple, np.ndarray)) and not getattr(entry, "ndim", 0):
        return ONE
    try:
        part = np.array(entry, dtype=object)
        ragged = any(isinstance(one, (list, tuple, np.ndarray)) for one in part.ravel().tolist())
        return None if ragged else part
    except Exception:
        return None


ONE = np.empty((), dtype=object)
