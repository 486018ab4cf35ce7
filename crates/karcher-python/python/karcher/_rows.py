"""Arguments with one row a record each: their pandas indices must not differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._names import is_of_xarray
from .errors import Error


class Recentered(np.ndarray):
    """Records that all records of their person moved: a guarantee for them is one for persons."""


def check_rows(**given: Any) -> None:
    """Refuses arguments of as many rows whose indices differ: rows at the same place may then be of different records.
    Arrays have no index, and match by place. Of a mapping each column is looked at. Records that were recentered are
    refused where ``groups`` are asked for, and there are none."""
    if given.get("groups", "") is None and any(isinstance(value, Recentered) for value in given.values()):
        raise Error(
            "the records of each person were carried along with all others of that person, so only persons can be "
            "protected: give fit the same groups as PersonRecenter"
        )
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
