"""What an error leaves behind: no release that it withheld.

A traceback keeps the variables of every function that it passed. Where warnings are errors, or a later class is
refused, a release may be among them that was never handed out.
"""

from __future__ import annotations

from functools import wraps
from traceback import walk_tb
from typing import Any, Callable, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def withholds(function: _Function) -> _Function:
    """The function, whose errors hold no variables of this package's functions."""

    @wraps(function)
    def releasing(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except BaseException as error:
            _forget(error)
            raise

    return cast(_Function, releasing)


def _forget(error: BaseException) -> None:
    """Clears the variables of this package's functions that an error and those before it passed."""
    known: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        error_or_none = waiting.pop()
        if error_or_none is None or id(error_or_none) in known:
            continue
        known.add(id(error_or_none))
        waiting += [error_or_none.__cause__, error_or_none.__context__]
        for frame, _ in walk_tb(error_or_none.__traceback__):
            if frame.f_globals.get("__name__", "").split(".")[0] == "karcher":
                try:
                    frame.clear()
                except RuntimeError:  # it still runs, and holds the arguments alone
                    pass
