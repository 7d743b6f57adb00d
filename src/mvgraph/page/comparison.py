"""The page of a comparison: two clusterings, what split and merged, in one file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from mvgraph.display._display import data_uri
from mvgraph.inspection.comparison import Comparison
from mvgraph.ops.escaping import no_formula
from mvgraph.page import template
from mvgraph.page.svg import draw
from mvgraph.persistence.files import replace_text

#: A larger table is not shown; the file to download has it.
MAX_TABLE = 40
FLOW_WIDTH = 5.4


def write_comparison(found: Comparison, path: str | Path) -> int:
    """Write the page of a comparison; return its bytes.

    Parameters
    ----------
    found : Comparison
        From :func:`mvgraph.compare_labels`.
    path : path
        Ends in ``.html``.

    Raises
    ------
    ImportError
        jinja2 or matplotlib is not installed.
    ValueError
        The file cannot be written.
    """
    return replace_text(path, render(found))


def render(found: Comparison) -> str:
    """Format the page of a comparison."""
    display = found.display()
    width, height = display.size
    table = table_of(found)
    return template.render(
        "mvgraph.page",
        "comparison.html",
        *template.texts("mvgraph.page", "page.css"),
        found=found,
        n=int(found.counts.sum()),
        heat=draw(display, "heat", display.plot_heatmap, size=(width - 4.2, height)),
        flow=draw(
            display, "flow", display.plot_flow, display.about_flow, (FLOW_WIDTH, height)
        ),
        table=table if max(found.counts.shape) <= MAX_TABLE else None,
        download=data_uri("text/csv;charset=utf-8", csv_of(table).encode()),
    )


def table_of(found: Comparison) -> list[list[str]]:
    """Return the contingency table with its head, as text."""
    head = [" \\ ".join(found.names), *map(str, found.groups[1])]
    pairs = zip(found.groups[0], found.counts.tolist(), strict=True)
    return [head, *([str(group), *map(str, row)] for group, row in pairs)]


def csv_of(table: list[list[Any]]) -> str:
    """Format a table as CSV for people: no cell is a formula."""
    text = io.StringIO()
    rows = ([no_formula(str(cell)) for cell in row] for row in table)
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
