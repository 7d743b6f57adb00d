"""What was learned of the columns of several tables, and which tables are used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from mvgraph.datasets.formats.table import Table
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.tables.choosing import NONE_CHOSEN, refuse_all_unused
from mvgraph.tables.encoders import Encoders
from mvgraph.tables.table_encoder import Numbers, TableEncoder


def used_tables(
    path: Path, arrays: Collection[str], tables: dict[str, Table], options: ReadOptions
) -> tuple[dict[str, Table], list[TableEncoder]]:
    """Take the tables apart of which no column was chosen, and report them.

    Returns
    -------
    used : dict of str to Table
    unused : list of TableEncoder
        A model keeps these, so that the tables are left out again.

    Raises
    ------
    ValueError
        No table, array or column is left.
    """
    unused = [name for name, table in tables.items() if table.unused]
    for name in unused:
        options.log.leave_out(f"table {name!r}", NONE_CHOSEN)
    used = {name: table for name, table in tables.items() if not table.unused}
    if unused and not arrays and all(table.only_labels for table in used.values()):
        refuse_all_unused(unused, options.tables, options.log.columns, path.name)
    return used, [e for name in unused if (e := tables[name].encoder) is not None]


def encoders_of(
    tables: Mapping[str, Table],
    options: ReadOptions,
    single: Iterable[str] | None = None,
    unused: Iterable[TableEncoder] = (),
) -> Encoders | None:
    """Return what was learned of the columns of all tables, and how they were read.

    The columns that named the rows do so in all tables that are read later. `single`
    are the views of the only table, whatever it is called; `unused` is of tables that
    were left out.
    """
    learned = (*(t.encoder for t in tables.values() if t.encoder is not None), *unused)
    numbers = tuple(
        Numbers(name, view)
        for name, own in tables.items()
        if own.encoder is None and own.headed and not own.was_turned
        for view in ((name,) if single is None else single)
    )
    named = [t for t in tables.values() if t.headed and t.names.at is not None]
    names = (t.id_name for t in named)
    said = options.said
    ids = tuple(dict.fromkeys((*said.ids, *filter(None, names))))
    if not learned and not ids and not numbers:
        return None
    return Encoders(
        learned,
        single is not None,
        options.names_of_views(),
        ids,
        said.column,
        said.normalise,
        options.label_name,
        numbers,
        bool(options.names_of_views()) or options.tables.schema,
    )
