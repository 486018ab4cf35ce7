"""Terms of a regression on features: public rules that turn a covariate into a block of numbers of norm at most 1.

A list of terms makes a row of features: an intercept and the block of each term, all with equal weight. Covariates
beyond a range count as its ends, and unlisted levels as an additional level, ``other``. Terms are public: choose them
from knowledge of the field, never by looking at the records.

Examples
--------
>>> from karcher.features import Levels, Spline, rows
>>> rows([Spline("age", 20, 80, knots=2), Levels("sex", ["F", "M"])], {"age": [20.0, 80.0], "sex": ["F", "M"]}).shape
(2, 8)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _arguments, _docs, _karcher
from ._arrays import numbers
from ._cells import array_of
from ._containers import refuse_plan
from ._dates import moments
from ._keys import key_of, keys_of
from ._rows import check_rows
from .errors import ArgumentTypeError, Error, InvalidPointError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .manifolds import Floats

__all__ = ["Levels", "Linear", "Poly", "Product", "Spline", "names", "rows"]


def _quoted(name: object) -> str:
    text = str(name)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ':*,"') or text != text.strip() else text


@dataclass(frozen=True)
class _OfRange:
    """A term of a number within a range."""

    column: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if not _arguments.real("low", self.low) < _arguments.real("high", self.high):
            raise Error(f"low is {self.low} and high is {self.high}: the lower end comes first")

    def __str__(self) -> str:
        column, *others = vars(self).values()
        return ":".join([type(self).__name__.lower(), _quoted(column), *map(str, others)])


@dataclass(frozen=True)
class Linear(_OfRange):
    """A number, scaled from ``low`` to ``high`` to [−1, 1].

    Examples
    --------
    >>> from karcher.features import Linear
    >>> print(Linear("age", 20, 80))
    linear:age:20:80
    """


@dataclass(frozen=True)
class Poly(_OfRange):
    """Chebyshev polynomials of the scaled number, of degrees 1 to ``degree``.

    Examples
    --------
    >>> from karcher.features import Poly
    >>> print(Poly("age", 20, 80, degree=3))
    poly:age:20:80:3
    """

    degree: int


@dataclass(frozen=True)
class Spline(_OfRange):
    """Cubic B-splines on evenly spaced knots, with the ends of the range among them: ``knots`` + 2 features.

    Examples
    --------
    >>> from karcher.features import Spline
    >>> print(Spline("age", 20, 80, knots=6))
    spline:age:20:80:6
    """

    knots: int


@dataclass(frozen=True)
class Levels:
    """One feature for each listed level, and one for all others.

    Examples
    --------
    >>> from karcher.features import Levels
    >>> print(Levels("sex", ["F", "M"]))
    levels:sex:F,M
    """

    column: str
    levels: Sequence[str]

    def __post_init__(self) -> None:
        if isinstance(self.levels, (str, bytes)):
            raise Error(f"levels is the text {self.levels!r}: give a list of levels, such as {list(self.levels)!r}")
        seen: set[str] = set()
        for level in self.levels:
            key = key_of(str(level))
            if key is None:
                raise Error("levels has an empty text: leave it out, it counts as other")
            if key in seen:
                raise Error(f"levels has {str(level).strip()!r} twice: list each level once")
            seen.add(key)

    def __str__(self) -> str:
        return f"levels:{_quoted(self.column)}:{','.join(_quoted(level) for level in self.levels)}"


@dataclass(frozen=True, init=False)
class Product:
    """All products of a feature of each term.

    Examples
    --------
    >>> from karcher.features import Levels, Linear, Product
    >>> print(Product(Linear("age", 20, 80), Levels("sex", ["F", "M"])))
    product:linear:age:20:80*levels:sex:F,M
    """

    terms: tuple[Any, ...]

    def __init__(self, *terms: Union[Term, str]) -> None:
        object.__setattr__(self, "terms", terms)

    def __str__(self) -> str:
        return "product:" + "*".join(map(str, self.terms))


Term = Union[Linear, Poly, Spline, Levels, Product]
"""A term. Its text is the one that the command takes."""


def names(features: Sequence[Union[Term, str]]) -> list[str]:
    """The names of the features, the intercept first.

    Parameters
    ----------
    features : list of terms
        Terms, or their texts.

    {refusals}

    Examples
    --------
    >>> from karcher.features import names
    >>> names(["linear:age:20:80", "levels:sex:F,M"])
    ['intercept', 'age', 'sex=F', 'sex=M', 'sex=other']
    """
    return _karcher.feature_columns(as_text(features))[1]


def rows(features: Sequence[Union[Term, str]], X: Any, *, on_invalid: str = "error") -> Floats:
    """The rows of features of records, as a regression computes them.

    Parameters
    ----------
    features : list of terms
    X : DataFrame, table or mapping of columns
        The covariates by name.
    on_invalid : {"error", "replace-with-center"}
        Treatment of a missing covariate. With replacement it becomes the middle of the range, or ``other``.

    Returns
    -------
    array of shape (n, q)
        Rows of norm at most 1.

    Raises
    ------
    Error
        For a column that ``X`` lacks.
    InvalidPointError
        For a missing covariate; the message names the row.
    """
    replace = _arguments.one_of("on_invalid", on_invalid, "error", "replace-with-center") != "error"
    text = as_text(features)
    if text == "[]":
        raise Error("features is empty: without terms a row is the intercept alone")
    refuse_plan(X, "X")
    check_rows(X=X)
    columns, _ = _karcher.feature_columns(text)
    read = [_column(X, name, levels, replace) for name, levels in columns]
    if len({len(column) for column in read}) > 1:
        raise Error("X has columns of several lengths: each record has a value in each")
    covariates = np.ascontiguousarray(np.stack(read, axis=1), dtype=np.float64)
    found: Floats = _karcher.feature_rows(text, covariates)
    return found


def as_text(features: object) -> str:
    """The terms as the library reads them."""
    if isinstance(features, (str, bytes)) or not hasattr(features, "__iter__"):
        raise ArgumentTypeError("features is not a list of terms, such as ['spline:age:20:80:6']")
    terms = list(features)
    known = (Linear, Poly, Spline, Levels, Product, str)
    if not all(isinstance(term, known) for term in terms):
        expected = "Linear, Poly, Spline, Levels, Product or a text"
        raise ArgumentTypeError(f"features has something that is no term: {expected}")
    return json.dumps([str(term) for term in terms])


def values_at(X: Any) -> Any:
    """One record's covariates as columns of one row; whatever else as it is."""
    if isinstance(X, dict) and not any(np.ndim(value) for value in X.values()):
        return {name: [value] for name, value in X.items()}
    return X


