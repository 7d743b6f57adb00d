"""Matrix Market files: sparse matrices as text, also compressed with gzip."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import check_size, output_of, readable
from mvgraph.datasets.layout.source import ReadOptions, Source

MARKET = (".mtx", ".mtx.gz")


def read_market(path: Path, options: ReadOptions) -> Source:
    """Read one matrix; samples lie in rows or in columns, both are usual.

    Raises
    ------
    ValueError
        If the file is damaged, or would not fit into memory.
    """
    with readable(path, "Matrix Market file"):
        matrix = read_matrix(path, options)
    name = path.name.split(".mtx")[0]
    return Source(
        path, "Matrix Market file", {name: matrix}, views=(name,), log=options.log
    )


def read_matrix(path: Path, options: ReadOptions) -> Any:
    """Read a matrix as CSR, or as an array if it is stored as one.

    SciPy's parser crashes on some damaged files, so another process tries it first.

    Raises
    ------
    ValueError
    """
    from scipy.io import mmread

    output_of("market", path, options)
    matrix = mmread(path)
    if np.iscomplexobj(matrix):
        raise ValueError("it holds complex numbers")
    if not sparse.issparse(matrix):
        return matrix
    check_size(path.name, 8 * sum(matrix.shape), options)
    matrix = sparse.coo_matrix(matrix)
    if matrix.nnz and (
        min(matrix.row.min(), matrix.col.min()) < 0
        or matrix.row.max() >= matrix.shape[0]
        or matrix.col.max() >= matrix.shape[1]
    ):
        raise ValueError("an entry is outside the matrix")
    return sparse.csr_matrix(matrix)
