"""A block of rows of MGL on supports: built from the views, stepped, and read out.

A block is (order, weight, support, D, Z, Y), all but the first packed in lanes; see
ops.lanes. The weight is the row's part in the graph of anchors: the share of pairs of
views that it can compare, (views it has / V)^2.
Every function is pure, so that an engine may run it anywhere, and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl import packing as lanes
from mvgraph.ops.affinity.neighbors import closed_form_weights
from mvgraph.ops.distance import nearest, squared_distances
from mvgraph.views.rows import Block

__all__ = ["graph_rows", "make_block", "step_block"]


def make_block(
    block: Block, anchors: Anchors, n_neighbors: int, dtype: Any
) -> tuple[tuple, tuple]:
    """Build support, distances, weights and multiplier of a block of rows.

    A view that lacks a row has no data term there: distances are zero and its weights
    start as the mean of the other views. Sums: rows present and alpha of every view,
    sum D Z of every view, C, G.
    """
    from mvgraph.mgl.kernels import support as _kernels
    from mvgraph.mgl.kernels import support_step as _support_step

    V, M, n = len(block.arrays), anchors.n_anchors, block.arrays[0].shape[0]
    k = min(n_neighbors, M - 1)
    present = np.ones((n, V), dtype=bool) if block.mask is None else block.mask
    idx, weights = np.empty((V, n, k), dtype=np.int64), np.empty((V, n, k))
    alpha, fit, distances = np.zeros(V), np.zeros(V), []
    for v, (x, points) in enumerate(zip(block.arrays, anchors.points, strict=True)):
        full = squared_distances(x, points)
        full[~present[:, v]] = 0
        found, d = nearest(full, k + 1)
        idx[v] = found[:, :k]
        weights[v], a = closed_form_weights(d)
        weights[v, ~present[:, v]] = 0
        alpha[v], fit[v] = a.sum(), np.einsum("nk,nk->", weights[v], d[:, :k])
        distances.append(full)
    for v in range(V):  # an absent view points where the row's first view points
        rows = np.flatnonzero(~present[:, v])
        idx[v, rows] = idx[present[rows].argmax(axis=1), rows]
    s = min(M, V * k)
    support = np.full((n, s), -1, dtype=np.int32)
    D, Z = np.zeros((n, V, s), dtype=dtype), np.zeros((n, V, s), dtype=dtype)
    _kernels.merge_supports(idx, weights, support, Z)
    for v, full in enumerate(distances):
        _kernels.gather_distances(full, v, support, D)
    lacking = ~present
    Z += lacking[:, :, None] * (Z.sum(axis=1) / present.sum(axis=1)[:, None])[:, None]
    weight = (present.mean(axis=1) ** 2).astype(dtype)
    order, (support, weight, D, Z) = lanes.pack(support, weight, D, Z)
    Y = np.zeros_like(Z)
    sums = _no_sums(V, M)
    for w, j, z, y in zip(*map(lanes.groups, (weight, support, Z, Y)), strict=True):
        _support_step.support_sums(w, j, z, y, 1.0, *sums)
    return (order, weight, support, D, Z, Y), (present.sum(axis=0), alpha, fit, *sums)


def _no_sums(V: int, M: int) -> tuple[np.ndarray, ...]:
    """Return C and G of no rows, as the kernels add to them."""
    return np.zeros((M, M)), np.zeros((M, V * (V + 1) // 2))


def step_block(
    block: tuple, small: dict[str, Any], next_mu: float
) -> tuple[tuple, tuple]:
    """J-, Z- and Y-step of a block; returns the new block and its sums."""
    from mvgraph.mgl.kernels import support_step as _kernels

    order, weight, support, D, Z, Y = block
    V, M = Z.shape[1], len(small["qq"])
    new = np.empty_like(Z), np.empty_like(Y)
    sums = np.zeros(V + 3), *_no_sums(V, M)
    parts = map(lanes.groups, (weight, support, D, Z, Y, *new))
    for w, j, d, z, y, newZ, newY in zip(*parts, strict=True):
        _kernels.support_step(w, j, d, z, y, next_mu, newZ, newY, *sums, **small)
    return (order, weight, support, D, *new), sums


def graph_rows(block: tuple, to_embedding: np.ndarray) -> tuple:
    """Return support, mean weights and embedding P of a block."""
    order, _, support, _, Z, _ = block
    support, Z = lanes.unpack(order, support), lanes.unpack(order, Z)
    zbar = Z.sum(axis=1, dtype=np.float64)
    zbar /= zbar.sum(axis=1, keepdims=True)
    P = np.einsum("ns,nsk->nk", zbar, to_embedding[np.maximum(support, 0)])
    return support, zbar, P
