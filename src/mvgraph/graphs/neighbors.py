"""Neighbour graphs of samples: exact nearest neighbours, and self-tuning weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.representations import Representation
from mvgraph.graphs.view_distances import ViewDistances, counted_once
from mvgraph.ops.affinity.neighbors import larger_of_both, rows_to_csr
from mvgraph.ops.distance import nearest_columns
from mvgraph.ops.linalg.laplacian import normalise
from mvgraph.ops.parallel import map_rows

ROWS_PER_BLOCK = 512


class Neighbors(NamedTuple):
    """The nearest other samples of every sample, nearest first."""

    indices: np.ndarray  # (N, k)
    distances: np.ndarray  # (N, k), squared, float64


def nearest_neighbors(
    views: list[ViewDistances], weights: np.ndarray, k: int
) -> tuple[Neighbors, list[Neighbors]]:
    """Find the exact nearest neighbours of every row, in all views and in each.

    Parameters
    ----------
    views : list of ViewDistances
        Of the same n >= 2 rows.
    weights : ndarray of shape (V,)
        Of the views in the sum of their distances, each divided by its mean.
    k : int
        At most n - 1 neighbours are returned. Ties go to the smaller row.

    Returns
    -------
    joint : Neighbors
    alone : list of V Neighbors
        Distances are infinite between rows that are no neighbours in the view.
    """
    from mvgraph.ops.kernels import distance as _kernels

    n = len(views[0].known)
    k = min(k, n - 1)
    scales = [w / view.mean for w, view in zip(weights, views, strict=True)]

    def find(rows: slice) -> list[np.ndarray]:
        own = np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)
        joint = np.zeros((rows.stop - rows.start, n), dtype=np.float32)
        found: list[np.ndarray] = []
        for view, scale in zip(views, scales, strict=True):
            D = view.block(rows)
            D[own] = np.inf
            _kernels.add_scaled(joint, np.float32(scale), D)
            if not view.known.all():
                D[:, ~view.known] = np.inf
            found += nearest_columns(D, k)
        return [*nearest_columns(joint, k), *found]

    blocks = zip(*map_rows(find, n, ROWS_PER_BLOCK), strict=True)
    joint, near, *alone = (np.concatenate(block) for block in blocks)
    total = near.astype(np.float64)
    at = np.nonzero(_any_close(views, joint, total / weights.sum()))
    ends = at[0], joint[at]
    total[at] = sum(s * view.at(*ends) for s, view in zip(scales, views, strict=True))
    pairs = zip(views, alone[::2], alone[1::2], strict=True)
    return _ascending(joint, total), [_alone(*found) for found in pairs]


def _alone(view: ViewDistances, near: np.ndarray, approximate: np.ndarray) -> Neighbors:
    """Return the neighbours in one view, with exact distances where it matters."""
    d = approximate.astype(np.float64)
    rows = np.broadcast_to(np.arange(len(near))[:, None], near.shape)
    at = np.nonzero(view.close(rows, near, d))
    d[at] = view.at(at[0], near[at])
    d[view.unlinked(rows, near, d)] = np.inf
    return _ascending(near, d)


def _any_close(
    views: list[ViewDistances], near: np.ndarray, distances: np.ndarray
) -> np.ndarray:
    """Return which sums of distances are small beside the squared norms of a view."""
    rows = np.broadcast_to(np.arange(len(near))[:, None], near.shape)
    close = [v.close(rows, near, distances * v.mean) for v in views]
    return np.asarray(np.any(close, axis=0))


def _ascending(near: np.ndarray, d: np.ndarray) -> Neighbors:
    order = np.argsort(d, axis=1, kind="stable")
    return Neighbors(*(np.take_along_axis(x, order, axis=1) for x in (near, d)))


def self_tuning_graph(near: Neighbors, k: int) -> sp.csr_matrix:
    """Link every sample to its k nearest, with weights exp(-d_ij / (s_i s_j)).

    s is the distance to the k-th neighbour, or the last at a finite distance, so that
    weights do not depend on the density of the samples [zelnik2004]_. The graph is made
    symmetric by the larger of two weights.

    Parameters
    ----------
    near : Neighbors
    k : int

    Returns
    -------
    csr_matrix of shape (N, N)

    References
    ----------
    .. [zelnik2004] Zelnik-Manor, Perona, "Self-tuning spectral clustering", NIPS 2004.
    """
    n = len(near.indices)
    indices, d = near.indices[:, :k], near.distances[:, :k]
    linked = np.isfinite(d)
    s = np.sqrt(np.maximum(np.where(linked, d, 0).max(axis=1), 1e-300))
    with np.errstate(under="ignore"):
        w = np.exp(-np.minimum(d / (s[:, None] * s[indices]), 700.0))
    return larger_of_both(rows_to_csr(indices, w * linked, n))


def mean_of_graphs(graphs: list[sp.csr_matrix], weights: np.ndarray) -> sp.csr_matrix:
    """Add up the normalised graphs of the views.

    Parameters
    ----------
    graphs : list of V csr_matrix of shape (N, N)
    weights : ndarray of shape (V,)

    Returns
    -------
    csr_matrix of shape (N, N)
    """
    parts = [normalise(W) for W in graphs]
    for part, w in zip(parts, weights, strict=True):
        part.data *= w
    while len(parts) > 1:  # in pairs: one by one, every sum would be as long as all
        pairs = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return sp.csr_matrix(parts[0])


def few_copies(copies_before: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Return which rows to link: of one that is there many times, some copies only.

    A row with more copies than a graph has neighbours is linked to nothing else: each
    group of copies would be a community of its own.

    Parameters
    ----------
    copies_before : ndarray of int, shape (n,)
        Equal rows before each, as in :class:`mvgraph.views.order.ContentOrder`.
    n_neighbors : int
        Neighbours of a row in the graph that has fewest.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the first ``n_neighbors`` copies of every row.
    """
    return np.asarray(copies_before < n_neighbors)


