"""Columns of new samples, compared with those of the fit."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.ops.wording import counted
from mvgraph.tables.options import IGNORE, PLAIN
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import Columns

__all__ = ["compare_columns", "view_of"]


def compare_columns(
    encoder: TableEncoder, columns: Columns, where: str, known: Collection[str]
) -> tuple[set[tuple[str, str]], list[str]]:
    """Refuse columns that lack; say or refuse those that the fit did not have.

    Returns
    -------
    absent : set
        Views of which no column is there, while others are.
    notes : list of str

    Raises
    ------
    ValueError
        A column of a view that is there is not, or the fit did not have one.
    """
    held = {*columns.header, *columns.vectors}
    used = [c for c in encoder.columns if c.kind != IGNORE]
    absent = {view_of(c) for c in used}
    absent -= {view_of(c) for c in used if c.name in held}
    if len(absent) == len({view_of(c) for c in used}):
        absent = set()  # nothing is left
    lacking = [c.name for c in used if c.name not in held and view_of(c) not in absent]
    if lacking:
        raise ValueError(
            f"{where}: {counted(len(lacking), 'column')} of the fit"
            f" {'is' if len(lacking) == 1 else 'are'} not there:"
            f" {', '.join(map(repr, lacking[:5]))}. Remedy: bring the columns of the"
            " fit"
        )
    fitted = {c.name for c in encoder.columns}
    order = [*columns.header, *columns.vectors]
    new = [name for name in order if name not in fitted and name not in known]
    if new and not encoder.chosen:
        raise ValueError(
            f"{where}: {counted(len(new), 'column')} that the fit did not have:"
            f" {', '.join(map(repr, new[:5]))}. Remedy: --drop {new[0]} (in Python"
            " leave it out), or fit again"
        )
    gone = [c.name for c in used if view_of(c) in absent]
    notes = []
    if gone:
        shown = ", ".join(map(repr, gone[:5]))
        notes.append(f"{counted(len(absent), 'view')} of the fit not there: {shown}")
    if new:
        shown = ", ".join(map(repr, new[:5]))
        notes.append(f"{counted(len(new), 'column')} that the fit did not use: {shown}")
    return absent, notes


def view_of(column: Column) -> tuple[str, str]:
    """Return what tells the view of a column from others of its table."""
    return ("plain", column.group) if column.kind in PLAIN else ("own", column.name)
