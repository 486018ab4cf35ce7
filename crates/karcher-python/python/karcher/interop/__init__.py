"""Other libraries: OpenDP measurements, dp_accounting, and runs of Flower and NVFlare over sites.

They are imported at first use, and are optional."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from . import dp_accounting, flower, nvflare, opendp

__all__ = ["dp_accounting", "flower", "nvflare", "opendp"]
__getattr__, _, _ = lazy_loader.attach(__name__, submodules=__all__)


def __dir__() -> list[str]:
    return __all__
