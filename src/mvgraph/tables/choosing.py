"""Columns of a fit and of later tables: those that are features, missing or new."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.ops.wording import counted
from mvgraph.tables.options import IGNORE, KINDS, LEFT_OUT, PLAIN, TableOptions
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import Columns
from mvgraph.views.feature_names import columns_differ
from mvgraph.views.identifiers import SaidOfNames

USED = tuple(kind for kind in KINDS if kind != IGNORE)


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


def refuse_no_view(encoder: TableEncoder, where: str) -> None:
    """Reject a table of which no column can be used, and say why.

    Raises
    ------
    ValueError
    """
    reasons = "; ".join(
        f"{c.name!r}: {c.use.removeprefix(LEFT_OUT)}" for c in encoder.columns[:5]
    )
    raise ValueError(
        f"{where}: no column can be used ({reasons}). Choose columns, or specify them"
        " with --columns and --kinds (in Python columns=, kinds=)"
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


#: Why a table is left out.
NONE_CHOSEN = "all its columns were dropped, or not chosen"


def is_unused(
    encoder: TableEncoder, options: TableOptions, after_fit: bool = False
) -> bool:
    """Return whether the caller, or the fit, left out all columns of a table."""
    if encoder.of_kinds(*USED):
        return False
    return after_fit or options.excludes(
        encoder.table, [c.name for c in encoder.columns]
    )


def refuse_all_unused(
    tables: Collection[str],
    options: TableOptions,
    columns: Collection[tuple[str, str]],
    where: str,
) -> None:
    """Reject a choice that leaves no column of any table.

    Raises
    ------
    ValueError
        With the pattern that no column matches, if there is one.
    """
    options.refuse_unknown(columns, where)
    raise ValueError(
        f"{where}: no column is left of {', '.join(map(repr, tables))}: all were"
        " dropped, or not chosen. Choose at least one (--columns; in Python columns=)"
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


def compare_columns(
    encoder: TableEncoder, columns: Columns, known: Collection[str]
) -> tuple[set[tuple[str, str]], list[str]]:
    """Reject missing columns; note or reject those that the fit did not have.

    Returns
    -------
    absent : set
        Views without any of their columns, while other views have some.
    notes : list of str

    Raises
    ------
    ValueError
        A view has only some of its columns, or a column was not in the fit.
    """
    held = {*columns.header, *columns.vectors}
    used = [c for c in encoder.columns if c.kind != IGNORE]
    absent = {view_of(c) for c in used}
    absent -= {view_of(c) for c in used if c.name in held}
    if len(absent) == len({view_of(c) for c in used}):
        absent = set()  # no view would remain
    lacking = [c.name for c in used if c.name not in held and view_of(c) not in absent]
    fitted = {c.name for c in encoder.columns}
    order = [*columns.header, *columns.vectors]
    new = [name for name in order if name not in fitted and name not in known]
    if lacking or (new and not encoder.chosen):
        raise ValueError(columns_differ(columns.where, lacking, new))
    gone = [c.name for c in used if view_of(c) in absent]
    notes = []
    if gone:
        shown = ", ".join(map(repr, gone[:5]))
        notes.append(f"{counted(len(absent), 'view')} of the fit missing: {shown}")
    if new:
        shown = ", ".join(map(repr, new[:5]))
        notes.append(f"{counted(len(new), 'column')} that the fit did not use: {shown}")
    return absent, notes


def view_of(column: Column) -> tuple[str, str]:
    """Return a key that identifies the view of a column within its table."""
    return ("plain", column.group) if column.kind in PLAIN else ("own", column.name)
