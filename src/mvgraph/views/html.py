"""Small tables as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import scipy.sparse as sp

__all__ = ["html_table", "views_table"]


def html_table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format a title and a table; a notebook gives them its own style.

    Parameters
    ----------
    title : str
        Stands above the table.
    head : sequence of str
    rows : sequence of sequences
        Cells are written with ``str``.
    """

    def line(cells: Sequence[Any], tag: str) -> str:
        inner = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        f"<div><p>{escape(title)}</p><table><thead>{line(head, 'th')}</thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def views_table(views: Any, title: str) -> str:
    """Format name, size, storage and gaps of every view.

    Parameters
    ----------
    views : Views
    title : str
    """
    head = ["view", "features", "stored as", "samples without it"]
    return html_table(title, head, [_cells(views, v) for v in range(views.n_views)])


def _cells(views: Any, v: int) -> list[Any]:
    array, mask = views.arrays[v], views.mask
    kind = ("sparse " if sp.issparse(array) else "") + str(array.dtype)
    absent = 0 if mask is None else int((~mask[:, v]).sum())
    return [views.names[v], views.n_features[v], kind, absent]
