"""Earlier releases from the same records, if this process knows of them.

A mean that is fitted 32 times, by a grid search for instance, spends 32 budgets, although each release speaks of one.
This module remembers every data set that was released from: a few hundred keyed hashes of single records, and the
guarantees. The key is drawn at random in each process. They are in the memory of this process only: never written,
printed, pickled or sent. Two data sets count as the same when a tenth of the records of the smaller one is in the
other: the training sets of a cross-validation are, the parts of a split are not.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock, local
from typing import TYPE_CHECKING, Any, Optional
from weakref import ref, WeakKeyDictionary

import numpy as np

from . import _karcher
from .errors import Error, MostlyNoiseWarning, RepeatedReleaseWarning, TrainingRecordsWarning
from .privacy import Guarantee, compose

if TYPE_CHECKING:
    from .manifolds import Floats

SAME = 0.1
"""The part of the smaller data set's records that have to be in the other one."""

REMEMBERED = 1000
"""The number of data sets that are remembered."""


class Fingerprint:
    """A sample of a data set's records, as keyed hashes."""

    def __init__(self, records: Floats) -> None:
        hashes, everything = _karcher.fingerprints(records)
        self._hashes = frozenset(hashes)
        # which records a sample holds is known up to its largest hash only
        self._limit = 2**64 if everything else max(hashes)

    def overlaps(self, other: Fingerprint) -> bool:
        """Whether the two are of the same data."""
        shared, limit = self._hashes & other._hashes, min(self._limit, other._limit)
        if not shared:
            return False
        fewer = min(sum(h <= limit for h in sample._hashes) for sample in (self, other))
        return len(shared) >= SAME * fewer

    def hashes(self) -> frozenset[int]:
        """Those of the sampled records."""
        return self._hashes

    def may_hold(self, record: int) -> bool:
        """Whether the record of a hash is in the data, or could be and was not sampled."""
        return record in self._hashes or record > self._limit

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._hashes == other._hashes and self._limit == other._limit

    def __hash__(self) -> int:
        return hash(self._hashes)

    def __repr__(self) -> str:
        return "Fingerprint(...)"

    def __reduce__(self) -> Any:
        raise TypeError("a fingerprint of records does not leave its process")


@dataclass
class _Spent:
    """What was released from one data set."""

    records: Fingerprint
    guarantees: list[tuple[Guarantee, str]]
    """Each with the unit that it protects."""


_SPENT: deque[_Spent] = deque(maxlen=REMEMBERED)
_ORIGINS: OrderedDict[Fingerprint, Fingerprint] = OrderedDict()
_TRAINED: WeakKeyDictionary[object, ref[Any]] = WeakKeyDictionary()
"""The arrays that estimators were fitted with, and nothing of what is in them."""

_LOCK = Lock()

_WITHIN = local()
"""Whether a thread makes parts of one release."""


def _unlock() -> None:
    """A forked child may inherit the lock from a thread that it does not inherit."""
    global _LOCK
    _LOCK = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock)


def spend(
    estimator: object,
    records: Optional[Floats],
    guarantee: Guarantee,
    seeded: bool,
    counted: bool,
    unit: str = "record",
) -> None:
    """To be called with every release before it is handed out. It warns when the release is not the first from these
    records, unless a ledger counted it.

    Where warnings are errors, the release is not handed out and so not counted. Reproducible releases promise nothing
    and are not counted, and of records that are not in an array nothing is remembered.
    """
    if records is None:
        with _LOCK:
            _TRAINED.pop(estimator, None)
        return
    if not seeded and not getattr(_WITHIN, "one", False):
        fingerprint = Fingerprint(records)
        with _LOCK:
            people = _ORIGINS.get(fingerprint, fingerprint)
            before = [spent for spent in _SPENT if spent.guarantees and spent.records.overlaps(people)]
            sentence = _sentence(before, people, (guarantee, unit)) if before and not counted else None
            entry = next((spent for spent in before if spent.records == people), None)
            if entry is None:
                entry = _Spent(people, [])
                _SPENT.append(entry)
            entry.guarantees.append((guarantee, unit))
        try:
            if sentence is not None:
                warnings.warn(sentence, RepeatedReleaseWarning, stacklevel=caller())
        except Warning:
            with _LOCK:
                entry.guarantees.remove((guarantee, unit))
            raise
    trained(estimator, records)


