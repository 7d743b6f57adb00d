"""Nearest neighbours of a representation, and the graphs that are made of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.neighbors import (
    Neighbors,
    mean_of_graphs,
    nearest_neighbors,
    self_tuning_graph,
)
from mvgraph.graphs.representations import Representation

__all__ = ["GraphSource", "few_copies"]


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


class GraphSource(NamedTuple):
    """The nearest neighbours of a representation, jointly and by view."""

    name: str
    joint: Neighbors
    views: list[Neighbors]
    informative: np.ndarray  # (N, V)

    @classmethod
    def of(
        cls, representation: Representation, informative: np.ndarray, n_neighbors: int
    ) -> GraphSource:
        """Find n_neighbors; the views count the same in the joint graph."""
        arrays = representation.arrays
        scaled = [_unit_distance(x) for x in arrays]
        joint = nearest_neighbors(np.hstack(scaled), n_neighbors)
        alone = [joint]
        if len(arrays) > 1:
            alone = [nearest_neighbors(x, n_neighbors) for x in arrays]
        return cls(representation.name, joint, alone, informative)

    def joint_graph(self, k: int) -> sp.csr_matrix:
        """Return the graph of nearest neighbours in all views together."""
        return self_tuning_graph(self.joint, k)

    def view_graphs(self, k: int) -> list[sp.csr_matrix]:
        """Return the graph of nearest neighbours in each view."""
        return [self_tuning_graph(near, k) for near in self.views]

    def mean_graph(self, k: int) -> sp.csr_matrix:
        """Return the mean of the normalised graphs of the views."""
        return mean_of_graphs(self.view_graphs(k), self.informative)


def _unit_distance(x: np.ndarray) -> np.ndarray:
    """Centre and scale a view to a mean squared distance of one between samples."""
    centred = x - x.mean(axis=0, dtype=np.float64).astype(x.dtype)
    mean = 2 * float(np.einsum("nd,nd->", centred, centred, dtype=np.float64)) / len(x)
    scale = x.dtype.type(1 / np.sqrt(mean) if mean > 0 else 1)
    return np.asarray(centred * scale)
