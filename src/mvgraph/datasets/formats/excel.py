"""Workbooks (.xlsx, .xls, .ods): every sheet is a table."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from mvgraph.datasets.formats.limits import check_size, check_zip, readable
from mvgraph.datasets.formats.table import Table, table_of
from mvgraph.datasets.formats.text import parse_text
from mvgraph.datasets.layout.labels import is_label_name
from mvgraph.datasets.layout.orientation import COLUMNS
from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.wording import counted, extra

__all__ = ["EXCEL", "read_sheets"]

EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def read_sheets(path: Path, options: ReadOptions) -> dict[str, Table]:
    """Read every visible sheet that is not empty, by name.

    Raises
    ------
    ImportError
        If python-calamine is not installed.
    ValueError
        If the workbook is damaged, or a sheet is not a table.
    """
    with extra(f"{path.name} is a workbook, which", "python-calamine", "excel"):
        from python_calamine import CalamineWorkbook, SheetVisibleEnum
    with readable(path, "workbook"):
        check_size(path.name, path.stat().st_size, options)
        check_zip(path, options)
        book = CalamineWorkbook.from_path(str(path))
        content = {name: _rows(book, name) for name in book.sheet_names}
        shown = {
            s.name
            for s in book.sheets_metadata
            if s.visible == SheetVisibleEnum.Visible
        }
    tables = {}
    heads = {view.partition(".")[0] for view in options.names_of_views()}
    read = [name for name in content if content[name] and name in shown | heads]
    single = len(read) == 1 and read[0] not in heads  # views are columns
    for name, rows in content.items():
        named = (
            single
            or name in heads
            or name in (*options.names_of_views(), options.label_name)
        )
        if name not in shown and (single or not named):
            options.log.leave_out(
                f"sheet {name!r}", "hidden; name it with --views or --labels to read it"
            )
        elif not rows:
            options.log.leave_out(f"sheet {name!r}", "it is empty")
        elif options.views and not (named or is_label_name(name)):
            options.log.leave_out(f"sheet {name!r}", "not one of the views named")
        else:
            tables[name] = _table(path, name, rows, options, single)
    if not tables:
        raise ValueError(
            f"{path.name}: all sheets to be read are empty. Fill at least one"
        )
    return tables


def _rows(book: Any, name: str) -> list[list[Any]]:
    sheet = book.get_sheet_by_name(name)
    return sheet.to_python(skip_empty_area=True)


def _table(
    path: Path, name: str, rows: list[list[Any]], options: ReadOptions, single: bool
) -> Table:
    """Read a sheet as a text table, by the same rules for headers, ids and cells."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    written = [row for row in rows if any(map(_full, row))]
    top = next((i for i, row in enumerate(written) if not _is_title(row)), 0)
    if top:
        options.log.note(
            f"sheet {name!r}: {counted(top, 'line')} above the header left out"
        )
    written, n_blank = written[top:], len(rows) - len(written)
    writer.writerows([_cell(cell) for cell in row] for row in written)
    if n_blank:
        omitted = counted(n_blank, "blank line")
        options.log.note(f"sheet {name!r}: {omitted} left out")
    content = text.getvalue().encode()
    where = Path(f"{path.name}, sheet {name}")
    turned = options.orientation == COLUMNS and not is_label_name(name)
    columns = parse_text(where, content, content, options)
    return table_of(columns, str(where), options, turned, name=name, single=single)


def _is_title(row: list[Any]) -> bool:
    """Return whether a row has one cell, the first: a title above the table."""
    return [i for i, cell in enumerate(row) if _full(cell)] == [0] and len(row) > 1


def _full(cell: Any) -> bool:
    return cell is not None and cell != ""


def _cell(cell: Any) -> Any:
    """Write whole numbers without a fraction, as a sheet shows them."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return int(cell)
    return cell
