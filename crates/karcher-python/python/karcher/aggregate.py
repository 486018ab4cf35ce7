"""Private sums without a curator, by two aggregators. At least one of them has to be honest.

Reporters split their contributions into shares with :meth:`Task.share`. Each :class:`Aggregator` checks the reports,
adds up its shares, and adds noise. :func:`combine` adds the two sums. Messages are lines of JSON, which the command
(``karcher share``, ``aggregate`` and ``combine``) reads and writes too.

>>> import os, tempfile, numpy as np, karcher
>>> from karcher.aggregate import Aggregator, Task, combine, make_keys, make_shared_key
>>> both, one, two = (os.path.join(tempfile.mkdtemp(), name) for name in ("both.key", "a.key", "b.key"))
>>> make_shared_key(both)                       # an aggregator gives it to the other one, and to no one else
>>> keys = make_keys(one, shared=both), make_keys(two, shared=both)
>>> spec = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, epsilon=1.0).spec()
>>> task = Task(spec, 500, keys=keys)           # everyone makes the same
>>> reports = task.share(np.full((300, 2), 0.5)) + task.share(np.full((200, 2), 0.25))    # two sites
>>> a, b = Aggregator(one), Aggregator(two)
>>> checked = a.check(task, reports), b.check(task, reports)
>>> release = combine(task, [a.add(task, reports, checked[1]), b.add(task, reports, checked[0])])
>>> release.n, release.guarantee, release.trust
(500, Guarantee(epsilon=1.0), 'one of two aggregators')
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _run, _spec, _spending
from ._arrays import naming_columns
from ._private import replaces
from ._rows import check_rows
from ._tables import Options
from ._withheld import withholds
from .count import _rows
from .errors import ArgumentTypeError, Error
from .ledger import Ledger, _path, account_of
from .release import CountRelease, FeatureRegressionRelease, Release, _Recorded, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    _Path = Union[str, os.PathLike[str]]

__all__ = ["Aggregator", "State", "Task", "adopt", "combine", "make_keys", "make_shared_key"]


def make_shared_key(path: _Path) -> None:
    """Makes the key that two aggregators share, in a new file that only its owner can read. One aggregator makes it,
    and gives it only to the other one.

    Parameters
    ----------
    path : str or os.PathLike
        The file, such as ``"both.key"``.

    Raises
    ------
    Error
        For a file that exists or cannot be written.
    """
    _karcher.aggregate_shared_key(_path("path", path))


def make_keys(path: _Path, *, shared: _Path) -> str:
    """Makes the files of an aggregator, next to each other. It keeps ``a.key`` and the journal ``a.journal``; ``a.pub``
    is for everyone.

    Parameters
    ----------
    path : str or os.PathLike
        The file of the private key, whose name ends in ``.key``.
    shared : str or os.PathLike
        The file of the key that both aggregators share.

    Returns
    -------
    str
        The public key, which is also in the file ``a.pub``.

    Raises
    ------
    Error
        For a file that exists or cannot be written.
    """
    return _karcher.aggregate_keys(_path("path", path), _path("shared", shared))


def adopt(path: _Path) -> None:
    """Accepts the journal of an aggregator that was copied, restored or moved with its key. You promise that no other
    copy is in use, and that it is not older than what the aggregator sent.

    Parameters
    ----------
    path : str or os.PathLike
        The file of the private key, which is next to its journal.

    Raises
    ------
    Error
        For a journal that was changed, or that is older than its mark.
    """
    _karcher.aggregate_adopt(_path("path", path))


@dataclass(frozen=True, eq=False)
class State(_Recorded):
    """The result of a round that is not the last one. It is public: everyone needs it for the next round.

    Attributes
    ----------
    rounds : int
        Number of rounds so far.
    """

    rounds: int
    _json: str = field(repr=False)

    @classmethod
    def from_json(cls, text: str) -> State:
        """The state that a JSON object records.

        Raises
        ------
        Error
            When the text is no state.
        """
        try:
            return cls(_arguments.count("rounds", json.loads(_arguments.text("text", text))["rounds"]), text)
        except (KeyError, TypeError, ValueError, RecursionError) as problem:
            raise Error(f"the text is not a State: {type(problem).__name__} {problem}") from problem


class Task:
    """A round of a release: everything on which reporters, aggregators and the collector agree. Everyone makes it from
    the same public values.

    Parameters
    ----------
    spec : dict, str, path, release or estimator
        The specification, as :func:`karcher.run` takes one. An estimator with the method ``spec`` stands for it.
    n : int, optional
        Number of records of all reporters together, or of persons. Not for a specification with ``n_guess``.
    reporters : {"sites", "persons"}
        The reporters: sites that are trusted with the records of their people, or persons with one record each. A proof
        shows that the numbers of a person are in range.
    name : str
        Name of the release. For each specification and name, aggregators take part only once.
    keys : tuple of str or path
        The public keys of the two aggregators, as texts or names of files, in the same order for all parties.
    state : State, str or path, optional
        The state from :func:`combine`, for a round after the first.

    Attributes
    ----------
    spec : dict
        The specification, with the field ``trust``.
    n : int
    reporters, name : str
    keys : tuple of str
    rounds : int
        Number of rounds that the release takes.
    round : int
        Number of this round, from 1.

    Raises
    ------
    Error
        For a statistic that is not a function of sums, and for public keys that do not belong together.
    """

    def __init__(
        self,
        spec: Any,
        n: Optional[int] = None,
        *,
        reporters: str = "sites",
        name: str = "",
        keys: tuple[_Path, _Path],
        state: Union[State, _Path, None] = None,
    ) -> None:
        of_estimator = getattr(spec, "spec", None)
        fields = of_estimator() if callable(of_estimator) else _spec.read(spec)
        self.reporters = _arguments.one_of("reporters", reporters, "sites", "persons")
        self.name = _arguments.text("name", name)
        first, second = _two("keys", keys, "the public keys of two aggregators, one after the other")
        self._core = _karcher.Task(
            _spec.as_text(fields),
            _arguments.optional(_arguments.count, "n", n),
            self.reporters == "persons",
            self.name,
            (_text_or_file("keys", first), _text_or_file("keys", second)),
            state.to_json() if isinstance(state, State) else _arguments.optional(_text_or_file, "state", state),
        )
        self.spec: dict[str, Any] = json.loads(self._core.spec)
        self.n, self.keys = self._core.n, self._core.keys
        self.rounds, self.round = self._core.rounds, self._core.round

    def after(self, state: Union[State, _Path]) -> Task:
        """The next round, from the state that :func:`combine` returned."""
        n = None if "n_guess" in self.spec else self.n
        return Task(self.spec, n, reporters=self.reporters, name=self.name, keys=self.keys, state=state)

    @withholds
    def share(
        self,
        records: Any,
        predictors: Any = None,
        groups: Union[ArrayLike, str, None] = None,
        *,
        columns: Optional[Sequence[str]] = None,
        layout: Optional[str] = None,
        memory: Union[int, str, None] = None,
        missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
        trust_layout: Optional[bool] = None,
        on_invalid: str = "error",
    ) -> list[str]:
        """Splits the contribution of a site or of persons into two encrypted shares. One share alone reveals nothing,
        so you may send the reports to both aggregators.

        Parameters
        ----------
        records : array of shape (n, *shape), a table, a DataFrame of PySpark's, or Remote
            The records of the site, as for :func:`karcher.run`. Records of persons are an array in memory.
        predictors : DataFrame, table, mapping of columns or array, optional
            The covariates of a regression on features.
        groups : array of shape (n,) or str, optional
            The person of each record, for a specification with the unit ``"person"``.
        columns, layout, memory, missing_values, trust_layout : optional
            How records are read, as for :meth:`PrivateFrechetMean.fit`.
        on_invalid : {"error", "replace-with-center"}
            Treatment of a record that is not a point of the manifold.

        Returns
        -------
        list of str
            One report for a site; for persons one report each, in order.

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        Error
            For reasons that depend only on public quantities.
        """
        check_rows(records=records, predictors=predictors, groups=groups)
        if self.spec["statistic"] == "count":
            return self._core.share_count(_rows(records))
        if self.reporters == "persons" and type(records) in (np.ndarray, np.memmap) and records.dtype.kind in "fiu":
            records = np.array(records, dtype=np.float64)  # others may be read a few rows at a time
        options = Options(groups, None, columns, layout, memory, missing_values, trust_layout)
        with naming_columns(records):
            read = _run.read_records(self.spec, records, predictors, options, on_invalid)
            return self._core.share(read.records, replaces(on_invalid), read.persons)

    def __repr__(self) -> str:
        about = f"{self.spec['statistic']}, {self.n} records, {self.reporters}, round {self.round} of {self.rounds}"
        return f"Task({about})"


class Aggregator:
    """One of two aggregators. Its shares reveal nothing, and its noise alone suffices for the guarantee.

    In each round of a release it checks the reports, sends the result to the other aggregator, and adds up its shares.
    You may repeat a step that failed: equal reports give equal texts.

    Parameters
    ----------
    key : str or os.PathLike
        The file of its private key. The journal next to it records which reports were added up and what was sent, so
        that noise is added only once.

    Attributes
    ----------
    public_key : str

    Raises
    ------
    Error
        For a file that is not a private key, and for a missing journal.
    """

    def __init__(self, key: _Path) -> None:
        self._core = _karcher.Aggregator(_path("key", key))
        self.public_key = self._core.public_key

    def check(self, task: Task, reports: Iterable[str]) -> str:
        """Checks the proofs of reports.

        Parameters
        ----------
        task : Task
        reports : list of str
            The reports of all reporters. Each text may hold several, one per line. Reports of other tasks are left out.

        Returns
        -------
        str
            The checked reports, for the other aggregator. It reveals no value of a report.
        """
        return self._core.check(_core_of(task), _texts_of("reports", reports))

    @withholds
    def add(
        self,
        task: Task,
        reports: Iterable[str],
        checked: str,
        *,
        ledger: Union[Ledger, _Path, None] = None,
    ) -> str:
        """Adds up the reports that both aggregators have and that have correct proofs, and adds noise. Copies count
        once.

        Parameters
        ----------
        task : Task
        reports : list of str
        checked : str
            The checked reports from the other aggregator.
        ledger : Ledger or path, optional
            Ledger that counts the budget of the release, once for all rounds, before noise is added. By default the
            ledger of the ``with`` block, if there is one.

        Returns
        -------
        str
            The noisy sum, for the collector. Its field ``reports`` is the number of reports in the sum.

        Raises
        ------
        BudgetError
            When not enough is left in the ledger.
        Error
            When sites report another number of records than the task is for, and when other reports were added up in
            this round.
        """
        given = _texts_of("reports", reports)
        return self._core.add(_core_of(task), given, _arguments.text("checked", checked), account_of(ledger))

    def __repr__(self) -> str:
        return f"Aggregator(public_key={self.public_key!r})"


def combine(task: Task, sums: Sequence[str]) -> Union[Release, FeatureRegressionRelease, CountRelease, State]:
    """Adds the noisy sums of two aggregators. It spends no budget.

    Parameters
    ----------
    task : Task
    sums : tuple of str
        The sum of each aggregator.

    Returns
    -------
    Release, FeatureRegressionRelease, CountRelease or State
        The release, as from :func:`karcher.run`; if it takes more rounds, the state for the next one.

    Raises
    ------
    Error
        For sums of another task, of one aggregator, or of different reports.
    """
    first, second = _two("sums", sums, "the sums of two aggregators")
    given = _arguments.text("sums[0]", first), _arguments.text("sums[1]", second)
    is_release, text = _core_of(task).combine(given)
    if not is_release:
        return State.from_json(text)
    release: Union[Release, FeatureRegressionRelease, CountRelease] = kind_of(task.spec["statistic"]).from_json(text)
    _spending.warn_of_noise(getattr(release, "flags", ()))
    return release


def _core_of(task: object) -> _karcher.Task:
    if not isinstance(task, Task):
        raise ArgumentTypeError(f"task is of type {type(task).__name__}: expected a Task")
    return task._core


def _two(name: str, given: Any, expected: str) -> tuple[Any, Any]:
    both = list(given) if isinstance(given, (tuple, list)) else []
    if len(both) != 2:
        raise ArgumentTypeError(f"{name} are not two: give {expected}")
    return both[0], both[1]


def _texts_of(name: str, given: Iterable[str]) -> list[str]:
    texts = [given] if isinstance(given, str) else list(given)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ArgumentTypeError(f"{name}[{i}] is of type {type(text).__name__}: expected a text")
    return texts


def _text_or_file(name: str, given: object) -> str:
    """A text of JSON, or what a file of it holds."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return given
    return _spec.text_of(_path(name, given), f"{name} has")


__dir__ = _docs.complete(globals())
