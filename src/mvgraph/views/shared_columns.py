"""Columns that may name the samples of two tables, though none is called so."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from math import log2
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.views.columns import DATE, NUMBER, TEXT, Columns
from mvgraph.views.identifiers import FEWEST, are_dates, as_text, is_counter
from mvgraph.views.spelling import are_codes, canonical, date_order, iso_date

#: Values of a column that are compared first, those with the lowest hashes: all of a
#: small table. Of two columns that share 1 % of a million values, ten are among them.
SKETCH = 1024
#: Columns that share fewer of these are not compared in full: all that were scaled to
#: 0 and 1 share two values.
FEWEST_SHARED = 3
#: Two columns may be the same names if they share more than this part of the values,
SHARED = 0.5
#: or more than any two unrelated ones do once in so many pairs of tables.
CHANCE = 1e3
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
            yield "", known(self.ids)
        held = self.columns
        for i in self.which if held is not None else ():
            assert held is not None
            if held.kinds[i] in (NUMBER, TEXT, DATE):
                yield held.header[i], known(self._read(i))

    def codes(self) -> list[str]:
        """Return the columns of distinct words."""
        held = self.columns
        return [
            held.header[i]
            for i in (self.which if held is not None else ())
            if held is not None and held.kinds[i] == TEXT and are_codes(self._read(i))
        ]

    def _read(self, i: int) -> np.ndarray:
        assert self.columns is not None
        number = self.columns.kinds[i] == NUMBER
        return np.asarray(self.columns.one(i) if number else self.columns.ids(i))

    def of(self, name: str) -> np.ndarray:
        """Return the values of a column in the order of the rows."""
        if not name or self.columns is None:
            assert self.ids is not None
            return known(self.ids)
        return known(self._read(self.columns.header.index(name)))


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
    """A column that may name the samples of a table, and one of another table."""

    table: str
    column: str
    other: str
    other_column: str | None  # '' for the names that the table has, None without any
    n_shared: int = 0
    more: tuple[str, ...] = ()  # further columns of words of the two


def shared_columns(tables: Sequence[Unnamed]) -> Shared | None:
    """Return the first column that may name the rows of a table, beside another table.

    Either another table has a column that shares more of its distinct values than
    chance explains; or it contains distinct words; or distinct dates or whole numbers
    under a header that another table has too.

    Fractions that stand in the same rows of both tables are the same measurements, and
    0, 1, 2, ... in both counts: then position is right.
    """
    read = [_read(table) for table in tables]
    for i, j in combinations(range(len(tables)), 2):
        least = enough(len(read[i].names) * len(read[j].names))
        for column, name in _candidates(read[i], read[j], least):
            n_shared = n_same(tables[i].of(column), tables[j].of(name), least)
            if n_shared and column:
                return Shared(tables[i].table, column, tables[j].table, name, n_shared)
            if n_shared and name:
                return Shared(tables[j].table, name, tables[i].table, column, n_shared)
    return _of_codes(tables) or _of_one_header(tables, read)


class _Read(NamedTuple):
    """The columns of a table whose values seem to be distinct."""

    names: list[str]
    keys: list[np.ndarray]  # the lowest hashes of the values of each


def _read(table: Unnamed) -> _Read:
    found = [(name, _sketch(values)) for name, values in table.values()]
    held = [(name, keys) for name, keys in found if len(keys)]
    return _Read([name for name, _ in held], [keys for _, keys in held])


def _candidates(one: _Read, two: _Read, least: float) -> Iterator[tuple[str, str]]:
    """Yield pairs of columns that share some of the values with the lowest hashes."""
    if not one.names or not two.names:
        return
    lengths = np.array([len(keys) for keys in two.keys])
    known, at = np.unique(np.concatenate(two.keys), return_inverse=True)
    columns = np.repeat(np.arange(len(lengths)), lengths)
    where = sp.csr_matrix((np.ones(len(at), bool), (at, columns)))
    for name, keys in zip(one.names, one.keys, strict=True):
        places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        held = where[places[known[places] == keys]].indices
        counts = np.bincount(held, minlength=len(lengths))
        shortest = np.minimum(lengths, len(keys))
        whole = np.maximum(lengths, len(keys)) < SKETCH  # then these are all values
        fewest = np.where(whole, np.minimum(SHARED * shortest, least), 0)
        for j in np.flatnonzero((counts > fewest) & (counts >= FEWEST_SHARED)):
            yield name, two.names[j]


def enough(n_pairs: int) -> float:
    """Return how many shared values chance does not explain in so many pairs.

    Values drawn alike that are distinct in both columns share k by chance with a
    probability below 2^-k: the wider they spread, the less often they meet.
    """
    return log2(CHANCE * max(1, n_pairs))


def n_same(a: np.ndarray, b: np.ndarray, least: float) -> int:
    """Return how many values two columns share if they may be the same names, else 0.

    Parameters
    ----------
    a, b : ndarray
        As :func:`known` returns them.
    least : float
        As of :func:`enough`.
    """
    if a.dtype.kind != b.dtype.kind or any(len(np.unique(v)) < len(v) for v in (a, b)):
        return 0
    n_shared = np.intersect1d(a, b).size
    if a.dtype.kind == "f" and (is_counter(a) or (a != np.rint(a)).any()):
        in_place = np.count_nonzero(a == b) if len(a) == len(b) else 0
        if 2 * in_place > n_shared:
            return 0
    return n_shared if n_shared > min(SHARED * min(len(a), len(b)), least) else 0


def _of_codes(tables: Sequence[Unnamed]) -> Shared | None:
    """Return columns of distinct words, which are no features, of two tables or one."""
    if any(table.columns is None for table in tables):
        return None  # names that one table has are compared with tables without any
    found = {table.table: table.codes() for table in tables}
    held = [name for name, codes in found.items() if codes]
    if not held:
        return None
    one = held[0]
    two = held[1] if len(held) > 1 else next(name for name in found if name != one)
    other = found[two][0] if found[two] else None
    return Shared(one, found[one][0], two, other, more=(*found[one], *found[two]))


def _of_one_header(tables: Sequence[Unnamed], read: Sequence[_Read]) -> Shared | None:
    """Return a column of one header in two tables, of distinct dates or whole numbers.

    Where there are several, they are measurements.
    """
    for i, j in combinations(range(len(tables)), 2):
        both = [name for name in read[i].names if name and name in read[j].names]
        pairs = [(name, tables[i].of(name), tables[j].of(name)) for name in both]
        alike = [name for name, a, b in pairs if _may_be_names(a) and _may_be_names(b)
                 and not (is_counter(a) and is_counter(b))]  # fmt: skip
        if len(alike) == 1:
            return Shared(tables[i].table, alike[0], tables[j].table, alike[0])
    return None


def _may_be_names(values: np.ndarray) -> bool:
    """Tell distinct whole numbers, and dates."""
    if values.dtype.kind == "f" and (values != np.rint(values)).any():
        return False
    return len(np.unique(values)) == len(values)


def known(values: np.ndarray) -> np.ndarray:
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


def _sketch(values: np.ndarray) -> np.ndarray:
    """Return the lowest hashes of the values; none for few or repeated values."""
    head = values[:HEAD]
    if len(values) < FEWEST or len(np.unique(head)) < len(head):
        return np.empty(0, np.uint64)
    if values.dtype.kind == "f":
        keys = values.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden
        keys ^= keys >> np.uint64(29)
        keys *= np.uint64(0xBF58476D1CE4E5B9)  # of splitmix64
    else:
        keys = np.array([zlib.crc32(v.encode()) for v in values], dtype=np.uint64)
    return keys if len(keys) <= SKETCH else np.partition(keys, SKETCH)[:SKETCH]
