"""Names of columns, which must not contradict what records are read as. They are public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .manifolds import Manifold


def names_of(given: Any) -> Optional[list[str]]:
    """The names of the columns of a DataFrame or a table, or of the numbers of a Series, if all are texts."""
    names: Any = getattr(given, "column_names", None)  # pyarrow's, whose columns are no names
    if names is None:
        names = getattr(given, "columns", None)
    if names is None and hasattr(given, "iloc"):
        names = given.index
    try:
        found = list(names)
    except TypeError:
        return None
    return found if found and all(isinstance(name, str) for name in found) else None


def check_frame(space: Manifold, given: object, name: str, layout: Optional[str] = None, *, trust: str = "") -> None:
    """Refuses a DataFrame called ``name`` whose columns contradict the layout, by default that of a point's numbers.
    ``trust`` is what overrules it."""
    names = names_of(given)
    if names is not None:
        space._core.check_names(names, layout, name, trust or f"{name}.to_numpy()")


def check_table(space: Manifold, names: Optional[Sequence[str]], layout: Optional[str]) -> None:
    """Refuses columns of a table that contradict the layout."""
    if names is not None:
        space._core.check_names(list(names), layout, None, TRUST)


TRUST = "trust_layout=True"
