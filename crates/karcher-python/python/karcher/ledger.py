"""The ledger: the budget spent by releases about one data set, in a file that many processes may share."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _arguments, _docs, _karcher
from ._json import read
from .errors import ArgumentTypeError, Error
from .privacy import Guarantee

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

_ENTERED: list[Ledger] = []
"""The ledgers whose ``with`` blocks are open, the innermost last: of the whole process, not of a thread. A thread that
scikit-learn starts would otherwise release without an account."""

_LOCK = Lock()

_CARRIED = "_ledger_of_the_block"
"""The attribute in which a copy of an estimator takes the ledger along, into other processes."""


@dataclass(frozen=True)
class LedgerEntry:
    """A request for a release.

    Attributes
    ----------
    entry : int
        Number of the entry, which its release has too.
    time : str
        Time of the request, in UTC.
    status : str
        ``"released"``; ``"reserved"``, which also counts, if it is unknown whether the release was made; or
        ``"refused"``.
    guarantee : Guarantee
    counts_as : dict or None
        The guarantee in the definition of the total; None if it does not count.
    event : dict
        Facts about the release before its noise was drawn: ``statistic``, ``manifold``, ``n``, ``mechanism``, ``scale``
        and others, as in a release.
    reason : str or None
        Reason of a refusal.
    """

    entry: int
    time: str
    status: str
    guarantee: Guarantee
    counts_as: Optional[dict[str, float]]
    event: dict[str, Any]
    reason: Optional[str] = None

    @classmethod
    def _own(cls, given: dict[str, Any], space: object) -> dict[str, Any]:
        return {"counts_as": None if given["counts_as"] is None else _numbers(given["counts_as"])}


class Ledger:
    """An account of the budget that releases about one data set spend.

    Every release is counted before its noise is drawn, and stays counted whatever happens. If not enough is left, it is
    refused with a :class:`karcher.errors.BudgetError`. Budgets may depend on earlier results.

    In a ``with`` block the ledger counts every release of the process, in all threads. It also counts releases of
    copies that scikit-learn makes for a grid search or a cross-validation, even in other processes. The parameter
    ``ledger`` of an estimator names a ledger for this estimator alone.

    Parameters
    ----------
    path : str or os.PathLike
        A file made by :meth:`new` or ``karcher ledger new``.

    Examples
    --------
    >>> import karcher, numpy as np, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "budget.db")
    >>> X = np.tile([0.6, 0.0, 0.8], (1000, 1))
    >>> with karcher.Ledger.new(path, data="directions of 2026", epsilon=1.0) as ledger:
    ...     for epsilon in [0.25, 0.5]:
    ...         mean = karcher.PrivateFrechetMean("sphere:2", radius=0.8, center=[0, 0, 1], epsilon=epsilon).fit(X)
    >>> ledger.left
    {'epsilon': 0.25}
    >>> [entry.status for entry in ledger.entries]
    ['released', 'released']
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.path.abspath(_path("path", path))
        self._book()

    @classmethod
    def new(
        cls,
        path: Union[str, os.PathLike[str]],
        *,
        data: str,
        unit: str = "record",
        epsilon: Optional[float] = None,
        delta: Optional[float] = None,
        mu: Optional[float] = None,
        rho: Optional[float] = None,
        adjacency: str = "replace-one",
    ) -> Ledger:
        """Makes a ledger of a total budget.

        Parameters
        ----------
        path : str or os.PathLike
            The file, which must not exist.
        data : str
            The name of the data. You promise that all releases counted here are about these people, and that all
            releases about them are counted here. No program can check this.
        unit : {"record", "person"}
            Protected unit. A ledger of persons refuses releases that protect single records; see ``groups`` of the
            estimators.
        {budget}
        adjacency : {"replace-one", "add-remove"}
            Neighbours of the total. With ``"replace-one"``, a release with ``adjacency="add-remove"`` counts as its
            ``group(2)``; with ``"add-remove"``, other releases are refused.

        Returns
        -------
        Ledger
        """
        total = _arguments.budget(epsilon, delta, mu, rho)
        _arguments.one_of("unit", unit, "record", "person")
        named = _arguments.one_of("adjacency", adjacency, "replace-one", "add-remove")
        _karcher.ledger_new(_path("path", path), _arguments.text("data", data), unit, total, named)
        return cls(path)

    def _book(self) -> dict[str, Any]:
        book: dict[str, Any] = json.loads(_karcher.ledger_book(self.path))
        return book

    @property
    def unit(self) -> str:
        """The protected unit: ``"record"`` or ``"person"``."""
        return str(self._book()["unit"])

    @property
    def data(self) -> str:
        """The name of the data, from its owner."""
        return str(self._book()["data"])

    @property
    def total(self) -> Guarantee:
        """The total budget."""
        return Guarantee(**_numbers(self._book()["total"]))

    @property
    def spent(self) -> dict[str, float]:
        """The budget that counts as spent, rounded up."""
        return _numbers(self._book()["spent"])

    @property
    def left(self) -> dict[str, float]:
        """The budget that is left, rounded down."""
        return _numbers(self._book()["left"])

    @property
    def entries(self) -> list[LedgerEntry]:
        """All requests, in order."""
        return [read(LedgerEntry, given) for given in self._book()["entries"]]

    def show(self) -> None:
        """Prints what was spent, what is left, and every entry."""
        book = self._book()
        print(f"{book['data']}: {_words(book['left'])} left of {_words(book['total'])}")
        for entry in book["entries"]:
            about = entry["event"]
            where = f" on {about['manifold']}" if "manifold" in about else ""
            records = f", {about['n']} {book['unit']}s" if "n" in about else ""
            times = f" × {about['groups']}" if about.get("groups") else ""
            names = [about, *about.get("parts", [])]
            mechanisms = dict.fromkeys(part["mechanism"] for part in names if "mechanism" in part)
            foreign = "library" in about
            name, by = (about["release"], about["library"]) if foreign else (about["statistic"], ", ".join(mechanisms))
            what = f"{name}{times} by {by}{where}{records}"
            guarantee = _words(entry["guarantee"])
            print(f"{entry['entry']:>5}  {entry['time']}  {entry['status']:<8}  {guarantee}  {what}")

    def check(self) -> list[str]:
        """All defects of the file: in the database, the chain of hashes or the sums, or because it is a copy or an
        older state. Empty if the ledger may be used."""
        return _karcher.ledger_check(self.path)

    def adopt(self) -> None:
        """Accepts a file that was copied, restored or moved to another disk. You promise that no other copy is in use,
        and that no release has used the old one since."""
        _karcher.ledger_adopt(self.path)

    def import_releases(self, releases: Sequence[Mapping[str, Any]]) -> int:
        """Counts releases that other programs made about the same people. On an error it counts none of them.

        They count even beyond the total, because they have already happened; every later release is then refused. A
        release with the same fields as an earlier import is not counted again.

        Parameters
        ----------
        releases : list of dict
            Releases, each with the names ``release`` and ``library``; ``guarantee``, as
            ``{"definition": "pure", "epsilon": 0.5}``; ``unit``, ``adjacency`` and ``data``, as in :meth:`new`;
            ``date``; and ``id``, if releases agree in all other fields.

        Returns
        -------
        int
            Number of releases that were added to the count.

        Raises
        ------
        BudgetError
            For a guarantee that the total does not count.
        LedgerError
            For releases about other data, and for a release twice in the list.
        """
        try:
            text = json.dumps(releases)
        except (TypeError, ValueError):
            raise ArgumentTypeError("releases is not JSON: give a list of dictionaries of texts") from None
        return _karcher.ledger_import(self.path, text)[0]

    def export_releases(self) -> list[dict[str, Any]]:
        """The counted releases, for the ledger of another program or :meth:`import_releases`."""
        found: list[dict[str, Any]] = json.loads(_karcher.ledger_export(self.path))
        return found

    def __enter__(self) -> Ledger:
        with _LOCK:
            _ENTERED.append(self)
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        with _LOCK:
            for i in reversed(range(len(_ENTERED))):
                if _ENTERED[i] is self:
                    del _ENTERED[i]
                    break

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __repr__(self) -> str:
        return f"Ledger({self.path!r})"


