"""Records of several classes, each class by itself: rows of an array, or of a table with a column of labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _karcher
from ._input import converted
from ._groups import persons_of
from ._keys import key_of, keys_of
from ._labels import are, kinds_of
from ._tables import MEMORY, Options, bytes_of, scanned, stream_of
from ._typed import typed
from .errors import Error, UnansweredError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .manifolds import Floats, Manifold


def kinds_of_private(y: NDArray[Any]) -> set[str]:
    """The types of private labels, by that of the array alone. Objects are keys, of texts or of numbers."""
    return {"numbers", "texts"} if y.dtype.kind == "O" else kinds_of(np.zeros(1, y.dtype))


class InArray:
    """Records in an array, with a label each. Those of an array on disk are read some at a time."""

    def __init__(self, array: Any, y: NDArray[Any], groups: object, memory: object) -> None:
        self.in_memory: Optional[Any] = None if isinstance(array, np.memmap) else array
        self.template: Optional[list[float]] = None
        self.has_persons = groups is not None
        self._array, self._y = array, y
        self._bytes = bytes_of(MEMORY if memory is None else memory)
        self._persons = persons_of(groups, array)

    @property
    def kinds(self) -> set[str]:
        """The types of private labels."""
        return kinds_of_private(self._y)

    def labels(self) -> NDArray[Any]:
        """Which there are, in order."""
        return np.unique(self._y)

    def of_class(self, label: object) -> tuple[Any, Optional[Floats]]:
        """The records of a class, and whose they are."""
        rows = np.flatnonzero(are(self._y, label)).astype(np.int64)
        array = self._array
        records: Any = None
        if self.in_memory is not None:
            records = _karcher.chosen_rows(array, rows) if array.dtype == np.float64 else array[rows]
        elif len(rows):
            width = math.prod(array.shape[1:])
            take = lambda first, last: converted(array[rows[first:last]])
            records = _karcher.LazyRows(take, len(rows), width, self._bytes)
        else:
            records = converted(array[rows])
        persons = self._persons
        return records, None if persons is None else persons_of(persons[rows].astype(np.int64), rows)

    def to_count(self, label: object, classes: _karcher.Classes) -> tuple[Any, Optional[Floats]]:
        """Says how many records, or persons, are in a class; no record is needed to plan its release."""
        rows = are(self._y, label)
        persons = None if self._persons is None else self._persons[rows]
        classes.expect(int(rows.sum()) if persons is None else len(np.unique(persons)))
        return None, None

    def check(self, space: Manifold) -> None:
        """Refuses the first record that is no point, whatever its label is."""
        array: Any = self._array
        records = array
        if isinstance(array, np.memmap):
            take = lambda first, last: converted(array[first:last])
            records = _karcher.LazyRows(take, len(array), math.prod(array.shape[1:]), self._bytes)
        _karcher.check_records(space._core, records)


class InTable:
    """Rows of a table, which holds the labels in a column. It is read once for each class and each sum, and once more
    where the labels say which classes there are."""

    def __init__(self, X: Any, label: str, options: Options, *, replaces: bool) -> None:
        self._options, self._label = replace(options, predictor=None), label
        X = typed(X, options.names(), label, replaces=replaces)
        self._X = scanned(X, replace(options, predictor=label))
        self.in_memory, self.template = None, None
        self.has_persons = options.groups is not None
        self.stream = self._stream_of(None, 0)
        self._rows = _karcher.count_rows(self._X)  # a table that is read again has as many, or is none

    @property
    def kinds(self) -> set[str]:
        """The type of the labels."""
        return {_OfClass(self._X, self._label, None, 0).kind}

    def labels(self) -> NDArray[Any]:
        """Which there are, in order."""
        (kind,) = self.kinds
        if kind not in ("numbers", "texts"):
            raise Error(f"column {self._label} holds {kind}: labels are texts or whole numbers, all of one kind")
        found: Counter[Any] = Counter()
        for batch in _OfClass(self._X, self._label, None, self._rows).batches():
            column = batch.column(self._label)
            counts = (column.cast("float32") if column.type == "halffloat" else column).value_counts()
            found.update(dict(zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist())))
        self._counts: Counter[Any] = Counter()
        for key, count in zip(keys_of(found), found.values()):
            self._counts[key] += count
        if None in found or any(label != label for label in found):
            raise Error(f"column {self._label} lacks labels: every record needs one")
        return np.unique(list(found)) if found else np.array([])

    def of_class(self, label: object) -> tuple[Any, Optional[Floats]]:
        """The records of a class, with whose they are."""
        label = label.item() if isinstance(label, np.generic) else label
        return self._stream_of(label, self._rows), None

    def to_count(self, label: object, classes: _karcher.Classes) -> tuple[Any, Optional[Floats]]:
        """Says how many records are in a class. Persons are counted where they are read, once more."""
        if self.has_persons:
            return self.of_class(label)
        classes.expect(self._counts[key_of(label)])
        return None, None

    def check(self, space: Manifold) -> None:
        """Refuses the first record that is no point, whatever its label is."""
        _karcher.check_records(space._core, self._stream_of(None, self._rows))

    def _stream_of(self, label: object, rows: int) -> _karcher.Stream:
        """The records of a class, of all for none; columns of objects are of numbers by now."""
        return stream_of(_OfClass(self._X, self._label, label, rows), self._options, replaces=False)


_ONCE = "the table gives its records once only, or others each time: those of each class are read by themselves"


class _OfClass:
    """The rows with a label, without it; of all rows, with it, for none."""

    def __init__(self, X: Any, column: str, label: object, rows: int) -> None:
        self._X, self._column, self._rows = X, column, rows
        self._key = None if label is None else key_of(label)
        self._reader()  # says what is wrong with the column

    def _reader(self) -> Any:
        try:
            import pyarrow as pa
        except ImportError:
            pa = None
        if pa is None:
            raise Error("classes in a table need pyarrow, which is not installed: pip install pyarrow")
        reader = None
        try:
            reader = pa.RecordBatchReader.from_stream(self._X)
        except Exception:  # whose text could quote records
            pass
        if reader is None:
            raise Error(_ONCE)
        if reader.schema.get_field_index(self._column) < 0:
            raise Error(f"there is no column {self._column}, or several: y names the one with the labels")
        return reader

    @property
    def kind(self) -> str:
        """The type of the labels, in the words of :func:`kinds_of`."""
        import pyarrow as pa

        found = _compared_as(self._reader().schema.field(self._column).type)
        is_number = any(is_one(found) for is_one in (pa.types.is_integer, pa.types.is_floating))
        known = {pa.large_string(): "texts", pa.large_binary(): "bytes"}
        return "numbers" if is_number else known.get(found, str(found))

    def batches(self) -> Iterator[Any]:
        """All rows, batch by batch, as many as there were."""
        reader, left = self._reader(), self._rows
        while True:
            batch, broken = None, False
            try:
                batch = reader.read_next_batch()
                left -= batch.num_rows
            except StopIteration:
                if left != 0:
                    raise UnansweredError(f"{_ONCE}; nothing was released") from None
                return
            except Exception:  # whose text could quote records
                broken = True
            if broken:
                raise UnansweredError("the table's stream breaks off; nothing was released")
            yield batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        import pyarrow as pa

        schema = self._reader().schema
        at = schema.get_field_index(self._column)
        kinds = [_that_can_be_picked(field.type) for field in schema]
        kept = pa.schema([field.with_type(kind) for field, kind in zip(schema, kinds)]).remove(at)
        def rows() -> Iterator[Any]:
            for batch in self.batches():
                columns = [column.cast(kind) for column, kind in zip(batch.columns, kinds)]
                if self._key is not None:
                    mask = _have(_decoded(batch.column(at)), self._key)
                    columns = [column.filter(mask) for column in columns]
                del columns[at]
                yield pa.RecordBatch.from_arrays(columns, schema=kept)

        return pa.RecordBatchReader.from_batches(kept, rows()).__arrow_c_stream__()


def _that_can_be_picked(kind: Any) -> Any:
    """The type itself, or another one for texts and bytes that pyarrow cannot filter."""
    import pyarrow as pa

    return {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind, kind)


def _compared_as(kind: Any) -> Any:
    """The type as which labels are compared: one for all texts and one for all bytes. A Boolean is 0 or 1."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _compared_as(kind.value_type)
    kind = _that_can_be_picked(kind)
    others = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    others.update({pa.bool_(): pa.int8(), pa.float16(): pa.float32()})
    return pa.large_binary() if pa.types.is_fixed_size_binary(kind) else others.get(kind, kind)


def _decoded(column: Any) -> Any:
    """A column of a dictionary as its values, which may be texts that pyarrow cannot pick."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    values = column.dictionary
    return values.cast(_that_can_be_picked(values.type)).take(column.indices)


def _have(column: Any, key: str) -> Any:
    """Which labels of a column have a key."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = column.cast(_compared_as(column.type)).dictionary_encode()
    places = [i for i, found in enumerate(keys_of(encoded.dictionary.to_pylist())) if found == key]
    return pc.is_in(encoded.indices, pa.array(places, encoded.indices.type))
