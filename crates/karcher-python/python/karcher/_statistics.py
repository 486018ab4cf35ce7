"""The statistics, as the library describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _docs, _karcher


@dataclass(frozen=True)
class Statistic:
    """A statistic: its name in JSON, its word in plans, the kind of value of its releases, and a short specification.
    A space, a ball and a budget are enough to ask for some."""

    name: str
    option: str
    value: str
    is_of_balls: bool
    example: dict[str, Any]


STATISTICS = {fields["name"]: Statistic(**fields) for fields in json.loads(_karcher.statistics())}
"""Every statistic by its name."""

PLANNED = {one.option: one.name for one in STATISTICS.values() if one.is_of_balls}
"""The names of statistics that a plan makes of a space, a ball and a budget, by their words."""

__dir__ = _docs.complete(globals())
