"""Releases over time: a statistic of everyone who has joined so far, again in each period, for one budget."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _arguments, _docs, _karcher, _run, _spec, _spending
from ._arrays import naming_columns
from ._keys import texts_of
from ._private import replaces
from ._rows import check_rows
from ._tables import Options
from ._withheld import withholds
from .count import _rows
from .errors import ArgumentTypeError
from .ledger import Ledger, _path, account_of
from .release import CountRelease, FeatureRegressionRelease, Release, VarianceRelease, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    _Path = Union[str, os.PathLike[str]]
    _Release = Union[Release, VarianceRelease, FeatureRegressionRelease, CountRelease]

__all__ = ["Series"]


class Series:
    """A series of releases, in a public file of its state and a confidential one of its key. :meth:`begin` makes them.
    ``karcher continue`` goes on with the same files.

    Parameters
    ----------
    state : str or os.PathLike
        The public file, ``.json``.
    key : str or os.PathLike, optional
        The confidential file. By default it is next to the state, with the end ``.key``.

    Attributes
    ----------
    spec : dict
        The specification, whose budget is that of all periods together.
    periods : int
        Number of periods.

    Raises
    ------
    Error
        For a file that is no state of a series.

    Notes
    -----
    User guide, "Releases over time" (T1).

    Examples
    --------
    >>> import os, tempfile, numpy as np, karcher
    >>> mean = karcher.PrivateFrechetMean("euclidean:2", radius=1.0, mu=1.0)
    >>> state = os.path.join(tempfile.mkdtemp(), "state.json")
    >>> series = karcher.Series.begin(mean, 12, state=state)              # spends the budget of all periods
    >>> for month in ["January", "February"]:
    ...     release = series.add(np.full((500, 2), 0.25), label=month)
    >>> release.n, release.guarantee, len(series)
    (1000, Guarantee(mu=1.0), 2)
    """

    def __init__(self, state: _Path, *, key: Optional[_Path] = None) -> None:
        file, secret = _files(state, key)
        self._core = _karcher.Series(file, secret)
        stated = json.loads(self._core.text())
        self.spec: dict[str, Any] = stated["spec"]
        self.periods: int = stated["shape"]["periods"]

    @classmethod
    def begin(
        cls,
        spec: Any,
        periods: int,
        *,
        state: _Path,
        key: Optional[_Path] = None,
        contributions: int = 1,
        every: int = 1,
        window: Optional[int] = None,
        ledger: Union[Ledger, _Path, None] = None,
        random_state: Optional[int] = None,
    ) -> Series:
        """Begins a series, which **spends the budget** of all its periods.

        Parameters
        ----------
        spec : dict, str, path, release or estimator
            The specification, as :func:`karcher.run` takes one. An estimator with the method ``spec`` stands for it.
        periods : int
            Number of periods.
        state, key : str or os.PathLike
            The new files.
        contributions : int
            Number of periods to which a person may contribute, for the unit ``"person"``.
        every : int
            Number of periods from one contribution of a person to the next, at least.
        window : int, optional
            Number of periods that each release is about, the last ones. By default all so far.
        ledger : Ledger or path, optional
            The ledger that counts the whole series, once.
        random_state : int, optional
            Reproducible noise, hence **not private**: for tests and demonstrations.

        Returns
        -------
        Series

        Raises
        ------
        BudgetError
            When not enough is left in the ledger.
        Error
            For a statistic that is not computed from one sum, and for files that exist.
        """
        file, secret = _files(state, key)
        shape = _shape(periods, contributions, every, window)
        _karcher.series_begin(_text_of(spec), shape, file, secret, _arguments.seed(random_state), account_of(ledger))
        return cls(file, key=secret)

    @staticmethod
    def plan(
        spec: Any,
        periods: int,
        joining: int,
        *,
        contributions: int = 1,
        every: int = 1,
        window: Optional[int] = None,
    ) -> list[dict[str, Any]]:
        """The expected error of each period if ``joining`` records join in each. It spends no budget.

        Parameters
        ----------
        spec : dict, str, path, release or estimator
            The specification, as for :meth:`begin`.
        periods : int
            Number of periods.
        joining : int
            Number of records that join in a period.
        contributions, every, window : optional
            As for :meth:`begin`.

        Returns
        -------
        list of dict
            For each period ``expected_error``, and ``independent``, the error of releases that are made apart.

        Raises
        ------
        Error
            For a statistic that is not computed from one sum.
        """
        shape = _shape(periods, contributions, every, window)
        text = _karcher.series_plan(_text_of(spec), shape, _arguments.count("joining", joining))
        planned: list[dict[str, Any]] = json.loads(text)
        return planned

    @withholds
    def add(
        self,
        records: Any = None,
        predictors: Any = None,
        groups: Union[ArrayLike, None] = None,
        *,
        label: Optional[str] = None,
        columns: Optional[Sequence[str]] = None,
        layout: Optional[str] = None,
        memory: Union[int, str, None] = None,
        missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
        trust_layout: Optional[bool] = None,
        on_invalid: str = "error",
    ) -> Optional[_Release]:
        """The release of the next period, from the records that joined in it. If the last call was interrupted, it
        publishes what that had entered, and reads nothing.

        Parameters
        ----------
        records : array of shape (n, *shape), a table or a DataFrame of PySpark's, optional
            The records that joined, as for :func:`karcher.run`. Without them no one joined.
        predictors : DataFrame, table, mapping of columns or array, optional
            The covariates of a regression on features.
        groups : array of shape (n,), optional
            The key of the person of each record, for the unit ``"person"``; ``records`` is then an array. Records of
            persons who contributed as often as the series takes are left out, whatever they hold.
        label : str, optional
            Public name of the period.
        columns, layout, memory, missing_values, trust_layout : optional
            How records are read, as for :meth:`PrivateFrechetMean.fit`.
        on_invalid : {"error", "replace-with-center"}
            Treatment of a record that is not a point of the manifold.

        Returns
        -------
        Release, VarianceRelease, FeatureRegressionRelease, CountRelease or None
            The release about everyone who joined so far, or in the window; none before the first record.

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        Error
            For a state that was edited, the key of another series, and after the last period.
        """
        label = _arguments.optional(_arguments.text, "label", label)
        text = self._added(records, predictors, groups, (columns, layout, memory, missing_values, trust_layout),
                           (label, on_invalid))  # fmt: skip
        if text is None:
            return None
        release: _Release = kind_of(self.spec["statistic"]).from_json(text)
        _spending.warn_of_noise(getattr(release, "flags", ()))
        return release

    def _added(self, records: Any, predictors: Any, groups: Any, reading: Any, how: Any) -> Optional[str]:
        label, on_invalid = how
        if records is None:
            return self._core.add_empty(label)
        check_rows(records=records, predictors=predictors, groups=groups)
        if self.spec["statistic"] == "count":
            return self._core.add_count(_rows(records), label)
        names: list[Optional[str]] = []
        if groups is not None:
            records, names = np.asarray(records), texts_of(groups)
            stays = ~np.array(self._core.left_out(names), dtype=bool)
            records, groups = records[stays], np.asarray(names, dtype=object)[stays]
            if isinstance(predictors, Mapping):
                predictors = {name: np.asarray(column)[stays] for name, column in predictors.items()}
            elif predictors is not None:
                predictors = predictors[stays] if hasattr(predictors, "iloc") else np.asarray(predictors)[stays]
            names = list(groups)
            if not names:
                return self._core.add_empty(label)
        options = Options(groups, None, *reading)
        with naming_columns(records):
            read = _run.read_records(self.spec, records, predictors, options, on_invalid)
            return self._core.add(read.records, replaces(on_invalid), read.persons, names, label)

    @property
    def releases(self) -> list[Optional[_Release]]:
        """The releases so far."""
        kind = kind_of(self.spec["statistic"])
        stated = json.loads(self._core.text())["published"]
        texts = [None if of["release"] is None else json.dumps(of["release"]) for of in stated]
        return [None if text is None else kind.from_json(text) for text in texts]

    def __len__(self) -> int:
        """How many periods were published."""
        return len(json.loads(self._core.text())["published"])

    def __repr__(self) -> str:
        return f"Series({self.spec['statistic']}, {len(self)} of {self.periods} periods)"


def _shape(periods: int, contributions: int, every: int, window: Optional[int]) -> tuple[int, int, int, Optional[int]]:
    count = _arguments.count
    return (
        count("periods", periods),
        count("contributions", contributions),
        count("every", every),
        _arguments.optional(count, "window", window),
    )


def _files(state: _Path, key: Optional[_Path]) -> tuple[str, str]:
    file = _path("state", state)
    return file, os.path.splitext(file)[0] + ".key" if key is None else _path("key", key)


def _text_of(spec: Any) -> str:
    of_estimator = getattr(spec, "spec", None)
    if isinstance(spec, type):
        raise ArgumentTypeError("spec is a class: expected an estimator or a specification")
    return _spec.as_text(of_estimator() if callable(of_estimator) else _spec.read(spec))


__dir__ = _docs.complete(globals())
