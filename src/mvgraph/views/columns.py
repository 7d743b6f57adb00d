"""The columns of a table, in memory or in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

#: What a column holds.
NUMBER, TEXT, DATE, OTHER = "numbers", "text", "dates", "objects"


@dataclass(frozen=True)
class Columns:
    """Names and kinds of the columns of a table, and how to read them.

    Parameters
    ----------
    header : list of str
    kinds : list of str
        ``numbers``, ``text``, ``dates`` or ``objects``.
    one : callable
        Returns one column: numbers, or text.
    numbers : callable
        Returns a matrix of the given columns of numbers, in memory or in the file.
    written : callable, optional
        Returns one column as it was written, for identifiers; default: `one`.
    vectors : mapping of str to ndarray
        Columns whose cells are vectors.
    headed : bool
        False if the file has no header and names were made up.
    notes : tuple of str
        How the table was interpreted, for whoever reads the file.
    index : int, optional
        The column that the table itself stores as its index, under a separate name.
    where : str
        The file or view, for messages.
    categories : mapping of int to tuple
        Columns whose type says that they are categories, and these in their order; ()
        if they have none.
    """

    header: list[str]
    kinds: list[str]
    one: Callable[[int], np.ndarray]
    numbers: Callable[[Sequence[int]], Any]
    written: Callable[[int], np.ndarray] | None = None
    vectors: Mapping[str, np.ndarray] = field(default_factory=dict)
    headed: bool = True
    notes: tuple[str, ...] = ()
    index: int | None = None
    where: str = "the table"
    categories: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)

    def ids(self, i: int) -> np.ndarray:
        """Return a column as identifiers, exactly as they were written."""
        return (self.written or self.one)(i)

    def blocks(self, which: Iterable[int]) -> Iterator[np.ndarray]:
        """Read some columns one after the other, and the vectors: as (n_rows, d)."""
        for i in which:
            yield self.one(i)[:, None]
        yield from self.vectors.values()

    def take(self, rows: np.ndarray) -> Columns:
        """Return the columns of some rows."""
        written = self.written
        return replace(
            self,
            one=lambda i: self.one(i)[rows],
            numbers=lambda which: self.numbers(which)[rows],
            written=None if written is None else lambda i: written(i)[rows],
            vectors={name: block[rows] for name, block in self.vectors.items()},
        )


class RepeatedColumnError(ValueError):
    """Several columns of a table have one name: where, the name, how many."""

    def __init__(self, where: str, name: str, n: int, place: str = "") -> None:
        super().__init__(
            f"{where}: {n} columns are called {name!r}{place}. Give every column its"
            " own name"
        )
        self.what = where, name, n


def refuse_twice(where: str, header: Sequence[str]) -> None:
    """Reject two columns of one name; those without a name may be several.

    Raises
    ------
    RepeatedColumnError
    """
    double = [name for name, n in Counter(header).items() if n > 1 and name.strip()]
    if double:
        raise RepeatedColumnError(where, double[0], header.count(double[0]))


def refuse_no_numbers(
    columns: Columns, features: Sequence[int], remedy: str = ""
) -> None:
    """Reject the first of some columns that does not contain numbers, by its name.

    Raises
    ------
    ValueError
    """
    odd = [i for i in features if columns.kinds[i] != NUMBER]
    if not odd:
        return
    where, name, kind = columns.where, columns.header[odd[0]], columns.kinds[odd[0]]
    if kind == DATE:
        raise ValueError(
            f"{where}: column {name!r} contains dates. Leave it out, or let"
            " mvgraph.read_columns encode it"
        )
    cells: Iterable[Any] = columns.one(odd[0]) if kind == TEXT else ()
    shown = next((str(c) for c in cells if not is_number(c)), "")
    example = f", such as {shown[:40]!r}" if shown else ", not numbers"
    if shown.lstrip().startswith(("[", "(", "{")):
        example += ", vectors that are written as text"
    raise ValueError(
        f"{where}: column {name!r} is {kind}{example}. Correct the cell, leave"
        " the column out, or let mvgraph.read_columns encode it"
        f"{remedy.format(name=name)}"
    )


def is_number(word: str | None) -> bool:
    """Tell a number, or nothing, from a word."""
    try:
        float(word or 0)
    except ValueError:
        return False
    return True
