"""A block of rows of the smooth form of MGL: built, summed, read out.

Every function is pure, so that an engine may run it on any worker, and repeat it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.mgl.filters import SmoothGraph
from mvgraph.mgl.groups import groups_of_rows
from mvgraph.mgl.links import (
    TOTAL,
    Points,
    link_rows,
    view_and_joint_graphs,
    view_graphs,
)
from mvgraph.views.rows import RowBlock

__all__ = ["Points", "SmoothBlock", "cluster_sums", "embed", "make_block", "read_out"]

ROW_TOTAL = 64  # weight of a row without missing views


class SmoothBlock(NamedTuple):
    """Rows of the graphs to anchors (Z) and landmarks (B), as integers.

    The weight is that of the row in all sums: (views present / V)^2 of a complete row.
    """

    weight: np.ndarray  # (n,)
    anchors: np.ndarray  # (n, s) numbers, ascending, -1 beyond the last
    z: np.ndarray  # (n, s) weights, rows sum to TOTAL
    landmarks: np.ndarray
    b: np.ndarray
    labels: np.ndarray  # (n,) clusters, once they are known


def make_block(
    block: RowBlock, anchors: Points, landmarks: Points, group: np.ndarray
) -> tuple[SmoothBlock, tuple[np.ndarray, ...]]:
    """Link the rows of a block to anchors and landmarks.

    Parameters
    ----------
    block : RowBlock
    anchors, landmarks : Points
    group : ndarray of int, shape (L,)
        Isolated group of every landmark, or -1. Rows of group g are linked to anchor
        M + g only, which is the group's own.

    Returns
    -------
    block : SmoothBlock
    sums : tuple of ndarray
        B'WB, B'WZ, Z'WZ in units of 1 / TOTAL^2, W the weights of the rows, of the
        squares the upper parts; rows present and sum of d z / scale of every view.
    """
    from mvgraph.mgl.kernels.fused import add_products, add_squares

    V, n = len(block.arrays), block.arrays[0].shape[0]
    present = np.ones((n, V), dtype=bool) if block.mask is None else block.mask
    a, z, fit = link_rows(block, anchors, present, view_and_joint_graphs)
    l, b, _ = link_rows(block, landmarks, present, view_graphs)
    L, M = len(group), len(anchors.arrays[0])
    if group.max() >= 0:
        own = groups_of_rows(l, b, group)
        rows = np.flatnonzero(own >= 0)
        a[rows], z[rows] = -1, 0
        a[rows, 0], z[rows, 0] = M + own[rows], TOTAL
        M += int(group.max()) + 1
    weight = np.rint(ROW_TOTAL * present.mean(axis=1) ** 2)
    made = SmoothBlock(weight, a, z, l, b, np.zeros(n, dtype=np.int32))
    BB, BZ, ZZ = np.zeros((L, L)), np.zeros((L, M)), np.zeros((M, M))
    add_squares(l, b, weight, BB)
    add_products(l, b, a, z, weight, BZ)
    add_squares(a, z, weight, ZZ)
    return made, (BB, BZ, ZZ, present.sum(axis=0), fit)


def embed(
    block: SmoothBlock, smooth: SmoothGraph, n_anchors: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the embedding P of the rows (eq. 13), and their groups or -1."""
    group = np.maximum(SmoothBlock(*block).anchors[:, 0] - n_anchors, -1)
    return _embedding(block, smooth), group


def _embedding(block: SmoothBlock, smooth: SmoothGraph) -> np.ndarray:
    from mvgraph.mgl.kernels.fused import map_rows

    b = SmoothBlock(*block)
    P = np.zeros((len(b.z), smooth.anchor_map.shape[1]))
    maps = smooth.anchor_map / TOTAL, smooth.landmark_map / TOTAL
    map_rows(b.anchors, b.z, maps[0], b.landmarks, b.b, maps[1], P)
    return P


def nearest_center(P: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the nearest centre of every row of P, scaled to length 1.

    Row by row and in a fixed order of additions: the same whatever the block.
    """
    from mvgraph.mgl.kernels.fused import closest

    labels = np.empty(len(P), dtype=np.int32)
    closest(P, centers, labels)
    return labels


def cluster_sums(
    block: SmoothBlock, smooth: SmoothGraph, centers: np.ndarray
) -> tuple[SmoothBlock, tuple[np.ndarray, ...]]:
    """Label the rows of a block; sums: B'WH and Z'WH, H the indicator of clusters."""
    from mvgraph.mgl.kernels.fused import add_by_cluster

    b = SmoothBlock(*block)
    labels = nearest_center(_embedding(b, smooth), centers)
    K = len(centers)
    BH, ZH = np.zeros((len(smooth.R), K)), np.zeros((smooth.R.shape[1], K))
    add_by_cluster(b.landmarks, b.b, labels, b.weight, BH)
    add_by_cluster(b.anchors, b.z, labels, b.weight, ZH)
    return b._replace(labels=labels), (BH, ZH)


def read_out(
    block: SmoothBlock, smooth: SmoothGraph, owner: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, ...]:
    """Return the rounded rows of a block: labels, entries per row, anchors, weights.

    owner : (M,) cluster of every anchor.
    """
    from mvgraph.mgl.kernels.fused import rows_of_own_cluster

    b = SmoothBlock(*block)
    order = np.argsort(owner, kind="stable")
    number = np.append(np.argsort(order), -1).astype(np.int32)  # -1 stays -1
    start = np.searchsorted(owner[order], np.arange(n_clusters + 1))
    n, width = len(b.labels), int(np.diff(start).max())
    indices, data = np.empty((n, width), dtype=np.int32), np.empty((n, width))
    sizes = np.empty(n, dtype=np.int64)
    R = np.ascontiguousarray(smooth.R[:, order])
    rows_of_own_cluster(
        number[b.anchors], b.z, smooth.keep, b.landmarks, b.b, R,
        b.labels, start, indices, data, sizes,
    )  # fmt: skip
    used = np.arange(width) < sizes[:, None]
    return (
        b.labels.astype(np.int64),
        sizes,
        order[indices[used]].astype(np.int32),
        data[used],
    )
