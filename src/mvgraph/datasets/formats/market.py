"""Sparse matrices as text: the Matrix Market format, also compressed by gzip."""

from __future__ import annotations

from pathlib import Path

from scipy import sparse

from mvgraph.datasets.layout.source import Source

MARKET = (".mtx", ".mtx.gz")


def read_market(path: Path) -> Source:
    """Read one matrix; samples lie in rows or in columns, both are usual.

    Raises
    ------
    ValueError
        If SciPy cannot read the file.
    """
    from scipy.io import mmread

    try:
        matrix = mmread(path)
    except (ValueError, OverflowError, OSError, EOFError) as error:
        raise ValueError(
            f"{path.name}: not a readable Matrix Market file ({error}). Remedy: fetch"
            " or write the file again"
        ) from error
    if sparse.issparse(matrix):
        matrix = sparse.csr_matrix(matrix)
    name = path.name.split(".mtx")[0]
    return Source(path, "Matrix Market file", {name: matrix}, views=(name,))
