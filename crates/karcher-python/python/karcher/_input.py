"""The records that ``fit`` takes: an array, one that is larger than memory, a table, or a function to be asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _karcher, _spark
from ._containers import opened
from ._groups import persons_of
from ._names import check_table
from ._tables import MEMORY, Options, bytes_of, column_as_table, is_table, refuse_plans, stream_of
from .cluster import Remote
from .errors import Error
from .manifolds import Manifold, resolve

if TYPE_CHECKING:
    from .manifolds import Floats


TEMPLATE_OF_ARRAY = "template belongs to an array of shape (n, k, d): karcher.read_landmarks(path) is one"
"""The refusal of a table with a template."""


@dataclass
class Input:
    """Records as the compiled half of the package reads them."""

    space: Manifold
    records: Any
    persons: Optional[Floats] = None
    array: Optional[Floats] = None
    """Records in an array. This process remembers a sample of them."""
    has_persons: bool = False
    """Whether records that are elsewhere are told apart by persons."""
    layout: Optional[str] = None
    """The layout of a table, where one was chosen."""
    columns: Optional[list[str]] = None
    """The columns of a table, where they were chosen."""
    template: Optional[list[float]] = None
    """The template onto which landmarks were rotated, where one was given."""
    of_numbers: bool = False
    """Whether numbers were given, one a record, and not points."""

    @property
    def unit(self) -> str:
        """The unit that the guarantee protects."""
        return "person" if self.has_persons or self.persons is not None else "record"


def elsewhere(
    estimator: Any, X: object, options: Options, *, is_regression: bool = False
) -> Optional[Input]:
    """Records that are no array in memory, ``None`` for others."""
    refuse_plans(X)
    X = column_as_table(opened(X, "X", estimator.manifold))
    if isinstance(X, Remote):
        if any(value is not None for value in vars(options).values()):
            raise Error(
                "groups, columns, layout, trust_layout, predictor, memory, missing_values and template belong to the "
                "records, which are elsewhere: give them to karcher.partial there, and persons=True to karcher.Remote "
                "where it has groups"
            )
        return Input(resolve(estimator.manifold), X._core, has_persons=X._persons)
    if options.template is not None and (_spark.is_frame(X) or is_table(X, options)):
        raise Error(TEMPLATE_OF_ARRAY)
    if _spark.is_frame(X):
        if options.memory is not None:
            raise Error("memory belongs to records that are read here: those of a DataFrame are where its engine is")
        _need_predictor(options, is_regression)
        ask, names, all = _spark.asked(X, **options.names(), missing_values=options.missing_values)
        holds_lists = any(name.endswith("[]") for name in names)
        space = sized_by_columns(estimator, options, None if holds_lists else len(names))
        if not options.trusts:
            check_table(space, names, options.layout, all=all)
        has_persons = options.groups is not None
        remote = _karcher.Remote(ask, has_persons)
        return Input(space, remote, has_persons=has_persons, layout=options.layout, columns=options.names()["columns"])
    if is_table(X, options):
        _need_predictor(options, is_regression)
        replaces = getattr(estimator, "on_invalid", "") == "replace-with-center"
        stream = stream_of(X, options, replaces=replaces)
        space = sized_by_columns(estimator, options, stream.width)
        if not options.trusts:
            check_table(space, stream.numbers, options.layout, stream.axes, stream.all)
            check_table(space, stream.described or [], options.layout)
        remember_columns(estimator, stream if len(space.shape) == 1 and options.layout is None else None)
        has_persons = options.groups is not None
        return Input(space, stream, has_persons=has_persons, layout=options.layout, columns=options.names()["columns"])
    if options.layout is not None:
        raise Error("layout belongs to tables: of an array manifold.read(X, layout) makes points, before fit")
    if options.columns is not None or options.predictor is not None:
        raise Error("columns and predictor belong to tables: an array has its records one a row")
    return None


def large(array: object, records: Floats, memory: object) -> Any:
    """An array as the compiled half reads it: one on disk a few rows at a time, unless it fits into memory."""
    on_disk = isinstance(array, np.memmap) and np.may_share_memory(array, records)
    if memory is None and not on_disk:
        return records
    return _karcher.Rows(records, bytes_of(MEMORY if memory is None else memory))


def on_disk(array: object, manifold: object, groups: object, memory: object) -> Optional[Input]:
    """An array on disk that would have to be converted as a whole, of float32 for instance. Some rows are converted at
    a time. ``None`` for other arrays."""
    if not isinstance(array, np.memmap) or array.dtype.kind not in "biuf" or array.ndim < 2 or 0 in array.shape:
        return None
    if array.dtype == np.float64 and array.flags.c_contiguous and array.flags.aligned:
        return None
    space = resolve(manifold, array.shape[1:])
    if array.shape[1:] != space.shape or space.dtype.kind == "c":
        return None  # which is refused, or made complex, where arrays are
    memory = bytes_of(MEMORY if memory is None else memory)
    width = math.prod(array.shape[1:])
    take = lambda first, last: converted(array[first:last])
    return Input(space, _karcher.LazyRows(take, len(array), width, memory), persons_of(groups, array))


def in_single(array: Any, space: Manifold, groups: object, memory: object) -> Optional[Input]:
    """An array of float32 in memory, which a statistic of a few sums reads without a copy in float64. ``None`` for
    other arrays."""
    if groups is not None or memory is not None or array.shape[1:] != space.shape or space.dtype.kind == "c":
        return None
    records = np.require(array, None, ["C_CONTIGUOUS", "ALIGNED"])
    return Input(space, records, array=records)


def converted(rows: Any) -> Floats:
    """Rows as float64 in C order."""
    return np.require(np.asarray(rows), np.float64, ["C_CONTIGUOUS", "ALIGNED"])


def _need_predictor(options: Options, is_regression: bool) -> None:
    if is_regression and options.predictor is None:
        raise Error("predictor is not given: it is the name of the column that holds one number a record")
    if not is_regression and options.predictor is not None:
        raise Error("predictor belongs to a regression")


def remember_columns(estimator: Any, table: Optional[_karcher.Stream]) -> None:
    """The names of a table's columns where they are the numbers of a point, as scikit-learn has them of a DataFrame."""
    for name in ("feature_names_in_", "n_features_in_"):
        estimator.__dict__.pop(name, None)
    if table is None or table.width is None:
        return
    estimator.n_features_in_ = table.width
    if table.names is not None:
        estimator.feature_names_in_ = np.asarray(table.names, dtype=object)


def sized_by_columns(estimator: Any, options: Options, width: Optional[int]) -> Manifold:
    """The manifold, of the size that so many numbers a record give where its name has none."""
    given = estimator.manifold
    if isinstance(given, Manifold) or ":" in str(given):
        return resolve(given)
    if str(given).startswith("spd-"):
        return resolve(given, (_rows_of_matrices(width, options.layout),))
    if width is None or options.layout is not None:
        raise Error("the manifold needs its size here, as in 'sphere:2': the columns do not say it")
    return resolve(given, (width,))


def _rows_of_matrices(width: Optional[int], layout: Optional[str]) -> int:
    """K of K × K matrices in so many numbers a record."""
    triangle = layout is not None and layout != "full"
    size = 0 if width is None else (math.isqrt(8 * width + 1) - 1) // 2 if triangle else math.isqrt(width)
    if size < 1 or width != (size * (size + 1) // 2 if triangle else size * size):
        raise Error(
            f"the columns hold {width if width is not None else 'lists of any number of'} numbers a row, which are no "
            "K × K matrix: columns= says which ones to read, layout= what they hold"
        )
    return size
