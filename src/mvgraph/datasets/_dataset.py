"""A data set as it was read: views, labels, and where they came from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.datasets.layout.report import Reading
from mvgraph.views.container import Views


class Dataset(NamedTuple):
    """Views of the same samples, with classes if there are any.

    ``reading`` reports how the file was interpreted and what was left out; None for
    generated sets.
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
        return views.html_table(f"{self.name}: {len(views)} samples, {classes}")
