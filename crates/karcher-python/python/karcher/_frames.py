"""A release as a row of a table. A release of clusters has a row for each."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .manifolds import Floats, Manifold

_LANDMARKS = ("kendall", "landmarks", "size-and-shape")


_NUMBERS = ("n", "private_count", "epsilon", "delta", "mu", "rho", "expected_distance")


def coordinates(space: Manifold) -> list[str]:
    """The names of a point's numbers: x, y, z of directions and axes, w, x, y, z of rotations, x1, y1, … of landmarks;
    elsewhere their places, from 0, as in NumPy."""
    family, shape = space.name.partition(":")[0], space.shape
    if not {"*", "^"} & set(space.name):
        if family in _LANDMARKS:
            return [f"{axis}{k}" for k in range(1, shape[0] + 1) for axis in "xyz"[: shape[1]]]
        if space.name == "rotations:3":
            return list("wxyz")
        if family in ("sphere", "projective") and shape[0] <= 3:
            return list("xyz"[: shape[0]])
    places = ["_".join(map(str, place)) for place in np.ndindex(*shape)]
    is_complex = space.dtype.kind == "c"
    return [f"{place}_{part}" for place in places for part in ("real", "imag")] if is_complex else places


def point(name: str, x: Floats, space: Manifold) -> dict[str, float]:
    """The numbers of a point, or a tangent vector, by the names of their columns."""
    plain = np.ascontiguousarray(x).view(np.float64).ravel().tolist()
    return {f"{name}_{coordinate}": number for coordinate, number in zip(coordinates(space), plain)}


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


def frame(rows: Sequence[dict[str, Any]], release: Any) -> Any:
    """The rows with the circumstances of their release, as a ``pandas.DataFrame``."""
    import pandas

    return pandas.DataFrame([{**row, **circumstances(release)} for row in rows])
