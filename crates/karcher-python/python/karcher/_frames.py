"""A release as a row of a table. A release of clusters has a row for each."""

from __future__ import annotations

import math
from typing import Any

from . import _karcher

_NUMBERS = ("n", "private_count", "epsilon", "delta", "mu", "rho", "expected_distance")


def circumstances(release: Any) -> dict[str, Any]:
    """What a row says of the release that its numbers are of."""
    guarantee = release.guarantee
    told = {
        "statistic": getattr(release, "statistic", "count"),
        "manifold": None if not hasattr(release, "manifold") else release.manifold.name,
        "n": getattr(release, "n", None),
        "unit": getattr(release, "unit", "record"),
        "adjacency": release.adjacency,
        "private_count": getattr(getattr(release, "private_count", None), "value", None),
        "definition": guarantee.definition,
        **dict(zip(("epsilon", "delta", "mu", "rho"), guarantee._budget)),
        "mechanism": release.mechanism,
        "scale": release.scale,
        "numerics": getattr(release, "numerics", None),
        "expected_distance": getattr(release, "expected_distance", None),
        "flags": ", ".join(release.flags if hasattr(release, "flags") else ["seeded"] * release.seeded),
    }
    missing = {name: math.nan for name in _NUMBERS if told[name] is None}
    return {**told, **missing}


def lines(*rows: tuple[str, str]) -> str:
    """A short table, for people: in each line a name and its words."""
    return "\n".join(f"{name:<12}{words}" for name, words in rows)


def frame(release: Any) -> Any:
    """The released numbers with the circumstances of their release, as a ``pandas.DataFrame``."""
    import pandas

    return pandas.DataFrame([{**dict(row), **circumstances(release)} for row in _karcher.cells(release.to_json())])
