"""What leaves: a private value with an honest record of how it was made."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import numpy as np

from .errors import Error
from .manifolds import Manifold, manifold
from .privacy import Guarantee, Sensitivity

if TYPE_CHECKING:
    from .manifolds import Floats


class Ball(NamedTuple):
    """The public ball to which records were clipped."""

    center: Floats
    radius: float


class Step(NamedTuple):
    """One step of a Karcher flow: the length to which logarithms were clipped, and the scale of the noise on their mean."""

    clip: float
    scale: float


_NOTES = {
    "idealized-numerics": "the proof is about real numbers, the noise was drawn in floating point",
    "seeded": "the noise can be reproduced, so this release is NOT private",
    "assumed-in-ball": "records were not clipped; private only if all of them lie in the ball",
}


@dataclass(frozen=True, eq=False)
class Release:
    """A private result and everything that is to be known about it, all of which may be published.

    Made by :class:`PrivateFrechetMean` and its like; :meth:`from_json` reads what :meth:`to_json` or the command line wrote.

    Attributes
    ----------
    value : array of the manifold's ``shape``
        The private value.
    manifold : Manifold
    n : int
        Number of records, which is public.
    guarantee : Guarantee
    adjacency : str
        ``"replace-one"``: neighbouring data sets differ in one record.
    mechanism : str
    scale : float
        Of the noise, in units of distance; of a Karcher flow's last step.
    sensitivity : Sensitivity
    ball : Ball
    expected_distance : float
        Mean distance between the private value and the mean of the clipped records.
    bias_bound : float or None
        For a Karcher flow, how far it would end from that mean without noise, at most.
    steps : tuple of Step or None
        For a Karcher flow.
    flags : tuple of str
        What a reader has to know beyond the guarantee.
    statistic : str
    """

    value: Floats
    manifold: Manifold
    n: int
    guarantee: Guarantee
    adjacency: str
    mechanism: str
    scale: float
    sensitivity: Sensitivity
    ball: Ball
    expected_distance: float
    bias_bound: Optional[float]
    steps: Optional[tuple[Step, ...]]
    flags: tuple[str, ...]
    statistic: str
    _json: str = field(repr=False)

    @classmethod
    def from_json(cls, text: str) -> Release:
        """The release that a JSON object records.

        Raises
        ------
        Error
            When the text is no release, or one of a later schema.
        """
        try:
            given: dict[str, Any] = json.loads(text)
            if given["schema"] != 1:
                raise Error(f"the release has schema {given['schema']}, this version reads schema 1")
            space = manifold(given["manifold"])
            guarantee = {name: x for name, x in given["guarantee"].items() if name != "definition"}
            steps = given.get("steps")
            return cls(
                value=np.array(given["value"], dtype=float).reshape(space.shape),
                manifold=space,
                n=given["n"],
                guarantee=Guarantee(**guarantee),
                adjacency=given["adjacency"],
                mechanism=given["mechanism"],
                scale=given["scale"],
                sensitivity=Sensitivity(**given["sensitivity"]),
                ball=Ball(
                    np.array(given["ball"]["center"], dtype=float).reshape(space.shape), given["ball"]["radius"]
                ),
                expected_distance=given["expected_distance"],
                bias_bound=given.get("bias_bound"),
                steps=None if steps is None else tuple(Step(**step) for step in steps),
                flags=tuple(given["flags"]),
                statistic=given["statistic"],
                _json=text,
            )
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as problem:
            raise Error(f"the text is not a release: {type(problem).__name__} {problem}") from problem

    def to_json(self) -> str:
        """One JSON object with the library's field names."""
        return self._json

    def _repr_html_(self) -> str:
        def numbers(x: Floats) -> str:
            with np.printoptions(precision=6, threshold=30):
                return f"<pre style='margin:0'>{escape(str(x))}</pre>"

        rows = [
            (f"private {self.statistic.replace('-', ' ')}", numbers(self.value)),
            ("space", escape(f"{self.manifold.name}, {self.n} records")),
            ("guarantee", escape(f"{self.guarantee!r}, {self.adjacency}")),
            ("mechanism", escape(f"{self.mechanism}, scale {self.scale:.7g}")),
            ("sensitivity", escape(f"{self.sensitivity.value:.7g} ({self.sensitivity.bound} bound)")),
            ("ball", f"radius {self.ball.radius:.7g} around {numbers(self.ball.center)}"),
            ("expected error", f"{self.expected_distance:.7g}"),
        ]
        if self.bias_bound is not None:
            rows.append(("bias", f"at most about {self.bias_bound:.7g} beside that"))
        for flag in self.flags:
            rows.append(("note", escape(f"{flag}: {_NOTES.get(flag, '')}")))
        cells = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{cell}</td></tr>" for name, cell in rows)
        return f"<table>{cells}</table>"
