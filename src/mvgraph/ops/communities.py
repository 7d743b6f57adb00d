"""Communities of a weighted graph: the Leiden algorithm, and merges to any number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.labels import indicator

PASSES = 1  # where communities are only the start of merges
MAX_RESOLUTION = 2.0**30


def leiden(
    W: sp.csr_matrix,
    rng: np.random.Generator,
    resolution: float = 1.0,
    start: np.ndarray | None = None,
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
    start : ndarray of int, shape (n,), optional
        Labels to start from; by default every node is alone.
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
    labels = np.arange(W.shape[0]) if start is None else _numbered(start)
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
    community = start.copy()
    while True:
        n = len(degree)
        graph = W.indptr, W.indices, W.data, degree, scale, rng.permutation(n)
        _kernels.move_nodes(*graph, community)
        part = np.empty(n, dtype=np.int64)
        _kernels.refine(*graph, community, part)
        part = _numbered(part)
        count = int(part.max()) + 1
        if count == n:  # nothing left to aggregate
            return _numbered(community[node])
        H = indicator(part, count)
        W = (H.T @ W @ H).tocsr()
        W.sort_indices()
        degree = np.bincount(part, weights=degree)
        above = np.empty(count, dtype=np.int64)
        above[part] = community
        community, node = _numbered(above), part[node]


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
    S = _summed_weights(W, labels)
    np.fill_diagonal(S, 0.0)
    name, remaining = np.arange(len(S)), len(S)
    for c in np.flatnonzero((sizes == 1) & (S.sum(axis=1) > 0)):
        neighbour = name[S[c].argmax()]
        if remaining > at_least and neighbour != c:
            name[name == c] = neighbour
            remaining -= 1
    return _numbered(name[labels])


class Merges(NamedTuple):
    """A tree of communities, in the conventions of AgglomerativeClustering."""

    labels: np.ndarray  # (N,) leaves 0 .. C - 1
    children_: np.ndarray  # (C - 1, 2) merged nodes; the merge makes node C + row
    distances_: np.ndarray  # (C - 1,), never falling

    @property
    def n_leaves_(self) -> int:
        """Number of communities at the bottom."""
        return len(self.children_) + 1

    def cut(self, k: int) -> np.ndarray:
        """Return labels 0 .. k - 1 after as many merges as leave k clusters.

        Parameters
        ----------
        k : int
            From 1 on; with fewer communities than k all of them are returned.

        Returns
        -------
        ndarray of int64, shape (N,)
        """
        C = self.n_leaves_
        name = np.arange(2 * C - 1)
        for step in range(max(C - k, 0)):
            name[self.children_[step]] = C + step
        for node in range(2 * C - 2, -1, -1):  # parents come later
            name[node] = name[name[node]]
        return _numbered(name[self.labels])

    def renumbered(self, k: int, numbers: np.ndarray, new: int) -> np.ndarray:
        """Return the cut into k clusters, numbered like another cut of the same tree.

        Parameters
        ----------
        k : int
            From 1 to the number of leaves.
        numbers : ndarray of int, shape (C,)
            Cluster of every leaf in the cut that gives the numbers.
        new : int
            The first number for parts that need one.

        Returns
        -------
        ndarray of int64, shape (C,)
            Cluster of every leaf: where one is divided, the part of most rows keeps its
            number and the other gets the next; a union has that of its largest part.
        """
        C, known = self.n_leaves_, len(np.unique(numbers))
        size = np.zeros(2 * C - 1, dtype=np.int64)
        size[:C] = np.bincount(self.labels, minlength=C)
        name = np.concatenate([numbers, np.zeros(C - 1, dtype=np.int64)])
        for step, (a, b) in enumerate(self.children_):
            size[C + step] = size[a] + size[b]
            name[C + step] = name[a] if size[a] >= size[b] else name[b]
        for step in range(C - known - 1, C - k - 1, -1):  # divided at a finer level
            a, b = self.children_[step]
            name[a] = name[b] = name[C + step]
            name[b if size[a] >= size[b] else a] = new
            new += 1
        for step in range(C - k - 1, -1, -1):  # below the level
            name[self.children_[step]] = name[C + step]
        return name[:C]


def merge_communities(
    W: sp.csr_matrix, labels: np.ndarray, within: np.ndarray | None = None
) -> Merges:
    """Merge the two communities of densest connection, again and again.

    The density of a and b is S_ab / (d_a d_b), S the summed weights and d the degrees.
    The distance of a merge is the mean density over that of the pair, at least the
    distance of the merge before.

    Parameters
    ----------
    W : csr_matrix of shape (n, n), symmetric
    labels : ndarray of int, shape (n,)
        Communities 0, 1, ...
    within : ndarray of int, shape (n,), optional
        Larger groups, each a union of communities: merges inside them come first.

    Returns
    -------
    Merges
    """
    S = _summed_weights(W, labels)
    C = len(S)
    d = np.maximum(S.sum(axis=1), 1e-100)
    mean = S.sum() / d.sum() ** 2
    group = np.zeros(C, dtype=np.int64)
    group[labels] = 0 if within is None else within
    merges_inside = C - len(np.unique(group))
    allowed = group[:, None] == group[None]
    density = np.where(allowed, S / np.outer(d, d), -1.0)
    np.fill_diagonal(density, -1.0)
    best = density.max(axis=1)  # a step changes few of these
    name, alive = np.arange(C), np.ones(C, dtype=bool)
    children, distances = np.empty((C - 1, 2), dtype=np.int64), np.empty(C - 1)
    for step in range(C - 1):
        if step == merges_inside:  # a community per group is left: these are merged now
            allowed[:] = True
            density = np.where(alive[:, None] & alive, S / np.outer(d, d), -1.0)
            np.fill_diagonal(density, -1.0)
            best = density.max(axis=1)
        i = int(best.argmax())
        i, j = sorted((i, int(density[i].argmax())))
        ratio = mean / density[i, j] if density[i, j] > 0 else np.inf
        children[step] = sorted((name[i], name[j]))
        distances[step] = max(ratio, distances[step - 1] if step else 0)
        S[i] += S[j]
        S[:, i] += S[:, j]
        d[i] += d[j]
        name[i], alive[j] = C + step, False
        stale = (density[:, [i, j]].max(axis=1) >= best) & (best >= 0)
        stale[[i, j]] = True
        density[j] = density[:, j] = -1.0
        others = alive & allowed[i]
        others[i] = False
        density[i, others] = density[others, i] = S[i, others] / (d[i] * d[others])
        best[stale] = density[stale].max(axis=1)
        best = np.maximum(best, density[:, i])
    return Merges(labels, children, distances)


def _summed_weights(W: sp.csr_matrix, labels: np.ndarray) -> np.ndarray:
    """Return (C, C), the weight between any two communities."""
    H = indicator(labels, int(labels.max()) + 1)
    return np.asarray((H.T @ W @ H).todense())


def _numbered(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def community_tree(
    W: sp.csr_matrix, labels: np.ndarray, n_leaves: int, rng: np.random.Generator
) -> Merges:
    """Merge communities inside the clusters first, then the clusters.

    Parameters
    ----------
    W : csr_matrix of shape (N, N)
        Graph of the samples.
    labels : ndarray of int, shape (N,)
        The clusters; the cut of the tree at their number gives them back.
    n_leaves : int
        Least number of communities at the bottom, if there are enough rows.
    rng : Generator

    Returns
    -------
    Merges
        Leaves are numbered 0, 1, ...; distances never fall.
    """
    communities = leiden_at_least(W, min(n_leaves, W.shape[0]), rng)
    pairs = np.stack([labels, communities], axis=1)
    leaves = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
    return merge_communities(W, leaves, within=labels)
