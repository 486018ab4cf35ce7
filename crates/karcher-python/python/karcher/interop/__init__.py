"""Other libraries of differential privacy: OpenDP measurements, and events and distributions of dp_accounting.

They are imported at first use, and are optional. """

from __future__ import annotations

from . import dp_accounting, opendp

__all__ = ["dp_accounting", "opendp"]


def __dir__() -> list[str]:
    return __all__
