"""Tables: whatever has an Arrow stream."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _karcher
from ._arrays import refuse_paths
from ._containers import refuse_plan
from ._names import list_of
from ._typed import typed
from .errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEMORY = "512MB"
"""What records that are read from elsewhere may take, unless told otherwise."""

_UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True)
class Options:
    """Options with which a user gives records."""

    groups: object = None
    predictor: Optional[str] = None
    columns: Optional[Sequence[str]] = None
    layout: Optional[str] = None
    memory: Union[int, str, None] = None
    missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None
    trust_layout: Optional[bool] = None
    template: object = None

    @property
    def trusts(self) -> bool:
        """Whether the names of the columns may contradict the layout."""
        return self.trust_layout is not None and _arguments.flag("trust_layout", self.trust_layout)

    def names(self) -> dict[str, Any]:
        """The columns of a table, each checked to be a name."""
        columns = self.columns
        if columns is not None:
            if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
                raise ArgumentTypeError(
                    "columns is not a list of texts: it names columns, so that '1' is the column of that name"
                )
            columns = list(columns)
        if self.groups is not None and not isinstance(self.groups, str):
            raise ArgumentTypeError("groups must be the name of a column where the records are a table")
        return {
            "columns": columns,
            "predictor": _arguments.optional(_arguments.text, "predictor", self.predictor),
            "groups": self.groups,
            "layout": _arguments.optional(_arguments.text, "layout", self.layout),
        }


def codes_of(missing_values: object) -> list[tuple[Optional[str], float]]:
    """Numbers that stand for missing ones: each with the column it is for, ``None`` for all."""
    by_column = hasattr(missing_values, "items")
    given: Any = missing_values if by_column else {None: missing_values}
    codes = []
    for column, values in given.items():
        if column is not None and not isinstance(column, str):
            raise ArgumentTypeError("missing_values has a key that is no text: its keys are names of columns")
        if values is None:
            continue
        several = isinstance(values, (list, tuple, set, frozenset)) or getattr(values, "ndim", 0) > 0
        codes += [(column, _arguments.real("missing_values", value)) for value in (values if several else [values])]
    return codes


def codes_of_array(missing_values: object) -> list[float]:
    """The same for an array, whose columns have no names."""
    codes = codes_of(missing_values)
    if any(column is not None for column, _ in codes):
        raise Error("missing_values by column belong to tables: of an array give a list of numbers")
    return [code for _, code in codes]


def column_as_table(X: Any) -> Any:
    """A column of polars or pyarrow as a table of one column; whatever else as it is."""
    if type(X).__module__.split(".")[0] == "polars" and type(X).__name__ == "Series":
        return X.to_frame()
    if type(X).__module__.split(".")[0] == "pyarrow" and type(X).__name__.endswith("Array"):
        import pyarrow

        return pyarrow.table({"records": X})
    return X


def bytes_of(memory: object) -> int:
    """A number of bytes, or a text such as ``"512MB"``."""
    if not isinstance(memory, str):
        return _arguments.whole("memory", memory, 1)
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?B|)\s*", memory, re.IGNORECASE)
    if found is None:
        raise Error(f"memory is {memory[:60]!r}: expected a number of bytes, or a text such as '512MB' or '2GB'")
    return _arguments.whole("memory", int(float(found[1]) * _UNITS[found[2].upper()]), 1)


def is_table(X: object, options: Options) -> bool:
    """Whether the records are columns of a table. Those of pandas are an array too, and are one unless columns are
    named."""
    if not any(hasattr(X, name) for name in ("__arrow_c_stream__", "scanner", "to_reader")):
        return False
    if column_as_table(X) is not X:
        return False  # one column, which is an array too
    named = options.columns is not None or isinstance(options.groups, str) or options.predictor is not None
    named = named or hasattr(options.missing_values, "items")
    return named or options.layout is not None or type(X).__module__.split(".")[0] != "pandas"


def stream_of(X: Any, options: Options, *, replaces: bool) -> _karcher.Stream:
    """A table's stream. A dataset of pyarrow's reads the columns that are named and no others. Whether the center
    ``replaces`` records that are no points matters for columns of objects."""
    names = options.names()
    X = scanned(typed(X, names, replaces=replaces), options)
    memory = bytes_of(MEMORY if options.memory is None else options.memory)
    codes = codes_of(options.missing_values)
    return _karcher.Stream(X, names["columns"], names["predictor"], names["groups"], names["layout"], memory, codes)


def scanned(X: Any, options: Options) -> Any:
    """Whatever has an Arrow stream: a table, or the named columns of a dataset."""
    return X if hasattr(X, "__arrow_c_stream__") else _Scanned(X, options.names())


def refuse_plans(X: object) -> None:
    """Refuses the name of a file, and what holds no records but says where they are to come from."""
    refuse_paths("X", X, as_table=True)
    refuse_plan(X, "X")


class _Scanned:
    """A dataset of pyarrow's, or a scanner of one."""

    def __init__(self, source: Any, names: dict[str, Any]) -> None:
        named = [names["predictor"], names["groups"]]
        wanted = None if names["columns"] is None else [*names["columns"], *(name for name in named if name)]
        known = set(getattr(getattr(source, "schema", None), "names", ()))
        columns = None if wanted is None else list(dict.fromkeys(n if n in known else list_of(n) for n in wanted))
        # the files and batches that are read ahead are the most of the memory that it takes
        ahead = {"batch_readahead": 2, "fragment_readahead": 1}
        scans = hasattr(source, "scanner")
        self._read = (lambda: source.scanner(columns=columns, **ahead).to_reader()) if scans else source.to_reader

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._read().__arrow_c_stream__()
