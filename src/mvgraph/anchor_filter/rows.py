"""A block of rows: linked, embedded, labelled, summed, read out.

Every function is pure, so that an engine may run it on any worker, and repeat it.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from mvgraph.anchor_filter.filters import SmoothGraph
from mvgraph.anchor_filter.links import (
    TOTAL,
    Points,
    groups_of_rows,
    link_rows,
    view_and_joint_graphs,
    view_graphs,
)
from mvgraph.views.rows import RowBlock

#: Weight of a row without missing views: a unit, so that weights are integers.
ROW_TOTAL = 64


class Targets(NamedTuple):
    """What rows are linked to."""

    anchors: Points
    landmarks: Points
    group: np.ndarray  # (L,) isolated group of every landmark, or -1
    joint: float  # share of the joint graph in the links to anchors

    @property
    def n_anchors(self) -> int:
        """Number of anchors, those of the groups included."""
        return len(self.anchors.arrays[0]) + int(self.group.max()) + 1


class RowModel(NamedTuple):
    """What embeds and labels any row: that of the fit, and that of a new sample."""

    targets: Targets
    anchor_map: np.ndarray  # (M, r), see SmoothGraph
    landmark_map: np.ndarray  # (L, r)
    centers: np.ndarray  # (K, r) of the clusters, rows of length 1 or less

    def embed(self, block: RowBlock) -> np.ndarray:
        """Return the embedding of scaled rows, (n, r)."""
        return _embedding(link_block(block, self.targets), *self[1:3])

    def label(self, block: RowBlock) -> np.ndarray:
        """Return the cluster of scaled rows, (n,)."""
        return nearest_center(self.embed(block), self.centers)


class LinkedBlock(NamedTuple):
    """Rows of the graphs to anchors (Z) and landmarks (B), as integers.

    The weight is that of the row in all sums: (views present / V)^2 of a complete row.
    """

    weight: np.ndarray  # (n,)
    anchors: np.ndarray  # (n, s) numbers, ascending, -1 beyond the last
    z: np.ndarray  # (n, s) weights, rows sum to TOTAL
    landmarks: np.ndarray
    b: np.ndarray
    labels: np.ndarray  # (n,) clusters, once they are known


def _presence(block: RowBlock) -> np.ndarray:
    """Return which rows every view has, (n, V)."""
    n, V = block.arrays[0].shape[0], len(block.arrays)
    return np.ones((n, V), dtype=bool) if block.mask is None else block.mask


def link_block(block: RowBlock, targets: Targets) -> LinkedBlock:
    """Link the rows of a block; see `make_block`."""
    return _link(block, targets)[0]


def _link(block: RowBlock, targets: Targets) -> tuple[LinkedBlock, np.ndarray]:
    """Link the rows of a block; also return the sum of d z / scale of every view."""
    anchors, landmarks, group, joint = targets
    present = _presence(block)
    both = partial(view_and_joint_graphs, share=joint)
    a, z, fit = link_rows(block, anchors, present, both)
    l, b, _ = link_rows(block, landmarks, present, view_graphs)
    if group.max() >= 0:
        isolated = groups_of_rows(l, b, group)
        rows = np.flatnonzero(isolated >= 0)
        a[rows], z[rows] = -1, 0
        a[rows, 0], z[rows, 0] = len(anchors.arrays[0]) + isolated[rows], TOTAL
    weight = np.rint(ROW_TOTAL * present.mean(axis=1) ** 2)
    return LinkedBlock(weight, a, z, l, b, np.zeros(len(a), dtype=np.int32)), fit


def make_block(
    block: RowBlock, targets: Targets
) -> tuple[LinkedBlock, tuple[np.ndarray, ...]]:
    """Link the rows of a block to anchors and landmarks.

    Parameters
    ----------
    block : RowBlock
    targets : Targets
        Rows of group g are linked to anchor M + g only, which is the group's own.

    Returns
    -------
    block : LinkedBlock
    sums : tuple of ndarray
        B'WB, B'WZ, Z'WZ in units of 1 / TOTAL^2, W the weights of the rows, of the
        squares the upper parts; rows present and sum of d z / scale of every view.
    """
    from mvgraph.anchor_filter.kernels.rows import add_products, add_squares

    made, fit = _link(block, targets)
    L, M = len(targets.group), targets.n_anchors
    BB, BZ, ZZ = np.zeros((L, L)), np.zeros((L, M)), np.zeros((M, M))
    weight, a, z, l, b, _ = made
    add_squares(l, b, weight, BB)
    add_products(l, b, a, z, weight, BZ)
    add_squares(a, z, weight, ZZ)
    return made, (BB, BZ, ZZ, _presence(block).sum(axis=0), fit)


def embed(
    block: LinkedBlock, smooth: SmoothGraph, n_anchors: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the embedding P of the rows (eq. 13), and their groups or -1."""
    b = LinkedBlock(*block)
    group = np.maximum(b.anchors[:, 0] - n_anchors, -1)
    return _embedding(b, smooth.anchor_map, smooth.landmark_map), group


def _embedding(
    b: LinkedBlock, anchor_map: np.ndarray, landmark_map: np.ndarray
) -> np.ndarray:
    from mvgraph.anchor_filter.kernels.rows import map_rows

    # compiled loops do not look; -1 is no link
    for links, found in ((b.anchors, anchor_map), (b.landmarks, landmark_map)):
        low, high = links.min(initial=0), links.max(initial=0)
        if low < -1 or high >= len(found) or found.shape[1] != anchor_map.shape[1]:
            raise ValueError(f"links {low} to {high} of a map of shape {found.shape}")
    P = np.zeros((len(b.z), anchor_map.shape[1]))
    maps = anchor_map / TOTAL, landmark_map / TOTAL
    map_rows(b.anchors, b.z, maps[0], b.landmarks, b.b, maps[1], P)
    return P


def nearest_center(P: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the nearest centre of every row of P, scaled to length 1.

    Row by row and in a fixed order of additions, so that blocks do not matter.
    """
    from mvgraph.anchor_filter.kernels.rows import closest

    labels = np.empty(len(P), dtype=np.int32)
    closest(P, centers, labels)
    return labels


def label_and_sum(
    block: LinkedBlock, smooth: SmoothGraph, centers: np.ndarray
) -> tuple[LinkedBlock, tuple[np.ndarray, ...]]:
    """Label the rows of a block; sums: B'WH and Z'WH, H the indicator of clusters."""
    from mvgraph.anchor_filter.kernels.rows import add_by_cluster

    b = LinkedBlock(*block)
    P = _embedding(b, smooth.anchor_map, smooth.landmark_map)
    labels = nearest_center(P, centers)
    K = len(centers)
    BH, ZH = np.zeros((len(smooth.R), K)), np.zeros((smooth.R.shape[1], K))
    add_by_cluster(b.landmarks, b.b, labels, b.weight, BH)
    add_by_cluster(b.anchors, b.z, labels, b.weight, ZH)
    return b._replace(labels=labels), (BH, ZH)


def read_out(
    block: LinkedBlock, smooth: SmoothGraph, owner: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, ...]:
    """Return the rounded rows of a block: labels, entries per row, anchors, weights.

    owner : (M,) cluster of every anchor.
    """
    from mvgraph.anchor_filter.kernels.rows import rows_of_own_cluster

    b = LinkedBlock(*block)
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
