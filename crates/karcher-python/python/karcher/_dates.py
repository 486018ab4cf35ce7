"""Dates as numbers, as the command reads them."""

from __future__ import annotations

from typing import Any

import numpy as np


def moments(given: Any) -> Any:
    """Moments of an array or a column as years, the beginning of 2001 as 2001; whatever else as it is."""
    if getattr(getattr(given, "dtype", None), "kind", "") != "M":
        return given
    found = np.asarray(given, dtype="datetime64[ns]")
    years = found.astype("datetime64[Y]")
    begins, ends = (year.astype("datetime64[ns]") for year in (years, years + 1))
    missing = np.isnat(found)
    whole = np.where(missing, 0, years.astype(np.int64)) + 1970.0
    return np.where(missing, np.nan, whole + (found - begins) / (ends - begins))
