"""Landmarks, and small groups of them that are separated from all others.

A group far away from all others is a cluster, however small, and is found if it
contains enough landmarks. Neither k-means, whose sum of squares it hardly changes, nor
a normalised cut is sure to find it; but no edge leaves it in the graph of landmarks, in
any view.
"""

from __future__ import annotations

import numpy as np

from mvgraph.anchor_filter.links import TOTAL, Points, link_rows, view_graphs
from mvgraph.graphs.anchors import Anchors, impute_views
from mvgraph.graphs.partition import small_components
from mvgraph.ops.affinity.neighbors import rows_to_csr
from mvgraph.ops.arrays import dense
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock


def choose_landmarks(scaled: Views, n_landmarks: int) -> tuple[np.ndarray, ...]:
    """Return the first rows of every view; missing ones are filled from neighbours.

    In the order of their content, the first rows are a random sample.
    """
    first = scaled[: min(n_landmarks, len(scaled))]
    if first.mask is not None:
        first = impute_views(first)
    return tuple(dense(x) for x in first.arrays)


def spread(scaled: Views) -> np.ndarray:
    """Return the mean squared distance of the rows to their mean, of every view."""
    spreads = []
    for v, x in enumerate(scaled.arrays):
        y = dense(x if scaled.mask is None else x[scaled.mask[:, v]])
        total = float(y.var(axis=0, dtype=np.float64).sum())
        spreads.append(total if total > 0 else 1.0)
    return np.array(spreads)


def isolated_groups(landmarks: Points, K: int) -> np.ndarray:
    """Find small groups of landmarks without edges to other landmarks.

    Parameters
    ----------
    landmarks : Points
        A random sample of the rows.
    K : int
        Number of clusters.

    Returns
    -------
    ndarray of int, shape (L,)
        Group of every landmark, -1 for most. There are no groups where the graph has
        more than K components, so that some have to be merged, or one that contains
        fewer distinct landmarks than a row has neighbours.
    """
    L, V = len(landmarks.arrays[0]), len(landmarks.arrays)
    everywhere = np.ones((L, V), dtype=bool)
    block = RowBlock(list(landmarks.arrays), None)
    idx, counts, _ = link_rows(block, landmarks, everywhere, view_graphs)
    edges = rows_to_csr(np.maximum(idx, 0), counts * (idx >= 0), L)
    joined = np.hstack(landmarks.arrays)
    number = np.full(L, -1)
    small = small_components(edges, joined, K, landmarks.n_neighbors)
    for g, members in enumerate(small):
        number[members] = g
    return number


def groups_of_rows(
    landmarks: np.ndarray, weights: np.ndarray, group: np.ndarray
) -> np.ndarray:
    """Return the group that more than half of the weight of a row belongs to, or -1."""
    of_entry = np.where(landmarks >= 0, group[landmarks], -1)
    group_of_row = np.full(len(landmarks), -1)
    for g in range(int(group.max()) + 1):
        share = (weights * (of_entry == g)).sum(axis=1)
        group_of_row[2 * share > TOTAL] = g
    return group_of_row


def with_groups(anchors: Anchors, landmarks: Points, group: np.ndarray) -> Anchors:
    """Append the mean landmark of every isolated group."""
    points = []
    for anchor_points, x in zip(anchors.points, landmarks.arrays, strict=True):
        means = [x[group == g].mean(axis=0) for g in range(int(group.max()) + 1)]
        points.append(np.vstack([anchor_points, *means]))
    return Anchors(tuple(points), anchors.rows if group.max() < 0 else None)
