"""The parameters of estimators as annotated names, each written once: constructors are made of them.

The guide reads the files without running them, and has the order from here. This file therefore imports the standard
library alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """Says to checkers of types what a decorator does, and does nothing."""
        return lambda decorator: decorator


_Class = TypeVar("_Class", bound=type)


def derived(value: Callable[[Any], Any], *, init: bool) -> Any:
    """A name that other parameters say the value of; with ``init=False`` it is no parameter of this class."""
    return property(value)


ORDER = ("epsilon", "delta", "mu", "rho", "", "on_invalid", "adjacency", "n_guess", "ledger", "random_state", "n_jobs")
"""What comes before and after the names that only some classes have."""


@dataclass_transform(eq_default=False, field_specifiers=(derived,))
def estimator(kind: _Class) -> _Class:
    """The class with a constructor that stores its annotated names. Those above ``_: KW_ONLY`` are given by place, too,
    else those of its base. By name alone come those without a default, and the others, its own before its bases'."""
    own = [(name, of) for name, of in kind.__annotations__.items() if not isinstance(vars(kind).get(name), property)]
    at = own.index(("_", "KW_ONLY"))
    if at > 0:
        setattr(kind, "_by_place", dict(own[:at]))
    setattr(kind, "_by_name", dict(own[at + 1 :]))
    by_place: dict[str, str] = getattr(kind, "_by_place", {})
    by_name: dict[str, str] = {}
    for one in kind.__mro__:
        for name, of in vars(one).get("_by_name", {}).items():
            by_name.setdefault(name, of)
    names = [name for name in by_name if name not in by_place]
    names.sort(key=lambda name: (hasattr(kind, name), ORDER.index(name if name in ORDER else "")))

    def shown(name: str, of: str) -> str:
        return f"{name}: {of} = kind.{name}" if hasattr(kind, name) else f"{name}: {of}"

    parameters = [shown(name, of) for name, of in by_place.items()], [shown(name, by_name[name]) for name in names]
    signature = ", ".join(["self", *parameters[0], "*", *parameters[1]])
    body = "; ".join(f"self.{name} = {name}" for name in [*by_place, *names])
    made: dict[str, Any] = {}
    exec(f"def __init__({signature}) -> None: {body}", {"kind": kind, "__name__": kind.__module__}, made)
    made["__init__"].__qualname__ = f"{kind.__qualname__}.__init__"
    setattr(kind, "__init__", made["__init__"])
    return kind
