"""A block of rows of MGL on sparsity patterns: built, stepped, read out.

Every function is pure, so that an engine may run it on any worker, and repeat it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.graphs.anchors import Anchors
from mvgraph.mgl import packing
from mvgraph.mgl.kernels.records import Groups, StepTerms, Sums
from mvgraph.ops.affinity.neighbors import closed_form_weights
from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.views.rows import RowBlock

__all__ = ["SolverBlock", "graph_rows", "make_block", "step_block"]


class SolverBlock(NamedTuple):
    """Rows of the solver; all arrays but the order are packed, see packing.

    The weight is that of the row in the graph of anchors: the share of pairs of views
    in which it is present, (views present / V)^2.
    """

    order: np.ndarray  # (n,)
    weight: np.ndarray  # (n,)
    pattern: np.ndarray  # (n, s) anchors, -1 beyond the last
    D: np.ndarray  # (n, V, s)
    Z: np.ndarray
    Y: np.ndarray

    def groups(self) -> list[Groups]:
        """Return views of the packed arrays, group by group."""
        return [
            Groups(*arrays)
            for arrays in zip(*map(packing.groups, self[1:]), strict=True)
        ]


def make_block(
    block: RowBlock, anchors: Anchors, n_neighbors: int, dtype: Any
) -> tuple[SolverBlock, tuple[np.ndarray, ...]]:
    """Build pattern, distances, weights and multiplier of a block of rows.

    A row missing in a view has no data term there: its distances are zero and its
    weights start as the mean over the other views. Sums: rows present and alpha of
    every view, sum D Z of every view, C, G.
    """
    from mvgraph.mgl.kernels import pattern as _kernels
    from mvgraph.mgl.kernels.pattern_step import pattern_sums

    V, M, n = len(block.arrays), anchors.n_anchors, block.arrays[0].shape[0]
    present = np.ones((n, V), dtype=bool) if block.mask is None else block.mask
    distances = _distances(block, anchors, present)
    idx, weights, alpha, fit = _links(distances, present, min(n_neighbors, M - 1))
    s = min(M, V * idx.shape[2])
    pattern = np.full((n, s), -1, dtype=np.int32)
    D, Z = np.zeros((n, V, s), dtype=dtype), np.zeros((n, V, s), dtype=dtype)
    _kernels.merge_patterns(idx, weights, pattern, Z)
    for v, full in enumerate(distances):
        _kernels.gather_distances(full, v, pattern, D)
    missing = ~present
    Z += missing[:, :, None] * (Z.sum(axis=1) / present.sum(axis=1)[:, None])[:, None]
    weight = (present.mean(axis=1) ** 2).astype(dtype)
    order, (pattern, weight, D, Z) = packing.pack(pattern, weight, D, Z)
    made = SolverBlock(order, weight, pattern, D, Z, np.zeros_like(Z))
    sums = _no_sums(V, M)
    for groups in made.groups():
        pattern_sums(groups, 1.0, sums)
    return made, (present.sum(axis=0), alpha, fit, sums.C, sums.G)


def _distances(
    block: RowBlock, anchors: Anchors, present: np.ndarray
) -> list[np.ndarray]:
    """Return the squared distances to the anchors per view; 0 for missing rows."""
    found = []
    for v, (x, points) in enumerate(zip(block.arrays, anchors.points, strict=True)):
        full = squared_distances(x, points)
        full[~present[:, v]] = 0
        found.append(full)
    return found


def _links(
    distances: list[np.ndarray], present: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return anchors and weights (V, n, k), and alpha and sum d Z of every view."""
    n, V = present.shape
    idx, weights = np.empty((V, n, k), dtype=np.int64), np.empty((V, n, k))
    alpha, fit = np.zeros(V), np.zeros(V)
    for v, full in enumerate(distances):
        found, d = nearest_columns(full, k + 1)
        idx[v] = found[:, :k]
        weights[v], a = closed_form_weights(d)
        weights[v, ~present[:, v]] = 0
        alpha[v], fit[v] = a.sum(), np.einsum("nk,nk->", weights[v], d[:, :k])
    for v in range(V):  # a missing row gets the anchors of the first view that has it
        missing = np.flatnonzero(~present[:, v])
        idx[v, missing] = idx[present[missing].argmax(axis=1), missing]
    return idx, weights, alpha, fit


def _no_sums(V: int, M: int) -> Sums:
    """Return zero sums, which the kernels add to."""
    return Sums(np.zeros(V + 3), np.zeros((M, M)), np.zeros((M, V * (V + 1) // 2)))


def step_block(block: SolverBlock, terms: StepTerms) -> tuple[SolverBlock, Sums]:
    """Perform the J-, Z- and Y-step of a block; return the new block and its sums."""
    from mvgraph.mgl.kernels.pattern_step import pattern_step

    block = SolverBlock(*block)  # engines return plain tuples
    new = block._replace(Z=np.empty_like(block.Z), Y=np.empty_like(block.Y))
    sums = _no_sums(block.Z.shape[1], len(terms.qq))
    for old, out in zip(block.groups(), new.groups(), strict=True):
        pattern_step(old, terms, out.Z, out.Y, sums)
    return new, sums


def graph_rows(
    block: SolverBlock, to_embedding: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pattern, mean weights and embedding P of a block."""
    block = SolverBlock(*block)
    pattern = packing.unpack(block.order, block.pattern)
    Z = packing.unpack(block.order, block.Z)
    zbar = Z.sum(axis=1, dtype=np.float64)
    zbar /= zbar.sum(axis=1, keepdims=True)
    P = np.einsum("ns,nsk->nk", zbar, to_embedding[np.maximum(pattern, 0)])
    return pattern, zbar, P
