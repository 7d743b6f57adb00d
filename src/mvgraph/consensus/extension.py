"""From the consensus of a sample to all rows, by anchors and discriminants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.progress import StageTimer
from mvgraph.base.result import Result
from mvgraph.consensus.learning import Consensus
from mvgraph.graphs.anchors import default_n_anchors, kmeans_anchors
from mvgraph.graphs.bipartite import ROWS_PER_BLOCK, mean_graph, stack_rows
from mvgraph.graphs.representations import MULTIPLE, unit_rule
from mvgraph.ops.communities import Merges
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.parallel import ordered, slices
from mvgraph.prediction.anchor_model import anchor_means
from mvgraph.prediction.anchor_votes import (
    AnchorClassifier,
    block_probabilities,
    cluster_memberships,
)
from mvgraph.prediction.discriminant import learn_discriminant
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock, ScaledRows
from mvgraph.views.scaling import learn_scalings, scale_views

__all__ = ["GRAPH_NEIGHBORS", "extend", "learn_classifiers"]

#: Scaling rules of the anchor classifiers, by view; each has anchors of its own.
RULES = (lambda x: "auto", unit_rule)
N_NEIGHBORS = 10
#: Anchors a sample is linked to in ``graph_``.
GRAPH_NEIGHBORS = 5


def learn_classifiers(
    sample: Views, labels: np.ndarray, K: int, rng: np.random.Generator
) -> list[AnchorClassifier]:
    """Learn anchors, their cluster memberships, and discriminants of the clusters."""
    M = default_n_anchors(len(sample), K)

    def learn(
        task: tuple[Callable[[Any], str], np.random.Generator],
    ) -> AnchorClassifier:
        rule, own_rng = task
        rules = [rule(x) for x in sample.arrays]
        scalings = learn_scalings(sample, rules)
        scaled = scale_views(sample, scalings)
        anchors = kmeans_anchors(scaled, M, own_rng, n_components=MULTIPLE * K)
        source = ScaledRows(sample, scalings)
        memberships = cluster_memberships(source, anchors, N_NEIGHBORS, labels, K)
        whole = RowBlock(list(scaled.arrays), scaled.mask)
        discriminant = learn_discriminant(whole, labels, K)
        return AnchorClassifier(
            scalings, anchors, memberships, N_NEIGHBORS, discriminant
        )

    return list(ordered(learn, zip(RULES, rng.spawn(len(RULES)), strict=True)))


def extend(
    used: Views,
    classifiers: list[AnchorClassifier],
    consensus: Consensus,
    sample_rows: np.ndarray,
    stages: StageTimer,
) -> Result:
    """Give every row labels and memberships: of the sample, the others by anchors.

    Parameters
    ----------
    used : Views
        All rows of the views that are used.
    classifiers : list of AnchorClassifier
    consensus : Consensus
        Of the sample.
    sample_rows : ndarray of int
        Rows of the sample that was clustered.
    stages : StageTimer
    """
    main = classifiers[0]
    if len(sample_rows) == len(used):
        n_blocks = -(-len(used) // ROWS_PER_BLOCK)
        with stages("graph of all rows", n_blocks) as progress:
            source = ScaledRows(used, main.scalings)
            Z = mean_graph(source, main.anchors, GRAPH_NEIGHBORS, progress)
        P = np.empty((len(used), consensus.memberships.shape[1]), dtype=np.float32)
    else:
        Z, P = _graph_and_probabilities(used, classifiers, stages)
    anchor_embedding = anchor_means(Z[sample_rows], consensus.embedding)
    embedding = np.asarray(Z @ anchor_embedding.astype(np.float32))
    labels = P.argmax(axis=1)
    labels[sample_rows] = consensus.labels
    embedding[sample_rows] = consensus.embedding
    P[sample_rows] = consensus.memberships
    share = np.mean(main.memberships, axis=0)
    return Result(
        labels,
        embedding=embedding,
        graph=Z,
        memberships=P,
        anchor_labels=np.where(share.any(axis=1), share.argmax(axis=1), -1),
        extra={
            "_anchor_embedding": anchor_embedding,
            "tree_": _extend_tree(consensus.tree, Z, sample_rows, labels),
        },
    )


def _graph_and_probabilities(
    used: Views, classifiers: list[AnchorClassifier], stages: StageTimer
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Return the mean graph and the probabilities of all rows, in one pass."""
    anchors, n_blocks = classifiers[0].anchors, -(-len(used) // ROWS_PER_BLOCK)
    parts: list[np.ndarray] = []

    def both(rows: slice) -> tuple[np.ndarray, sp.csr_matrix | None]:
        P, Z = block_probabilities(used, rows, classifiers, GRAPH_NEIGHBORS)
        return P.astype(np.float32), Z

    def graphs() -> Iterator[sp.csr_matrix]:
        for P, Z in ordered(both, slices(len(used), ROWS_PER_BLOCK)):
            parts.append(P)
            yield Z

    most = min(len(anchors.points) * GRAPH_NEIGHBORS, anchors.n_anchors)
    with stages("labels of all rows", n_blocks) as progress:
        Z = stack_rows(graphs(), len(used), anchors.n_anchors, most, progress)
    return Z, np.concatenate(parts)


def _extend_tree(
    tree: Merges, Z: sp.csr_matrix, sample_rows: np.ndarray, labels: np.ndarray
) -> Merges:
    """Give every row a leaf of its cluster: the one that its anchors share most."""
    leaves = np.zeros(len(labels), dtype=np.int64)
    if len(sample_rows) < len(labels):
        member = anchor_memberships(Z[sample_rows], tree.labels, tree.n_leaves_)
        cluster = np.empty(tree.n_leaves_, dtype=np.int64)
        cluster[tree.labels] = labels[sample_rows]
        for c in np.unique(cluster):
            rows, own = np.flatnonzero(labels == c), np.flatnonzero(cluster == c)
            leaves[rows] = own[np.argmax(Z[rows] @ member[:, own], axis=1)]
    leaves[sample_rows] = tree.labels
    return tree._replace(labels=leaves)
