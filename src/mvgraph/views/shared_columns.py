"""Columns of distinct values that two tables share: perhaps names of samples."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns
from mvgraph.views.identifiers import FEWEST, are_dates, as_text, is_counter
from mvgraph.views.local import date_order, iso_date
from mvgraph.views.spelling import canonical

__all__ = ["Moved", "Shared", "Unnamed", "moved_columns", "shared_columns"]

#: Values of a column that are compared first, those with the lowest hashes; two columns
#: that share half their values have none of 32 in common once in 400 000 (the chance
#: that one of the lowest of both belongs to both is a third: (2/3)^32 = 2e-6).
SKETCH = 32
#: Two columns may be the same names if they share more than this part of the values.
SHARED = 0.5
#: Rows that are looked at first: values that occur twice among them are no names.
HEAD = 256


class Unnamed(NamedTuple):
    """The columns of a table that may name its rows, where none is called so.

    Parameters
    ----------
    table : str
    columns : Columns or None
    which : tuple of int
        Columns that nobody said to be features.
    ids : ndarray or None
        Names of the rows that the table has.
    """

    table: str
    columns: Columns | None = None
    which: tuple[int, ...] = ()
    ids: np.ndarray | None = None

    def values(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield the name and the values of every column; names go by the name ''."""
        if self.ids is not None:
            yield "", _known(self.ids)
        held = self.columns
        for i in self.which if held is not None else ():
            assert held is not None
            if held.kinds[i] in (NUMBER, TEXT, DATE):
                yield held.header[i], _known(self._read(i))

    def _read(self, i: int) -> np.ndarray:
        assert self.columns is not None
        number = self.columns.kinds[i] == NUMBER
        return np.asarray(self.columns.one(i) if number else self.columns.ids(i))

    def of(self, name: str) -> np.ndarray:
        """Return the values of a column in the order of the rows."""
        if not name or self.columns is None:
            assert self.ids is not None
            return _known(self.ids)
        return _known(self._read(self.columns.header.index(name)))


class Moved(NamedTuple):
    """A column of two tables that holds the same values in another order."""

    table: str
    other: str
    column: str


def moved_columns(tables: Sequence[Unnamed]) -> Moved | None:
    """Return a column of one name in two tables whose rows are in another order.

    Its values repeat, so it does not name the rows, but it tells that they moved: parts
    of a key, or one of several measurements of a patient.
    """
    held: dict[str, list[tuple[str, np.ndarray]]] = {}
    for table in tables:
        for name, values in table.values() if table.columns is not None else ():
            for other, seen in held.setdefault(name, []):
                if name and _are_moved(seen, values):
                    return Moved(table.table, other, name)
            held[name].append((table.table, values))
    return None


def _are_moved(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell columns with the same values, at least five, as often, in another order."""
    if a.dtype.kind != b.dtype.kind or len(a) != len(b) or np.array_equal(a, b):
        return False
    if a.dtype.kind == "f" and len(a) and (a.min() != b.min() or a.max() != b.max()):
        return False  # most columns of measurements end here
    a, b = np.sort(a), np.sort(b)
    return np.array_equal(a, b) and len(np.unique(a)) >= FEWEST


class Shared(NamedTuple):
    """A column of one table whose values are in a column of another."""

    table: str
    column: str
    other: str
    other_column: str  # '' for the names that the other table has


def shared_columns(tables: Sequence[Unnamed]) -> Shared | None:
    """Return the first column of distinct values that another table holds as well.

    Fractions that stand in the same rows of both tables are the same measurements, and
    0, 1, 2, ... in both counts: then position is right.
    """
    places: dict[bytes, list[tuple[int, str]]] = {}
    for at, table in enumerate(tables):
        for name, values in table.values():
            seen: set[tuple[int, str]] = set()
            for key in _sketch(values):
                held = places.setdefault(key, [])
                for other, column in held:
                    pair = (other, column)
                    if other == at or pair in seen:
                        continue
                    seen.add(pair)
                    found = _found(tables[other], column, table, name)
                    if found is not None:
                        return found
                if (at, name) not in held:
                    held.append((at, name))
    return None


def _found(one: Unnamed, column: str, two: Unnamed, name: str) -> Shared | None:
    a, b = one.of(column), two.of(name)
    if not (column or name) or not _same_names(a, b):
        return None
    if column:
        return Shared(one.table, column, two.table, name)
    return Shared(two.table, name, one.table, column)


def _same_names(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell two columns of distinct values that share more than half of them."""
    if any(len(np.unique(v)) < len(v) for v in (a, b)):
        return False
    measured = a.dtype.kind == "f" and (is_counter(a) or (a != np.rint(a)).any())
    if measured and np.array_equal(a, b):
        return False
    return np.intersect1d(a, b).size > SHARED * min(len(a), len(b))


def _known(values: np.ndarray) -> np.ndarray:
    """Return the values that are there: numbers as floats, all else as text.

    Text whose cells are mostly numbers is compared by these: another table may hold
    them as numbers, and a single odd cell makes a column text.
    """
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64) + 0.0  # no -0
        return numbers[np.isfinite(numbers)]
    if values.dtype.kind not in "OUSM":
        return np.empty(0)
    cells = [c for c in values if c is not None and c == c and str(c).strip()]
    if not all(isinstance(c, str) for c in cells) and not are_dates(np.array(cells)):
        return np.empty(0)
    texts = [str(text) for text in as_text(np.array(cells, dtype=object))]
    try:
        order = date_order(texts)
    except ValueError:  # one spelling cannot be compared with another
        order = ""
    alike = [canonical("".join(iso_date(text, order).split())) for text in texts]
    held = [float(c) for c in alike if isinstance(c, Decimal)]
    if 2 * len(held) > len(alike):
        return np.array(held)
    return np.array([str(c) for c in alike])


def _sketch(values: np.ndarray) -> list[bytes]:
    """Return the values with the lowest hashes; none for few or repeated values."""
    head = values[:HEAD]
    if len(values) < FEWEST or len(np.unique(head)) < len(head):
        return []
    if values.dtype.kind == "f":
        keys = values.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden
        keys ^= keys >> np.uint64(29)
        keys *= np.uint64(0xBF58476D1CE4E5B9)  # of splitmix64
    else:
        keys = np.array([zlib.crc32(v.encode()) for v in values], dtype=np.uint64)
    if len(keys) > SKETCH:
        values = values[np.argpartition(keys, SKETCH)[:SKETCH]]
    return [str(v).encode() for v in values.tolist()]
