"""Communities merged to any number of clusters: a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.communities import leiden_at_least, numbered, summed_weights


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
        return numbered(name[self.labels])

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
    from mvgraph.ops.kernels import communities as _kernels

    S = summed_weights(W, labels)
    C = len(S)
    d = np.maximum(S.sum(axis=1), 1e-100)
    mean = S.sum() / d.sum() ** 2
    group = np.zeros(C, dtype=np.int64)
    group[labels] = 0 if within is None else within
    children, distances = np.empty((C - 1, 2), dtype=np.int64), np.empty(C - 1)
    _kernels.merge_densest(S, d, group, mean, children, distances)
    return Merges(labels, children, distances)


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
