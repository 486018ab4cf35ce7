"""Records on other machines, which get a question as bytes and return a sum.

>>> import numpy as np, karcher
>>> halves = np.array_split(np.tile([0.6, 0.0, 0.8], (1000, 1)), 2)  # as if each were on a machine
>>> def ask(question):
...     answers = [karcher.partial(half, question) for half in halves]  # there
...     return karcher.merge(*answers)
>>> mean = karcher.PrivateFrechetMean("sphere:2", radius=0.8, center=[0, 0, 1], epsilon=1.0)
>>> mean.fit(karcher.Remote(ask)).release_.n
1000
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np

from . import _docs, _karcher
from ._arrays import numbers
from ._containers import opened
from ._groups import persons_of
from ._names import names_of
from ._rows import check_rows
from ._tables import Options, codes_of_array, column_as_table, is_table, refuse_plans, stream_of
from .errors import ArgumentTypeError, Error

if TYPE_CHECKING:
    from collections.abc import Sequence


class Remote:
    """Records elsewhere, about which a function answers questions. An estimator takes it in place of records, and the
    release is equal to the last bit.

    Parameters
    ----------
    ask : callable
        ``ask(question)`` sends the question, which is bytes, to the place of the records, and calls :func:`partial` on
        every part of them. It adds the answers with :func:`merge` in any order, and returns the sum. It must add every
        part exactly once. Every question after the first is **confidential**, and so is every answer.
    persons : bool
        Whether ``partial`` gets the person of each record, so that the guarantee protects persons. **All records of a
        person must be in one part**: a person in two parts counts as two, and is not protected.
    """

    def __init__(self, ask: Callable[[bytes], bytes], persons: bool = False) -> None:
        if not callable(ask):
            raise ArgumentTypeError(f"ask is of type {type(ask).__name__}: expected a function of a question")
        self._persons = bool(persons)
        self._core = _karcher.Remote(ask, self._persons)

    def __repr__(self) -> str:
        return "Remote(...)"


def partial(
    X: Any,
    question: bytes,
    *,
    columns: Optional[Sequence[str]] = None,
    layout: Optional[str] = None,
    groups: Any = None,
    predictor: Any = None,
    missing_values: Any = None,
    trust_layout: Optional[bool] = None,
) -> bytes:
    """The answer to a question about a part of the records: an exact sum. **Confidential.** It reads the part once,
    draws no noise, and gives the same bytes however often it is called.

    Parameters
    ----------
    X : array of shape (n, *shape), or a table
        An array, or an object with ``__arrow_c_stream__``; ``None`` for a part without records.
    question : bytes
        The question of :class:`Remote`.
    columns : list of str, optional
        Columns of a table that hold a record; by default all that hold numbers.
    layout : str, optional
        Layout of the columns of a table, as ``"latlon"``; by default the numbers of a point.
    groups : array of shape (n,) or str, optional
        The person of each record, if and only if ``Remote(persons=True)`` asks; the name of a column of a table.
    predictor : array of shape (n,) or (n, 1), or str, optional
        One number per record, for a regression; the name of a column of a table.
    missing_values : float, list of float or dict, optional
        As for :class:`karcher.PrivateFrechetMean`.
    trust_layout : bool, optional
        Whether the names of the columns may contradict the layout: in geodesy x is north.

    Raises
    ------
    InvalidPointError
        For a row that is not a point. The message names the row, but not its numbers.
    Error
    """
    question = _bytes("question", question)
    if X is None:
        for name, given in (("groups", groups), ("predictor", predictor)):
            if given is not None and not isinstance(given, str) and np.size(given) > 0:
                raise Error(f"{name} is given without records: X is None")
        return _karcher.partial(None, question, None, None, None)
    refuse_plans(X)
    check_rows(X=X, groups=groups, predictor=predictor)
    options = Options(
        groups, predictor, columns, layout, missing_values=missing_values, trust_layout=trust_layout
    )
    space = _space_in(question)
    X = column_as_table(opened(X, "X", space))
    if is_table(X, replace(options, predictor=predictor if isinstance(predictor, str) else None)):
        stream = stream_of(X, options, replaces=True)
        return _karcher.partial(stream, question, None, None, None if options.trusts else stream.numbers)
    if columns is not None or layout is not None:
        raise ArgumentTypeError("columns and layout belong to tables: an array has its records one a row")
    codes = codes_of_array(missing_values)
    records = numbers(X, "X", missing="nan", codes=codes, like=space)
    predictors = None if predictor is None else numbers(predictor, "predictor", missing="nan", codes=codes, shape=())
    names = None if options.trusts else names_of(X)
    return _karcher.partial(records, question, predictors, persons_of(groups, records), names)


def merge(a: bytes, b: bytes) -> bytes:
    """The sum of two answers to one question, from :func:`partial` or from this function.

    Parameters
    ----------
    a, b : bytes

    Raises
    ------
    Error
        For answers to different questions, and for bytes that are no answer.
    """
    return _karcher.merge(_bytes("a", a), _bytes("b", b))


def _space_in(question: bytes) -> Optional[str]:
    """The name of the space that a question is about; ``None`` for bytes that are none."""
    found = re.search(rb'"space":"([^"]+)"', question)
    return None if found is None else found[1].decode(errors="replace")


def _bytes(name: str, given: object) -> bytes:
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"{name} is of type {type(given).__name__}: expected bytes")
    return bytes(given)


__dir__ = _docs.complete(globals())
