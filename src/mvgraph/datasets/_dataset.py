"""A data set as it was read: views, labels, and where they came from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.datasets.layout.report import Reading
from mvgraph.views.container import Views
from mvgraph.views.html import html_table

__all__ = ["Dataset"]


class Dataset(NamedTuple):
    """Views of the same samples, with classes where they are known.

    ``reading`` reports what was understood of the file and what was left out; None for
    sets that are generated.
    """

    views: Views
    labels: np.ndarray | None
    name: str
    ids: np.ndarray | None = None
    reading: Reading | None = None

    def _repr_html_(self) -> str:
        """Return name, size and views as a table, for notebooks."""
        views, classes = self.views, "no classes"
        if self.labels is not None:
            classes = f"{len(np.unique(self.labels))} classes"
        rows = [_view_cells(views, v) for v in range(views.n_views)]
        head = ["view", "features", "stored as", "samples without it"]
        return html_table(f"{self.name}: {len(views)} samples, {classes}", head, rows)


def _view_cells(views: Views, v: int) -> list[Any]:
    array, mask = views.arrays[v], views.mask
    kind = ("sparse " if sp.issparse(array) else "") + str(array.dtype)
    absent = 0 if mask is None else int((~mask[:, v]).sum())
    return [views.names[v], views.n_features[v], kind, absent]
