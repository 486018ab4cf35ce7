"""Silence for a user's function on confidential records: Python's warnings of this thread are not shown.

``warnings.catch_warnings`` is of the whole process: two threads that leave it in another order keep a filter for good.
So there is one filter, which looks at the thread.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_THREAD = threading.local()


class _OfThisThread(type):
    """Every warning is of a class with this type while the thread is silent, and none is otherwise."""

    def __subclasscheck__(cls, kind: type) -> bool:
        return getattr(_THREAD, "is_silent", False)


class _Silenced(Warning, metaclass=_OfThisThread):
    """What the filter ignores."""


@contextmanager
def silence() -> Iterator[None]:
    """Ignores the warnings of this thread."""
    if not warnings.filters or warnings.filters[0][2] is not _Silenced:
        warnings.simplefilter("ignore", _Silenced)  # in front, once
    before = getattr(_THREAD, "is_silent", False)
    _THREAD.is_silent = True
    try:
        yield
    finally:
        _THREAD.is_silent = before
