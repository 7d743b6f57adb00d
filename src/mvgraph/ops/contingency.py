"""Contingency tables of two labelings of the same samples, and their best matching."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from mvgraph.ops.labels import is_missing


def contingency(labels_true: ArrayLike, labels_pred: ArrayLike) -> sparse.csr_array:
    """Count samples by class (rows) and cluster (columns), after checking the input.

    Returns
    -------
    csr_array of int64, shape (n_classes, n_clusters)
        Classes and clusters in sorted order.

    Raises
    ------
    ValueError
        If the arrays are not one-dimensional, differ in length, are empty, contain NaN
        or None, or if one of them has both text and numbers.
    """
    rows = _codes(labels_true, "labels_true")
    columns = _codes(labels_pred, "labels_pred")
    if len(rows) != len(columns):
        raise ValueError(
            f"labels_true has {len(rows)} entries but labels_pred has {len(columns)}; "
            "both need one label per sample, in the same order"
        )
    if len(rows) == 0:
        raise ValueError("labels_true and labels_pred are empty; give some samples")
    C = sparse.csr_array((np.ones(len(rows), np.int64), (rows, columns)))
    C.sort_indices()
    return C


def _codes(labels: ArrayLike, name: str) -> NDArray[np.intp]:
    """Give every distinct label a number, 0, 1, ... in sorted order."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(
            f"{name} has shape {values.shape}; one label per sample is needed, "
            "shape (n_samples,): use numpy.ravel on a single row or column"
        )
    if values.dtype.kind == "U":  # NumPy makes text of the numbers in a list with text
        values = np.asarray(labels, dtype=object)
    if values.dtype == object:
        bad = np.array([is_missing(value) for value in values], dtype=bool)
    else:
        bad = values != values  # NaN differs from itself
    if np.any(bad):
        raise ValueError(
            f"{name} contains a missing value (NaN or None) at position "
            f"{int(np.argmax(bad))}; drop or label such samples first"
        )
    if values.dtype == object:
        _refuse_mixed(values, name)
    return np.unique(values, return_inverse=True)[1]


def _refuse_mixed(values: NDArray[Any], name: str) -> None:
    text = np.array([isinstance(value, str) for value in values], dtype=bool)
    if text.any() and not text.all():
        i, j = int(np.argmax(text)), int(np.argmin(text))
        raise ValueError(
            f"{name} has both text and numbers, {values[i]!r} at position {i} and "
            f"{values[j]!r} at position {j}; whether '1' and 1 are one class is not "
            "known: convert all labels to one type"
        )


def best_matching(C: sparse.csr_array) -> Any:
    """Return the sum of C over the best matching of rows and columns, one to one.

    The assignment is solved on the entries of C, by sparse Jonker-Volgenant.

    A matching of all rows need not exist among these entries, so every row may also
    choose an extra column, which has no samples. All entries are raised by 1,
    because SciPy drops zeros; each of the rows is matched once, so that this adds the
    number of rows to every matching.
    """
    table = C if C.shape[0] <= C.shape[1] else C.T.tocsr()
    raised = sparse.csr_array(
        (table.data + 1, table.indices, table.indptr), table.shape
    )
    unmatched = sparse.eye_array(table.shape[0], dtype=table.dtype)
    graph = sparse.hstack([raised, unmatched], format="csr")
    rows, columns = min_weight_full_bipartite_matching(graph, maximize=True)
    return graph[rows, columns].sum() - len(rows)
