"""From the consensus of a sample to all rows, by anchors and discriminants."""

from __future__ import annotations

import numpy as np

from mvgraph.base.progress import StageTimer
from mvgraph.base.result import Result
from mvgraph.consensus.fusion import Fusion
from mvgraph.graphs.anchors import default_n_anchors, kmeans_anchors
from mvgraph.graphs.bipartite import ROWS_PER_BLOCK, mean_graph
from mvgraph.prediction.anchor_model import anchor_means
from mvgraph.prediction.anchor_votes import (
    AnchorClassifier,
    cluster_memberships,
    vote_labels,
)
from mvgraph.prediction.discriminant import learn_discriminant
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows
from mvgraph.views.scaling import learn_scalings, scale_views

__all__ = ["GRAPH_NEIGHBORS", "extend", "learn_classifiers"]

#: Scalings of the anchor classifiers, each with anchors of its own.
SCALINGS = ("auto", "auto+unit")
N_NEIGHBORS = 10
#: Anchors a sample is linked to in ``graph_``.
GRAPH_NEIGHBORS = 5


def learn_classifiers(
    sample: Views, labels: np.ndarray, K: int, rng: np.random.Generator
) -> list[AnchorClassifier]:
    """Learn anchors, their cluster memberships, and discriminants of the clusters."""
    M = default_n_anchors(len(sample), K)
    classifiers = []
    for rule in SCALINGS:
        scalings = learn_scalings(sample, rule)
        anchors = kmeans_anchors(scale_views(sample, scalings), M, rng)
        source = ScaledRows(sample, scalings)
        memberships = cluster_memberships(source, anchors, N_NEIGHBORS, labels, K)
        whole = source.read(slice(0, len(sample)))
        discriminant = learn_discriminant(whole, labels, K)
        classifiers.append(
            AnchorClassifier(scalings, anchors, memberships, N_NEIGHBORS, discriminant)
        )
    return classifiers


def extend(
    used: Views,
    classifiers: list[AnchorClassifier],
    sample_rows: np.ndarray,
    fusion: Fusion,
    stages: StageTimer,
) -> Result:
    """Give every row a label: those of the sample, the others by the classifiers.

    Parameters
    ----------
    used : Views
        All rows of the views that are used.
    classifiers : list of AnchorClassifier
    sample_rows : ndarray of int
        Rows of the sample that was clustered.
    fusion : Fusion
        Labels and embedding of the sample.
    stages : StageTimer
    """
    main = classifiers[0]
    source, n_blocks = ScaledRows(used, main.scalings), -(-len(used) // ROWS_PER_BLOCK)
    with stages("graph of all rows", n_blocks) as tick:
        Z = mean_graph(source, main.anchors, GRAPH_NEIGHBORS, tick)
    anchor_embedding = anchor_means(Z[sample_rows], fusion.embedding)
    if len(sample_rows) == len(used):
        labels = np.empty(len(used), dtype=np.int64)
        embedding = np.empty_like(fusion.embedding)
    else:
        with stages("labels of all rows", n_blocks) as tick:
            labels = vote_labels(used, classifiers, tick)
        embedding = Z @ anchor_embedding.astype(np.float32)
    labels[sample_rows] = fusion.labels
    embedding[sample_rows] = fusion.embedding
    share = np.mean(main.memberships, axis=0)
    return Result(
        labels,
        embedding=embedding,
        graph=Z,
        anchor_labels=np.where(share.any(axis=1), share.argmax(axis=1), -1),
        extra={"_anchor_embedding": anchor_embedding},
    )
