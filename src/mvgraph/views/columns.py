"""The columns of a table, held or in a file: ids and features told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
    index : int, optional
        The column that the table itself calls its index, by a name of its own.
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

    def ids(self, i: int) -> np.ndarray:
        """Return a column as identifiers, exactly as they were written."""
        return (self.written or self.one)(i)


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
    if shown.lstrip().startswith(("[", "(", "{")):
        example += ", vectors that are written as text"
    raise ValueError(
        f"{where}: column {name!r} is {kind}{example}. Remedy: encode it as numbers, or"
        f" leave it out{remedy.format(name=name)}"
    )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return cell is None
    return True
