"""The columns of a table, held or in a file: ids and features told apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mvgraph.views.identifiers import as_text, find_id, is_id_name

__all__ = ["DATE", "NUMBER", "OTHER", "TEXT", "Columns", "refuse_no_numbers"]

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
        Returns a matrix of the given columns of numbers, held or in the file.
    written : callable, optional
        Returns one column as it was written, for identifiers; default: `one`.
    vectors : mapping of str to ndarray
        Columns whose cells are vectors.
    headed : bool
        False if the file has no header and names were made up.
    notes : tuple of str
        What was understood that the reader of the file should know.
    """

    header: list[str]
    kinds: list[str]
    one: Callable[[int], np.ndarray]
    numbers: Callable[[Sequence[int]], Any]
    written: Callable[[int], np.ndarray] | None = None
    vectors: Mapping[str, np.ndarray] = field(default_factory=dict)
    headed: bool = True
    notes: tuple[str, ...] = ()

    def ids(self, i: int) -> np.ndarray:
        """Return a column as identifiers, exactly as they were written."""
        return (self.written or self.one)(i)

    def find_id(self) -> int | None:
        """Return the position of the column that names the rows; see `find_id`."""
        if len(self.header) + len(self.vectors) < 2:
            return None
        header = self.header if self.headed else ["column"] * len(self.header)
        text = [kind != NUMBER for kind in self.kinds]
        if len(header) == 1:  # the other columns hold vectors
            header, text = [*header, "-"], [*text, False]
        return find_id(header, self._look, text)

    def other_ids(self, features: Sequence[int]) -> tuple[str, ...]:
        """Return the features that look like identifiers too, by header and values."""
        found = []
        for i in features:
            if self.headed and is_id_name(self.header[i], first=i == 0):
                values = self._look(i)
                text = () if values is None else as_text(values)
                if len(text) and len(np.unique(text)) == len(text):
                    found.append(self.header[i])
        return tuple(found)

    def candidate(self) -> np.ndarray | None:
        """Return a first column of distinct whole numbers, which may name the rows."""
        if len(self.header) + len(self.vectors) < 2 or self.kinds[0] != NUMBER:
            return None
        values = self._look(0)
        if values is None or values.dtype.kind == "f":  # 1.0 is no name
            return None
        if values.dtype.kind not in "iu" and not all(map(_is_whole, values)):
            return None
        return values if len(np.unique(values)) == len(values) else None

    def _look(self, i: int) -> np.ndarray | None:
        if i >= len(self.header) or self.kinds[i] == OTHER:
            return None
        if self.kinds[i] != NUMBER:
            return self.ids(i)
        values = np.asarray(self.one(i))
        if values.dtype.kind not in "iuf" or not len(values):
            return None
        if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
            return None  # NaN is equal to nothing
        return self.ids(i)


def refuse_no_numbers(
    columns: Columns, features: Sequence[int], where: str, remedy: str = ""
) -> None:
    """Refuse the first of some columns that holds no numbers, by its name.

    Raises
    ------
    ValueError
    """
    odd = [i for i in features if columns.kinds[i] != NUMBER]
    if not odd:
        return
    name, kind = columns.header[odd[0]], columns.kinds[odd[0]]
    if kind == DATE:
        raise ValueError(
            f"{where}: column {name!r} holds dates. Remedy: leave it out, or turn it"
            " into numbers such as days since a start"
        )
    cells: Iterable[Any] = columns.one(odd[0]) if kind == TEXT else ()
    shown = next((str(c) for c in cells if not _is_number(c)), "")
    example = f", such as {shown[:40]!r}" if shown else ", not numbers"
    raise ValueError(
        f"{where}: column {name!r} is {kind}{example}. Remedy: encode it as numbers, or"
        f" leave it out{remedy.format(name=name)}"
    )


def _is_whole(cell: Any) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]+\s*", str(cell)) is not None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return cell is None
    return True
