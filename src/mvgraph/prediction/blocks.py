"""Labels of more samples than memory holds: predicted block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views

__all__ = ["predict_blocks"]

#: Rows of a block, unless its values would take more bytes than this.
ROWS, BYTES = 65_536, 2**27


def predict_blocks(
    model: Any,
    views: Views,
    progress: Callable[[int, int], Any] | None = None,
) -> Iterator[dict[str, np.ndarray]]:
    """Yield the labels of consecutive rows; only one block of rows is in memory.

    Parameters
    ----------
    model : fitted estimator
        With ``predict``; if it has ``predict_proba``, the probability of every label
        is its confidence.
    views : Views
        In memory or in files.
    progress : callable, optional
        Called with (rows done, rows in all).

    Yields
    ------
    dict
        ``label`` and, with ``predict_proba``, ``confidence``.
    """
    check_is_fitted(model)
    n, row_bytes = len(views), 8 * sum(views.n_features)
    size = max(1024, min(ROWS, BYTES // row_bytes))
    for rows in slices(n, size):
        yield _predict(model, views[rows])
        if progress is not None:
            progress(rows.stop, n)


def _predict(model: Any, views: Views) -> dict[str, np.ndarray]:
    if not hasattr(model, "predict_proba"):
        return {"label": model.predict(views)}
    P = model.predict_proba(views)
    labels = P.argmax(axis=1)  # as predict does
    return {"label": labels, "confidence": P[np.arange(len(P)), labels]}
