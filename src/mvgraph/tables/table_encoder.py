"""What was learned of the columns of a table: plain values, saved with a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mvgraph.tables.options import NUMERIC, TEXT, VECTOR
from mvgraph.views.container import Views


@dataclass(frozen=True)
class Column:
    """How a column becomes features.

    Parameters
    ----------
    name, kind : str
        One of `mvgraph.tables.options.KINDS`.
    use : str
        In words, for people; of a column that is ignored: why.
    missing : float
        Share of empty cells in the fit.
    group : str
        The view that the prefix of the name (``v1_``) or the caller gives; usually
        none.
    categories : tuple of str
        Of a categorical column those with features of their own, of an ordinal one all,
        lowest first.
    rare : tuple of str
        Categories that have a feature together; unseen ones go there, too.
    fill : float or None
        Takes the place of an empty cell: a number, days, or the place of a category.
    centre, spread, scale : float
        In a mixed view: of the numbers or days, and the factor that balances the kinds.
    seasons : float
        Of dates: weight of the season, from 0 where they span a year or less, in which
        it says what the time says, to 1 from two years on.
    words, idf : ndarray or None
        Vocabulary of a text, and inverse frequencies.
    width : int
        Numbers of a vector.
    order : str
        Of days and months in dates: ``dmy``, ``mdy``, or none if the year is first.
    coerce : bool
        Whether words between numbers are empty cells.
    """

    name: str
    kind: str
    use: str = ""
    missing: float = 0.0
    group: str = ""
    categories: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    fill: float | None = None
    centre: float = 0.0
    spread: float = 1.0
    scale: float = 1.0
    seasons: float = 1.0
    words: np.ndarray | None = None
    idf: np.ndarray | None = None
    width: int = 0
    order: str = ""
    coerce: bool = False


@dataclass(frozen=True)
class TableEncoder:
    """How the columns of one table become views.

    Parameters
    ----------
    table : str
        Its name, which is that of the view of its plain columns.
    columns : tuple of Column
        In the order of the table, vectors last.
    impute : str
        What is done with empty cells.
    chosen : bool
        Whether the fit left columns out on purpose: further ones are ignored.
    neighbors : mapping of str to ndarray
        By group the rows of the fit that fill empty cells, NaN where they have some.
    """

    table: str
    columns: tuple[Column, ...]
    impute: str = "refuse"
    chosen: bool = False
    neighbors: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def plain_view(self) -> str:
        """Name of the view of the plain columns: the table, unless a column has it."""
        taken = {c.group or c.name for c in self.of_kinds(TEXT, VECTOR)}
        taken |= {c.group for c in self.columns}
        return f"{self.table}_table" if self.table in taken else self.table

    def title(self, group: str, single: bool) -> str:
        """Return the name of the view of a group of plain columns, '' for all."""
        if single:
            return group or self.plain_view
        return f"{self.table}.{group}" if group else self.table

    def view_of(self, column: Column, single: bool) -> str:
        """Return the name of the view of a column."""
        own = column.name if column.kind in (TEXT, VECTOR) else ""
        return self.title(column.group or own, single)

    def of_kinds(self, *kinds: str) -> list[Column]:
        """Return the columns of some kinds."""
        return [column for column in self.columns if column.kind in kinds]


#: Columns whose medians are computed at a time: a copy of them is sorted.
AT_ONCE = 64


def _nothing() -> np.ndarray:
    return np.empty(0)


@dataclass(frozen=True)
class Numbers:
    """A view of numbers, as one table or one prefix of its columns holds them.

    Parameters
    ----------
    table, view : str
    columns : ndarray of str of shape (d,)
        Names of its columns; none before the fit, or where they have none.
    fills : ndarray of shape (d,)
        Their medians; NaN where they are not known.
    """

    table: str
    view: str
    columns: np.ndarray = field(default_factory=_nothing)
    fills: np.ndarray = field(default_factory=_nothing)


def learn_medians(numbers: Iterable[Numbers], views: Views) -> tuple[Numbers, ...]:
    """Complete what is known of some views from the samples of the fit."""
    held = dict(zip(views.names, views.feature_names, strict=True))
    return tuple(
        replace(
            own,
            columns=np.array(held[own.view], dtype=str),
            fills=_medians(views.view(own.view)),
        )
        for own in numbers
        if held.get(own.view) is not None
    )


def with_medians(own: TableEncoder, single: bool, views: Views) -> TableEncoder:
    """Add the medians of views whose columns are all numbers, used as they are."""
    groups = {c.group for c in own.columns if c.kind == NUMERIC and c.fill is None}
    fills: dict[str, float] = {}
    for group in groups:
        title = own.title(group, single)
        names = dict(zip(views.names, views.feature_names, strict=True)).get(title)
        if names is not None:
            fills |= dict(zip(names, _medians(views.view(title)).tolist(), strict=True))
    columns = [
        replace(c, fill=fills[c.name])
        if c.kind == NUMERIC and not np.isnan(fills.get(c.name, np.nan))
        else c
        for c in own.columns
    ]
    return replace(own, columns=tuple(columns))


def as_encoder(numbers: Iterable[Numbers], chosen: bool) -> TableEncoder | None:
    """Return how the columns of a table become views of numbers; None without names."""
    numbers = [own for own in numbers if len(own.columns)]
    if not numbers:
        return None
    several = len(numbers) > 1
    columns = [
        Column(str(name), NUMERIC, group=own.view if several else "",
               fill=None if np.isnan(fill) else float(fill))
        for own in numbers
        for name, fill in zip(own.columns, own.fills, strict=True)
    ]  # fmt: skip
    return TableEncoder(numbers[0].table, tuple(columns), chosen=chosen)


def _medians(array: Any) -> np.ndarray:
    """Return the median of every column in memory, NaN for columns in a file."""
    fills = np.full(array.shape[1], np.nan)
    if type(array) is not np.ndarray:
        return fills
    held = ~np.isnan(array[:, 0])  # a row that is NaN lacks the view
    rows = slice(None) if held.all() else held
    for start in range(0, len(fills) if held.any() else 0, AT_ONCE):
        block = array[rows, start : start + AT_ONCE]
        fills[start : start + AT_ONCE] = np.median(block, axis=0)
    return fills
