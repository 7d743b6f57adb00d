"""Landmarks, and rows linked to anchors and landmarks with weights that are integers.

A group far away from all others is a cluster, however small, and is found if it
contains enough landmarks. Neither k-means, whose sum of squares it hardly changes, nor
a normalised cut is sure to find it; but no edge leaves it in the graph of landmarks, in
any view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors, impute_views
from mvgraph.graphs.partition import small_components
from mvgraph.ops.affinity.neighbors import closed_form_weights, rows_to_csr
from mvgraph.ops.arrays import dense
from mvgraph.ops.distance import (
    nearest_columns,
    squared_distances,
    squared_distances_at,
    squared_norms,
)
from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock

#: Sum of the integer weights of a row: a unit, fine enough for weights of .0005, that
#: fits into 16 bits and keeps sums of products of ten million rows below 2^53.
TOTAL = 2048
ROWS = 1024  # whose distances are in memory at a time
#: Candidates in addition to the neighbours; larger values are clipped in the search.
SPARE, FAR = 3, 1e15


class Points(NamedTuple):
    """Points that rows are linked to, by view."""

    arrays: tuple[np.ndarray, ...]  # V arrays (M, d_v)
    scales: np.ndarray  # (V,) mean squared distance of the samples to their mean
    n_neighbors: int


class LinkedRows(NamedTuple):
    """G graphs of some rows, and the share that each has in a row."""

    idx: np.ndarray  # (G, n, k)
    weights: np.ndarray  # (G, n, k)
    shares: np.ndarray  # (G, n), columns sum to one
    fit: np.ndarray  # (V,) sum d z of every view


#: Links rows (V arrays) to points: (arrays, points, present (V, n), k).
Linker = Callable[[list[np.ndarray], Points, np.ndarray, int], LinkedRows]


def link_rows(
    block: RowBlock, points: Points, present: np.ndarray, graphs: Linker
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points, integer weights, and sum of d z / scale of every view."""
    from mvgraph.anchor_filter.kernels.rows import fuse_rows

    (n, V), M = present.shape, len(points.arrays[0])
    k = min(points.n_neighbors, M - 1)
    width = min(M, k * (V + 1))
    pattern = np.full((n, width), -1, dtype=np.int32)
    counts, fit = np.zeros((n, width), dtype=np.int16), np.zeros(V)
    for rows in slices(n, ROWS):
        arrays = [dense(x[rows]) for x in block.arrays]
        idx, weights, shares, part = graphs(arrays, points, present[rows].T, k)
        fuse_rows(idx, weights, shares, TOTAL, pattern[rows], counts[rows])
        fit += part / points.scales
    return pattern, counts, fit


def view_and_joint_graphs(
    arrays: list[np.ndarray], points: Points, present: np.ndarray, k: int, share: float
) -> LinkedRows:
    """Link rows to their nearest points in every view, and jointly.

    The share of a row that is not joint is the mean of the graphs of its views, the
    rest the graph of the distances summed over views, each divided by the scale of its
    view.
    """
    V, graphs, fit = len(arrays), [], np.zeros(len(arrays))
    joint: np.ndarray = np.zeros((len(arrays[0]), len(points.arrays[0])))
    for v, x in enumerate(arrays):
        D = squared_distances(x, points.arrays[v])
        graphs.append(_weigh(*nearest_columns(D, k + 1)))
        fit[v] = (graphs[v][2] * present[v]).sum()
        joint += D * (present[v] / points.scales[v])[:, None]
    shares = present / present.sum(axis=0)
    if V > 1:
        graphs.append(_weigh(*nearest_columns(joint, k + 1)))
        shares = np.vstack([(1 - share) * shares, np.full(len(joint), share)])
    idx, weights, _ = (np.stack(x) for x in zip(*graphs, strict=True))
    return LinkedRows(idx, weights, shares, fit)


def view_graphs(
    arrays: list[np.ndarray], points: Points, present: np.ndarray, k: int
) -> LinkedRows:
    """Link rows to their nearest points in every view; fast for many points."""
    pairs = zip(arrays, points.arrays, strict=True)
    graphs = [_weigh(*_nearest(x, y, k + 1)) for x, y in pairs]
    idx, weights, fit = (np.stack(x) for x in zip(*graphs, strict=True))
    shares = present / present.sum(axis=0)
    return LinkedRows(idx, weights, shares, (fit * present).sum(axis=1))


def _weigh(idx: np.ndarray, d: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return k of k + 1 points, their closed-form weights, and d z of every row."""
    weights = closed_form_weights(d)[0]
    return idx[:, :-1], weights, (weights * d[:, :-1]).sum(axis=1)


def _nearest(x: np.ndarray, y: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the k nearest rows of y, and their distances.

    Candidates are searched in float32, some more than k; their distances are exact.
    """
    center = y.mean(axis=0)
    near, far = (np.clip(a - center, -FAR, FAR).astype(np.float32) for a in (x, y))
    # |a - b|^2 - |a|^2 = -2 a.b + |b|^2: one product, and the same neighbours
    a = np.hstack([near * -2, np.ones((len(x), 1), dtype=np.float32)])
    b = np.hstack([far, squared_norms(far)[:, None]])
    m = min(k + SPARE, len(y))
    idx = np.sort(nearest_columns(a @ b.T, m)[0], axis=1)
    rows = np.repeat(np.arange(len(x)), m)
    d = squared_distances_at(x, y, rows, idx.ravel()).reshape(idx.shape)
    first = np.argsort(d, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(idx, first, 1), np.take_along_axis(d, first, 1)


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
    for g in np.unique(group[group >= 0]):
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
