"""Columns of few values whose combinations are the clusters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mvgraph.metrics import ari
from mvgraph.ops.arrays import dense
from mvgraph.ops.contingency import contingency
from mvgraph.views.container import Views

#: Adjusted Rand index from which two divisions are nearly the same: about one sample in
#: twenty differs. Share of the samples, beside those of the most frequent value, whose
#: value the cluster tells.
SAME = 0.9
#: Values of a column that may make clusters, and columns of a view and rows that are
#: looked at, at most. Assumed.
VALUES, MOST_COLUMNS, MOST_ROWS = 12, 200, 5000
#: Columns that a sentence names.
MOST_NAMES = 6


def columns_behind(labels: np.ndarray, views: Views) -> list[str]:
    """Name the columns of few values whose combinations are nearly the clusters.

    Such clusters are no news: a table of counts of these columns shows them.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
    views : Views
        Columns without names are not looked at.

    Returns
    -------
    list of str
        Empty if the clusters are something else.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.levels.values import columns_behind
    >>> from mvgraph.views.container import Views
    >>> i = np.arange(40)
    >>> x = np.column_stack([i % 2, i % 4 // 2, i / 3.0])
    >>> views = Views([x], feature_names=[("a", "b", "c")])
    >>> columns_behind(i % 4, views)
    ['a', 'b']
    """
    rows = np.unique(np.linspace(0, len(labels) - 1, MOST_ROWS).astype(np.int64))
    own, told = labels[rows], {}
    for name, values in _of_few_values(views, rows):
        if _tells(own, values):
            told[name] = values
    if not told or len(np.unique(own)) < 2:
        return []
    joint = np.unique(np.column_stack([*told.values()]), axis=0, return_inverse=True)
    return [*told] if ari(joint[1].ravel(), own) >= SAME else []


def columns_in_words(columns: list[str]) -> str:
    """Say that clusters are nearly the combinations of the values of columns."""
    what = "values of column" if len(columns) == 1 else "combinations of the columns"
    names = ", ".join(map(repr, columns[:MOST_NAMES]))
    if len(columns) > MOST_NAMES:
        names += f" and {len(columns) - MOST_NAMES} others"
    return (
        f"The clusters are nearly the {what} {names}: drop "
        f"{'it' if len(columns) == 1 else 'these'} to see what there is beside."
    )


def _of_few_values(views: Views, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield columns, those of one category as one, as the places of their values."""
    encoders: Any = views.encoders
    categories = [] if encoders is None else encoders.categories()
    for x, names in zip(views.arrays, views.feature_names, strict=True):
        if names is None or len(names) > MOST_COLUMNS:
            continue
        values = dense(x[rows])
        places = {name: j for j, name in enumerate(names)}
        for name, titles in categories:
            if titles and {*titles} <= places.keys():
                at = [places.pop(title) for title in titles]
                yield name, values[:, at].argmax(axis=1)
        for name, j in places.items():
            found, place = np.unique(values[:, j], return_inverse=True)
            if 1 < len(found) <= VALUES:
                yield name, place


def _tells(labels: np.ndarray, values: np.ndarray) -> bool:
    """Return whether clusters tell the value of a column, where it varies."""
    table = contingency(labels, values).toarray()
    most = table.sum(axis=0).max()
    right, beside = table.max(axis=1).sum() - most, len(labels) - most
    return bool(beside > 0 and right >= SAME * beside)
