"""JSON objects of the library as objects with attributes: the annotations of a class say how each is read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Optional, TypeVar

import numpy as np

from . import _arguments
from .manifolds import Manifold, manifold

if TYPE_CHECKING:
    from .manifolds import Floats

    Point = Floats
    """The numbers of a point, or of a tangent vector."""
    Points = Floats
    """The same of several, one a row."""

T = TypeVar("T")

_MAY_LACK = {"also", "columns", "ellipse", "labels", "noise", "shrunk_variances"}
"""Lists that are empty where an object lacks them."""

_READERS: dict[str, Callable[[str, Any, Any], Any]] = {
    "str": lambda name, given, _: _arguments.text(name, given),
    "float": lambda name, given, _: _arguments.real(name, given),
    "int": lambda name, given, _: _arguments.whole(name, given),
    "bool": lambda name, given, _: _arguments.flag(name, given),
    "Any": lambda name, given, _: given,
    "tuple[float, float]": lambda name, given, _: pair(given),
    "Manifold": lambda name, given, _: manifold(given),
    "Floats": lambda name, given, _: np.array(given, dtype=np.float64),
    "Point": lambda name, given, space: _points(given, space.shape, space),
    "Points": lambda name, given, space: _points(given, (-1, *space.shape), space),
}


def read(kind: type[T], given: Mapping[str, Any], space: Optional[Manifold] = None, **own: Any) -> T:
    """The object of a class that a JSON object stands for. Points are those of the ``space``. What the ``_own`` of the
    class returns, and what is given by name, is not read."""
    found = {**getattr(kind, "_own", lambda given, space: {})(given, space), **own}
    for name, (of, has_default) in _attributes(kind).items():
        if name not in found and (name in given or not has_default):
            found[name] = _value(kind, of, name, given, space)
    return kind(**found)


def _attributes(kind: Any) -> dict[str, tuple[str, bool]]:
    """The type of each attribute, as its annotation says it, and whether it has a default."""
    if is_dataclass(kind):
        return {one.name: (str(one.type), one.default is not MISSING) for one in fields(kind)}
    types = {name: getattr(of, "__forward_arg__", of) for name, of in kind.__annotations__.items()}
    return {name: (of, name in kind._field_defaults) for name, of in types.items()}


def _value(kind: type[Any], of: str, name: str, given: Mapping[str, Any], space: Any) -> Any:
    """An attribute of an object, which may lack it."""
    if of.startswith("Optional["):
        return None if given.get(name) is None else _one(kind, of[len("Optional[") : -1], name, given[name], space)
    return () if name in _MAY_LACK and name not in given else _one(kind, of, name, given[name], space)


def _one(kind: type[Any], of: str, name: str, given: Any, space: Any) -> Any:
    if of in _READERS:
        return _READERS[of](name, given, space)
    if of.startswith("dict["):
        return dict(given.items())
    if of.startswith("tuple["):
        if not isinstance(given, list):
            raise TypeError(name)
        return tuple(_one(kind, of[len("tuple[") :].partition(",")[0], name, entry, space) for entry in given)
    modules = [vars(sys.modules[one.__module__]) for one in kind.__mro__]
    return read(next(module[of] for module in modules if of in module), given, space)


def _points(given: Any, shape: tuple[int, ...], space: Manifold) -> Floats:
    shape = shape if space.dtype.kind != "c" else (*shape, 2)
    return space._as_points(np.array(given, dtype=float).reshape(shape))


def pair(given: Any) -> tuple[Any, Any]:
    """The two ends of an interval."""
    low, high = given
    return low, high
