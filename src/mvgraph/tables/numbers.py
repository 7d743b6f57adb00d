"""Views of numbers that are used as they are: their columns, and what fills a cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mvgraph.tables.options import NUMERIC
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.container import Views

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
