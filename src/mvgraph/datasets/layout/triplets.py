"""Sparse matrices written as a three-column table of (row, column, value)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import is_matrix


def from_triplets(value: Any, n_samples: int | None) -> sparse.csr_matrix | None:
    """Return the matrix that a table of 1-based triplets spells out, else None.

    A first line (rows, columns, count) is proof enough. Without it the table is only
    taken for triplets when it cannot be a view: no side has `n_samples` entries, but
    the largest row or column index does.
    """
    if not _could_be_triplets(value):
        return None
    table = np.asarray(value, dtype=np.float64)
    largest = table[1:, :2].max(axis=0)
    if table[0, 2] == len(table) - 1 and (largest <= table[0, :2]).all():
        return _matrix(table[1:], table[0, :2])
    largest = table[:, :2].max(axis=0)
    if n_samples in value.shape or n_samples not in largest:
        return None
    return _matrix(table, largest)


def _could_be_triplets(value: Any) -> bool:
    if not isinstance(value, np.ndarray) or not is_matrix(value):
        return False
    if value.shape[1] != 3 or len(value) < 2 or value.dtype.kind == "c":
        return False
    indices = value[:, :2]
    return bool((indices >= 1).all() and (indices == np.floor(indices)).all())


def _matrix(table: np.ndarray, shape: np.ndarray) -> sparse.csr_matrix:
    rows, columns = table[:, :2].astype(np.int64).T - 1
    rows_by_columns = (int(shape[0]), int(shape[1]))
    return sparse.csr_matrix((table[:, 2], (rows, columns)), shape=rows_by_columns)
