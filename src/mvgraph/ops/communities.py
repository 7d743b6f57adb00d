"""Communities of a weighted graph: the Leiden algorithm."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

PASSES = 1  # where communities are only the start of merges
MAX_RESOLUTION = 2.0**30


def leiden(
    W: sp.csr_matrix,
    rng: np.random.Generator,
    resolution: float = 1.0,
    max_passes: int = 10,
) -> np.ndarray:
    r"""Find communities by the Leiden algorithm.

    Solves, greedily and with guaranteed connected communities [traag2019]_,

    .. math:: \max_c \sum_{ij} \Bigl(W_{ij} - \gamma \frac{d_i d_j}{\sum_k d_k}\Bigr)
        [c_i = c_j]

    with d the row sums. Every level moves nodes to the community of largest gain,
    refines the communities into well-connected parts, and makes each part a node. The
    refinement takes the best merge, not a random one.

    Parameters
    ----------
    W : csr_matrix of shape (n, n)
        Symmetric, entries >= 0.
    rng : Generator
        Draws the order in which nodes are visited.
    resolution : float, default=1.0
        gamma > 0; 1 is modularity, larger values give more communities.
    max_passes : int, default=10
        A pass starts from the communities of the one before, until none changes.

    Returns
    -------
    ndarray of int64, shape (n,)
        Labels 0, 1, ...; isolated nodes are communities of their own.

    References
    ----------
    .. [traag2019] Traag, Waltman, van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9, 2019,
       :doi:`10.1038/s41598-019-41695-z`.
    """
    W = sp.csr_matrix(W, dtype=np.float64)
    labels = np.arange(W.shape[0])
    for _ in range(max_passes):
        previous, labels = labels, _pass(W, rng, resolution, labels)
        if np.array_equal(previous, labels):
            break
    return labels


def _pass(
    W: sp.csr_matrix, rng: np.random.Generator, resolution: float, start: np.ndarray
) -> np.ndarray:
    """Move, refine and aggregate, level by level, until nothing moves."""
    from mvgraph.ops.kernels import communities as _kernels

    degree = np.asarray(W.sum(axis=1)).ravel()
    scale = resolution / max(float(degree.sum()), 1e-300)
    node = np.arange(W.shape[0])  # of the present level, by sample
    community, links = start.copy(), (W.indptr, W.indices, W.data)
    while True:
        n = len(degree)
        graph = *links, degree, scale, rng.permutation(n)
        _kernels.move_nodes(*graph, community)
        part = np.empty(n, dtype=np.int64)
        _kernels.refine(*graph, community, part)
        part = numbered(part)
        count = int(part.max()) + 1
        if count == n:  # nothing left to aggregate
            return numbered(community[node])
        links = _kernels.join_nodes(*links, part, count)
        degree = np.bincount(part, weights=degree)
        above = np.empty(count, dtype=np.int64)
        above[part] = community
        community, node = numbered(above), part[node]


def leiden_at_least(
    W: sp.csr_matrix,
    n_communities: int,
    rng: np.random.Generator,
    resolution: float = 1.0,
) -> np.ndarray:
    """Return the communities at the first resolution 1, 2, 4, ... that gives enough.

    Parameters
    ----------
    W : csr_matrix of shape (n, n)
    n_communities : int
        At most n.
    rng : Generator
    resolution : float, default=1.0
        The first that is tried.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    labels = leiden(W, rng, resolution, max_passes=PASSES)
    while labels.max() + 1 < n_communities and resolution < MAX_RESOLUTION:
        resolution *= 2
        labels = leiden(W, rng, resolution, max_passes=PASSES)
    if labels.max() + 1 < n_communities:  # no resolution separates some nodes
        return np.arange(W.shape[0])
    return labels


def join_singles(W: sp.csr_matrix, labels: np.ndarray, at_least: int) -> np.ndarray:
    """Join communities of one node to the community that the node is linked to most.

    At a resolution above 1, nodes whose edges are spread over many communities are left
    alone. They are not clusters, but merges by density would keep them apart.

    Parameters
    ----------
    W : csr_matrix of shape (n, n), symmetric
    labels : ndarray of int, shape (n,)
        Communities 0, 1, ...
    at_least : int
        This many communities are left at least, or all if there are fewer.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    sizes = np.bincount(labels)
    S = summed_weights(W, labels)
    np.fill_diagonal(S, 0.0)
    name, remaining = np.arange(len(S)), len(S)
    for c in np.flatnonzero((sizes == 1) & (S.sum(axis=1) > 0)):
        neighbour = name[S[c].argmax()]
        if remaining > at_least and neighbour != c:
            name[name == c] = neighbour
            remaining -= 1
    return numbered(name[labels])


def summed_weights(W: sp.csr_matrix, labels: np.ndarray) -> np.ndarray:
    """Return (C, C), the weight between any two communities."""
    from mvgraph.ops.kernels import communities as _kernels

    W, C = W.tocsc(), int(labels.max()) + 1
    S = np.zeros((C, C))
    _kernels.sum_links(W.indptr, W.indices, W.data, labels, np.zeros(C), S)
    return S


def numbered(labels: np.ndarray) -> np.ndarray:
    """Return labels 0, 1, ... in the order of the old ones, which are at least 0."""
    return np.asarray(np.cumsum(np.bincount(labels) > 0)[labels] - 1)
