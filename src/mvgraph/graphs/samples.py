"""A graph of the samples: who is near whom, by all views together.

Made of the views alone, without labels. It is what a picture of the samples is laid out
from, and what :mod:`mvgraph.tl` writes for scanpy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.adjacency import with_closed_neighborhoods
from mvgraph.graphs.neighbors import Neighbors, self_tuning_graph
from mvgraph.graphs.representations import (
    SCALINGS,
    UNIT,
    informative_rows,
    represent,
    scalings,
)
from mvgraph.graphs.view_distances import ViewDistances, counted_once
from mvgraph.ops.affinity.neighbors import larger_of_both, rows_to_csr
from mvgraph.ops.distance import join_features, nearest_columns, squared_distances
from mvgraph.ops.kmeans import lloyd
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.linalg.spectral import fix_signs
from mvgraph.ops.parallel import one_blas_thread, ordered
from mvgraph.views.container import Views
from mvgraph.views.missing import impute
from mvgraph.views.order import content_order

#: Principal components of every view: as many as the consensus keeps where it must
#: reduce. More would change few distances.
N_COMPONENTS = 100
#: Rows are searched by cells of about so many, in the nearest cells that hold so many.
CELL_ROWS, SEARCHED_ROWS = 500, 10_000
#: Rows from which the centres of the cells are learned, and steps.
CENTRE_ROWS, CENTRE_STEPS = 20_000, 5
#: Neighbours where none are asked for: as few as a small cluster has, and as many as
#: scanpy takes.
NEIGHBORS = (5, 15)
#: Neighbours that are compared, as a multiple of those that are kept.
COMPARED = 2
#: Exponent of the shares of neighbours: with it the links of a sample sum to about 10,
#: as those of UMAP do, which spends its time in proportion.
CONTRAST = 3


class SampleGraph(NamedTuple):
    """Links of the samples, and the features in which they are near."""

    links: sp.csr_matrix  # (N, N), symmetric, in (0, 1], no diagonal
    features: np.ndarray  # (N, d), float32


def graph_of(model: Any, X: Any, n_neighbors: int | None = None) -> SampleGraph:
    """Link samples as the views show them that a fitted model found trustworthy.

    The scaling is the one whose partitions weigh most in the consensus, and views count
    as much as the model lets them. No label is read.

    Parameters
    ----------
    model : fitted estimator
        Of any method; those without weights count every view once.
    X : as in fit
        Samples of the fit, or others.
    n_neighbors : int or None, default=None
        None: half the samples of a cluster, on average, but from 5 to 15, so that
        those of small clusters have enough of their kind.

    Returns
    -------
    SampleGraph
    """
    learned = vars(model)
    totals = dict.fromkeys(SCALINGS, 0.0)
    for name, weight in learned.get("partition_weights_", {}).items():
        scaling = name.split(", ")[0]
        if scaling in totals:
            totals[scaling] += weight
    best = max(SCALINGS, key=lambda name: (totals[name], name == UNIT))
    views = with_closed_neighborhoods(model.schema_.match(X))
    if n_neighbors is None:
        each = len(views) // (2 * len(np.unique(model.labels_)))
        n_neighbors = int(np.clip(each, *NEIGHBORS))
    return sample_graph(views, learned.get("view_weights_"), best, n_neighbors)


def sample_graph(
    views: Views,
    weights: np.ndarray | None = None,
    scaling: str = UNIT,
    n_neighbors: int = 15,
) -> SampleGraph:
    """Link every sample to those that are near it and have the same neighbours.

    The distance of two samples is the sum over the views, each divided by its mean;
    correlated views count once. Of the 2 k nearest of a sample, the k with which it
    shares most neighbours are kept: with noisy features, near samples are often of
    another kind, and what they are near to tells.

    Parameters
    ----------
    views : Views
        N samples. A view that a sample lacks is filled from near samples.
    weights : ndarray of shape (V,), optional
        Of the views; those of weight 0 are left out. None: all equal.
    scaling : str
        One of ``SCALINGS``; ``UNIT`` if it is none for these views.
    n_neighbors : int, default=15
        k, at least 1.

    Returns
    -------
    SampleGraph
        The same for any order of the rows and of the views, to the last bit.

    Notes
    -----
    Exact up to 10,000 samples; beyond, neighbours are searched in the cells of k-means
    that are nearest. Time O(N d) for d features, memory O(N (d + k)).

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> from mvgraph.graphs.samples import sample_graph
    >>> x = np.random.default_rng(0).normal(size=(60, 4))
    >>> x[30:] += 9
    >>> links = sample_graph(Views([x]), n_neighbors=5).links
    >>> bool(links[:30, :30].sum() == links[:30].sum())
    True
    """
    weights = np.ones(views.n_views) if weights is None else np.asarray(weights)
    order = content_order(views, 0)
    kept = [v for i, v in enumerate(order.views) if order.copy_of[i] == i]
    kept = [v for v in kept if weights[v] > 0] or kept
    with one_blas_thread():
        sorted_views = views[order.rows].select(np.array(kept))
        X = _joint_features(sorted_views, weights[kept], scaling)
        links = _links(X, min(n_neighbors, len(X) - 1))
    back = np.argsort(order.rows)
    return SampleGraph(links[back][:, back], X[back])


def _joint_features(views: Views, weights: np.ndarray, scaling: str) -> np.ndarray:
    """Return principal components in which distances are those of all views."""
    informative = informative_rows(views)
    rules = scalings(views)
    scaling = scaling if scaling in rules else UNIT
    found = represent(views, scaling, rules[scaling], informative)
    arrays = found.reduced(N_COMPONENTS).arrays
    if not informative.all():
        (arrays,), known = impute(arrays, informative, [arrays])
        arrays = [
            np.where(here[:, None], x, x[here].mean(axis=0, dtype=np.float64))
            for x, here in zip(arrays, known.T, strict=True)
        ]
    whole = np.ones(len(views), dtype=bool)
    distances = [ViewDistances.of(x, whole) for x in arrays]
    total = weights if weights.sum() > 0 else np.ones(len(weights))
    total = total * counted_once(distances)
    means = np.array([view.mean for view in distances])
    X = np.asarray(join_features(arrays, total / means))
    X = X - X.mean(axis=0, dtype=np.float64)
    axes = fix_signs(np.linalg.eigh(X.T @ X)[1][:, ::-1])
    return np.ascontiguousarray(X @ axes, dtype=np.float32)


def _links(X: np.ndarray, k: int) -> sp.csr_matrix:
    """Link every row to the k of its nearest that share most neighbours with it."""
    from mvgraph.ops.kernels import common as _kernels

    n = len(X)
    if k < 1:
        return sp.csr_matrix((n, n))
    near = nearest_by_cells(X, min(COMPARED * k, n - 1))
    S = normalise(self_tuning_graph(near, near.indices.shape[1]))
    S.sort_indices()
    shared = np.empty(near.indices.shape)
    _kernels.shared_links(S.indptr, S.indices, S.data, near.indices, shared)
    # two rows that are nearest to each other alone share nobody, and are linked
    shared += 1e-9 / np.arange(1, near.indices.shape[1] + 1)
    best = np.argsort(-shared, axis=1, kind="stable")[:, :k]
    strength = np.take_along_axis(shared, best, axis=1)
    strength = (strength / strength[:, :1]) ** CONTRAST
    columns = np.take_along_axis(near.indices, best, axis=1)
    return larger_of_both(rows_to_csr(columns, strength, n))


def nearest_by_cells(
    X: np.ndarray,
    k: int,
    cell_rows: int = CELL_ROWS,
    searched_rows: int = SEARCHED_ROWS,
) -> Neighbors:
    """Find the k nearest other rows of every row, among those of cells near its own.

    Parameters
    ----------
    X : ndarray of float32, shape (n, d)
    k : int
        At most n - 1 and less than `searched_rows`.
    cell_rows : int, default=500
        Rows of a cell, on average.
    searched_rows : int, default=10_000
        Rows among which those of a cell are searched, at least; exact up to so many.
    """
    n = len(X)
    cells, searched = _cells(X, cell_rows, searched_rows)
    indices, distances = np.empty((n, k), dtype=np.int64), np.empty((n, k))

    def search(c: int) -> None:
        some, others = cells[c], searched[c]
        D = squared_distances(X[some], X[others])
        D[np.arange(len(some)), np.searchsorted(others, some)] = np.inf
        near, distances[some] = nearest_columns(D, k)
        indices[some] = others[near]

    for _ in ordered(search, range(len(cells))):
        pass
    return Neighbors(indices, distances)


def _cells(
    X: np.ndarray, cell_rows: int, searched_rows: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Cut the rows into cells; return also, ascending, the rows near every cell."""
    n = len(X)
    if n <= searched_rows:
        blocks = np.array_split(np.arange(n), max(1, n // cell_rows))
        return blocks, [np.arange(n)] * len(blocks)
    count = n // cell_rows
    centres = lloyd(X[:CENTRE_ROWS], X[None, :count], CENTRE_STEPS)[0].centers
    blocks = np.array_split(X, n // cell_rows)
    own = np.concatenate(
        [nearest_columns(squared_distances(x, centres), 1)[0][:, 0] for x in blocks]
    )
    cells = [np.flatnonzero(own == c) for c in range(count)]
    sizes = np.array([len(rows) for rows in cells])
    close = np.argsort(squared_distances(centres, centres), axis=1, kind="stable")
    searched = []
    for c in np.flatnonzero(sizes):
        near = close[c][: np.searchsorted(sizes[close[c]].cumsum(), searched_rows) + 1]
        rows = np.concatenate([cells[d] for d in np.union1d(near, c)])
        searched.append(np.sort(rows))
    return [rows for rows in cells if len(rows)], searched
