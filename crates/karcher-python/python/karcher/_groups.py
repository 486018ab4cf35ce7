"""Whose records are: the argument ``groups`` of ``fit``."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ._arrays import as_column, first_missing
from ._containers import opened
from .errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from collections.abc import Sized

    from .manifolds import Floats


def persons_of(groups: object, records: Sized) -> Optional[Floats]:
    """The person of each record, as whole numbers from 0 without gaps, in the order of the keys; ``None`` without
    groups."""
    if groups is None:
        return None
    keys, n = _keys(opened(groups, "groups")), len(records)
    if keys.shape != (n,):
        raise Error(f"groups has shape {keys.shape}: it must be ({n},), the key of a person for each of {n} records")
    numbered = np.unique(keys, return_inverse=True)[1]
    return np.ascontiguousarray(numbered.reshape(n), dtype=np.float64)


def _keys(groups: object) -> Any:
    """Keys that can be compared: integers or texts. No error shows one of them."""
    masked = isinstance(groups, np.ma.MaskedArray) and bool(np.any(groups.mask))
    try:
        keys: Any = as_column(groups)
    except Exception:
        keys = None
    if keys is None:
        raise ArgumentTypeError("groups is not an array: give the key of a person for each record")
    if masked:
        raise Error("groups has masked keys: every record is somebody's")
    if keys.ndim == 2 and keys.shape[1] == 1:
        keys = keys[:, 0]
    missing = first_missing(keys) if keys.ndim == 1 else None
    if missing is not None:
        raise Error(f"groups, row {missing + 1}: the key of the person is missing")
    if keys.dtype.kind == "T":  # texts of any length
        keys = keys.astype(object)
    if keys.dtype.kind == "O":
        kinds = {str if isinstance(key, str) else int if _is_integer(key) else object for key in keys.tolist()}
        if kinds == {str}:
            keys = keys.astype(str)
        elif kinds != {int}:
            keys = None
    elif keys.dtype.kind not in "iuUS":
        keys = None
    if keys is None:
        raise ArgumentTypeError("groups are not all integers, nor all texts: keys of persons are of one of these types")
    if keys.dtype.kind in "US" and (np.char.str_len(keys) == 0).any():
        raise Error(f"groups, row {int((np.char.str_len(keys) == 0).argmax()) + 1}: the key of the person is missing")
    return keys


def _is_integer(key: object) -> bool:
    return isinstance(key, Integral) and not isinstance(key, bool)


def check_groups(groups: object, adjacency: object) -> None:
    """Refuses persons where the number of records is confidential."""
    if groups is not None and adjacency == "add-remove":
        raise Error("groups do not go with adjacency='add-remove': there is no proof for both; leave out one of them")