def trained(estimator: object, records: Floats) -> None:
    """Remembers the array that an estimator was fitted with."""
    with _LOCK:
        _TRAINED[estimator] = ref(records)


@contextmanager
def within_one() -> Iterator[None]:
    """Releases in this thread that are parts of one, which was looked at by itself."""
    before = getattr(_WITHIN, "one", False)
    _WITHIN.one = True
    try:
        yield
    finally:
        _WITHIN.one = before


def derived(records: Floats, made: Floats) -> None:
    """Says that ``made`` are the same people as ``records`` in other numbers, as a step of a pipeline makes them."""
    new, old = Fingerprint(made), Fingerprint(records)
    with _LOCK:
        _ORIGINS[new] = _ORIGINS.get(old, old)
        if len(_ORIGINS) > REMEMBERED:
            _ORIGINS.popitem(last=False)


def warn_of_noise(flags: Iterable[str]) -> None:
    """Warns of a value that is mostly noise. The flag depends on public quantities alone."""
    if "noise-exceeds-ball" in flags:
        warnings.warn(
            "the expected error exceeds the radius of the ball, so this value is mostly noise: use more records, a "
            "smaller ball or a larger budget; karcher.plan says so before anything is spent",
            MostlyNoiseWarning,
            stacklevel=caller(),
        )


def warn_of_training_records(estimator: object, records: Floats) -> None:
    """Warns when an estimator that was fitted in this process is given the array of its training records again, or a
    part of it. What is in the array decides nothing: a warning that did would tell whether a record was among them."""
    known = _TRAINED.get(estimator)
    trained = None if known is None else known()
    if trained is not None and np.may_share_memory(trained, records):
        warnings.warn(
            "these are records that the estimator was trained with: what is computed from them is confidential, "
            "because only the private means or the private geodesic may leave; score and predict with records of "
            "other people, or keep the result to yourself",
            TrainingRecordsWarning,
            stacklevel=caller(),
        )


def caller() -> int:
    """The number of levels from the calling function up to the user's own code, which is neither here nor in
    scikit-learn and its helpers."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in (
        "karcher",
        "sklearn",
        "joblib",
        "contextlib",
    ):
        frame, level = frame.f_back, level + 1
    return level


def _sum(guarantees: list[Guarantee]) -> Guarantee | None:
    """What they promise together, ``None`` where nothing is known of the combination."""
    try:
        return compose(*guarantees)
    except Error:
        return None


def _sentence(before: list[_Spent], records: Fingerprint, now: tuple[Guarantee, str]) -> str:
    # the parts of a split have no record in common: the releases that one and the same record is in add up
    worst: list[_Spent] = []
    for record in records.hashes():
        held = [spent for spent in before if spent.records.may_hold(record)]
        if _count(held) > _count(worst):
            worst = held
    all_of_them = [*(given for spent in worst for given in spent.guarantees), now]
    units = {unit for _, unit in all_of_them}
    together = _sum([guarantee for guarantee, _ in all_of_them]) if len(units) == 1 else None
    promise = "no guarantee that is known" if together is None else f"only {together!r}"
    if len(units) > 1:
        promise += ", as some of them protect single records and others persons, which does not add up"
    who = "a record that" if units == {"record"} else "who"
    return (
        f"this is release {_count(before) + 1} of this process from the same records, all or part of them: {who} is in "
        f"{_count(worst) + 1} of these releases is promised {promise}. Every fit spends its budget, in a grid search, "
        "a cross-validation and a repeated cell too; choose parameters on public or made-up data and fit once, or have "
        "a karcher.Ledger keep the account"
    )


def _count(spent: list[_Spent]) -> int:
    return sum(len(entry.guarantees) for entry in spent)
