"""Columns of pandas that hold Python objects, as columns of a type that no cell decides."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import numbers
from ._cells import array_of, cells_of
from ._groups import persons_of


def typed(X: Any, names: dict[str, Any], label: Optional[str] = None) -> Any:
    """A DataFrame of pandas whose columns of objects became numbers, missing for a cell that is none; whatever else as
    it is. Where columns are not named, one with fewer numbers than other cells is left out, as Arrow leaves out texts.
    Keys of persons become numbers too, and the column of labels stays."""
    if type(X).__module__.split(".")[0] != "pandas" or not hasattr(X, "dtypes") or not hasattr(X, "columns"):
        return X
    objects = [name for name, kind in zip(X.columns, X.dtypes) if kind == np.dtype(object) and name != label]
    if not objects or not X.columns.is_unique:
        return X
    found: dict[str, Any] = {}
    for name in objects:
        if name == names["groups"]:
            found[name] = persons_of(X[name], X).astype(np.int64)  # type: ignore[union-attr]
        else:
            found[name] = _numbers(X[name], name, name in (names["columns"] or []) or name == names["predictor"])
    kept = X.drop(columns=[name for name in objects if found[name] is None])
    return kept.assign(**{name: values for name, values in found.items() if values is not None})


def _numbers(column: Any, name: str, is_wanted: bool) -> Optional[Any]:
    """The numbers of a column, or its lists of numbers; ``None`` where it mostly holds other things."""
    array = array_of(column, name, "nan", None)
    cells = None if array is None else cells_of(array, False)
    if cells is None or not (is_wanted or np.isfinite(cells.values).mean() > 0.5):
        return None
    values = numbers(column, name, missing="nan")
    return values if values.ndim == 1 else list(values)
