"""Views that are described by other columns: components by their genes."""

from __future__ import annotations

from typing import Any

from mvgraph.inspection.groups import Groups
from mvgraph.views.annotated import genes_of
from mvgraph.views.casting import is_annotated, is_frame


def described_groups(
    groups: Groups, names: dict[str, Any], given: Any, by: Any
) -> tuple[Groups, dict[str, Any]]:
    """Replace the columns of views by those that describe them.

    Parameters
    ----------
    groups : Groups
    names : dict of view name to sequence of str
        Names of the columns.
    given : views of any kind
        Of an AnnData or MuData, the genes behind components are known.
    by : mapping of view name to DataFrame or (matrix, names), or None
        None: what is known of `given`.

    Returns
    -------
    Groups
    names : dict

    Raises
    ------
    ValueError
        No view has such a name, or there is not one row per sample.
    """
    views = groups.views
    if by is None:
        by = {}
        if is_annotated(given) and views.ids is not None:
            by = genes_of(given, views.names, views.ids)
    if not by:
        return groups, names
    names, arrays = dict(names), list(views.arrays)
    for view, table in by.items():
        views.view(view)  # an error if no view has this name
        x, columns = (
            (table.to_numpy(), table.columns) if is_frame(table) else tuple(table)
        )
        if x.shape != (len(views), len(columns)):
            raise ValueError(
                f"described_by: {view!r} has shape {x.shape}, but there are "
                f"{len(views)} samples and {len(columns)} names of columns."
            )
        arrays[views.names.index(view)] = x
        names[view] = tuple(map(str, columns))
    columns = [names.get(view) for view in views.names]
    return groups._replace(views=views.replace(arrays, columns)), names
