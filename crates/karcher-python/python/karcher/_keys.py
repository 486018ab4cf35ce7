"""Keys of persons, classes and levels: the rule of the library by which two of them are equal."""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _karcher
from ._arrays import is_gone

if TYPE_CHECKING:
    from collections.abc import Iterable


def texts_of(entries: Iterable[Any]) -> list[Optional[str]]:
    """Each entry as a text, from which the library makes a key; ``None`` where one is missing.

    Raises
    ------
    TypeError
        For an entry that is no text, number, truth value or date.
    UnicodeError
        For bytes that are no UTF-8, and a text with half of a surrogate pair.
    """
    return [_text(entry) for entry in entries]


def keys_of(entries: Iterable[Any]) -> list[Optional[str]]:
    """Each entry in one form for all that are equal: 1, 1.0, ``True`` and "1" are one, texts are compared without
    blanks around them and in normal form C, dates as moments. ``None`` for what is missing, or no key."""
    return _karcher.keys([_text_or_none(entry) for entry in entries])


def key_of(entry: object) -> Optional[str]:
    """The same of one entry."""
    return keys_of([entry])[0]


def _text_or_none(entry: Any) -> Optional[str]:
    try:
        return _text(entry)
    except UnicodeError:
        return repr(entry)  # which no text equals that a user types
    except Exception:  # of an object of any type
        return None


def _text(entry: Any) -> Optional[str]:
    if np.ndim(entry) == 0 and (is_gone(entry) or (isinstance(entry, np.datetime64) and np.isnat(entry))):
        return None
    if isinstance(entry, str):
        str(entry).encode()
        return str(entry)
    if isinstance(entry, bytes):
        return entry.decode()
    if isinstance(entry, (int, np.integer, np.bool_)):
        return str(int(entry)) if int(entry).bit_length() < 8192 else hex(int(entry))  # Python refuses long texts
    if isinstance(entry, (float, np.floating)):
        return repr(float(entry))
    if isinstance(entry, np.datetime64):
        # a day, or a moment to the second at least: an hour by itself would read as another text than the day
        unit = np.datetime_data(entry.dtype)[0]
        coarse = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}
        return str(entry.astype(f"datetime64[{coarse[unit]}]") if unit in coarse else entry)
    if isinstance(entry, Decimal):
        return str(entry)
    if isinstance(entry, (date, time)):
        return entry.isoformat()
    raise TypeError
