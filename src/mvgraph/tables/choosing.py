"""Columns that are features because the caller says so, or the fit used them."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.tables.options import IGNORE, TableOptions
from mvgraph.tables.table_encoder import TableEncoder
from mvgraph.views.identifiers import SaidOfNames

__all__ = ["refuse_after_fit", "refuse_dropped", "with_features"]


def refuse_after_fit(options: TableOptions, tables: Collection[TableEncoder]) -> None:
    """Refuse what must be said at the fit: which columns, as what, how cells fill.

    To drop new columns or incomplete rows needs nothing of the fit.

    Parameters
    ----------
    options : TableOptions
        What is said of new samples.
    tables : collection of TableEncoder
        Those of the fit, none where all columns were used as they are.

    Raises
    ------
    ValueError
    """
    said = [n for n in ("columns", "kinds") if vars(options)[n]]
    if said:
        raise ValueError(
            f"{said[0]} (--{said[0]}) is for the fit: the model keeps which columns it"
            " uses, and as what. Remedy: leave it out here, or fit again with it"
        )
    fitted = {table.impute for table in tables} or {"refuse"}
    if options.impute in ("refuse", "drop-rows") or fitted == {options.impute}:
        return
    now = f"with {', '.join(sorted(fitted))}"
    raise ValueError(
        f"impute (--impute {options.impute}) takes the place of empty cells with what"
        f" the fit learned, and this model was fitted {now}. Remedy: fit again with"
        f" --impute {options.impute}, then new samples need no option; or --impute"
        " drop-rows leaves incomplete rows out"
    )


def refuse_dropped(
    encoder: TableEncoder, options: TableOptions, columns: Collection[str], where: str
) -> None:
    """Refuse to drop columns that the fit used.

    Raises
    ------
    ValueError
    """
    used = {c.name for c in encoder.columns if c.kind != IGNORE}
    odd = [n for n in columns if n in used and options.why_not(encoder.table, n)]
    if odd:
        raise ValueError(
            f"{where}: column {odd[0]!r} was used in the fit and cannot be dropped now."
            " Remedy: keep it, or fit again without it"
        )


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
