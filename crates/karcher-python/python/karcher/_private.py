"""What all private estimators of points share, such as ``fit``."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar, Union

import numpy as np
from sklearn.utils.validation import validate_data

from . import _arguments, _docs, _karcher, _spec, _spending
from ._arrays import check_complex, naming_columns, numbers
from ._containers import labelled, opened
from ._input import elsewhere, in_single, Input, large, on_disk
from ._groups import check_groups, persons_of
from ._names import TRUST, check_frame, names_of
from ._parameters import estimator
from ._rows import check_rows
from ._sklearn import BaseEstimator
from ._tables import Options, codes_of_array
from ._threads import in_threads
from ._withheld import withholds
from ._not_fitted import NotFittedError
from .errors import ArgumentTypeError, Error
from .landmarks import rotated
from .ledger import Accounted, Ledger
from .manifolds import Manifold, points_are_matrices, resolve
from .privacy import Guarantee
from .release import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from dataclasses import KW_ONLY

    from numpy.typing import ArrayLike
    from typing_extensions import Self

    from .manifolds import Floats


Kind = TypeVar("Kind")
"""The kind of a release."""

REPLACED = ", or on_invalid='replace-with-center' puts the center in the place of such records"
"""The end of a refusal of missing numbers by a private estimator."""


def replaces(on_invalid: object) -> bool:
    """Whether the center replaces records that are no points."""
    return _arguments.one_of("on_invalid", on_invalid, "error", "replace-with-center") == "replace-with-center"


def refuse_weights(options: dict[str, object]) -> None:
    """Refuses ``sample_weight``, with what it would take, and whatever else ``fit`` does not know."""
    for name, value in options.items():
        if name != "sample_weight":
            raise ArgumentTypeError(f"fit() got an unexpected keyword argument {name!r}")
        if value is not None:
            raise Error(
                "sample_weight does not go with a private release: a record of weight w moves a mean as far as w/(sum "
                "of the weights), not 1/n, so that all weights would have to be public and the noise that of the "
                "largest; leave them out, or release the mean of each stratum by itself and weigh the releases"
            )


def named_records(
    manifold: object,
    given: object,
    name: str,
    *,
    missing: str = "refuse",
    remedy: str = "",
    codes: Sequence[float] = (),
    trust: Optional[str] = "",
    center: object = None,
) -> tuple[Manifold, Floats]:
    """The manifold, and the records as an array of float64, which is what was given where it can be. Points are checked
    in Rust. ``trust`` says what overrules names of columns that contradict the manifold; with ``None`` they may. The
    ``center`` of a ball has the shape of a record where the manifold has no size."""
    shape = None if center is None or isinstance(center, str) else np.shape(np.asarray(center))
    records = numbers(given, name, missing=missing, remedy=remedy, codes=codes, like=manifold, shape=shape)
    sized = isinstance(manifold, Manifold) or (isinstance(manifold, str) and ":" in manifold)
    if records.shape == (0,) and sized:
        records = records.reshape(0, *resolve(manifold).shape)  # no records: a list of none does not say of what shape
    if records.ndim < 2 and not sized:
        raise Error(
            f"{name} has shape {records.shape}: records come one a row; Reshape your data: {name}.reshape(-1, 1) for "
            "one number each"
        )
    if 0 in records.shape[1:]:
        raise Error(f"{name} has 0 feature(s) (shape={records.shape}) while a minimum of 1 is required in each record")
    space = resolve(manifold, records.shape[1:])
    if space.dtype.kind == "c":
        check_complex(records, space, name)
    if trust is not None:
        check_frame(space, given, name, trust=trust)
    return space, records


def private_records(estimator: Any, X: ArrayLike, **options: Any) -> tuple[Manifold, Floats]:
    """The same for ``X`` of an estimator. scikit-learn remembers the number and the names of its columns."""
    center = getattr(estimator, "center", None)
    space, records = named_records(estimator.manifold, X, "X", center=center, **options)
    see_columns(estimator, X, records)
    return space, records


def see_columns(estimator: Any, X: object, records: Floats, *, reset: bool = True) -> None:
    """Has scikit-learn remember the number and the names of the columns of ``X``, or compare them with those that it
    remembers."""
    problem: Optional[Error] = None
    X = labelled(X)
    try:
        validate_data(estimator, X if hasattr(X, "columns") else records, reset=reset, skip_check_array=True)
    except (TypeError, ValueError) as error:
        names = names_of(X) or []
        twice = next((name for name in names if names.count(name) > 1), None)
        if isinstance(error, ValueError) and not reset:
            problem = Error(str(error))  # names of columns, or how many there are
        elif twice is not None:
            problem = Error(f"X has two columns called {twice}: give each a name of its own, or X.to_numpy()")
        else:
            problem = ArgumentTypeError(
                "X has column names that are not all texts: name them all, or give X.to_numpy()"
            )
    if problem is not None:
        raise problem


def check_is_fitted(estimator: Any, attribute: str = "manifold_") -> None:
    """Refuses what needs a ``fit`` before, which sets ``attribute``."""
    if not hasattr(estimator, attribute):
        raise NotFittedError(f"this {type(estimator).__name__} is not fitted: call fit first")


def seen_records(estimator: Any, X: ArrayLike) -> Floats:
    """Other records, if they are of the shape that ``fit`` has seen, with the names of its columns."""
    check_is_fitted(estimator)
    space = estimator.manifold_
    records = named_records(space, X, "X")[1]
    if records.ndim != 1 + len(space.shape):
        one = "(1, -1)" if records.ndim == 1 else f"(-1, *{space.shape})"
        raise Error(f"X has shape {records.shape}: records come one a row; Reshape your data: X.reshape{one}")
    see_columns(estimator, X, records, reset=False)
    if records.shape[1:] != space.shape:
        raise Error(f"X has shape {records.shape}: this one was fitted with records of shape {space.shape}")
    return records


def onto_template(space: Manifold, release: object, records: Floats) -> Floats:
    """Other records, rotated onto the template of a release, if it is one that has one."""
    template = getattr(release, "template", None)
    return records if template is None else rotated(space, numbers(records, "X"), template)[0]


class OfPoints(BaseEstimator):
    """An estimator whose records are points, which tells scikit-learn how many axes ``X`` has: three where points are
    matrices."""

    manifold: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        matrices = self._has_matrices()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = not matrices, matrices
        tags.input_tags.allow_nan = getattr(self, "on_invalid", None) == "replace-with-center"
        return tags

    def _has_matrices(self) -> bool:
        return points_are_matrices(self.manifold)


@estimator
class Budgeted(Accounted):
    """What everything has that spends a budget."""

    _: KW_ONLY
    epsilon: Optional[float] = None
    delta: Optional[float] = None
    mu: Optional[float] = None
    rho: Optional[float] = None
    ledger: Union[Ledger, str, os.PathLike[str], None] = None
    random_state: Optional[int] = None

    def _budget(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta, self.mu, self.rho)


@estimator
class OfNeighbours:
    """What has a choice of neighbours."""

    _: KW_ONLY
    adjacency: str = "replace-one"
    n_guess: Optional[int] = None


class Specified(Budgeted, Generic[Kind]):
    """An estimator whose releases, of one kind, a specification describes."""

    manifold: Any
    release_: Kind

    def spec(self, *, unit: str = "record") -> dict[str, Any]:
        """The specification of the release that ``fit`` would make. It holds everything public but the number of
        records, as one JSON object; :func:`karcher.run` takes it. The estimator need not be fitted.

        Parameters
        ----------
        unit : {"record", "person"}
            What the guarantee protects: ``"person"`` for a ``fit`` with ``groups``.

        Returns
        -------
        dict

        Raises
        ------
        Error
            For parameters that do not go together or that no mechanism takes, and for a manifold whose size only
            records tell.
        """
        unit = _arguments.one_of("unit", unit, "record", "person")
        return _spec.checked(self._spec(resolve(self.manifold), unit))

    def guarantee(self) -> Guarantee:
        """The guarantee of the release that ``fit`` would make: the budget. The estimator need not be fitted.

        Raises
        ------
        Error
            As for :meth:`spec`. Where only records tell the size of the manifold, the budget alone is checked.
        """
        promised = self._budget()
        if self._is_sized():
            self.spec()
        return promised

    def _is_sized(self) -> bool:
        """Whether the specification needs no records: the manifold has its size, or there is none."""
        manifold = getattr(self, "manifold", None)
        return manifold is None or isinstance(manifold, Manifold) or ":" in str(manifold)

    def _spec(self, space: Manifold, unit: str) -> dict[str, Any]:
        """The fields of the specification, which the library checks."""
        raise NotImplementedError

    def _fields(self, statistic: str, space: Manifold, unit: str, **others: Any) -> dict[str, Any]:
        """The fields that are parameters, and others."""
        return _spec.filled(statistic, self._budget(), vars(self), manifold=space.name, unit=unit, **others)


def released(
    fields: dict[str, Any],
    records: Input,
    account: Optional[str],
    *,
    replace: bool,
    seed: object,
    predictors: Any = None,
    classes: Optional[_karcher.Classes] = None,
    gradient: Any = None,
) -> Any:
    """The release that a specification asks for, which a ledger counts if there is one."""
    if classes is None:  # those of several classes were planned together
        _spending.warn_if_weak(fields, records.array)
    text = _karcher.release(
        _spec.as_text(fields),
        records.records,
        predictors,
        replace,
        records.persons,
        _arguments.seed(seed),
        account,
        classes,
        gradient,
    )
    assert text is not None  # a class is planned without its release, and by itself
    columns = records.columns if "manifold" in fields and _karcher.names_parts(fields["manifold"]) else None
    how = {"layout": records.layout, "columns": columns, "template": records.template}
    return kind_of(fields["statistic"]).from_json(_with_reading(text, **how))


def _with_reading(text: str, **how: Any) -> str:
    """The JSON of a release with how its records were read, and with the numbers as they are."""
    told = "".join(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in how.items() if value)
    return f"{text.rstrip()[:-1]}{told}}}" if told else text


@estimator
class Releasing(Specified[Kind]):
    """An estimator whose ``fit`` is a release of records."""

    _: KW_ONLY
    on_invalid: str = "error"
    n_jobs: Optional[int] = None

    def _make(
        self, read: Input, given: object, space: Optional[Manifold] = None, *, has_layout: bool = False, **how: Any
    ) -> Self:
        """Makes the release of records that were read, which spends the budget. Errors name the columns that the
        argument ``given`` has. Fields are those of the records' ``space``, unless there is another one."""
        account, space = self._account(), space or read.space
        with naming_columns(given, has_layout=has_layout):
            fields, replace = self._spec(space, read.unit), replaces(self.on_invalid)
            release = released(fields, read, account, replace=replace, seed=self.random_state, **how)
        _spending.trained(self, given if isinstance(given, np.ndarray) else read.array)
        self.release_, self.manifold_, self._of_numbers = release, space, read.of_numbers
        self._tell()
        _spending.warn_of_noise(release.flags)
        return self

    def _tell(self) -> None:
        """Sets the attributes that repeat a part of the release."""


