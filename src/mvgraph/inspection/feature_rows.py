"""Features that stand out, as rows of a table; names of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.inspection.groups import Groups
from mvgraph.inspection.markers import (
    Profile,
    Statistics,
    feature_statistics,
    profile,
)
from mvgraph.views.container import Views
from mvgraph.views.feature_names import names_by_view

__all__ = ["column_names", "feature_rows"]

Rows = list[dict[str, Any]]


def column_names(given: Views, views: Views, others: Any = None) -> dict[str, Any]:
    """Return the names of the columns by view.

    Parameters
    ----------
    given : Views
        As the caller brought them.
    views : Views
        The same in the order of the fit, which may have named columns too.
    others : dict of str to sequence of str, optional
        Go first; in the order of the columns of `given`.

    Raises
    ------
    ValueError
        `others` names no view, or not all of its columns.
    """
    brought, known = _held(given), _held(views)
    named = names_by_view(others, views.names, views.n_features)
    for view in named.keys() & brought.keys() & known.keys():
        places = {name: i for i, name in enumerate(brought[view])}
        if len(places) == len(brought[view]) and set(places) == set(known[view]):
            # columns were brought into the order of the fit, and their names follow
            named[view] = tuple(named[view][places[name]] for name in known[view])
    return brought | known | named


def _held(views: Views) -> dict[str, Any]:
    pairs = zip(views.names, views.feature_names, strict=True)
    return {name: own for name, own in pairs if own is not None}


def feature_rows(
    groups: Groups, n: int | None, names: dict[str, Any], test: str | None
) -> tuple[Rows, list[Profile]]:
    """List the features that stand out, by cluster, and describe them in all."""
    out: list[tuple[int, dict[str, Any]]] = []
    profiles = []
    for v, view in enumerate(groups.views.names):
        x, codes = groups.rows(v)
        found = feature_statistics(x, codes, len(groups.names), test)
        top = np.argsort(-np.abs(found.difference), axis=1, kind="stable")[:, :n]
        largest = np.argsort(-found.difference, axis=1, kind="stable")[:, :n]
        chosen = np.unique(np.r_[top, largest])  # the largest are drawn
        called = [str(names[view][j]) if view in names else str(j) for j in chosen]
        own = profile(view, x, codes, chosen, called, found.difference)
        profiles.append(own)
        for k, cluster in enumerate(groups.names):
            columns = np.searchsorted(chosen, top[k])
            for rank, at in enumerate(columns.tolist()):
                head = {"cluster": cluster, "view": view, "rank": rank}
                out.append((k, head | _feature(own, found, k, at)))
    return [row for _, row in sorted(out, key=lambda pair: pair[0])], profiles


def _feature(own: Profile, found: Statistics, k: int, at: int) -> dict[str, Any]:
    """Return one row of the table of features."""
    j = int(own.features[at])
    row: dict[str, Any] = {"feature": j, "name": own.names[at]}
    for key in own._fields[3:]:
        row[key] = float(getattr(own, key)[k, at])
    values = (found.score, found.pvalue, found.adjusted)
    keys = ("score", "pvalue", "pvalue_adjusted")
    for key, held in zip(keys, values, strict=True):
        if held is not None:
            row[key] = float(held[k, j])
    return row