@dataclass(frozen=True)
class GraphSource:
    """The nearest neighbours of a representation, jointly and by view."""

    name: str
    joint: Neighbors
    views: list[Neighbors]
    informative: np.ndarray  # (N, V)
    weights: np.ndarray  # (V,) of the views; correlated ones count once

    @classmethod
    def of(
        cls, representation: Representation, informative: np.ndarray, n_neighbors: int
    ) -> GraphSource:
        """Find n_neighbors of every row.

        Parameters
        ----------
        representation : Representation
        informative : ndarray of bool, shape (N, V)
            Rows that are False have no neighbours in the view.
        n_neighbors : int
        """
        pairs = zip(representation.arrays, informative.T, strict=True)
        views = [ViewDistances.of(x, known) for x, known in pairs]
        weights = counted_once(views)
        joint, alone = nearest_neighbors(views, weights, n_neighbors)
        joint = alone[0] if len(alone) == 1 else joint
        return cls(representation.name, joint, alone, informative, weights)

    def joint_graph(self, k: int) -> sp.csr_matrix:
        """Return the graph of nearest neighbours in all views together."""
        if k not in self._joint_graphs:
            self._joint_graphs[k] = self_tuning_graph(self.joint, k)
        return self._joint_graphs[k]

    def view_graphs(self, k: int) -> list[sp.csr_matrix]:
        """Return the graph of nearest neighbours in each view."""
        return [self_tuning_graph(near, k) for near in self.views]

    def mean_graph(self, k: int) -> sp.csr_matrix:
        """Return the mean of the normalised graphs of the views."""
        if k not in self._mean_graphs:
            self._mean_graphs[k] = mean_of_graphs(self.view_graphs(k), self.weights)
        return self._mean_graphs[k]

    @cached_property
    def _joint_graphs(self) -> dict[int, sp.csr_matrix]:
        return {}  # by number of neighbours

    @cached_property
    def _mean_graphs(self) -> dict[int, sp.csr_matrix]:
        return {}
