"""Other libraries of differential privacy: OpenDP measurements, and events and distributions of dp_accounting.

Each is imported when it is used first, and none is required.
"""

from __future__ import annotations

from . import dp_accounting, opendp

__all__ = ["dp_accounting", "opendp"]


def __dir__() -> list[str]:
    return __all__
