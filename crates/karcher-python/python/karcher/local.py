"""The local model: people keep their records to themselves and add noise at home."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _spec
from ._arrays import numbers
from ._json import read
from ._names import check_frame
from ._rows import refuse_recentered
from ._withheld import withholds
from .errors import ArgumentTypeError, Error
from .ledger import Ledger, account_of
from .manifolds import Manifold, manifold, resolve
from .privacy import Guarantee
from .release import Ball, _Published, _Released

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._json import Point
    from .manifolds import Floats


@dataclass(frozen=True, eq=False, repr=False)
class RandomizedRecord(_Released):
    """One person's record with noise added at home, and the facts about it. Send :meth:`to_json` to the collector.
    Other attributes are as in :class:`Release`; ``n`` is 1.

    Attributes
    ----------
    coordinates : array of shape (dim,)
        Coordinates of a tangent vector at the center of ``ball``: the record's logarithm there, with noise.
    """

    coordinates: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Collected(_Published):
    """The mean of records that people randomized at home.

    Attributes
    ----------
    value : array of the manifold's ``shape``
    manifold : Manifold
    n : int
        Number of people.
    guarantee : Guarantee
        Guarantee of each person.
    ball : Ball
        The public ball to which each record was clipped.
    scale : float
        Scale of the noise of each record, or 2r/ε if directions were sent.
    expected_distance : float
        Approximate bound of the mean distance by which noise moves the value. It falls like ``1/√n``.
    bias_bound : float or None
        Bound of the distance between the value without noise and the mean of the clipped records, for every ``n``. It
        is 0 on flat spaces, and None if no bound is proved.
    flags : tuple of str
    """

    value: Point
    manifold: Manifold
    n: int
    guarantee: Guarantee
    ball: Ball
    scale: float
    expected_distance: float
    bias_bound: Optional[float]
    flags: tuple[str, ...]
    _json: str = field(repr=False)


@withholds
def randomize(
    x: ArrayLike,
    manifold: Union[Manifold, str],
    radius: float,
    center: Optional[ArrayLike] = None,
    *,
    person: bool = False,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    mu: Optional[float] = None,
    rho: Optional[float] = None,
    ledger: Union[Ledger, str, os.PathLike[str], None] = None,
    random_state: Optional[int] = None,
) -> RandomizedRecord:
    """One person's record with so much noise that its reader learns little about it.

    Up to the budget, every point of the ball is equally likely to be the record. The error of the mean of ``n`` such
    records, by :func:`collect`, falls like ``1/√n``. If a trusted curator adds noise once, it falls like ``1/n``.

    Parameters
    ----------
    x : array of the manifold's ``shape``, or of shape (k, *shape)
        The record; with ``person=True`` one or several records of a person, which are clipped and reduced to their
        mean.
    manifold : Manifold or str
    radius : float
        Radius of the public ball, the same for all people.
    center : array of the manifold's ``shape``, optional
        Center of the ball, as for :class:`PrivateFrechetMean`.
    person : bool
        Whether all records of a person are protected, for any number of them. A public choice, equal for all people,
        which the sent text states.
    {budget}
    ledger : Ledger or path, optional
        Ledger that counts the budget; by default the ledger of the ``with`` block, if there is one.
    random_state : int, optional
        Reproducible noise, hence **not private**.

    Returns
    -------
    RandomizedRecord

    Examples
    --------
    >>> import karcher
    >>> report = karcher.randomize([0.6, 0.0, 0.8], "sphere:2", radius=0.8, center=[0, 0, 1], epsilon=2.0)
    >>> report.statistic, report.n, report.coordinates.shape
    ('record', 1, (2,))
    """
    if not person:
        refuse_recentered(None, x)
    space = resolve(manifold)  # by a name with its size, so that one point is known from several
    records = numbers(x, "x", like=space)
    check_frame(space, x, "x")
    if records.ndim == len(space.shape):
        records = records[np.newaxis]
    if not person and len(records) != 1:
        raise Error("x is not one record: if they are all of one person, say so by person=True, for everybody alike")
    persons = np.zeros(len(records)) if person else None
    ball = _spec.ball(
        space, center=center, radius=radius, without="the collector of the records chooses one for all people"
    )
    text = _karcher.randomized(
        space._core,
        records,
        _spec.as_text(ball),
        _arguments.budget(epsilon, delta, mu, rho),
        _arguments.seed(random_state),
        account_of(ledger),
        persons,
    )
    return RandomizedRecord.from_json(text)


def collect(records: Iterable[RandomizedRecord]) -> Collected:
    """The mean of records that different people randomized at home. It spends no budget.

    On a curved space it is one step from the center of the ball towards the mean. This leaves a bias (``bias_bound``)
    that does not fall with the number of people.

    Parameters
    ----------
    records : iterable of RandomizedRecord
        Records of one manifold, ball and budget, each from a different person.

    Returns
    -------
    Collected

    Examples
    --------
    >>> import karcher
    >>> people = [karcher.randomize([0.1 * (i % 3)], "euclidean:1", radius=1.0, epsilon=4.0) for i in range(2000)]
    >>> mean = karcher.collect(people)
    >>> bool(abs(mean.value[0] - 0.1) < 10 * mean.expected_distance), mean.bias_bound
    (True, 0.0)
    """
    given = list(records)
    for i, record in enumerate(given):
        if not isinstance(record, RandomizedRecord):
            kind = type(record).__name__
            raise ArgumentTypeError(f"records[{i}] is of type {kind}: expected what randomize returns")
    if not given:
        raise Error("records is empty: give the releases of some people")
    text = _karcher.collected([record.to_json() for record in given])
    found = json.loads(text)
    return read(Collected, found, manifold(found["manifold"]), _json=text)


__dir__ = _docs.complete(globals())
