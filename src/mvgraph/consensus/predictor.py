"""How a fitted consensus labels new samples: by anchors, with a leaf of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mvgraph.base.predictor import Block
from mvgraph.consensus.calibration import calibrated
from mvgraph.consensus.extension import Extension, leaves_of
from mvgraph.prediction.anchor_predictor import AnchorPredictor, scaled_rows
from mvgraph.prediction.outliers import Usual, judge
from mvgraph.views.container import Views

#: Fields that need the label of a row.
OUTLIER, LEAF = ("outlier_score", "outlier_part"), "leaf"


@dataclass(frozen=True)
class ConsensusPredictor(AnchorPredictor):
    """Labels by anchors, and what follows from the label.

    Parameters
    ----------
    usual : Usual
        What is usual for the samples of the fit.
    leaf_shares : ndarray of shape (M, L)
        Of the weight of every anchor in the leaves of the tree.
    leaf_clusters : ndarray of int, shape (L,)
        Column of the memberships of every leaf.
    odds : ndarray of shape (2,)
        Of the probability that a label is right; see
        :func:`mvgraph.consensus.calibration.odds`.
    """

    fields: ClassVar[frozenset[str]] = AnchorPredictor.fields | {*OUTLIER, LEAF}

    usual: Usual
    leaf_shares: np.ndarray
    leaf_clusters: np.ndarray
    odds: np.ndarray

    @classmethod
    def learned(cls, extension: Extension, used: np.ndarray) -> Self:
        """Make the predictor of the same extension that labels the rows of the fit."""
        return cls(
            extension.classifiers,
            extension.graph_neighbors,
            np.arange(extension.memberships.shape[1]),
            extension.anchor_embedding,
            extension.usual,
            extension.leaf_shares,
            extension.leaf_clusters,
            extension.odds,
            used=used,
        )

    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """See Predictor."""
        own = {*OUTLIER, LEAF} & set(wanted)
        sure = {"confidence", "probability"} & set(wanted)
        needed = {"label", "graph"} if LEAF in own else {"label"} if own else set()
        needed |= {"label", "probability"} if sure else set()
        found = super().block(views, sorted({*wanted, *needed} - own))
        if sure:
            labels = found["label"]
            P = calibrated(found["probability"], labels, self.odds)
            found |= {"probability": P, "confidence": P[np.arange(len(P)), labels]}
        if own:
            columns = self.columns[found["label"]]
        if LEAF in own:
            found[LEAF] = leaves_of(
                found["graph"], columns, self.leaf_shares, self.leaf_clusters
            )
        if {*OUTLIER} & own:
            rows = scaled_rows(views.select(self.used), self.classifiers[0])
            seen = self.usual.measure(rows)
            found |= zip(OUTLIER, judge(self.usual, seen, columns), strict=True)
        return {field: found[field] for field in wanted}

    def shape_of(self, field: str) -> tuple[Any, int | None]:
        """See Predictor."""
        own = {"outlier_score": np.float32, "outlier_part": np.int16, LEAF: np.int64}
        return (own[field], None) if field in own else super().shape_of(field)
