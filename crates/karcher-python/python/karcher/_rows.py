"""Arguments with one row a record each: their pandas indices must not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._names import is_of_xarray
from .errors import Error

if TYPE_CHECKING:
    from .manifolds import Floats


class Recentered(np.ndarray):
    """Records that :class:`karcher.preprocessing.PersonRecenter` moved: each depends on all records of its person, so
    only persons can be protected. What functions of NumPy make of them is marked so, too."""

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _marked(super().__array_function__(func, types, args, kwargs))


def _marked(found: Any) -> Any:
    if type(found) in (list, tuple):
        return type(found)(map(_marked, found))
    return found.view(Recentered) if isinstance(found, np.ndarray) else found


def marked_like(made: Floats, *given: Any) -> Floats:
    """An array that was made of others, marked if one of them is."""
    return made.view(Recentered) if any(map(_are_recentered, given)) else made


def refuse_recentered(groups: Any, *given: Any) -> None:
    """Refuses records that were recentered where there are no ``groups``: a guarantee would be for single records."""
    if groups is None and any(map(_are_recentered, given)):
        raise Error(
            "the records of each person were carried along with all others of that person, so only persons can be "
            "protected: give the same groups as PersonRecenter"
        )


def _are_recentered(given: Any) -> bool:
    """Whether records are marked, or the first of a list, or a column of a dict."""
    if isinstance(given, dict):
        return any(map(_are_recentered, given.values()))
    first = given[0] if isinstance(given, (list, tuple)) and given else None
    return isinstance(given, Recentered) or isinstance(first, Recentered)


def check_rows(**given: Any) -> None:
    """Refuses arguments of as many rows whose indices differ: rows at the same place may then be of different records.
    Arrays have no index, and match by place. Of a mapping each column is looked at. Records that were recentered are
    refused where there is an argument ``groups``, which is None."""
    refuse_recentered(given.get("groups", ""), *given.values())
    indexed = [(name, index) for name, value in given.items() for index in _indices(value)]
    for name, index in indexed[1:]:
        first, expected = indexed[0]
        if len(index) == len(expected) and not index.equals(expected):
            raise Error(
                f"{first} and {name} have different indices, so a row of one may be another record in the other: give "
                f"{name}.loc[{first}.index], or {name}.to_numpy() to match by place"
            )


def _indices(value: Any) -> list[Any]:
    """The index of a Series or a DataFrame, of the first axis of an array of xarray's, or of the columns of a dict."""
    if isinstance(value, dict):
        return [index for column in value.values() for index in _indices(column)]
    if is_of_xarray(value):
        index = value.indexes.get(value.dims[0]) if value.ndim else None
        return [] if index is None else [index]
    return [value.index] if hasattr(value, "iloc") and hasattr(value.index, "equals") else []
