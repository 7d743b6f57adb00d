"""Rows linked to anchors and to landmarks, with weights that are integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from mvgraph.ops.affinity.neighbors import closed_form_weights
from mvgraph.ops.arrays import dense
from mvgraph.ops.distance import (
    nearest_columns,
    squared_distances,
    squared_distances_at,
    squared_norms,
)
from mvgraph.ops.parallel import slices
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
