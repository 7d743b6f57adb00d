"""Columns that are features because the caller named them or the fit used them."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.tables.options import IGNORE, TableOptions
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.identifiers import SaidOfNames


def refuse_after_fit(options: TableOptions, tables: Collection[TableEncoder]) -> None:
    """Reject options that belong to the fit: columns, their kinds, how to fill cells.

    New columns and incomplete rows can be dropped at any time.

    Parameters
    ----------
    options : TableOptions
        The options given for new samples.
    tables : collection of TableEncoder
        Those of the fit; empty if all columns were used as they are.

    Raises
    ------
    ValueError
    """
    said = [n for n in ("columns", "kinds") if vars(options)[n]]
    if said:
        raise ValueError(
            f"{said[0]} (--{said[0]}) must be given when fitting: the model stores"
            " which columns it uses, and their kinds. Leave it out here, or fit again"
            " with it"
        )
    fitted = {table.impute for table in tables} or {"refuse"}
    if options.impute in ("refuse", "drop-rows") or fitted == {options.impute}:
        return
    if options.impute == "median" and fitted <= {"refuse", "drop-rows"}:
        return  # of the fit
    now = f"with {', '.join(sorted(fitted))}"
    raise ValueError(
        f"impute (--impute {options.impute}) fills empty cells with values learned"
        f" in the fit, but this model was fitted {now}. Fit again with --impute"
        f" {options.impute} (new samples then need no option), or leave incomplete"
        " rows out with --impute drop-rows"
    )


def refuse_dropped(
    encoder: TableEncoder, options: TableOptions, columns: Collection[str], where: str
) -> None:
    """Reject options that drop columns which the fit used.

    Raises
    ------
    ValueError
    """
    used = {c.name for c in encoder.columns if c.kind != IGNORE}
    odd = [n for n in columns if n in used and options.why_not(encoder.table, n)]
    if odd:
        raise ValueError(
            f"{where}: column {odd[0]!r} was used in the fit and cannot be dropped now."
            " Keep it, or fit again without it"
        )


def with_features(
    said: SaidOfNames,
    header: Collection[str],
    table: str,
    options: TableOptions,
    wanted: Collection[str] = (),
    fitted: TableEncoder | None = None,
) -> SaidOfNames:
    """Add columns that are features to what the caller specified about names.

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
        named |= {name for names in options.groups.values() for name in names}
    found = [name for name in held if name in named or f"{table}:{name}" in named]
    return said._replace(column=(*said.column, *found))
