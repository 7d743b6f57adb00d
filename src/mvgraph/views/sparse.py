"""The index arrays of sparse matrices, checked once before compiled code reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_sparse"]


def check_sparse(matrix: Any, what: str = "the sparse matrix") -> None:
    """Refuse a sparse matrix whose indices point outside of it.

    SciPy does not look, and compiled code that follows such an index reads or writes
    memory of others.

    Parameters
    ----------
    matrix : sparse matrix or array
    what : str
        Its name, for the error.

    Raises
    ------
    ValueError
        Names the first index that is wrong.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from mvgraph.views.sparse import check_sparse
    >>> broken = sp.csr_matrix(np.eye(3))
    >>> broken.indices[1] = 7
    >>> check_sparse(broken)
    Traceback (most recent call last):
    ...
    ValueError: the sparse matrix is damaged: an index is 7, ...
    """
    if matrix.format in ("csr", "csc", "bsr"):
        _check_compressed(matrix, what)
    elif matrix.format == "coo":
        for axis, index in enumerate(matrix.coords):
            if len(index) != len(matrix.data):
                raise _damaged(what, "its indices and values differ in number")
            _check_range(index, matrix.shape[axis], what)


def _check_compressed(matrix: Any, what: str) -> None:
    indptr, indices = np.asarray(matrix.indptr), np.asarray(matrix.indices)
    rows, columns = matrix.shape
    block = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    along, across = (columns, rows) if matrix.format == "csc" else (rows, columns)
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise _damaged(what, "its indices are no integers")
    if indptr.ndim != 1 or len(indptr) != along // block[0] + 1 or indptr[0] != 0:
        raise _damaged(what, f"its row pointers do not fit a shape of {matrix.shape}")
    if (np.diff(indptr.astype(np.int64)) < 0).any():
        raise _damaged(what, "its row pointers are not in ascending order")
    if int(indptr[-1]) > min(len(indices), len(matrix.data)):
        raise _damaged(what, "its row pointers end behind its values")
    _check_range(indices[: int(indptr[-1])], across // block[1], what)


def _check_range(index: np.ndarray, size: int, what: str) -> None:
    if not len(index):
        return
    low, high = int(index.min()), int(index.max())
    if low < 0 or high >= size:
        odd = low if low < 0 else high
        raise _damaged(what, f"an index is {odd}, and there are {size} of these")


def _damaged(what: str, why: str) -> ValueError:
    return ValueError(
        f"{what} is damaged: {why}. Remedy: build it again, for example with"
        " scipy.sparse.csr_matrix(dense)"
    )
