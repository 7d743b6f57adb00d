"""Columns of tables as views: learned in a fit, stored with the schema, used again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvgraph.tables.encoding import joint_part
from mvgraph.tables.frames import read_tables
from mvgraph.tables.options import ALL_COLUMNS, CATEGORICAL, IGNORE, TableOptions
from mvgraph.tables.recoding import recode
from mvgraph.tables.table_encoder import (
    Numbers,
    TableEncoder,
    as_encoder,
    learn_medians,
    with_medians,
)
from mvgraph.views.casting import is_frame
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views
from mvgraph.views.identifiers import SaidOfNames, one_or_several


@dataclass(frozen=True)
class Encoders:
    """What was learned about the columns of all tables, and how the tables were read.

    Parameters
    ----------
    tables : tuple of TableEncoder
    single : bool
        Whether there is one table, whatever it is called.
    views : tuple of str
        The views that the caller named.
    ids, features : tuple of str
        Columns specified as sample names (``ids=``), and as features (``column=``).
    normalise_ids : bool
    labels : str or None
        The column specified as the classes.
    numbers : tuple of Numbers
        Views of numbers that are used as they are, of tables in files.
    chosen : bool
        Whether the caller chose views or a schema: further columns are ignored.
    """

    tables: tuple[TableEncoder, ...]
    single: bool = True
    views: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    normalise_ids: bool = False
    labels: str | None = None
    numbers: tuple[Numbers, ...] = ()
    chosen: bool = False

    def of_table(self, name: str) -> TableEncoder | None:
        """Return what was learned of a table; of a single one, by any name."""
        for own in self.tables:
            if self.single or own.table == name:
                return own
        numbers = [own for own in self.numbers if self.single or own.table == name]
        return as_encoder(numbers, self.chosen)

    def after_fit(self, views: Views) -> Encoders:
        """Learn what fills empty numbers of later samples: the medians of the fit."""
        tables = [with_medians(own, self.single, views) for own in self.tables]
        numbers = learn_medians(self.numbers, views)
        return replace(self, tables=tuple(tables), numbers=numbers)

    def recoded(
        self, views: Views, other: Encoders, wanted: Mapping[str, Any]
    ) -> Views:
        """Return rows with the features that another fit would have made.

        Parameters
        ----------
        views : Views
            As this fit made them.
        other : Encoders
        wanted : mapping of str to sequence of str or None
            Features of the views of the other fit.
        """
        names = dict(zip(views.names, views.feature_names, strict=True))
        arrays = dict(views.items())
        found = recode(arrays, names, self.tables, other.tables, wanted).values()
        return views.replace([x for x, _ in found], [own for _, own in found])

    def categories(self) -> list[tuple[str, list[str]]]:
        """Return every column of categories, and the names of its features."""
        columns = [c for own in self.tables for c in own.of_kinds(CATEGORICAL)]
        return [(c.name, joint_part(c, np.zeros(0))[1]) for c in columns]

    def rows(self) -> list[dict[str, Any]]:
        """Return table, column, kind, use and share of empty cells, by column."""
        return [
            {
                "table": own.table,
                "column": column.name,
                "kind": column.kind,
                "use": column.use,
                "missing": column.missing,
            }
            for own in self.tables
            for column in own.columns
        ]

    def read(self, X: Any) -> Views:
        """Encode frames as those of a fit; views and arrays are taken as they are.

        A warning names categories and words that the fit did not have.
        """
        held = list(X.values()) if isinstance(X, Mapping) else X
        frames = isinstance(held, list | tuple) and any(map(is_frame, held))
        known = self.tables or (self.numbers and self.chosen)
        if isinstance(X, Views) or not known or not (is_frame(X) or frames):
            return as_views(X)
        said = SaidOfNames(self.ids, self.features, self.normalise_ids)
        found = read_tables(X, ALL_COLUMNS, self.views, said, fitted=self.of_table)
        for note in found.notes:
            warnings.warn(note, UserWarning, stacklevel=5)
        return found.views


def read_columns(
    X: Any,
    *,
    views: str | Sequence[str] | Mapping[str, Any] | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    kinds: Mapping[str, Any] | None = None,
    impute: str = "refuse",
    ids: str | Sequence[str] | None = None,
    column: str | Sequence[str] | None = None,
    normalise_ids: bool = False,
    join: str = "strict",
) -> Views:
    """Turn data frames with columns of any kind into views.

    A column is numeric, categorical, ordinal, a date, text or a vector (`kinds`). The
    plain ones (the first four) are one view, which has the name of the table; every
    column of text or vectors is a view of its own. Where the plain columns are all
    numeric, they stay as they are. In a mixed view numbers and dates are standardised,
    and the columns are scaled so that every kind has the same variance in all, and
    within a kind every column. What is learned (categories, vocabularies, medians) goes
    with the views into the fitted model, whose ``predict`` takes frames as they are.

    Parameters
    ----------
    X : DataFrame, or mapping or list of DataFrame and other views
        Of pandas, polars, pyarrow or another library that narwhals knows.
    views : str, sequence of str or mapping of str to (str or sequence), optional
        Columns that are views, one each (of several tables: ``table.column``, or the
        table), or names of views with the columns of each; everything else is ignored.
    columns, drop : str or sequence of str, optional
        Columns to use, or not to use: names or patterns such as ``price_*``, of one
        table ``table:pattern``. Default: all are used.
    kinds : mapping of str to str or sequence of str, optional
        By name or pattern of the column: ``numeric``, ``categorical``, ``date``,
        ``text``, ``vector``, ``ignore``, or a list of categories, lowest first, for an
        ordinal column. Default: guessed where that is certain. Text that is neither
        prose, nor dates, nor categories that stand several times is ignored; whole
        numbers are numeric. ``numeric`` reads words between numbers as empty cells,
        and dates with the year last may need ``date:dmy`` or ``date:mdy``.
    impute : {"refuse", "median", "mean", "zero", "neighbors", "drop-rows"}
        What is done with empty cells of plain columns; categories get the most frequent
        one, under ``zero`` none. ``neighbors`` takes the mean of the five nearest rows.
        A row in which all plain columns are empty lacks the view, and so does an empty
        text or vector.
    ids, column, normalise_ids, join
        Names of the samples, see :func:`mvgraph.as_views`.

    Returns
    -------
    Views
        ``encoders.rows()`` lists for every column its kind, how it is used, and the
        share of empty cells.

    Raises
    ------
    ValueError
        Empty cells (the message counts them by column), words between numbers, a name
        that no column has, or names of samples as in :func:`mvgraph.as_views`.

    Examples
    --------
    >>> import pandas as pd
    >>> from mvgraph import read_columns
    >>> frame = pd.DataFrame({"price": [3.0, None, 9.0], "size": ["S", "L", "M"]})
    >>> views = read_columns(frame, kinds={"size": ["S", "M", "L"]}, impute="median")
    >>> views.names, views.feature_names
    (('table',), (('price', 'size'),))
    """
    options = TableOptions.of(columns, drop, kinds, impute, views)
    said = SaidOfNames.of(ids, column, normalise_ids)
    named = one_or_several(views)
    read = read_tables(X, options, named, said, join)
    for note in (*read.notes, *([] if named else _left_out(read.learned, options))):
        warnings.warn(note, UserWarning, stacklevel=2)
    read.views.encoders = Encoders(
        read.learned, is_frame(X), named, said.ids, said.column, said.normalise,
    )  # fmt: skip
    return read.views


def _left_out(tables: Sequence[TableEncoder], options: TableOptions) -> list[str]:
    """Say which columns are left out although the caller did not say so."""
    return [
        f"column {c.name!r} is {c.use}"
        for own in tables
        for c in own.of_kinds(IGNORE)
        if not options.why_not(own.table, c.name)
        and options.kind_of(own.table, c.name)[0] != IGNORE
    ]
