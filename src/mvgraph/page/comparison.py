"""The page of a comparison: two clusterings, what split and merged, in one file."""

from __future__ import annotations

import base64
import csv
import io
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from mvgraph._version import __version__
from mvgraph.inspection.comparison import Comparison
from mvgraph.page.policy import policy
from mvgraph.page.svg import draw
from mvgraph.persistence.files import replace_text

__all__ = ["table_of", "write_comparison"]

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
    page = render(found)
    replace_text(path, page)
    return len(page.encode())


def render(found: Comparison) -> str:
    """Format the page of a comparison."""
    import jinja2

    css = resources.files("mvgraph.page").joinpath("templates", "page.css")
    style = css.read_text("utf-8")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mvgraph.page"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    display = found.display()
    width, height = display.size
    table = table_of(found)
    return environment.get_template("comparison.html").render(
        css=style,
        policy=policy(style, ""),
        found=found,
        n=int(found.counts.sum()),
        heat=draw(display, "heat", display.plot_heatmap, size=(width - 4.2, height)),
        flow=draw(
            display, "flow", display.plot_flow, display.about_flow, (FLOW_WIDTH, height)
        ),
        table=table if max(found.counts.shape) <= MAX_TABLE else None,
        download=_data_url(table),
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        version=__version__,
    )


def table_of(found: Comparison) -> list[list[str]]:
    """Return the contingency table with its head, as text."""
    head = [" \\ ".join(found.names), *map(str, found.groups[1])]
    pairs = zip(found.groups[0], found.counts.tolist(), strict=True)
    return [head, *([str(group), *map(str, row)] for group, row in pairs)]


def csv_of(table: list[list[Any]]) -> str:
    """Format a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()


def _data_url(table: list[list[str]]) -> str:
    content = base64.b64encode(csv_of(table).encode()).decode()
    return f"data:text/csv;charset=utf-8;base64,{content}"
