"""Specifications of releases, filled in from parameters. The library says whether their fields go together."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _karcher
from ._arrays import numbers
from ._names import check_frame
from .errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from .manifolds import Manifold
    from .privacy import Guarantee

VERSION = 1
"""The version of the fields."""

FIND_ONE = "karcher.PrivateBall finds an unknown one privately"
"""Advice for users without a ball, where an estimator cannot find one itself."""


def number(name: str, given: object) -> Optional[float]:
    """A finite number, or ``None``."""
    found = _arguments.optional(_arguments.real, name, given)
    if found is not None and not math.isfinite(found):
        raise Error(f"{name} is {found}: expected a finite number")
    return found


def budget(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as the library writes it."""
    numbers_of = dict(zip(("epsilon", "delta", "mu", "rho"), guarantee._budget))
    return {"definition": guarantee.definition, **{name: x for name, x in numbers_of.items() if x is not None}}


def ball(
    space: Manifold,
    *,
    center: object = None,
    radius: object = None,
    locate: bool = False,
    within: object = None,
    quantile: object = None,
    everywhere: bool = False,
    called: Optional[str] = None,
    without: str = FIND_ONE,
) -> dict[str, Any]:
    """The ball of a specification, with the defaults of the space. ``everywhere`` says that the whole of a bounded
    space is the ball where no radius is given. ``called`` is the parameter of its radius, and
    ``without`` is the advice where no ball is known."""
    called = called or ("within" if locate else "radius")
    text = _karcher.public_ball(
        space._core,
        None if center is None else _center(space, center),
        _arguments.optional(_arguments.lengths, called, radius),
        locate,
        _arguments.optional(_arguments.length, called if locate else "within", within),
        _arguments.optional(_arguments.real, "quantile", quantile),
        everywhere,
        called,
        (without, without + space._center_advice),
    )
    found: dict[str, Any] = json.loads(text)
    return found


def ball_about(space: Manifold, center: object, **radius: Any) -> dict[str, Any]:
    """A ball whose center is the point from which distances are measured: no default is as good as any other."""
    if center is None:
        ball(space, radius=1e-9, without="or take that of a private mean, which adds to the budget")
    return ball(space, center=center, everywhere=True, **radius)


def _center(space: Manifold, given: Any) -> Any:
    """The numbers of a center, which may be the manifold's origin by its name."""
    if not isinstance(given, str):
        check_frame(space, given, "center")
        return numbers(given, "center", like=space)
    _arguments.one_of("center", given, "origin")
    return space.origin


def takes_no_ball(fields: dict[str, Any], **of_ball: object) -> bool:
    """Whether the library takes a mean with these fields as an extrinsic one, which has no ball. An error names the
    first parameter of a ball that is given. A plan may lack the budget."""
    given = next((name for name, value in of_ball.items() if value is not None), None)
    return _karcher.takes_no_ball(as_text({"budget": {"definition": "pure", "epsilon": 1.0}, **fields}), given)


def companion(name: str, wanted: object, clip: object) -> Optional[dict[str, Any]]:
    """A statistic that is released with a mean, ``spread`` or ``components``, if it is wanted."""
    found = number(f"{name}_clip", clip)
    if not _arguments.flag(name, wanted):
        if found is not None:
            raise Error(f"{name}_clip belongs to {name}=True")
        return None
    return {} if found is None else {"clip": found}


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "adjacency": _arguments.text,
    "n_guess": partial(_arguments.optional, _arguments.count),
    "mechanism": _arguments.text,
    "steps": partial(_arguments.optional, _arguments.steps),
    "calibration": partial(_arguments.optional, _arguments.text),
    "bound": partial(_arguments.optional, _arguments.text),
    "tolerance": number,
    "numerics": _arguments.text,
    "denoise": partial(_arguments.optional, _arguments.text),
    "assume_in_ball": _arguments.flag,
    "expected_spread": number,
    "slope_bound": number,
    "residual_bound": number,
}
"""What each parameter is checked to be that is a field of the same name."""


def filled(
    statistic: str, guarantee: Optional[Guarantee], parameters: Mapping[str, object], **others: Any
) -> dict[str, Any]:
    """A specification of those parameters that are fields, and of other fields, if they are given. A plan may lack the
    budget."""
    own = {name: parameters[name] for name in _CHECKS if name in parameters and name not in others}
    fields = {**{name: _CHECKS[name](name, value) for name, value in own.items()}, **others}
    known = {name: value for name, value in fields.items() if value is not None}
    promised = {} if guarantee is None else {"budget": budget(guarantee)}
    return {"spec": VERSION, "statistic": statistic, **known, **promised}


def as_text(fields: dict[str, Any]) -> str:
    """A specification as the library reads it."""
    try:
        return json.dumps(fields, allow_nan=False, default=_plain)
    except (TypeError, ValueError, RecursionError, OverflowError):
        pass
    raise ArgumentTypeError("the specification is no JSON object: it holds texts, finite numbers, lists and dicts")


def _plain(given: object) -> Any:
    """NumPy's numbers and arrays as Python's."""
    if isinstance(given, (np.generic, np.ndarray)):
        return given.tolist()
    raise TypeError


def checked(fields: dict[str, Any]) -> dict[str, Any]:
    """The same specification as the library writes it."""
    found: dict[str, Any] = json.loads(_karcher.checked_spec(as_text(fields)))
    return found


def read(given: object) -> dict[str, Any]:
    """A specification that a user gives: a dict, JSON, a file of JSON, or a release with its specification."""
    if isinstance(given, os.PathLike) or (isinstance(given, str) and not given.lstrip().startswith("{")):
        given = text_of(given, "spec is")
    if hasattr(given, "to_json"):
        if getattr(given, "spec", None) is None:
            raise Error("spec is a release without a specification, which earlier versions did not write")
        given = given.to_json()
    if not isinstance(given, (str, dict)):
        raise ArgumentTypeError(
            f"spec is of type {type(given).__name__}: expected a dict, JSON, the name of a file of it, or a release"
        )
    fields = _object(given) if isinstance(given, str) else given
    if isinstance(fields.get("spec"), dict):
        return checked(_of_release(fields, given if isinstance(given, str) else json.dumps(given)))
    if isinstance(given, dict):
        return checked(given)
    found: dict[str, Any] = json.loads(_karcher.checked_spec(given))  # in which a field may stand twice
    return found


def _of_release(fields: dict[str, Any], text: str) -> dict[str, Any]:
    """The specification of a release. A release may be edited: what it shows is what its specification leads to."""
    ((_, _, findings),), _ = _karcher.verify([("spec", text)], None)
    for field, reason in findings:
        if not reason.startswith("seeded: "):
            raise Error(f"spec is a release that contradicts its own specification: {field}: {reason}")
    return dict(fields["spec"])


def text_of(path: Union[str, os.PathLike[str]], said: str) -> str:
    """What a file of JSON holds; ``said`` begins the error."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or "it is no text"
    raise Error(f"{said} {os.fspath(path)!r}, which cannot be read as a file ({reason}), and is no JSON object")


def _object(text: str) -> dict[str, Any]:
    """The JSON object of a text, empty for what the library refuses."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
