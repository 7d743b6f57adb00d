"""Clusters of all cuts of a tree, and the nearest of each: every pair once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

#: Samples of a cluster that are compared, at most: so many, and four times the mean.
MOST = 50


class Clusters(NamedTuple):
    """The clusters of all cuts of a tree, each once: most are in several cuts."""

    rows: np.ndarray  # of one cluster after the other, ascending
    starts: np.ndarray  # (C + 1,)
    means: np.ndarray  # (2 C, d) of every other row, from the first and the second on
    variances: np.ndarray  # (2 C, d)
    of_cuts: list[np.ndarray]  # (K,) of every cut: the numbers of its clusters

    @classmethod
    def of(cls, cuts: np.ndarray, leaves: np.ndarray, X: np.ndarray) -> Clusters:
        """Find the clusters.

        Parameters
        ----------
        cuts : ndarray of int, shape (cuts, C)
            Cluster of every leaf.
        leaves : ndarray of int, shape (n,)
        X : ndarray of shape (n, d)
        """
        number: dict[tuple[int, int], int] = {}
        rows: list[np.ndarray] = []
        of_cuts = []
        for cut in cuts:
            labels = cut[leaves]
            order = np.argsort(labels, kind="stable")
            ends = np.searchsorted(labels[order], np.arange(int(labels.max()) + 2))
            # clusters with a row in common lie in each other: their sizes differ
            keys = zip(order[ends[:-1]].tolist(), np.diff(ends).tolist(), strict=True)
            own = [number.setdefault(key, len(number)) for key in keys]
            of_cuts.append(np.array(own))
            new = np.flatnonzero(of_cuts[-1] >= len(rows))
            rows += [order[ends[c] : ends[c + 1]] for c in new]
        starts = np.cumsum([0, *map(len, rows)])
        moments = _moments([x[half::2] for x in rows for half in (0, 1)], X)
        return cls(np.concatenate(rows), starts, *moments, of_cuts)

    def rows_of_half(
        self, clusters: np.ndarray, most: np.ndarray, half: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the places of some clusters in the list, repeated, and their rows.

        Every other one of the first rows, so many of each cluster.
        """
        sizes = (most + 1 - half) // 2
        place = np.repeat(np.arange(len(clusters)), sizes)
        within = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return place, self.rows[self.starts[clusters][place] + 2 * within + half]


class Pairs(NamedTuple):
    """Clusters, each with the one that most of its neighbours are in, of all cuts."""

    clusters: np.ndarray  # (p, 2) numbers
    most: np.ndarray  # (p, 2) rows of each that are compared
    of_cuts: list[np.ndarray]  # of every cut: its pairs
    first: list[np.ndarray]  # the first of each, in the cut
    ends: np.ndarray  # (cuts,) pairs before this one are in this cut or one before

    @classmethod
    def of(
        cls, cuts: np.ndarray, leaves: np.ndarray, near: np.ndarray, found: Clusters
    ) -> Pairs:
        """Find the pairs.

        Parameters
        ----------
        cuts : ndarray of int, shape (cuts, C)
        leaves : ndarray of int, shape (n,)
        near : ndarray of int, shape (n, k)
            Neighbours of every row.
        found : Clusters
        """
        number: dict[tuple[int, ...], int] = {}
        size, C = np.diff(found.starts), cuts.shape[1]
        links = np.bincount((leaves[:, None] * C + leaves[near]).ravel())
        linked = np.flatnonzero(links)
        a, b, weight = linked // C, linked % C, links[linked]
        of_cuts, firsts, ends = [], [], []
        for cut, names in zip(cuts, found.of_cuts, strict=True):
            K = len(names)
            both = np.bincount(cut[a] * K + cut[b], weight, K * K).reshape(K, K)
            both = both + both.T
            np.fill_diagonal(both, 0)
            first = np.flatnonzero(both.max(axis=1))
            pair = names[np.stack([first, both[first].argmax(axis=1)], axis=1)]
            most = np.minimum(size[pair], MOST + 4 * len(leaves) // K)
            keys = map(tuple, np.hstack([pair, most]).tolist())
            of_cuts.append([number.setdefault(key, len(number)) for key in keys])
            firsts.append(first)
            ends.append(len(number))
        every = np.array(list(number), dtype=np.int64).reshape(-1, 4)
        numbers = [np.array(own, dtype=np.int64) for own in of_cuts]
        return cls(every[:, :2], every[:, 2:], numbers, firsts, np.array(ends))


def _moments(groups: list[np.ndarray], X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means and variances of groups of rows; zero for an empty one."""
    sizes = np.array([len(rows) for rows in groups])
    indices, indptr = np.concatenate(groups), np.cumsum([0, *sizes])
    ones = np.ones(len(indices), dtype=np.float32)
    member = sp.csr_matrix((ones, indices, indptr), shape=(len(groups), len(X)))
    number = np.maximum(sizes, 1)[:, None].astype(np.float32)
    mean = member @ X / number
    square = member @ (X * X) / number
    return mean, np.maximum(square - mean**2, 0)