class Accounted:
    """What an estimator does so that the ledger of a ``with`` block also counts what its copies release, in whatever
    thread or process they are fitted."""

    ledger: Union[Ledger, str, os.PathLike[str], None]

    def __getstate__(self) -> Any:
        state = super().__getstate__()  # type: ignore[misc]
        return {**state, **_carried(self)}

    def __sklearn_clone__(self) -> Any:
        copy = super().__sklearn_clone__()  # type: ignore[misc]
        copy.__dict__.update(_carried(self))
        return copy

    def _account(self) -> Optional[str]:
        return account_of(self.ledger, self.__dict__.get(_CARRIED))


def account_of(ledger: Union[Ledger, str, os.PathLike[str], None], copied: Optional[str] = None) -> Optional[str]:
    """The file of the ledger that counts the next release: one that is named, that of the block, or of the block in
    which an estimator was ``copied``."""
    path, entered = path_of("ledger", ledger), _ENTERED[-1:]
    if path is not None:
        return os.path.abspath(path)
    return entered[0].path if entered else copied


def _carried(estimator: object) -> dict[str, str]:
    path = account_of(None, estimator.__dict__.get(_CARRIED))
    return {} if path is None else {_CARRIED: path}


def _path(name: str, given: object) -> str:
    if not isinstance(given, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name} is of type {type(given).__name__}: expected a path or a Ledger")
    path = os.fspath(given)
    if not isinstance(path, str) or "\0" in path:
        raise Error(f"{name} is no path of a file that can be written as text")
    return path


def _numbers(given: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in given.items() if name != "definition"}


def _words(given: dict[str, Any]) -> str:
    return " and ".join(f"{name} {value!r}" for name, value in _numbers(given).items())


def path_of(name: str, given: Union[Ledger, str, os.PathLike[str], None]) -> Optional[str]:
    """The file of a ledger, if there is one."""
    return given.path if isinstance(given, Ledger) else None if given is None else _path(name, given)


__dir__ = _docs.complete(globals())
