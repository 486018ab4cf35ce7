"""How many threads a method of an estimator takes: the parameter ``n_jobs``."""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Callable, TypeVar, cast

from joblib import cpu_count

from . import _arguments, _karcher
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Iterator

_Method = TypeVar("_Method", bound=Callable[..., Any])


def in_threads(method: _Method) -> _Method:
    """The method of an estimator, in as many threads as its ``n_jobs`` says."""

    @wraps(method)
    def limited(self: Any, *args: Any, **options: Any) -> Any:
        with _threads(self.n_jobs):
            return method(self, *args, **options)

    return cast(_Method, limited)


@contextmanager
def _threads(n_jobs: object) -> Iterator[None]:
    """Calls of this thread of Python's in as many threads as ``n_jobs`` says; for ``None`` in as many as before."""
    if n_jobs is None:
        yield
        return
    before = _karcher.set_threads(_count(n_jobs))
    try:
        yield
    finally:
        _karcher.set_threads(before)


def _count(n_jobs: object) -> int:
    """joblib's convention: -1 is one a core, -2 one less."""
    count = _arguments.whole("n_jobs", n_jobs, -(2**31), 2**31)
    if count == 0:
        raise Error("n_jobs is 0: expected a number of threads, or -1 for one a core")
    return count if count > 0 else max(1, cpu_count() + 1 + count)
