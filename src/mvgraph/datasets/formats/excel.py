"""Workbooks (.xlsx, .xls, .ods): every sheet is a table."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mvgraph.datasets.formats.limits import check_size, check_zip, output_of, readable
from mvgraph.datasets.formats.table import Table, table_of
from mvgraph.datasets.formats.text import parse_text
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted, extra

EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


class Sheet(NamedTuple):
    """A sheet as a text table, and what its workbook says of it."""

    name: str
    shown: bool
    rows: int
    titles: int
    blank: int
    content: bytes


def read_sheets(path: Path, options: ReadOptions) -> dict[str, Table]:
    """Read every visible sheet that is not empty, by name.

    The workbook is unpacked in a process of its own: a few bytes can declare a billion
    cells, which ends the process that reads them.

    Raises
    ------
    ImportError
        If python-calamine is not installed.
    ValueError
        If the workbook is damaged, or a sheet is not a table.
    """
    content = {sheet.name: sheet for sheet in _unpacked(path, options)}
    shown = {name for name, sheet in content.items() if sheet.shown}
    tables = {}
    heads = {view.partition(".")[0] for view in options.names_of_views()}
    read = [n for n, s in content.items() if s.rows and n in shown | heads]
    single = len(read) == 1 and read[0] not in heads  # views are columns
    for name, sheet in content.items():
        named = (
            single
            or name in heads
            or name in (*options.names_of_views(), options.label_name)
        )
        if name not in shown and (single or not named):
            options.log.leave_out(
                f"sheet {name!r}", "hidden; name it with --views or --labels to read it"
            )
        elif not sheet.rows:
            options.log.leave_out(f"sheet {name!r}", "it is empty")
        elif options.views and not (named or is_label_name(name)):
            options.log.leave_out(f"sheet {name!r}", "not one of the views named")
        else:
            tables[name] = _table(path, sheet, options, name, single)
    if not tables:
        raise ValueError(
            f"{path.name}: all sheets to be read are empty. Fill at least one"
        )
    return tables


def read_only_sheet(path: Path, options: ReadOptions, name: str) -> dict[str, Table]:
    """Read a workbook of a folder, whose only sheet is the table of that name.

    A workbook of several sheets is left out, and reported, as one that needs a package.
    """
    try:
        sheets = [s for s in _unpacked(path, options) if s.shown and s.rows]
    except ImportError as error:
        options.log.leave_out(path.name, str(error))
        return {}
    if len(sheets) == 1:
        return {name: _table(path, sheets[0], options, name, single=False)}
    options.log.leave_out(
        path.name,
        f"a workbook of {counted(len(sheets), 'sheet')}; in a folder, where a file is a"
        " table, it must have one: open the workbook itself",
    )
    return {}


def _unpacked(path: Path, options: ReadOptions) -> list[Sheet]:
    with extra(f"{path.name} is a workbook, which", "python-calamine", "excel"):
        import python_calamine  # noqa: F401  the child needs it
    with readable(path, "workbook"):
        check_size(path.name, path.stat().st_size, options)
        check_zip(path, options)
        return list(_sheets(output_of("sheets", path, options)))


def _sheets(output: bytes) -> Iterator[Sheet]:
    """Split what the child wrote: a line of JSON before the text of every sheet."""
    stream = io.BytesIO(output)
    while line := stream.readline():
        head = json.loads(line)
        size = head.pop("bytes")
        yield Sheet(**head, content=stream.read(size))


def _table(
    path: Path, sheet: Sheet, options: ReadOptions, name: str, single: bool
) -> Table:
    """Read a sheet as a text table, by the same rules for headers, ids and cells."""
    content, place = sheet.content, f"sheet {sheet.name!r}"
    if name != sheet.name:
        place = f"{path.name}, {place}"
    if sheet.titles:
        lines = counted(sheet.titles, "line")
        options.log.note(f"{place}: {lines} above the header left out")
    if sheet.blank:
        omitted = counted(sheet.blank, "blank line")
        options.log.note(f"{place}: {omitted} left out")
    where = Path(f"{path.name}, sheet {sheet.name}")
    turned = options.orientation == COLUMNS and not is_label_name(name)
    columns = parse_text(where, content, content, options)
    return table_of(columns, options, turned, name=name, single=single)
