"""Base partitions: many clusterings of the same samples, in three families.

``graphs``: anchor graphs of the views are fused, so that samples are near that are
near in some views. ``distances``: distances are fused, so that samples are near that
are near in all views together. ``embeddings``: every view is denoised by its own graph
first, and the spectral embeddings are fused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.base.progress import StageTimer
from mvgraph.consensus.representations import Representation
from mvgraph.graphs.anchors import default_n_anchors
from mvgraph.graphs.bipartite import anchor_graph, anchor_graphs
from mvgraph.ops.distance import squared_distances
from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.kmeans import kmeans, lloyd
from mvgraph.ops.linalg.bipartite_spectral import (
    left_singular_vectors,
    normalised_biadjacency,
)
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.parallel import ordered

__all__ = ["FAMILIES", "Partition", "base_partitions", "own_partitions"]

FAMILIES = ("graphs", "distances", "embeddings")
#: Draws of anchors; up to FEW samples anchors vary more from draw to draw.
N_DRAWS, N_DRAWS_OF_FEW, FEW = 2, 4, 2_500
NEIGHBORS = (5, 10)
#: Cells with less than this share of the mean number of samples are no anchors.
FEWEST = 0.25
#: Steps of diffusion on a view's own graph before embeddings are joined.
DIFFUSION = 4


class Partition(NamedTuple):
    """One base partition: how it was made, its family and its labels."""

    name: str
    family: str
    labels: np.ndarray


class Draw(NamedTuple):
    """A representation with one draw of anchors: what all its pipelines share."""

    arrays: list[np.ndarray]
    says: np.ndarray  # (N, V), False where a view says nothing
    joined: np.ndarray  # (N, d), views centred and of equal energy
    together: list[np.ndarray]  # distances to common anchors, one array a view
    alone: list[np.ndarray]  # distances to every view's own anchors
    K: int
    M: int


def base_partitions(
    representations: list[Representation],
    says: np.ndarray,
    K: int,
    seed: int,
    stages: StageTimer | None = None,
) -> list[Partition]:
    """Run all pipelines on all representations and draws of anchors.

    Parameters
    ----------
    representations : list of Representation
    says : ndarray of bool, shape (N, V)
    K : int
    seed : int
    stages : StageTimer, optional
        Told about every draw.

    Returns
    -------
    list of Partition
    """
    n_draws = N_DRAWS_OF_FEW if len(says) <= FEW else N_DRAWS
    tasks = [(r, s) for r in representations for s in range(n_draws)]

    def run(task) -> list[Partition]:
        r, s = task
        rng = np.random.default_rng([seed, s])
        draw = make_draw(r.arrays, says, K, rng)
        near = NEIGHBORS[s % len(NEIGHBORS)]
        made = _graphs(draw, rng) | _distances(draw, rng) | _embeddings(draw, near, rng)
        return [
            Partition(f"{r.name}, {name}, draw {s}", family, labels)
            for (name, family), labels in made.items()
        ]

    found = []
    with (stages or StageTimer())("base partitions", len(tasks)) as tick:
        for parts in ordered(run, tasks):
            found += parts
            tick()
    return found


def make_draw(
    arrays: list[np.ndarray], says: np.ndarray, K: int, rng: np.random.Generator
) -> Draw:
    """Draw anchors: cells of the joined views, and cells of every view alone."""
    N, V = says.shape
    M = default_n_anchors(N, K)
    joined = np.hstack([_equal_energy(x) for x in arrays])
    common = _anchor_cells(_cells(joined, M, rng), joined)
    together = [squared_distances(x, _means(x, common)) for x in arrays]
    M_own = min(M, max(150, 3 * K)) if V > 5 else M  # side by side they add up
    alone = []
    for v, x in enumerate(arrays):
        speaking = x[says[:, v]]
        m = max(1, min(M_own, len(speaking) // 2))
        alone.append(squared_distances(x, _own_means(speaking, m, rng)))
    return Draw(arrays, says, joined, together, alone, K, M)


def _graphs(draw: Draw, rng) -> dict[tuple[str, str], np.ndarray]:
    """Mean of the view graphs, the view graphs side by side, and with own anchors."""
    out = {}
    together = [anchor_graphs(d, NEIGHBORS) for d in draw.together]
    alone = [anchor_graphs(d, NEIGHBORS) for d in draw.alone]
    for i, k in enumerate(NEIGHBORS):
        Z = [_spoken(graphs[i], draw, v) for v, graphs in enumerate(together)]
        own = [_spoken(graphs[i], draw, v) for v, graphs in enumerate(alone)]
        blocks = {
            "late": normalised_biadjacency(sum(Z)),
            "side by side": sp.hstack([normalised_biadjacency(z) for z in Z]),
            "own anchors": sp.hstack([normalised_biadjacency(z) for z in own]),
        }
        for name, H in blocks.items():
            out[f"{name} k={k}", "graphs"] = _cut(H, draw.K, rng)
    return out


def _distances(draw: Draw, rng) -> dict[tuple[str, str], np.ndarray]:
    """Graph of summed distances, and k-means on the joined views."""
    weight = draw.says / np.maximum(draw.says.sum(axis=1, keepdims=True), 1)
    total = sum(
        weight[:, v, None] * d / max(d.mean(), 1e-30)
        for v, d in enumerate(draw.together)
    )
    out = {}
    for k, graph in zip(NEIGHBORS, anchor_graphs(total, NEIGHBORS), strict=True):
        H = normalised_biadjacency(graph.tocsr())
        out[f"early k={k}", "distances"] = _cut(H, draw.K, rng)
    run = kmeans(draw.joined, draw.K, rng, max_iter=50)
    out["k-means", "distances"] = run.labels
    return out


def _embeddings(draw: Draw, k: int, rng) -> dict[tuple[str, str], np.ndarray]:
    """Join the diffused spectral embeddings of all views; k-means, or a graph."""
    parts = []
    for v, d in enumerate(draw.alone):
        H = normalised_biadjacency(_spoken(anchor_graph(d, k), draw, v))
        U, w = left_singular_vectors(H, 2 * draw.K)
        parts.append(U * w ** (DIFFUSION - 0.5))
    out = {}
    for q in (1, 2):
        Y = np.hstack([row_normalise(U[:, : q * draw.K]) for U in parts])
        Y = Y.astype(np.float32)
        labels = kmeans(Y, draw.K, rng, max_iter=50).labels
        out[f"embeddings {q} K", "embeddings"] = labels
        points = _own_means(Y, draw.M, rng)
        H = normalised_biadjacency(
            anchor_graph(squared_distances(Y, points), 10).tocsr()
        )
        out[f"graph of embeddings {q} K", "embeddings"] = _cut(H, draw.K, rng)
    return out


def own_partitions(
    representation: Representation, K: int, seed: int
) -> list[np.ndarray]:
    """Cluster every view alone, three draws by its graph and three by k-means.

    Returns
    -------
    list of V arrays of shape (6, N)
    """

    def run(v: int) -> np.ndarray:
        x, runs = representation.arrays[v], []
        for s in range(3):
            rng = np.random.default_rng([seed, s, 11])
            M = default_n_anchors(len(x), K)
            D = squared_distances(x, _own_means(x, M, rng))
            graph = anchor_graph(D, NEIGHBORS[s % len(NEIGHBORS)])
            runs.append(_cut(normalised_biadjacency(graph.tocsr()), K, rng, n_init=3))
            runs.append(kmeans(x, K, rng, n_init=3, max_iter=30).labels)
        return np.stack(runs)

    return list(ordered(run, range(len(representation.arrays))))


def _cut(H, K: int, rng, n_init: int = 10) -> np.ndarray:
    U, _ = left_singular_vectors(H, K)
    return kmeans(row_normalise(U), K, rng, n_init=n_init, max_iter=30).labels


def _spoken(graph, draw: Draw, v: int) -> sp.csr_matrix:
    """Return the graph without the rows in which the view says nothing."""
    Z = graph.tocsr()
    says = draw.says[:, v]
    return Z if says.all() else (sp.diags(says.astype(float)) @ Z).tocsr()


def _equal_energy(x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=0)
    norm = np.linalg.norm(centred)
    return centred * np.float32(np.sqrt(len(x)) / norm if norm > 0 else 1)


def _cells(x: np.ndarray, m: int, rng) -> np.ndarray:
    start = x[rng.choice(len(x), m, replace=False)]
    return lloyd(x, start[None], max_iter=12)[0].labels


def _anchor_cells(
    labels: np.ndarray, rows: np.ndarray
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return members and sizes of the cells that are anchors.

    Small ones, of outliers, would cut off clusters of their own. What is small is told
    by distinct rows: copies of one row can fill a cell.
    """
    found, cells = np.unique(labels, return_inverse=True)
    member = sp.csr_matrix(
        (np.ones(len(cells)), (cells, np.arange(len(cells)))),
        shape=(len(found), len(cells)),
    )
    _, which, copies = np.unique(
        sum_hash(rows, 0), return_inverse=True, return_counts=True
    )
    distinct = np.bincount(cells, weights=1 / copies[which.ravel()])
    kept = distinct >= FEWEST * distinct.mean()
    return member[kept], np.bincount(cells)[kept]


def _means(x: np.ndarray, anchors: tuple[sp.csr_matrix, np.ndarray]) -> np.ndarray:
    """Return the means of x over cells that are anchors."""
    member, sizes = anchors
    return np.asarray(member @ x / sizes[:, None], dtype=x.dtype)


def _own_means(x: np.ndarray, m: int, rng) -> np.ndarray:
    """Return the means of the cells of x itself."""
    return _means(x, _anchor_cells(_cells(x, m, rng), x))
