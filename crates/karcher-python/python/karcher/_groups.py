"""Whose records are: the argument ``groups`` of ``fit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _karcher
from ._arrays import as_column
from ._containers import opened, refuse_others
from ._keys import texts_of
from .errors import ArgumentTypeError, Error, InvalidCellError, InvalidPointError

if TYPE_CHECKING:
    from collections.abc import Sized

    from .manifolds import Floats


def persons_of(groups: object, records: Sized) -> Optional[Floats]:
    """The person of each record, as whole numbers from 0 without gaps, in the order of the keys; ``None`` without
    groups."""
    if groups is None:
        return None
    keys, n = _column(opened(groups, "groups")), len(records)
    is_typed = keys.dtype.kind != "O" and not isinstance(groups, (list, tuple))  # no single key decides
    if keys.ndim == 0:
        refuse_others(groups, "groups")
    if keys.shape != (n,):
        raise Error(f"groups has shape {keys.shape}: it must be ({n},), the key of a person for each of {n} records")
    return np.ascontiguousarray(_numbers(keys, is_typed), dtype=np.float64)


def _column(groups: object) -> Any:
    """Keys in an array. No error shows one of them."""
    masked = isinstance(groups, np.ma.MaskedArray) and bool(np.any(groups.mask))
    try:
        keys: Any = as_column(groups)
    except Exception:
        keys = None
    if keys is None and isinstance(groups, (list, tuple)):  # of types that NumPy does not join
        keys = np.empty(len(groups), dtype=object)
        for i, key in enumerate(groups):
            keys[i] = key
    if keys is None:
        raise ArgumentTypeError("groups is not an array: give the key of a person for each record")
    if masked:
        raise InvalidPointError("groups has masked keys: every record needs a person")
    return keys[:, 0] if keys.ndim == 2 and keys.shape[1] == 1 else keys


def _numbers(keys: Any, is_typed: bool) -> Any:
    """The number of each key among all. A key that is none is refused as a cell, unless the type of all is."""
    if keys.dtype.kind in "iub":
        return np.unique(keys, return_inverse=True)[1].reshape(len(keys))
    problem = None
    try:
        if keys.dtype.kind in "OT":
            entries = keys.tolist()
            places = {entry: i for i, entry in enumerate(dict.fromkeys(entries))}
            different, inverse = list(places), np.array([places[entry] for entry in entries], dtype=np.int64)
        else:
            found, inverse = np.unique(keys, return_inverse=True)
            different = list(found)
        numbered = _karcher.key_numbers(texts_of(different))
    except (TypeError, UnicodeError) as error:
        problem = "a text that is no UTF-8: decode it" if isinstance(error, UnicodeError) else _NO_KEY
    if problem is not None:
        kind = ArgumentTypeError if is_typed and problem is _NO_KEY else InvalidCellError
        raise kind(f"groups has {problem}")
    of_rows = np.array([np.nan if number is None else number for number in numbered])[inverse.reshape(len(keys))]
    if np.isnan(of_rows).any():
        raise InvalidPointError(f"groups, row {int(np.isnan(of_rows).argmax()) + 1}: the key of the person is missing")
    return of_rows


_NO_KEY = "an entry that is no key of a person: keys are texts, numbers, truth values or dates"


def check_groups(groups: object, adjacency: object) -> None:
    """Refuses persons where the number of records is confidential."""
    if groups is not None and adjacency == "add-remove":
        raise Error("groups do not go with adjacency='add-remove': there is no proof for both; leave out one of them")
