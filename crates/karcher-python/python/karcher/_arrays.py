"""Arrays of numbers, as the library reads them: aligned, of float64, in C order; the array that was given where it is
one.

What scikit-learn's ``check_array`` would do, but for its errors: those quote the records, these never do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .errors import ArgumentTypeError, Error, InvalidPointError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .manifolds import Floats


def numbers(
    given: object, name: str, *, missing: str = "refuse", remedy: str = "", codes: Sequence[float] = ()
) -> Floats:
    """The numbers of the argument called ``name``. A column of lists, or of arrays, is an array with one axis more.

    Numbers among ``codes``, masked ones, ``pandas.NA`` and ``None`` are missing. They are refused; for
    ``missing="nan"`` they become NaN, so that their records are no points, and what happens to records that are no
    points happens to them. ``remedy`` is what the refusal says beside the usual.
    """
    if hasattr(given, "toarray"):
        raise ArgumentTypeError(f"{name} is a sparse array: records are dense, {name}.toarray() is what is understood")
    array, absent = _array(given)
    if array is None:
        raise Error(f"{name} is not an array: its rows have different shapes")
    if array.dtype.kind == "c":
        raise Error(
            f"Complex data not supported: {name} is an array of complex numbers, the library works on real numbers"
        )
    if array.dtype.kind == "O":
        array = _unnested(array, name, missing)
    if array.dtype.kind == "O":
        gone = np.frompyfunc(_is_missing, 1, 1)(array)
        gone = np.asarray(gone, dtype=bool)
        if gone.any():
            array = np.where(gone, np.nan, array)
            absent = gone if absent is None else absent | gone
    plain: Optional[Floats] = _floats(array)
    if plain is None:
        raise ArgumentTypeError(
            f"{name}{_first_row_that_fails(array)}: an entry of this argument must be a number, or a string that is a "
            "number"
        )
    if len(codes):
        # an array may have been rounded to single precision
        coded = np.isin(plain, [*codes, *np.asarray(codes, np.float32)])
        absent = coded if absent is None else absent | coded
    if absent is None or not absent.any():
        return plain
    if missing == "refuse":
        where = f", row {np.argwhere(absent)[0][0] + 1}," if absent.ndim else ""
        raise InvalidPointError(
            f"{name}{where} has missing numbers (a masked array, pandas.NA, None or missing_values): no rule says what "
            f"to put for them; fill them in or leave their rows out{remedy}"
        )
    plain = plain.copy()
    plain[absent] = np.nan
    return plain


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


def check_size(estimator: Any, size: int) -> None:
    """Refuses matrices of another size than those that ``fit`` has seen."""
    if size != estimator.n_features_in_:
        name, fitted = type(estimator).__name__, estimator.n_features_in_
        raise Error(
            f"X has {size} features, but {name} is expecting {fitted} features as input: it was fitted with "
            f"{fitted} × {fitted} matrices"
        )


def _array(given: object) -> tuple[Any, Any]:
    """Anything as an array, and where it is masked; ``None`` for what is none. No error of NumPy's, which could quote
    data, leaves."""
    parts = isinstance(given, (list, tuple)) and any(isinstance(part, np.ma.MaskedArray) for part in given)
    try:
        array: Any = np.ma.MaskedArray(given) if parts else given  # type: ignore[no-untyped-call]
        if isinstance(array, np.ma.MaskedArray):
            return np.asarray(array.data), np.broadcast_to(array.mask, array.shape)
        return np.asarray(array), None
    except Exception:
        return None, None


def _unnested(array: Any, name: str, missing: str) -> Any:
    """A column of lists or arrays of one length as an array with their axes; whatever else as it is. A list of another
    length is refused, or missing where such are replaced."""
    entries = array.ravel().tolist() if array.ndim == 1 or array.shape[1:] == (1,) else []
    parts = [np.asarray(entry) if isinstance(entry, (list, tuple, np.ndarray)) else None for entry in _even(entries)]
    shapes = Counter(part.shape for part in parts if part is not None)
    if not shapes:
        return array
    # where records may be anything, no single one says how long the others are
    shape = next(iter(shapes)) if missing == "refuse" else shapes.most_common(1)[0][0]
    rows = np.full((len(entries), *shape), None, dtype=object)
    for i, part in enumerate(parts):
        if part is not None and part.shape == shape:
            rows[i] = part
        elif missing == "refuse" and not _is_missing(entries[i]):
            raise Error(
                f"{name}, row {i + 1}: its list is not of the shape {shape} of the first: give lists of one length"
            )
    return rows


def _even(entries: list[Any]) -> list[Any]:
    """The entries, without lists of lists of several lengths, which are no arrays."""

    def even(entry: Any) -> Any:
        try:
            return entry if np.ndim(entry) else None
        except ValueError:
            return None

    return [even(entry) for entry in entries]


def _floats(array: Any) -> Any:
    """As float64, ``None`` where there are other things than numbers."""
    if array.dtype.kind not in "biufOUS":
        return None
    try:
        return np.require(array, np.float64, ["C_CONTIGUOUS", "ALIGNED"])
    except Exception:
        return None


def _first_row_that_fails(array: Any) -> str:
    if array.dtype.kind not in "OUS" or not array.ndim:
        return ""
    return next((f", row {i + 1}" for i, row in enumerate(array) if _floats(np.asarray(row)) is None), "")


def _is_missing(entry: object) -> bool:
    # pandas need not be there
    return entry is None or type(entry).__name__ in ("NAType", "NaTType")
