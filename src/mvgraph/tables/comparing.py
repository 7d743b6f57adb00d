"""Compare the columns of new samples with those of the fit."""

from __future__ import annotations

from collections.abc import Collection

from mvgraph.ops.wording import counted
from mvgraph.tables.options import IGNORE, PLAIN
from mvgraph.tables.table_encoder import Column, TableEncoder
from mvgraph.views.columns import Columns
from mvgraph.views.feature_names import columns_differ


def compare_columns(
    encoder: TableEncoder, columns: Columns, where: str, known: Collection[str]
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
        raise ValueError(columns_differ(where, lacking, new))
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
