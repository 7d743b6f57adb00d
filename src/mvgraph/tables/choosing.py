"""Columns that are features because the caller says so, or the fit used them."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.tables.options import IGNORE, TableOptions
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.identifiers import SaidOfNames

__all__ = ["with_features"]


def with_features(
    said: SaidOfNames,
    header: Collection[str],
    table: str,
    options: TableOptions,
    wanted: Collection[str] = (),
    fitted: TableEncoder | None = None,
) -> SaidOfNames:
    """Add to what is said of names the columns that name no rows.

    Parameters
    ----------
    said : SaidOfNames
    header : collection of str
        Columns of the table.
    table : str
    options : TableOptions
        Columns that it names, not by a pattern, are features.
    wanted : collection of str
        Columns that are views.
    fitted : TableEncoder, optional
        Of a fit: columns that it used are features.
    """
    held = [name for name in header if name not in said.ids]
    if fitted is not None:
        named = {c.name for c in fitted.columns if c.kind != IGNORE}
    else:
        named = {*options.columns, *options.kinds, *wanted}
    found = [name for name in held if name in named or f"{table}:{name}" in named]
    return said._replace(column=(*said.column, *found))