def contrast(features: Sequence[str], column: str, from_value: Any, to_value: Any, at: Mapping[str, Any]) -> Floats:
    """The row of features at one value of a column less that at another, with values of others where they matter."""
    levels = dict(_karcher.feature_columns(as_text(features))[0])
    known = ", ".join(levels)
    for name, value in [(column, from_value), (column, to_value), *at.items()]:
        if name not in levels:
            raise Error(f"no term reads {name!r}: the covariates are {known}")
        listed = levels[name]
        place = 0.0 if listed is None else _karcher.level_places(listed, [key_of(value)])[0]
        if listed is not None and place == len(listed) and key_of(value) != "other":
            raise Error(f"{name} has no level {value!r}: its levels are {', '.join(listed)} and other")
    for term in features:
        joined = dict(_karcher.feature_columns(as_text([term]))[0])
        lacking = [name for name in joined if name != column and name not in at]
        if column in joined and lacking:
            where = f"say at which, as in at={{{lacking[0]!r}: …}}"
            raise Error(f"the effect of {column} depends on {lacking[0]}, by {term}: {where}")
    fixed = {name: "other" if of else 0.0 for name, of in levels.items()}
    both = {**{name: [value] * 2 for name, value in {**fixed, **at}.items()}, column: [from_value, to_value]}
    low, high = rows(features, both)
    return np.asarray(high - low)


def _column(X: Any, name: str, levels: Any, replace: bool) -> Any:
    """A column of covariates as numbers: of levels their places, and NaN where a value is missing."""
    try:
        column = X[name]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        column = None
    except Exception as problem:  # of polars
        if "Column" not in type(problem).__name__:
            raise
        column = None
    if column is None:
        raise Error(f"X has no column {name!r}: give a DataFrame, a table or a dict with the columns of features")
    if hasattr(column, "to_pylist"):
        column = column.to_pylist()
    cells = array_of(column, name, "nan", ())
    if cells is None or cells.ndim > 1 or (levels is None and cells.ndim == 0):
        raise Error(f"X has no single value a record in column {name!r}: it has shape {np.shape(cells)}")
    if levels is None:
        remedy = "on_invalid='replace-with-center' takes the middle of its range"
        missing = "nan" if replace else "refuse"
        found = numbers(moments(column), name, missing=missing, remedy=f", or {remedy}", shape=())
        if not replace and np.isnan(found).any():
            row = int(np.isnan(found).argmax()) + 1
            raise InvalidPointError(f"{name}, row {row}: the number is missing; {remedy}")
        return found
    texts = keys_of(cells.astype(object).ravel().tolist())
    if not replace and None in texts:
        row = texts.index(None) + 1
        remedy = "on_invalid='replace-with-center' takes it for another one"
        raise InvalidPointError(f"{name}, row {row}: the level is missing; {remedy}")
    return np.array(_karcher.level_places(levels, texts), dtype=np.float64)


__dir__ = _docs.complete(globals())
