"""From the consensus of a sample to all rows, by anchors and discriminants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.consensus.calibration import calibrated, odds
from mvgraph.consensus.learning import Consensus
from mvgraph.consensus.method import Recipe
from mvgraph.graphs.anchors import default_n_anchors, kmeans_anchors
from mvgraph.graphs.bipartite import ROWS_PER_BLOCK, mean_graph
from mvgraph.graphs.representations import unit_rule
from mvgraph.ops.labels import anchor_memberships
from mvgraph.ops.linalg.principal import KnownComponents
from mvgraph.ops.parallel import ordered, slices
from mvgraph.prediction.anchor_predictor import (
    AnchorClassifier,
    anchor_means,
    block_votes,
    cluster_memberships,
)
from mvgraph.prediction.discriminant import learn_discriminant
from mvgraph.prediction.outliers import Usual, judge, learn_usual
from mvgraph.views.container import Views
from mvgraph.views.rows import RowBlock, ScaledRows
from mvgraph.views.scaling import learn_scalings, scale_views

#: Scaling rules of the anchor classifiers, by view; each has anchors of its own.
RULES = (lambda x: "auto", unit_rule)


def learn_classifiers(
    sample: Views,
    labels: np.ndarray,
    K: int,
    rng: np.random.Generator,
    recipe: Recipe,
) -> list[AnchorClassifier]:
    """Learn anchors, their cluster memberships, and discriminants of the clusters."""
    M, k = default_n_anchors(len(sample), K), recipe.anchor_neighbors

    def learn(
        task: tuple[Callable[[Any], str], np.random.Generator],
    ) -> AnchorClassifier:
        rule, own_rng = task
        rules = [rule(x) for x in sample.arrays]
        scalings = learn_scalings(sample, rules)
        scaled = scale_views(sample, scalings)
        components = KnownComponents()  # both need the same, if K is not large
        anchors = kmeans_anchors(
            scaled,
            M,
            own_rng,
            n_components=recipe.anchor_components * K,
            components=components,
        )
        source = ScaledRows(sample, scalings)
        memberships = cluster_memberships(source, anchors, k, labels, K)
        whole = RowBlock(list(scaled.arrays), scaled.mask)
        discriminant = learn_discriminant(whole, labels, K, components)
        return AnchorClassifier(scalings, anchors, memberships, k, discriminant)

    return list(ordered(learn, zip(RULES, rng.spawn(len(RULES)), strict=True)))


class Extended(NamedTuple):
    """What n rows get."""

    labels: np.ndarray  # (n,)
    memberships: np.ndarray  # (n, K), float32
    embedding: np.ndarray  # (n, K), float32
    leaves: np.ndarray  # (n,) of the tree
    outlier_score: np.ndarray  # (n,), float32
    outlier_part: np.ndarray  # (n,)
    graph: sp.csr_matrix | None  # (n, M), float32


class Extension(NamedTuple):
    """The clustering of a sample, and what extends it to other rows.

    Other processes get copies of it; nothing in it changes.
    """

    classifiers: list[AnchorClassifier]
    rows: np.ndarray  # (s,) of the sample, ascending
    labels: np.ndarray  # (s,)
    memberships: np.ndarray  # (s, K)
    embedding: np.ndarray  # (s, K)
    leaves: np.ndarray  # (s,)
    anchor_embedding: np.ndarray  # (M, K)
    leaf_shares: np.ndarray  # (M, L) of the weight of every anchor
    leaf_clusters: np.ndarray  # (L,)
    usual: Usual  # for the samples
    outliers: tuple[np.ndarray, np.ndarray]  # (s,) score and part of the samples
    graph_neighbors: int  # anchors of a view that a row of the graph is linked to
    odds: np.ndarray  # (2,) of `calibration.odds`, for rows beyond the sample

    @classmethod
    def learn(
        cls,
        sample: Views,
        rows: np.ndarray,
        classifiers: list[AnchorClassifier],
        consensus: Consensus,
        recipe: Recipe,
    ) -> Extension:
        """Learn from the consensus of a sample.

        Parameters
        ----------
        sample : Views
            The views that are used, in the order of the consensus.
        rows : ndarray of int
            Numbers of these rows among all.
        classifiers : list of AnchorClassifier
        consensus : Consensus
        recipe : Recipe
        """
        main, tree, order = classifiers[0], consensus.tree, np.argsort(rows)
        source = ScaledRows(sample, main.scalings)
        Z = mean_graph(source, main.anchors, recipe.graph_neighbors)
        leaf_clusters = np.zeros(tree.n_leaves_, dtype=np.int64)
        leaf_clusters[tree.labels] = consensus.labels
        usual, *odd = learn_usual(
            scale_views(sample, main.scalings),
            consensus.labels,
            consensus.memberships.shape[1],
        )
        return cls(
            classifiers,
            rows[order],
            consensus.labels[order],
            consensus.memberships[order],
            consensus.embedding[order],
            tree.labels[order],
            anchor_means(Z, consensus.embedding),
            anchor_memberships(Z, tree.labels, tree.n_leaves_),
            leaf_clusters,
            usual,
            (odd[0][order], odd[1][order]),
            recipe.graph_neighbors,
            odds(consensus.agreement, recipe.odds_by_anchors),
        )

    @property
    def n_anchors(self) -> int:
        """Number of columns of the graph."""
        return self.classifiers[0].anchors.n_anchors

    @property
    def row_entries(self) -> int:
        """Maximum number of entries of a row of the graph."""
        n_views = len(self.classifiers[0].anchors.points)
        return min(n_views * self.graph_neighbors, self.n_anchors)

    @property
    def anchor_labels(self) -> np.ndarray:
        """Clusters of the anchors, (M,); -1 where the sample does not use one."""
        share = np.mean(self.classifiers[0].memberships, axis=0)
        return np.where(share.any(axis=1), share.argmax(axis=1), -1)

    def extend(self, views: Views, first_row: int) -> Extended:
        """Return labels and all else of a block of rows.

        Parameters
        ----------
        views : Views
        first_row : int
            Its number among all rows; rows of the sample keep their own clusters.
        """
        a, b = np.searchsorted(self.rows, (first_row, first_row + len(views)))
        own, known = self.rows[a:b] - first_row, slice(a, b)
        P, Z, score, part = (
            self._sample_only(views) if len(own) == len(views) else self._votes(views)
        )
        embedding = np.asarray(Z @ self.anchor_embedding.astype(np.float32))
        labels = P.argmax(axis=1)
        labels[own] = self.labels[known]
        embedding[own] = self.embedding[known]
        P[own] = self.memberships[known]
        leaves = leaves_of(Z, labels, self.leaf_shares, self.leaf_clusters)
        leaves[own] = self.leaves[known]
        score[own], part[own] = (x[known] for x in self.outliers)
        return Extended(labels, P, embedding, leaves, score, part, Z)

    def _votes(
        self, views: Views
    ) -> tuple[np.ndarray, sp.csr_matrix, np.ndarray, np.ndarray]:
        parts = []
        for rows in slices(len(views), ROWS_PER_BLOCK):
            P, Z, seen = block_votes(
                views[rows], self.classifiers, self.graph_neighbors, self.usual
            )
            assert seen is not None
            labels = P.argmax(axis=1)
            sure = calibrated(P, labels, self.odds)
            parts.append((sure, Z, *judge(self.usual, seen, labels)))
        P, graphs, *odd = zip(*parts, strict=True)
        joined = (np.concatenate(x) for x in (P, *odd))
        return next(joined), sp.vstack(graphs, format="csr"), *joined

    def _sample_only(
        self, views: Views
    ) -> tuple[np.ndarray, sp.csr_matrix, np.ndarray, np.ndarray]:
        """Return the graph alone: all else of the sample is known."""
        main, n = self.classifiers[0], len(views)
        Z = mean_graph(
            ScaledRows(views, main.scalings), main.anchors, self.graph_neighbors
        )
        P = np.empty((n, self.memberships.shape[1]), dtype=np.float32)
        return P, Z, np.empty(n, np.float32), np.empty(n, np.int16)


def leaves_of(
    Z: sp.csr_matrix, labels: np.ndarray, shares: np.ndarray, clusters: np.ndarray
) -> np.ndarray:
    """Give every row a leaf of its cluster: the one that its anchors share most.

    Parameters
    ----------
    Z : csr_matrix of shape (n, M)
    labels : ndarray of int, shape (n,)
    shares : ndarray of shape (M, L)
        Of the weight of every anchor in the leaves.
    clusters : ndarray of int, shape (L,)
        Of the leaves.

    Raises
    ------
    ValueError
        If the shares are of other anchors or leaves: compiled loops do not look.
    """
    from mvgraph.ops.kernels import communities as _kernels

    if shares.shape != (Z.shape[1], len(clusters)):
        raise ValueError(f"{shares.shape} shares for {Z.shape[1]} x {len(clusters)}")
    leaves = np.zeros(len(labels), dtype=np.int64)
    members = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[members], np.arange(int(labels.max()) + 2))
    graph, of_groups = (Z.indptr, Z.indices, Z.data), shares[:, members]
    _kernels.largest_share(*graph, of_groups, members, starts, labels, leaves)
    return leaves
