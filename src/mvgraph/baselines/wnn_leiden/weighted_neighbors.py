"""Weighted nearest neighbours (WNN): every sample has its own weights of the views."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.affinity.neighbors import nearest_others, rows_to_csr, without_diagonal
from mvgraph.ops.arrays import Float, Int
from mvgraph.ops.distance import nearest_columns, squared_distances_at
from mvgraph.ops.parallel import map_rows

ROWS_PER_BLOCK = 256  # rows whose candidates are in memory at a time
LEAST_WIDTH = 1e-12  # among duplicates: similarities are then 0 or 1
MAX_SCORE, SCORE_FLOOR = 200.0, 1e-4


class ViewNeighbors(NamedTuple):
    """A view with the nearest others and the scale of similarities of every sample."""

    E: Float  # (N, d)
    idx: Int  # (N, r) nearest others, nearest first
    nearest: Float  # (N,) distance to the nearest, delta
    width: Float  # (N,) sigma

    def similarity(self, rows: slice | Int, distances: Float) -> Float:
        """Return exp(-max(distance - delta, 0) / sigma) for (n, ...) distances."""
        shape = (-1,) + (1,) * (distances.ndim - 1)
        delta, width = self.nearest[rows], self.width[rows]
        far = np.maximum(distances - delta.reshape(shape), 0)
        return np.asarray(np.exp(-far / width.reshape(shape)))


def neighbors_in_view(E: Float, k: int, n_candidates: int) -> ViewNeighbors:
    """Find the nearest others in a view, and the width of its similarities.

    Among the samples that share least, but at least one, of their k nearest with
    sample i, the width is the mean distance of the k farthest, minus the distance to
    the nearest.

    Parameters
    ----------
    E : ndarray of shape (N, d)
    k : int
        Neighbours, the sample itself included.
    n_candidates : int
        Others that are kept, from 1 to N - 1, at least k - 1.

    Returns
    -------
    ViewNeighbors
    """
    idx = nearest_others(E, n_candidates)[0]
    every = np.arange(len(E))
    nearest = np.sqrt(squared_distances_at(E, E, every, idx[:, 0]))
    with_itself = np.hstack([every[:, None], idx[:, : k - 1]])
    width = _far_distances(E, _shared_neighbors(with_itself), k) - nearest
    return ViewNeighbors(E, idx, nearest, np.maximum(width, LEAST_WIDTH))


def _shared_neighbors(idx: Int) -> sp.csr_matrix:
    """Count the common entries of any two lists of neighbours."""
    A = rows_to_csr(idx, np.ones(idx.shape), len(idx))
    return without_diagonal((A @ A.T).tocsr())


def _far_distances(E: Float, shared: sp.csr_matrix, k: int) -> Float:
    """Return the mean of the k largest distances among the k smallest counts and ties.

    All rows at once: entries are sorted within their rows of the matrix.
    """
    ends = shared.indptr
    rows = np.repeat(np.arange(len(E)), np.diff(ends))
    counts = shared.data[np.lexsort((shared.data, rows))]
    connected = np.diff(ends) > 0  # other rows have no neighbour but themselves
    last = np.minimum(ends[:-1] + k, ends[1:]) - 1
    most = np.where(
        connected, counts[np.where(connected, last, 0)] if len(counts) else 0, 0
    )
    kept = shared.data <= most[rows]
    rows, columns = rows[kept], shared.indices[kept]
    d = np.sqrt(squared_distances_at(E, E, rows, columns))
    d = d[np.lexsort((-d, rows))]
    sizes = np.bincount(rows, minlength=len(E))
    rank = np.arange(len(d)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    total = np.bincount(rows[rank < k], d[rank < k], minlength=len(E))
    return np.asarray(total / np.maximum(np.minimum(sizes, k), 1))


def weigh_views(views: list[ViewNeighbors], k: int) -> Float:
    """Weigh the views of every sample by how well each predicts itself.

    The neighbours of a sample in view u predict its features in view v by their mean;
    the score of v is the similarity of its own prediction, over the best of the others.

    Parameters
    ----------
    views : list of V ViewNeighbors
    k : int
        Neighbours, the sample itself included.

    Returns
    -------
    ndarray of shape (N, V)
        Rows are positive and sum to one: a softmax of the scores.
    """
    n, V = len(views[0].E), len(views)
    others = max(k - 1, 1)
    means = [
        rows_to_csr(v.idx[:, :others], np.full((n, others), 1 / others), n)
        for v in views
    ]
    scores = np.empty((n, V))
    for v, view in enumerate(views):
        gaps = [np.linalg.norm(view.E - A @ view.E, axis=1) for A in means]
        theta = view.similarity(slice(None), np.column_stack(gaps))
        by_itself = theta[:, v].copy()
        theta[:, v] = 0
        scores[:, v] = by_itself / (theta.max(axis=1) + SCORE_FLOOR)
    scores = np.minimum(scores, MAX_SCORE)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def joint_neighbors(views: list[ViewNeighbors], weights: Float, k: int) -> Int:
    """Find the k others that are most similar by the weighted mean over the views.

    Parameters
    ----------
    views : list of V ViewNeighbors
        The union of their neighbours is considered.
    weights : ndarray of shape (N, V)
    k : int
        At most the number of neighbours kept in every view.

    Returns
    -------
    ndarray of int64, shape (N, k)
        Most similar first; ties go to the smaller index.
    """
    n = len(weights)

    def search(rows: slice) -> Int:
        candidates = np.sort(np.hstack([v.idx[rows] for v in views]), axis=1)
        new = np.ones(candidates.shape, dtype=bool)  # others: of more than one view
        new[:, 1:] = candidates[:, 1:] != candidates[:, :-1]
        i, j = np.repeat(np.arange(n)[rows], new.sum(axis=1)), candidates[new]
        similar = np.zeros(len(i))
        for v, view in enumerate(views):
            d = np.sqrt(squared_distances_at(view.E, view.E, i, j))
            similar += weights[i, v] * view.similarity(i, d)
        total = np.full(candidates.shape, -1.0)
        total[new] = similar
        return np.take_along_axis(candidates, nearest_columns(-total, k)[0], axis=1)

    return np.concatenate(map_rows(search, n, ROWS_PER_BLOCK))


def shared_neighbor_graph(idx: Int, prune: float) -> sp.csr_matrix:
    """Link samples by the Jaccard index of their lists of neighbours.

    Parameters
    ----------
    idx : ndarray of int, shape (N, k)
    prune : float
        Smallest index that is a link, except for a sample that would lose all links.

    Returns
    -------
    csr_matrix of shape (N, N)
        Symmetric, with a zero diagonal.
    """
    W = _shared_neighbors(idx)
    W.data = W.data / (2 * idx.shape[1] - W.data)
    rows = np.repeat(np.arange(len(idx)), np.diff(W.indptr))
    strong = W.data >= prune
    lone = np.bincount(rows[strong], minlength=len(idx)) == 0
    W.data[~(strong | lone[rows] | lone[W.indices])] = 0
    W.eliminate_zeros()
    return W
