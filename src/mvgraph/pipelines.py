"""Base partitions: many anchor-graph clusterings of the same samples, as data.

A pipeline is (scaling, fusion, k). Every draw of anchors runs all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from mvgraph.anchors import Anchors, default_n_anchors, kmeans_anchors
from mvgraph.bipartite import anchor_graph
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.spectral import fix_signs
from mvgraph.partition import row_normalise
from mvgraph.scaling import Scaling, fit_scaling, is_count_like, scale_views
from mvgraph.views import Views

__all__ = ["Draw", "Ensemble", "base_partitions", "embed", "scaled_alternatives"]

N_DRAWS = 4
NEIGHBORS = (5, 10)
SCALINGS = ("auto", "auto+unit", "tfidf")


class Draw(NamedTuple):
    """One draw of anchors under one scaling: what predict needs."""

    scalings: list[tuple[Scaling, ...]]
    anchors: Anchors


class Ensemble(NamedTuple):
    """Labels of every pipeline, one row a draw, and the draws themselves."""

    partitions: dict[str, list[np.ndarray]]
    draws: list[Draw]


def scaled_alternatives(views: Views) -> dict[str, tuple[list, Views]]:
    """Scale the views by every rule that makes a difference on them."""
    out: dict[str, tuple[list, Views]] = {}
    for rule in SCALINGS:
        if rule == "tfidf":
            if not any(is_count_like(x) for x in views.arrays):
                continue
            fitted = [
                fit_scaling(x, "tfidf" if is_count_like(x) else "auto+unit")
                for x in views.arrays
            ]
        else:
            fitted = [fit_scaling(x, rule) for x in views.arrays]
        rules = [tuple(step.rule for step in steps) for steps in fitted]
        if rule == "auto+unit" and all(r == ("unit", "unit") for r in rules):
            continue  # rows had length 1 already
        out[rule] = fitted, scale_views(views, fitted)
    return out


def base_partitions(
    views: Views, n_clusters: int, rng: np.random.Generator
) -> Ensemble:
    """Run every pipeline on every draw of anchors.

    Parameters
    ----------
    views : Views
    n_clusters : int
    rng : Generator

    Returns
    -------
    Ensemble
    """
    partitions: dict[str, list[np.ndarray]] = {}
    draws = []
    alternatives = scaled_alternatives(views)
    for _ in range(N_DRAWS):
        for rule, (fitted, scaled) in alternatives.items():
            M = default_n_anchors(len(views), n_clusters)
            anchors = kmeans_anchors(scaled, M, rng)
            draws.append(Draw(fitted, anchors))
            blocks = _graph_blocks(scaled, anchors) | _own_blocks(scaled, M, rng)
            for name, block in blocks.items():
                U = row_normalise(embed(block, n_clusters))
                labels = kmeans(U, n_clusters, rng).labels
                partitions.setdefault(f"{rule}, {name}", []).append(labels)
            labels = kmeans(_joined(scaled), n_clusters, rng).labels
            partitions.setdefault(f"{rule}, k-means", []).append(labels)
    return Ensemble(partitions, draws)


def _graph_blocks(scaled: Views, anchors: Anchors) -> dict[str, sp.csr_matrix]:
    """Fuse the view graphs in four ways.

    Late is the mean of graphs, early the graph of mean distances; both, and the view
    graphs themselves, stand side by side.
    """
    D = [
        squared_distances(x, a)
        for x, a in zip(scaled.arrays, anchors.points, strict=True)
    ]
    summed = sum(d / max(d.mean(), 1e-300) for d in D)
    out: dict[str, sp.csr_matrix] = {}
    for k in NEIGHBORS:
        Z = [anchor_graph(d, k).tocsr() for d in D]
        late, early = block(sum(Z)), block(anchor_graph(summed, k).tocsr())
        out |= {
            f"late, k={k}": late,
            f"early, k={k}": early,
            f"both, k={k}": sp.hstack([late, early]),
            f"side by side, k={k}": sp.hstack([block(z) for z in Z]),
        }
    return out


def _own_blocks(scaled: Views, M: int, rng) -> dict[str, sp.csr_matrix]:
    """Give every view anchors of its own."""
    M = min(M, 150) if scaled.n_views > 5 else M
    blocks = []
    for v in range(scaled.n_views):
        points = kmeans_anchors(scaled.select([v]), M, rng).points[0]
        D = squared_distances(scaled.arrays[v], points)
        blocks.append(block(anchor_graph(D, NEIGHBORS[0]).tocsr()))
    return {"own anchors": sp.hstack(blocks)}


def block(Z: sp.csr_matrix) -> sp.csr_matrix:
    """Return Z D^-1/2, so that block @ block.T is the graph of samples Z D^-1 Z'."""
    degree = np.asarray(Z.sum(axis=0)).ravel()
    scale = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    return (Z @ sp.diags(scale)).tocsr()


def embed(H, n_components: int) -> np.ndarray:
    """Embed samples by the leading left singular vectors of the normalised H.

    Parameters
    ----------
    H : csr_matrix of shape (N, M)
        H H' is a graph of the samples; it is normalised to degrees of one.
    n_components : int

    Returns
    -------
    ndarray of shape (N, n_components)
        Columns scaled by their singular values.
    """
    degree = np.asarray(H @ np.asarray(H.sum(axis=0)).ravel()).ravel()
    H = sp.diags(1 / np.sqrt(np.maximum(degree, 1e-12))) @ sp.csr_matrix(H)
    N, M = H.shape
    if min(N, M) > 1000:  # a few products with a sparse matrix beat a dense solver
        small = H if M < N else H.T
        start = np.ones(small.shape[1])
        n = min(n_components, small.shape[1] - 1)
        _, V = eigsh(_gram_operator(small), n, v0=start, tol=1e-8)
        V = fix_signs(V[:, ::-1])
        return H @ V if M < N else H @ (H.T @ V) / 1.0
    G = (H.T @ H).toarray() if M <= N else (H @ H.T).toarray()
    n = min(n_components, len(G))
    w, V = scipy.linalg.eigh(G, subset_by_index=[len(G) - n, len(G) - 1])
    V = fix_signs(V[:, ::-1])
    if M <= N:
        return np.asarray(H @ V)
    return V * np.sqrt(np.maximum(w[::-1], 0))


def _gram_operator(H):
    from scipy.sparse.linalg import LinearOperator

    n = H.shape[1]
    return LinearOperator((n, n), matvec=lambda x: H.T @ (H @ x), dtype=np.float64)


def _joined(scaled: Views) -> np.ndarray:
    """Join the views, each centred and of equal energy."""
    parts = []
    for x in scaled.arrays:
        dense = x.toarray() if sp.issparse(x) else x
        centred = dense - dense.mean(axis=0)
        norm = np.linalg.norm(centred)
        parts.append((centred / (norm if norm > 0 else 1)).astype(np.float32))
    joined = np.hstack(parts)
    return joined * np.float32(np.sqrt(len(joined)))
