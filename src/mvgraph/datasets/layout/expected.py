"""Find the views that a fitted model expects in new data."""

from __future__ import annotations

from typing import Any

from mvgraph.datasets.layout.find_views import Found, find_views, named_views
from mvgraph.datasets.layout.source import Source, is_matrix


def expected_views(source: Source, label_name: str | None, n: int | None) -> Found:
    """Find the views of a source; variables that ``source.widths`` names are views.

    Without widths, as `find_views`. With them, also every variable whose name they
    contain, even with one sample or one feature. If nothing looks like a view and one
    view is expected, it is the only matrix.

    Raises
    ------
    ValueError
        As `find_views`.
    """
    rest = {k: v for k, v in source.variables.items() if k != label_name}
    expected = [name for name in source.widths if is_matrix(rest.get(name))]
    try:
        names, matrices = find_views(source, label_name, n)
    except ValueError:
        only = [name for name, value in rest.items() if is_matrix(value)]
        if not expected and len(only) == len(source.widths) == 1:
            expected = only
        if not expected:
            raise
        return named_views(source, expected, n)
    missing = [] if source.views else [name for name in expected if name not in names]
    if not missing:
        return names, matrices
    added: list[Any]
    _, added = named_views(source, missing, n)
    return [*names, *missing], [*matrices, *added]
