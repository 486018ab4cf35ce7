"""Arrays of numbers, as the library reads them: aligned, of float64, in C order; the array that was given where it is
one.

They are read as by scikit-learn's ``check_array``, with other errors: those quote the records, these never do.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Number
from typing import TYPE_CHECKING, Any, Optional, TypeVar

import numpy as np

from . import _karcher
from ._cells import Shape, array_of, cells_of, is_missing, is_nan
from ._containers import opened, refuse_others
from ._names import names_of
from .errors import ArgumentTypeError, Error, InvalidCellError, InvalidPointError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .manifolds import Floats


_READERS = {
    ".csv": ("pyarrow.dataset.dataset(path, format='csv')", "pandas.read_csv(path)"),
    ".feather": ("pyarrow.dataset.dataset(path, format='feather')", "pandas.read_feather(path)"),
    ".arrow": ("pyarrow.dataset.dataset(path, format='arrow')", "pandas.read_feather(path)"),
    ".npy": ("numpy.load(path, mmap_mode='r')", "numpy.load(path)"),
    ".npz": ("numpy.load(path)[name]", "numpy.load(path)[name]"),
    "": ("pyarrow.dataset.dataset(path)", "pandas.read_parquet(path)"),
}
"""What reads files of names that end so, or otherwise: as a table, and as an array."""


def refuse_paths(name: str, given: object, *, as_table: bool = False) -> None:
    """Refuses the name of a file in place of records, and says how to read it."""
    if isinstance(given, (str, os.PathLike)):
        ending = os.path.splitext(os.fspath(given))[1].lower()
        of_table, of_array = _READERS.get(ending, _READERS[""])
        raise ArgumentTypeError(
            f"{name} is a text, and records are an array or a table: of the name of a file give "
            f"{of_table if as_table else of_array}"
        )


def numbers(
    given: object,
    name: str,
    *,
    missing: str = "refuse",
    remedy: str = "",
    codes: Sequence[float] = (),
    like: object = None,
    shape: Shape = None,
) -> Floats:
    """The numbers of the argument called ``name``. A column of lists, or of arrays, is an array with one axis more.

    Numbers among ``codes``, masked ones, ``pandas.NA`` and ``None`` are missing. They are refused; for
    ``missing="nan"`` they become NaN. Their records are no points then, and are treated like others that are none.
    ``remedy`` is added to the refusal.

    ``like`` is the manifold, or its name, whose points or vectors they are. Where these are complex so is the result.
    Where it says no shape of a record, ``shape`` does. With ``missing="nan"`` no entry of a list decides it.
    """
    takes_complex = is_complex(like)
    if type(given) is np.ndarray and given.ndim and not len(codes) and _is_plain(given, takes_complex):
        if takes_complex:
            check_complex(given, like, name)
        return given
    given = opened(given, name, like)
    if hasattr(given, "toarray"):
        raise ArgumentTypeError(f"{name} is a sparse array: records are dense, give {name}.toarray()")
    if name in ("X", "x", "y"):
        refuse_paths(name, given)
    array, absent = _array(given, name, missing, _shape_of(like) or shape)
    if array is None:
        raise Error(f"{name} is not an array: its rows have different shapes")
    if array.dtype.kind == "c" and not takes_complex:
        raise Error(
            f"Complex data not supported: {name} is an array of complex numbers, and only points of "
            "hpd-log-euclidean:K and hpd-affine-invariant:K are complex"
        )
    if array.ndim == 0:
        refuse_others(given, name)
    found = cells_of(array, takes_complex)
    if found is None:
        raise ArgumentTypeError(f"{name} is an array of {array.dtype}: it must hold numbers, or texts that are numbers")
    plain: Floats = found.values
    if found.missing is not None and found.missing.any():
        absent = found.missing if absent is None else absent | found.missing
    if found.invalid is not None and found.invalid.any() and missing == "refuse":
        where = _place(given, np.argwhere(found.invalid)[0].tolist()) if plain.ndim else ""
        raise InvalidCellError(
            f"{name}{where}: an entry of this argument must be a number, or a string that is a number{remedy}"
        )
    if takes_complex:
        check_complex(plain, like, name)
    if len(codes):
        # an array may have been rounded to single precision
        coded = np.isin(plain, [*codes, *np.asarray(codes, np.float32)])
        absent = coded if absent is None else absent | coded
    if absent is None or not absent.any():
        return plain
    if missing == "refuse":
        where = _place(given, np.argwhere(absent)[0].tolist()) + "," if absent.ndim else ""
        raise InvalidPointError(
            f"{name}{where} has missing numbers (a masked array, pandas.NA, None or missing_values): no rule says what "
            f"to put for them; fill them in or leave their rows out{remedy}"
        )
    plain = plain.copy()
    plain[absent] = np.nan
    return plain


def _is_plain(array: Any, takes_complex: bool) -> bool:
    """Whether an array is already as the library reads it."""
    kind = np.complex128 if takes_complex else np.float64
    return bool(array.dtype == kind and array.flags.c_contiguous and array.flags.aligned)


def _shape_of(like: object) -> Shape:
    """The shape of a record, which a manifold has, and a name with its size."""
    if isinstance(like, str) and ":" in like:
        from .manifolds import resolve

        like = resolve(like)
    return getattr(like, "shape", None)


def as_column(given: object) -> Any:
    """Keys or labels as an array. Entries of a list keep their types, where NumPy would make texts of numbers."""
    array = np.asarray(given)
    if isinstance(given, (list, tuple)) and array.dtype.kind in "US":
        kept = np.array(given, dtype=object)
        if len({isinstance(entry, str) for entry in kept.ravel().tolist()}) > 1:
            return kept
    return array


def first_missing(column: Any) -> Optional[int]:
    """The first place of ``None``, NaN or what pandas has for a missing entry."""
    if column.dtype.kind in "fc":
        gone = np.isnan(column)
    elif column.dtype.kind in "mM":
        gone = np.isnat(column)
    elif column.dtype.kind in ("O", "T"):
        gone = np.array([is_gone(entry) for entry in column.tolist()], dtype=bool)
    else:
        return None
    return int(gone.argmax()) if gone.any() else None


def is_gone(entry: object) -> bool:
    """Whether an entry of a list is missing."""
    return is_missing(entry) or (isinstance(entry, Number) and is_nan(entry))


def is_complex(manifold: object) -> bool:
    """Whether points are complex matrices, for a manifold as estimators take it."""
    if isinstance(manifold, str):
        return manifold.startswith("hpd-") and not {"*", "^"} & set(manifold)
    return getattr(manifold, "dtype", None) == np.complex128


def real_rows(points: Any) -> Floats:
    """The real numbers of points, or tangent vectors, one a row."""
    rows: Any = np.ascontiguousarray(points).reshape(len(points), math.prod(points.shape[1:]))
    return rows.view(np.float64)  # type: ignore[no-any-return]


def check_complex(array: Any, space: Any, name: str) -> None:
    """Refuses complex numbers of another shape than points of a manifold have: the library would tell their two parts
    as an axis."""
    shape = getattr(space, "shape", None)
    if shape is not None and array.size and array.shape[-len(shape) :] != shape:
        raise Error(f"{name} has shape {array.shape}: a point of {space.name} has shape {shape}")


def hashable(given: Any) -> Any:
    """Numbers, texts, lists, dictionaries and arrays as what can be compared and hashed."""
    if isinstance(given, dict):
        return frozenset((name, hashable(value)) for name, value in given.items())
    if isinstance(given, np.ndarray):
        return hashable(given.tolist())
    return tuple(map(hashable, given)) if isinstance(given, (list, tuple)) else given


_Class = TypeVar("_Class", bound=type)


def by_content(kind: _Class) -> _Class:
    """Has objects that hold arrays be equal if what they hold is, and hashed accordingly."""

    def content(this: Any) -> Any:
        return hashable(this if isinstance(this, tuple) else vars(this))

    def is_equal(this: Any, other: object) -> bool:
        return isinstance(other, kind) and content(this) == content(other)

    setattr(kind, "__eq__", is_equal)
    setattr(kind, "__ne__", lambda this, other: not is_equal(this, other))  # a tuple has one of its own
    setattr(kind, "__hash__", lambda this: hash(content(this)))
    return kind


def check_square(records: Any, name: str) -> None:
    """Refuses an array, or one on disk, that is not of square matrices, one a record."""
    shape = records.shape
    if 0 in shape[1:]:
        raise Error(f"{name} has 0 feature(s) (shape={shape}) while a minimum of 1 is required in each matrix")
    if len(shape) != 3 or shape[1] != shape[2]:
        raise Error(
            f"{name} has shape {shape}: it must be (n, k, k), one matrix a record; Reshape your data: "
            f"{name}[np.newaxis] is an array of one matrix"
        )


def check_points(records: Any, shape: tuple[int, ...], name: str) -> None:
    """Refuses an array, or one on disk, that is not of points of the given shape, one a record."""
    found = records.shape
    if found[1:] == shape:
        return
    if 0 in found[1:]:
        raise Error(f"{name} has 0 feature(s) (shape={found}) while a minimum of 1 is required in each record")
    one, expected = "matrix" if len(shape) == 2 else "point", ", ".join(map(str, shape))
    raise Error(
        f"{name} has shape {found}: it must be (n, {expected}), one {one} a record; Reshape your data: "
        f"{name}[np.newaxis] is an array of one {one}"
    )


def check_weights(name: str, given: object) -> Floats:
    """Weights of records. The library says whether they are sensible."""
    weights = numbers(given, name)
    if weights.ndim != 1:
        raise Error(f"{name} has shape {weights.shape}: it must be (n,), one number a record")
    return weights


def check_size(estimator: Any, size: int) -> None:
    """Refuses matrices of another size than those that ``fit`` has seen."""
    if size != estimator.n_features_in_:
        name, fitted = type(estimator).__name__, estimator.n_features_in_
        raise Error(
            f"X has {size} features, but {name} is expecting {fitted} features as input: it was fitted with "
            f"{fitted} × {fitted} matrices"
        )


def _array(given: object, name: str, missing: str, shape: Shape) -> tuple[Any, Any]:
    """Anything as an array, and where it is masked; ``None`` for what is none."""
    parts = isinstance(given, (list, tuple)) and any(isinstance(part, np.ma.MaskedArray) for part in given)
    try:
        if _is_of_pandas_own(given):
            numbers_of_all: Any = given.to_numpy(dtype=np.float64, na_value=np.nan)  # type: ignore[attr-defined]
            return numbers_of_all, np.asarray(given.isna()) & np.isnan(numbers_of_all)  # type: ignore[attr-defined]
    except Exception:
        pass  # other things than numbers
    if parts:
        given = [_unmasked(part) for part in given]  # type: ignore[attr-defined]
    if isinstance(given, np.ma.MaskedArray):
        array, mask = array_of(given.data, name, missing, shape), np.broadcast_to(given.mask, given.shape)
        if array is None or mask.ndim >= array.ndim:
            return array, mask
        return array, np.broadcast_to(mask.reshape(mask.shape + (1,) * (array.ndim - mask.ndim)), array.shape)
    return array_of(given, name, missing, shape), None


def _unmasked(part: object) -> Any:
    """An array of objects, in which masked entries are missing; whatever else as it is."""
    if not isinstance(part, np.ma.MaskedArray) or not np.any(part.mask):
        return part
    entries = np.array(part.data, dtype=object)
    entries[np.broadcast_to(part.mask, part.shape)] = None
    return entries


def _is_of_pandas_own(given: object) -> bool:
    """Whether columns of pandas are in arrays of its own or of Arrow's, which NumPy would read number by number."""
    if type(given).__module__.split(".")[0] != "pandas":
        return False
    kinds = [given.dtype] if hasattr(given, "dtype") else list(getattr(given, "dtypes", ()))
    own = any(not isinstance(kind, np.dtype) for kind in kinds)
    return own and all(getattr(kind, "kind", "O") in "biuf" for kind in kinds)


@contextmanager
def naming_columns(given: object, *, has_layout: bool = False) -> Iterator[None]:
    """Has errors about a record name the column of a number, or else all columns, and arguments that there are."""
    sentence = None
    try:
        yield
    except InvalidPointError as error:
        sentence = _with_columns(str(error), (names_of(given) or [])) or str(error)
    if sentence is not None:
        of_table = has_layout and hasattr(given, "__arrow_c_stream__")
        argument = "layout='degrees'" if of_table else "manifold.read(X, 'degrees')"
        raise InvalidPointError(sentence.replace("choose the layout degrees", f"give {argument}")) from None


def _with_columns(sentence: str, names: list[str]) -> Optional[str]:
    """The sentence about a record with the names of columns; ``None`` where it has them, or there are none."""
    found = re.match(r"record \d+ \(index \d+\): (?!column|its predictor)", sentence)
    if found is None or not names:
        return None
    return found[0] + _karcher.blame(sentence[found.end() :], names, True)


def _place(given: object, index: list[int]) -> str:
    """A row, counted from 1, and the column if it has a name."""
    names = names_of(given) or []
    column = f", column {names[index[1]]}" if len(index) == 2 and index[1] < len(names) else ""
    return f", row {index[0] + 1}{column}"
