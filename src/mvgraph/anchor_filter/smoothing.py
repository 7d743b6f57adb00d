"""The learned graph: anchor graph, low-pass filter, components by rounding.

Two passes over the rows: one links them to anchors and landmarks and adds up integers,
one adds up clusters. All sums are exact, so that the result is the same for every
engine, any block size and any order of the rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from mvgraph.anchor_filter.filters import smooth_graph, smooth_sums
from mvgraph.anchor_filter.links import TOTAL
from mvgraph.anchor_filter.method import Recipe
from mvgraph.anchor_filter.rows import (
    ROW_TOTAL,
    RowModel,
    Targets,
    embed,
    label_and_sum,
    make_block,
    read_out,
)
from mvgraph.graphs.partition import components
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.linalg.spectral import row_normalise

#: Of the sums of products of two links and a weight.
UNIT = float(TOTAL**2 * ROW_TOTAL)


class Smooth(NamedTuple):
    """The learned graph, clusters of samples and anchors, and what led to them."""

    Z: sp.csr_matrix  # (N, M) the rounded graph
    P: np.ndarray  # (N, K) embedding of the smooth graph
    g: np.ndarray  # (V,) root of the mean scaled distance to the anchors
    labels: np.ndarray  # (N,)
    owner: np.ndarray  # (M,) clusters of the anchors
    memberships: np.ndarray  # (M, K) shares of clusters in the smooth graph
    model: RowModel  # of any row
    history: list[dict[str, Any]]


def learn_smooth_graph(
    engine: Any,
    source: Any,
    targets: Targets,
    K: int,
    sample: np.ndarray,
    rng: np.random.Generator,
    recipe: Recipe,
    callback: Callable[[int, dict[str, Any]], Any] | None,
) -> Smooth:
    """Learn the graph of all rows of a source, in the order of the source.

    Parameters
    ----------
    engine : MemoryEngine or another engine
    source : ScaledRows, or any object with ``len`` and ``read``
    targets : Targets
        Anchors and landmarks; each isolated group gets a cluster and an anchor.
    K : int
        Number of clusters.
    sample : ndarray of int
        Rows whose embedding is clustered, in an order that depends on content only.
    rng : Generator
    recipe : Recipe
    callback : callable or None
        Called after the filter and after the rounding.

    Returns
    -------
    Smooth
    """
    history: list[dict[str, Any]] = []
    times = [time.perf_counter()]

    def note(singular: np.ndarray) -> None:
        """Record tr(F' L F) = K - sum of the K leading singular values (eq. 12)."""
        times.append(time.perf_counter())
        entry = {
            "objective": float(K - singular[:K].sum()),
            "n_components": int((singular > 1 - 1e-7).sum()),
            "seconds": times[-1] - times[-2],
        }
        history.append(entry)
        if callback is not None:
            callback(len(history) - 1, entry)

    with engine:
        made = partial(make_block, targets=targets)
        BB, BZ, ZZ, count, fit = engine.start(made, source)
        BB, ZZ = (A + np.triu(A, 1).T for A in (BB, ZZ))
        BB, BZ, ZZ = (x / UNIT for x in (BB, BZ, ZZ))
        smooth = smooth_graph(BB, BZ, ZZ, K, recipe.order)
        M = len(targets.anchors.arrays[0])
        P, group = engine.gather(partial(embed, smooth=smooth, n_anchors=M))
        note(smooth.singular)
        centers = _centers(P[sample], group[sample], K, rng, recipe.cut_starts)
        find = partial(label_and_sum, smooth=smooth, centers=centers)
        shares = smooth_sums(smooth, *engine.step(find))
        owner = assign_anchors(shares)
        read = partial(read_out, smooth=smooth, owner=owner, n_clusters=K)
        labels, sizes, indices, data = engine.gather(read)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    Z = sp.csr_matrix((data, indices, indptr), shape=(len(P), len(owner)))
    Z.sort_indices()
    note(np.ones(components(Z)[0]))
    total = shares.sum(axis=1, keepdims=True)
    memberships = shares / np.where(total > 0, total, 1)
    g = np.sqrt(fit / np.maximum(count, 1))
    model = RowModel(targets, smooth.anchor_map, smooth.landmark_map, centers)
    return Smooth(Z, P, g, labels, owner, memberships, model, history)


def _centers(
    P: np.ndarray, group: np.ndarray, K: int, rng: np.random.Generator, n_init: int
) -> np.ndarray:
    """Return the centres of k-means on rows of length 1 (the spectral cut).

    Isolated groups are clusters; k-means divides the other rows.
    """
    U, n_groups = row_normalise(P), int(group.max()) + 1
    centers = kmeans(U[group < 0], K - n_groups, rng, n_init=n_init).centers
    means = [U[group == g].mean(axis=0) for g in range(n_groups)]
    return np.vstack([centers, *means])


def assign_anchors(weight: np.ndarray) -> np.ndarray:
    """Give every anchor to the cluster of most of its weight, every cluster an anchor.

    This is the rank constraint by rounding: every anchor and every sample keep the
    edges of one cluster, so that the graph has K components.

    Parameters
    ----------
    weight : ndarray of shape (M, K), M >= K
        Weight of the edges between anchors and the samples of every cluster.

    Returns
    -------
    ndarray of int64, shape (M,)
        Clusters; a cluster that is not the first of any anchor gets one, at the least
        loss of weight.
    """
    owner: np.ndarray = weight.argmax(axis=1)
    K = weight.shape[1]
    if len(np.unique(owner)) == K:
        return owner
    share = weight / np.maximum(weight.max(axis=1, keepdims=True), 1e-300)
    anchors, clusters = linear_sum_assignment(share, maximize=True)
    owner[anchors] = clusters
    return owner
