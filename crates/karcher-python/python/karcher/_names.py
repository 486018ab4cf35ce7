"""Names of columns, which must not contradict what records are read as. They are public."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Optional

from . import _arguments
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .manifolds import Manifold


def names_of(given: Any) -> Optional[list[str]]:
    """The names of the columns of a DataFrame or a table, or of the numbers of a Series, if all are texts. Of names on
    several levels the last one counts. An array of xarray's has them on its last axis."""
    if is_of_xarray(given):
        axis = given.dims[-1] if given.ndim in (1, 2) else None
        return _texts(given.coords[axis].values) if axis in given.coords else None
    names: Any = getattr(given, "column_names", None)  # pyarrow's, whose columns are no names
    if names is None:
        names = getattr(given, "columns", None)
    if names is None and hasattr(given, "iloc"):
        names = given.index
    return _texts(names)


def is_of_xarray(given: Any) -> bool:
    """Whether it is one of xarray's arrays."""
    return type(given).__module__.split(".")[0] == "xarray" and hasattr(type(given), "ndim")


def _texts(names: Any) -> Optional[list[str]]:
    try:
        found = [_last(name) for name in names]
    except TypeError:
        return None
    return found if found and all(isinstance(name, str) for name in found) else None


def _last(name: Any) -> Any:
    """The last level of a name that is not empty."""
    levels = [level for level in name if level != ""] if isinstance(name, tuple) else [name]
    return levels[-1] if levels else ""


def check_frame(
    space: Manifold,
    given: object,
    name: str,
    layout: Optional[str] = None,
    *,
    trust: str = "",
    multiplied: Optional[list[int]] = None,
) -> None:
    """Refuses a DataFrame called ``name`` whose columns contradict the layout, by default that of a point's numbers.
    ``trust`` is what overrules it, where there are the arguments ``layout`` and this one; columns that are
    ``multiplied`` may be in any unit."""
    names = names_of(given)
    if names is None:
        return
    problem = None
    try:
        space._core.check_names(names, layout, name, trust or f"{name}.to_numpy()", multiplied, names)
    except Error as error:
        problem = str(error)
    if problem is not None:
        raise Error(problem if trust else re.sub("layout=('[^']*')", rf"manifold.read({name}, \1)", problem))


def check_table(
    space: Manifold, names: Sequence[str], layout: Optional[str], axes: Sequence[int] = (), all: Sequence[str] = ()
) -> None:
    """Refuses columns of a table that contradict the layout, or a column of lists of such ``axes``. ``all`` are the
    names of all its columns; one that ends in ``[]`` stands for the numbers of a list."""
    space._core.check_names(list(names), layout, None, TRUST, None, list(all))
    if len(axes) > 1:
        space._core.check_axes(list(axes), layout)


def list_of(name: str) -> str:
    """The column of a name such as ``lonlat[1]``, which reads one number of each list."""
    return re.sub(r"\[\d+\]$", "", name)


def factors_of(multiply_by: object, given: object) -> list[float]:
    """What each of the columns is multiplied by, or one factor where they have no names: all by one number, or some by
    their names."""
    names = names_of(given)
    if multiply_by is None or not hasattr(multiply_by, "items"):
        return [1.0 if multiply_by is None else _factor(multiply_by)] * len(names or [""])
    by_name = dict(multiply_by.items())
    if names is None:
        raise Error("multiply_by by column belongs to a DataFrame: multiply the columns of an array before")
    unknown = [name for name in by_name if name not in names]
    if unknown:
        raise Error(f"multiply_by names the column {unknown[0]}: the columns are {', '.join(names[:24])}")
    return [_factor(by_name.get(name, 1.0)) for name in names]


def _factor(value: object) -> float:
    factor = _arguments.real("multiply_by", value)
    if not math.isfinite(factor) or factor == 0.0:
        raise Error(f"multiply_by is {factor}: expected a finite number that is not 0")
    return factor


TRUST = "trust_layout=True"
