"""What a fitted model knows of its views, as a help to read new samples."""

from __future__ import annotations

from typing import Any

from mvgraph.datasets.layout.find_views import Found, find_views, named_views
from mvgraph.datasets.layout.source import Source, is_matrix

__all__ = ["expected_views"]


def expected_views(source: Source, label_name: str | None, n: int | None) -> Found:
    """Find the views of a source; variables that ``source.widths`` names are views.

    Without widths, as `find_views`. With them, what it finds and every variable of a
    name in them, so that one sample, or one feature, is not left out. Where nothing
    looks like a view, and one view is expected, the only matrix is it.

    Raises
    ------
    ValueError
        As `find_views`.
    """
    rest = {k: v for k, v in source.variables.items() if k != label_name}
    known = [name for name in source.widths if is_matrix(rest.get(name))]
    try:
        names, matrices = find_views(source, label_name, n)
    except ValueError:
        only = [name for name, value in rest.items() if is_matrix(value)]
        if not known and len(only) == len(source.widths) == 1:
            known = only
        if not known:
            raise
        return named_views(source, known, n)
    lacking = [] if source.views else [name for name in known if name not in names]
    if not lacking:
        return names, matrices
    more: list[Any]
    _, more = named_views(source, lacking, n)
    return [*names, *lacking], [*matrices, *more]
