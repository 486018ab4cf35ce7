"""Columns of pandas that hold Python objects, as columns of a type that no cell decides."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import numbers
from ._cells import ONE, array_of, cells_of, part_of
from ._groups import persons_of
from .errors import Error, InvalidPointError


def typed(X: Any, names: dict[str, Any], label: Optional[str] = None, *, replaces: bool) -> Any:
    """A DataFrame of pandas whose columns of objects became numbers, missing for a cell that is none; whatever else as
    it is. Keys of persons become numbers too, and the column of labels stays.

    Where columns are not named, one with fewer numbers than other cells is left out, as Arrow leaves out texts. Where
    the center ``replaces`` records that are no points, no record decides that: columns are named."""
    if type(X).__module__.split(".")[0] != "pandas" or not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return X
    objects = [name for name, kind in zip(X.columns, X.dtypes) if kind == np.dtype(object) and name != label]
    if not objects or not X.columns.is_unique:
        return X
    columns = names["columns"]
    others = [name for name in objects if name not in (names["groups"], names["predictor"])]
    if replaces and columns is None and others:
        raise Error(
            f"X has a column of objects, {others[0]!r}, and no record may decide whether it holds numbers: name the "
            "columns of the records with columns="
        )
    found: dict[str, Any] = {}
    for name in objects:
        is_wanted = name in (columns or []) or name == names["predictor"]
        if name == names["groups"]:
            found[name] = persons_of(X[name], X).astype(np.int64)  # type: ignore[union-attr]
        elif not replaces:
            found[name] = _numbers(X[name], name, is_wanted)
        elif is_wanted:
            is_of_lists = [name] == columns
            found[name] = _lists(X[name]) if is_of_lists else numbers(X[name], name, missing="nan", shape=())
        else:
            found[name] = None
    kept = X.drop(columns=[name for name in objects if found[name] is None])
    return kept.assign(**{name: values for name, values in found.items() if values is not None})


def _numbers(column: Any, name: str, is_wanted: bool) -> Optional[Any]:
    """The numbers of a column, or its lists of numbers; ``None`` where it mostly holds other things."""
    try:
        array = array_of(column, name, "refuse", None)
    except InvalidPointError:  # lists of several lengths, which matter in a column that is wanted
        if is_wanted:
            raise
        return None
    cells = None if array is None else cells_of(array, False)
    if cells is None or not (is_wanted or np.isfinite(cells.values).mean() > 0.5):
        return None
    values = cells.values
    return values if values.ndim == 1 else list(values)


def _lists(column: Any) -> list[Any]:
    """The numbers of each record of a column, in a list of its own, of NaN for what is none: the column is of lists
    whatever it holds."""
    return [_numbers_of(entry) for entry in column]


def _numbers_of(entry: object) -> Any:
    part = part_of(entry)
    if part is None:
        return np.array([np.nan])
    if part is ONE:
        part = np.empty(1, dtype=object)
        part[0] = entry
    cells = cells_of(part.ravel(), False)
    return np.array([np.nan]) if cells is None else cells.values
