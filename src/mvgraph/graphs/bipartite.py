"""Anchor graphs: every sample is linked to its nearest anchors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.anchors import Anchors
from mvgraph.ops.affinity.neighbors import closed_form_weights, rows_to_csr, sum_of_rows
from mvgraph.ops.arrays import Float, Int, Matrix
from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.ops.parallel import map_rows, ordered, slices
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock, ScaledRows

ROWS_PER_BLOCK = 2048


class Graph(NamedTuple):
    """A bipartite graph by rows: k anchors and weights per sample."""

    indices: Int  # (N, k) anchors, nearest first
    weights: Float  # (N, k), rows sum to one
    alpha: Float  # (N,) regularisation that gives exactly k non-zeros
    n_anchors: int

    def tocsr(self) -> sp.csr_matrix:
        """Return the graph as a CSR matrix (N, M) without explicit zeros."""
        return rows_to_csr(self.indices, self.weights, self.n_anchors)

    def times(self, X: Float) -> Float:
        """Return the product with (M, q), to the bit that of `tocsr`.

        Raises
        ------
        ValueError
            If X has other than M rows: compiled loops do not look.
        """
        from mvgraph.ops.kernels import common as _kernels

        if len(X) != self.n_anchors:
            raise ValueError(f"{len(X)} rows for {self.n_anchors} anchors")
        out = np.zeros((len(self.indices), X.shape[1]))
        graph = np.ascontiguousarray(self.indices), np.ascontiguousarray(self.weights)
        _kernels.multiply_neighbors(*graph, np.ascontiguousarray(X), out)
        return out


class Found(NamedTuple):
    """Squared distances of some rows from all anchors of a view, and the nearest."""

    distances: Float  # (n, M)
    indices: Int  # (n, k)
    nearest: Float  # (n, k), ascending

    @classmethod
    def of(cls, D: Float, k: int) -> Found:
        """Find at most k anchors."""
        return cls(D, *nearest_columns(D, min(k, D.shape[1])))


def anchor_graph(D: Float, n_neighbors: int) -> Graph:
    """Build the anchor graph from squared distances D (N, M).

    For the weights see :func:`closed_form_weights`.
    """
    return anchor_graphs(Found.of(D, n_neighbors + 1), (n_neighbors,))[0]


def anchor_graphs(found: Found, n_neighbors: Sequence[int]) -> list[Graph]:
    """Build anchor graphs with several numbers of neighbours from one search."""
    n, M = found.distances.shape
    if M == 1:
        ones = np.ones((n, 1))
        only = Graph(np.zeros((n, 1), dtype=np.int64), ones, np.zeros(n), 1)
        return [only] * len(n_neighbors)
    graphs = []
    for k in (min(k, M - 1) for k in n_neighbors):
        weights, alpha = closed_form_weights(found.nearest[:, : k + 1])
        graphs.append(Graph(found.indices[:, :k], weights, alpha, M))
    return graphs


def view_graphs(views: Views, anchors: Anchors, n_neighbors: int) -> list[Graph]:
    """Build one anchor graph per view."""
    return [
        _graph(x, a, n_neighbors)
        for x, a in zip(views.arrays, anchors.points, strict=True)
    ]


def _graph(x: Matrix, points: np.ndarray, n_neighbors: int) -> Graph:
    parts = map_rows(
        lambda rows: anchor_graph(squared_distances(x[rows], points), n_neighbors),
        x.shape[0],
    )
    *arrays, n_anchors = zip(*parts, strict=True)
    indices, weights, alpha = map(np.concatenate, arrays)
    return Graph(indices, weights, alpha, n_anchors[0])


def find_anchors(block: RowBlock, anchors: Anchors, k: int) -> Iterator[Found]:
    """Find the k anchors nearest to every row, one view after the other."""
    for x, points in zip(block.arrays, anchors.points, strict=True):
        yield Found.of(squared_distances(x, points), k)


def block_graphs(
    block: RowBlock,
    anchors: Anchors,
    n_neighbors: Sequence[int],
) -> list[list[Graph]]:
    """Build the anchor graphs of a block of rows, from one search per view.

    Parameters
    ----------
    block : RowBlock
    anchors : Anchors
    n_neighbors : sequence of int

    Returns
    -------
    list of lists of Graph
        One list per number of neighbours, one graph per view; rows missing in a view
        have zero weights.
    """
    by_view = []
    for v, one in enumerate(find_anchors(block, anchors, max(n_neighbors) + 1)):
        graphs = anchor_graphs(one, n_neighbors)
        if block.mask is not None:
            present = block.mask[:, v, None]
            graphs = [g._replace(weights=g.weights * present) for g in graphs]
        by_view.append(graphs)
    return [list(graphs) for graphs in zip(*by_view, strict=True)]


def mean_of_block(graphs: Sequence[Graph]) -> sp.csr_matrix:
    """Return the mean graph of the views that each row has, float32, (n, M)."""
    idx, weights = (np.stack(x) for x in zip(*(g[:2] for g in graphs), strict=True))
    Z = sum_of_rows(idx, weights, graphs[0].n_anchors)
    total = np.asarray(Z.sum(axis=1)).ravel()
    scale = np.repeat(1 / np.where(total > 0, total, 1), np.diff(Z.indptr))
    entries = (Z.data * scale).astype(np.float32), Z.indices, Z.indptr
    return sp.csr_matrix(entries, shape=Z.shape)


def mean_graph(
    source: ScaledRows,
    anchors: Anchors,
    k: int,
    progress: Callable[[], None] | None = None,
) -> sp.csr_matrix:
    """Return the mean anchor graph (N, M) over the views of each sample, float32.

    Parameters
    ----------
    source : ScaledRows
    anchors : Anchors
    k : int
        Anchors per sample and view.
    progress : callable, optional
        Called after every block of rows.
    """

    def mean(rows: slice) -> sp.csr_matrix:
        return mean_of_block(block_graphs(source.read(rows), anchors, (k,))[0])

    parts = ordered(mean, slices(len(source), ROWS_PER_BLOCK))
    row_entries = min(len(anchors.points) * k, anchors.n_anchors)
    return stack_rows(parts, len(source), anchors.n_anchors, row_entries, progress)


def stack_rows(
    parts: Iterable[sp.csr_matrix],
    n_rows: int,
    n_columns: int,
    row_entries: int,
    progress: Callable[[], None] | None = None,
) -> sp.csr_matrix:
    """Stack float32 graphs of consecutive rows without a second copy of them.

    Parameters
    ----------
    parts : iterable of csr_matrix
    n_rows, n_columns : int
        Shape of the result.
    row_entries : int
        Maximum number of entries per row.
    progress : callable, optional
        Called after every part.
    """
    # memory pages that are never written are not allocated
    data = np.empty(n_rows * row_entries, dtype=np.float32)
    indices = np.empty(n_rows * row_entries, dtype=np.int32)
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    row = 0
    for Z in parts:
        n, start = Z.shape[0], indptr[row]
        end = start + Z.nnz
        data[start:end], indices[start:end] = Z.data, Z.indices
        indptr[row + 1 : row + n + 1] = start + Z.indptr[1:]
        row += n
        if progress is not None:
            progress()
    used = slice(0, indptr[-1])
    return sp.csr_matrix((data[used], indices[used], indptr), shape=(n_rows, n_columns))


def self_weights(g: Float) -> Float:
    """Return 1 / g, scaled to sum to one: the self-weights of views.

    Parameters
    ----------
    g : ndarray of shape (V,)
        Root of the sum, or the mean, of d Z: how far samples are from their anchors.
    """
    w = 1 / np.maximum(g, 1e-12)
    return np.asarray(w / w.sum())
