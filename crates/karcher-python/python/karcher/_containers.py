"""Records in containers of other libraries: tensors, rotations, and labelled arrays. Plans, which hold none, are
refused with the call that computes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Number
from typing import Any

import numpy as np

from ._cells import is_missing
from ._names import is_of_xarray, names_of
from ._rows import Recentered
from .errors import ArgumentTypeError, Error

_IN_MEMORY = (1, 3)
"""DLPack's devices whose memory is that of the CPU."""


def opened(given: Any, name: str, like: object = None) -> Any:
    """The numbers of a tensor, of an array of xarray's or of SciPy's ``Rotation`` as an array of NumPy's; whatever else
    as it is. Numbers with names become a data frame. ``like`` is the manifold, or its name, whose points they are."""
    if isinstance(given, (list, tuple)) and _are_of_rotations(like):
        return [_quaternions(one, name, like) if _is_rotation(one) else one for one in given]
    if isinstance(given, Recentered) or type(given).__module__.split(".")[0] in ("builtins", "numpy"):
        return given
    refuse_plan(given, name)
    if is_of_xarray(given):
        return labelled(given)
    if _is_rotation(given):
        return _quaternions(given, name, like)
    kind = type(given)  # a table may have any name as an attribute, of a column
    is_column = hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")
    return _tensor(given, name) if hasattr(kind, "__dlpack__") and not is_column else given


def labelled(given: Any) -> Any:
    """The records of an array of xarray's with the names of their numbers, or else its numbers; others as they are."""
    if not is_of_xarray(given):
        return given
    names = names_of(given)
    if names is None or given.ndim != 2:
        return given.values
    import pandas  # which xarray needs

    return pandas.DataFrame(given.values, columns=names, copy=False)


def refuse_plan(given: Any, name: str) -> None:
    """Refuses what holds no records but says where they are to come from, with what to give instead."""
    library, kind = type(given).__module__.split(".")[0], type(given).__name__
    larger = "for files that are larger than memory pyarrow.dataset.dataset(path)"
    instead = None
    if library == "dask" or (library == "xarray" and getattr(given, "chunks", None)):
        instead = f"which is a plan of dask and holds no records: give {name}.compute(), or {larger}"
    elif library == "xarray" and kind == "Dataset":
        instead = f"which holds several variables: give one, {name}['variable'], or {name}.to_dataframe()"
    elif hasattr(given, "__arrow_c_stream__"):
        return
    elif kind == "LazyFrame":
        instead = f"which is a plan and holds no records: give {name}.collect(), or {larger}"
    elif kind == "ParquetFile":
        instead = "which can be read only once: give pyarrow.dataset.dataset(path), of the same file"
    if instead is not None:
        article = "an" if kind[:1] in "AEIOU" else "a"
        raise ArgumentTypeError(f"{name} is {article} {kind}, {instead}")


def refuse_others(given: object, name: str) -> None:
    """Refuses what NumPy takes for a single entry, such as a dict or a generator, with what to give instead. What it
    holds decides nothing."""
    is_number = isinstance(given, (Number, np.generic, np.ndarray)) or hasattr(type(given), "__float__")
    if is_number or isinstance(given, (str, bytes)) or is_missing(given):
        return
    kind = type(given).__name__
    instead = "an array with a record a row"
    if isinstance(given, Mapping):
        instead = f"pandas.DataFrame({name})" if name == "X" else f"one of its columns, {name}['column']"
    elif hasattr(given, "read"):
        instead = f"pandas.read_csv({name})"
    elif isinstance(given, Iterable):
        instead = f"list({name})"
    article = "an" if kind[:1] in "aeiouAEIOU" else "a"
    raise ArgumentTypeError(f"{name} is {article} {kind}, and no array or table: give {instead}")


def _is_rotation(given: Any) -> bool:
    return type(given).__module__.startswith("scipy.") and hasattr(given, "as_quat")


def _are_of_rotations(like: object) -> bool:
    return getattr(like, "name", like) in ("rotations", "rotations:3")


def _quaternions(given: Any, name: str, like: object) -> Any:
    """SciPy's rotations as unit quaternions, w first."""
    space = getattr(like, "name", like)
    if not _are_of_rotations(like):
        of = f", not to {space}" if isinstance(space, str) else ""
        raise Error(f"{name} holds rotations, which belong to the manifold rotations:3{of}: give its numbers instead")
    return np.roll(given.as_quat(), 1, axis=-1)  # SciPy has w last


def _tensor(given: Any, name: str) -> Any:
    """The numbers of an object with ``__dlpack__``, where they are if NumPy has their type."""
    try:
        device = given.__dlpack_device__()[0]
    except Exception:
        device = _IN_MEMORY[0]  # NumPy finds out
    if device not in _IN_MEMORY:
        raise ArgumentTypeError(
            f"{name} is a {type(given).__name__} in the memory of another device: give {name}.cpu(), of CuPy "
            f"{name}.get(), or an array of NumPy"
        )
    if getattr(given, "requires_grad", False):
        given = given.detach()
    for read in (lambda: np.from_dlpack(given), lambda: np.asarray(given)):
        try:
            array = read()
        except Exception:  # of a library, whose sentence could quote records
            continue
        if array.dtype.kind != "O":
            return array
    raise ArgumentTypeError(f"{name} is a {type(given).__name__} of a type that NumPy lacks: give {name}.float()")
