"""DataFrames of PySpark, classic or Connect, and of whatever speaks Spark Connect, such as Sail."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Callable, Optional, TypeVar

from ._keys import keys_of
from ._names import list_of
from ._tables import codes_of
from .cluster import merge, partial
from .errors import Error, UnansweredError

T = TypeVar("T")

_ANSWER = "answer binary, fault string"
_NUMERIC = re.compile(r"(array<)*(tinyint|smallint|int|bigint|float|double|decimal(\(.*\))?)>*")
_FILE = re.compile(r"(?:reading|footer for) file:?\s+([^\s\]]+)", re.IGNORECASE)


def is_frame(X: object) -> bool:
    """Whether records are in one."""
    return hasattr(X, "mapInArrow")


def asked(
    frame: Any,
    columns: Optional[Sequence[str]],
    predictor: Optional[str],
    groups: Optional[str],
    layout: Optional[str],
    missing_values: object = None,
) -> tuple[Callable[[bytes], bytes], list[str], list[str]]:
    """A function that asks all partitions, the columns that hold a record, and all. The name of one that holds lists
    ends in ``[]``."""
    kinds = dict(_of_engine(lambda: frame.dtypes, lambda: _trial(frame)))
    told = [name for name in (predictor, groups) if name is not None]
    if columns is None:
        columns = [name for name, kind in kinds.items() if name not in told and _NUMERIC.fullmatch(kind)]
        if not columns:
            raise Error("no column holds numbers: columns= says which ones to read")
    fields = [name if name in kinds else list_of(name) for name in columns]
    absent = [name for name in (*fields, *told) if name not in kinds]
    if absent:
        raise Error(f"there is no column {absent[0]}")
    frame = frame.select(*map(_quoted, dict.fromkeys((*fields, *told))))
    if groups is not None:
        if kinds[groups] == "string":  # in which equal keys may be written in several ways
            kept = {name: kind for name, kind in kinds.items() if name in frame.columns}
            schema = ", ".join(f"{_quoted(name)} {kind}" for name, kind in kept.items())
            frame = frame.mapInArrow(functools.partial(with_keys, column=groups), schema)
        frame = frame.repartition(_quoted(groups))  # all records of a person are in one partition
    # names of columns are looked at here
    options: dict[str, Any] = {
        "columns": list(columns),
        "predictor": predictor,
        "groups": groups,
        "layout": layout,
        "trust_layout": True,
    }
    if missing_values is not None:
        codes_of(missing_values)
        options["missing_values"] = missing_values
    names = [f"{name}[]" if "array" in kinds.get(name, "") else name for name in columns]
    return functools.partial(_ask, frame, options), names, list(kinds)


def with_keys(batches: Iterable[Any], column: str) -> Iterator[Any]:
    """The batches with one text for all keys of a column that are equal."""
    import pyarrow as pa

    for batch in batches:
        at = batch.schema.get_field_index(column)
        texts = batch.column(at).dictionary_encode()
        keys = pa.array(keys_of(texts.dictionary.to_pylist()), pa.string()).take(texts.indices)
        columns = [*batch.columns[:at], keys, *batch.columns[at + 1 :]]
        yield pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _ask(frame: Any, options: dict[str, Any], question: bytes) -> bytes:
    """The answer over all partitions."""
    work = functools.partial(answer, question=question, options=options)
    rows = _of_engine(lambda: frame.mapInArrow(work, _ANSWER).collect(), lambda: _trial(frame))
    faults = sorted(row["fault"] for row in rows if row["fault"])
    if faults:
        raise Error(faults[0])
    answers = [bytes(row["answer"]) for row in rows]
    return functools.reduce(merge, answers, partial(None, question))


def answer(batches: Iterable[Any], question: bytes, options: dict[str, Any]) -> Iterator[Any]:
    """What a worker does with a partition: one row with the answer, or with what is wrong with the records. That is no
    exception, which the engine would log, and try again."""
    import pyarrow as pa

    failed: list[BaseException] = []
    batches = _watched(batches, failed)
    first, fault, found = next(batches, None), None, b""
    try:
        reader = first and pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
        found = partial(reader, question, **options)
    except Error as error:
        if not failed:
            fault = f"{_partition()}: {error}"
    if failed:  # the engine's own, which it knows what to do about
        raise failed[0]
    yield pa.RecordBatch.from_pydict(
        {"answer": [found], "fault": [fault]}, pa.schema([("answer", pa.binary()), ("fault", pa.string())])
    )


def _watched(batches: Iterable[Any], failed: list[BaseException]) -> Iterator[Any]:
    try:
        yield from batches
    except BaseException as error:
        failed.append(error)
        raise


def _partition() -> str:
    """Which one it is, where the engine says so."""
    try:
        from pyspark import TaskContext

        context = TaskContext.get()
        return "a partition" if context is None else f"partition {context.partitionId()}"
    except Exception:
        return "a partition"


def _of_engine(ask: Callable[[], T], trial: Optional[Callable[[], object]] = None) -> T:
    """What the engine gives, or an error that is not chained to its own, which could quote records. Where a trial
    without records fails as well, the error of that is shown."""
    try:
        return ask()
    except Exception as error:
        sentence = _failure(error)
    try:
        if trial is not None:
            trial()
    except Exception as error:
        sentence = f"the engine cannot run the query, even without records: {_first_lines(error)}"
    raise UnansweredError(f"{sentence}; nothing was released")


def _trial(frame: Any) -> None:
    """Has the engine do something with three made-up rows: what fails then has nothing to do with the records."""
    session = getattr(frame, "sparkSession", None)
    if session is not None:
        session.range(3).mapInArrow(_nothing, "id bigint").collect()


def _nothing(batches: Iterable[Any]) -> Iterator[Any]:
    yield from batches


def _first_lines(error: Exception) -> str:
    """The kind of an error and the beginning of its text."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = " ".join(lines)[:300]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _failure(error: Exception) -> str:
    """What may be told of an engine's error: its kind, its condition, and the file. The rest could quote records."""
    condition = None
    try:
        tell = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)  # of Spark before 4
        condition = tell and tell()
    except Exception:
        pass
    said = f" ({condition})" if isinstance(condition, str) and re.fullmatch(r"[A-Z0-9_.]+", condition) else ""
    file = _FILE.search(str(error))
    where = f", reading {file[1]}" if file else ""
    return (
        f"the engine could not answer: {type(error).__name__}{said}{where}; its log says more, and may quote records"
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
