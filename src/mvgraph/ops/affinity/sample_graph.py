"""A graph of samples from a graph of samples and anchors, without N x N memory."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

__all__ = ["keep_strongest", "sample_graph", "symmetric_maximum"]

#: An anchor proposes at most this many samples, those with the largest weight, as
#: neighbours; without a limit the cost would grow with the square of the samples.
SAMPLES_PER_ANCHOR = 500
#: Entries of one block of products.
ENTRIES_PER_BLOCK = 4_000_000


def sample_graph(Z: sp.csr_matrix, n_neighbors: int) -> sp.csr_matrix:
    """Link every sample to its nearest neighbours through the anchors.

    The similarity of samples i and j is (Z D^-1 Z')_ij with D the diagonal of Z's
    column sums: the probability of a walk from i to j over an anchor. Every row keeps
    its `n_neighbors` largest entries, and the graph is made symmetric by taking the
    larger entry of both directions.

    Parameters
    ----------
    Z : csr_matrix of shape (n_samples, n_anchors)
        Non-negative.
    n_neighbors : int
        At least 1.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)
        Symmetric, with a zero diagonal and at most ``2 * n_neighbors * n_samples``
        entries, the largest of which is 1.

    Notes
    -----
    Exact if no anchor has more than ``SAMPLES_PER_ANCHOR`` samples; of an anchor with
    more samples, only those with the largest weights are used. Time
    O(N k SAMPLES_PER_ANCHOR) for k anchors per sample.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from mvgraph.ops.affinity.sample_graph import sample_graph
    >>> Z = sp.csr_matrix([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> sample_graph(Z, 2).toarray().astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    Z = sp.csr_matrix(Z, dtype=np.float64)
    N = Z.shape[0]
    degree = np.asarray(Z.sum(axis=0)).ravel()
    offered = _limit_columns(sp.csc_matrix(Z), SAMPLES_PER_ANCHOR)
    offered = sp.diags_array(1 / np.maximum(degree, 1e-300)) @ offered.T.tocsr()
    blocks = []
    step = _rows_per_block(Z, offered)
    for start in range(0, N, step):
        product = sp.csr_matrix(Z[start : start + step] @ offered)
        blocks.append(keep_strongest(product, start, n_neighbors))
    return symmetric_maximum(sp.csr_matrix(sp.vstack(blocks)))


def symmetric_maximum(graph: sp.csr_matrix) -> sp.csr_matrix:
    """Take the larger entry of both directions, and divide by the largest entry."""
    graph = sp.csr_matrix(graph.maximum(graph.T))
    top = graph.data.max(initial=0)
    return graph / top if top > 0 else graph


def _limit_columns(Z: sp.csc_matrix, limit: int) -> sp.csc_matrix:
    """Keep the largest entries of every column; ties go to the earlier sample."""
    counts = np.diff(Z.indptr)
    if counts.max(initial=0) <= limit:
        return Z
    columns = np.repeat(np.arange(Z.shape[1]), counts)
    order = np.lexsort((Z.indices, -Z.data, columns))
    rank = np.arange(len(order)) - np.repeat(Z.indptr[:-1], counts)
    kept = order[rank < limit]
    shape = Z.shape
    return sp.csc_matrix((Z.data[kept], (Z.indices[kept], columns[kept])), shape=shape)


def _rows_per_block(Z: sp.csr_matrix, offered: sp.csr_matrix) -> int:
    """Return the rows per product, from the number of entries of the widest row."""
    widths = np.diff(offered.indptr)
    reached = np.add.reduceat(
        np.append(widths[Z.indices], 0), np.minimum(Z.indptr[:-1], Z.nnz)
    )
    return max(1, int(ENTRIES_PER_BLOCK // max(int(reached.max(initial=1)), 1)))


def keep_strongest(product: sp.csr_matrix, start: int, k: int) -> sp.csr_matrix:
    """Keep the k largest entries of every row, without the diagonal.

    `product` holds rows of a square matrix, from row `start` on.
    """
    n, N = product.shape
    counts = np.diff(product.indptr)
    rows = np.repeat(np.arange(n), counts)
    values = np.where(product.indices == rows + start, 0, product.data)
    width = int(counts.max(initial=0))
    if width > k:  # a padded table, so that one call partitions all rows
        place = np.arange(product.nnz) - np.repeat(product.indptr[:-1], counts)
        table = np.zeros((n, width))
        table[rows, place] = values
        table = np.argpartition(-table, k - 1, axis=1)[:, :k]
        inside = table < counts[:, None]
        kept = (product.indptr[:-1, None] + table)[inside]
    else:
        kept = np.arange(product.nnz)
    kept = kept[values[kept] > 0]
    parts = (values[kept], (rows[kept], product.indices[kept]))
    return sp.csr_matrix(parts, shape=(n, N))