class PrivateEstimator(Releasing[Kind], OfPoints):
    """A private estimator of points: it stores parameters, and every ``fit`` is a release."""

    @withholds
    @in_threads
    def fit(
        self,
        X: Any,
        y: object = None,
        groups: Union[ArrayLike, str, None] = None,
        *,
        columns: Optional[Sequence[str]] = None,
        layout: Optional[str] = None,
        memory: Union[int, str, None] = None,
        missing_values: Union[float, Sequence[float], Mapping[str, Any], None] = None,
        trust_layout: Optional[bool] = None,
        template: Optional[ArrayLike] = None,
        **refused: object,
    ) -> Self:
        """Makes a release of the records, which spends the budget.

        Parameters
        ----------
        X : array of shape (n, *shape), a table, a DataFrame of PySpark's, or Remote
            One row per person, or with ``groups`` one row per record. An array is not copied if it is float64 in C
            order, or float32 for an extrinsic mean. A table is any object with ``__arrow_c_stream__``, from pyarrow,
            polars, duckdb or datafusion. It is read batch by batch, and again for each sum if it does not fit into
            ``memory``. So is an array on disk (``numpy.memmap``, of any type of numbers). A DataFrame of PySpark is
            evaluated by its workers (user guide, "Large data and clusters").
        y : ignored
        groups : array of shape (n,) or str, optional
            Person of each record: texts, numbers or dates; the name of a column if ``X`` is a table. The records of a
            person are reduced to one contribution, their mean (each clipped to the ball first), and the guarantee
            protects persons. ``release_.unit`` is ``"person"``, and ``release_.n`` the number of persons, which is
            public. The number of records of a person is not released.
        columns : list of str, optional
            Columns of a table that hold a record; by default all that hold numbers. A column may hold lists of numbers.
        layout : str, optional
            Layout of the columns of a table, as ``"latlon"``; by default the numbers of a point.
        memory : int or str, optional
            About how many bytes the records of a table, or of an array on disk, may take: ``"512MB"`` by default.
        missing_values : float, list of float or dict, optional
            Numbers that stand for missing values, such as ``[-1, -999]``; for a table also by column, as
            ``{"depth": [-1, -999]}``. They are refused, or with ``on_invalid="replace-with-center"`` replaced.
        trust_layout : bool, optional
            Whether the names of the columns may contradict the layout: in geodesy x is north.
        template : array of shape (k, d), optional
            Public landmarks onto which each record of ``landmarks:K,D`` or ``size-and-shape:K,D`` is rotated, as by
            :func:`karcher.align_landmarks`. The release states it.
        **refused
            ``sample_weight`` is refused, unless it is None.

        {self}

        Raises
        ------
        InvalidPointError
            When a record is not a point; the message names it and the reason.
        UnansweredError
            When a table cannot be read, or a cluster does not answer.
        RadiusTooLargeError, TooMuchNoiseError, UnsupportedError
            For reasons that depend only on public quantities.
        """
        refuse_weights(refused)
        check_rows(X=X, groups=groups)
        if y is not None and groups is None:
            warnings.warn(
                "y is not read, and each record counts as a person's: give persons as groups=",
                UserWarning,
                stacklevel=_spending.caller(),
            )
        options = Options(groups, None, columns, layout, memory, missing_values, trust_layout, template)
        read = self._read(X, options)
        return self._make(read, X, has_layout=True, **self._function(read.space))

    def _read(self, X: Any, options: Options) -> Input:
        """The records as the compiled half reads them."""
        check_groups(options.groups, getattr(self, "adjacency", "replace-one"))
        replace = replaces(self.on_invalid)
        X = opened(X, "X", getattr(self, "manifold", None))
        return elsewhere(self, X, options) or self._array(X, options, replace)

    def _array(self, X: ArrayLike, options: Options, replace: bool) -> Input:
        groups, memory, codes = options.groups, options.memory, codes_of_array(options.missing_values)
        as_given = not codes and options.template is None
        mapped = None if not as_given else on_disk(X, self.manifold, groups, memory)
        if mapped is not None:
            validate_data(self, X, skip_check_array=True)
            return mapped
        single = None if not as_given else self._in_single(X, groups, memory)
        if single is not None:
            validate_data(self, X, skip_check_array=True)
            return single
        missing, trust = "nan" if replace else "refuse", None if options.trusts else TRUST
        space, records = private_records(self, X, missing=missing, remedy=REPLACED, codes=codes, trust=trust)
        if options.template is not None:
            turned, onto = rotated(space, records, numbers(options.template, "template"))
            return Input(space, large(None, turned, memory), persons_of(groups, records), records, template=onto)
        return Input(space, large(X, records, memory), persons_of(groups, records), records)

    def _in_single(self, X: Any, groups: object, memory: object) -> Optional[Input]:
        """Records of float32 where a few sums are all that is asked of them: each time they can be converted anew."""
        if type(X) is not np.ndarray or X.dtype != np.float32 or X.ndim < 2 or 0 in X.shape:
            return None
        space = resolve(self.manifold, X.shape[1:])
        is_for_few = _karcher.asks_few_sums(_spec.as_text(self._spec(space, "record")), len(X))
        return in_single(X, space, groups, memory) if is_for_few else None

    def _function(self, records: Manifold) -> dict[str, Any]:
        """The function that no specification holds: the gradient of a descent."""
        return {}


__dir__ = _docs.complete(globals())
