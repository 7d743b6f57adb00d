"""Prediction by the smooth graph: samples are embedded and labelled as in the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mvgraph.anchor_filter.rows import RowModel, nearest_center
from mvgraph.base.predictor import Block
from mvgraph.prediction.anchor_predictor import AnchorVotes
from mvgraph.views.container import Views
from mvgraph.views.rows import ScaledRows


@dataclass(frozen=True)
class FilterPredictor(AnchorVotes):
    """Link every sample to anchors and landmarks; label it by the nearest centre.

    Parameters
    ----------
    model : RowModel
    names : ndarray of int
        Label of every centre of the model.
    width : int
        Columns of the embedding; those beyond the model's are zero.
    """

    fields: ClassVar[frozenset[str]] = frozenset(("label", "embedding"))

    model: RowModel
    names: np.ndarray
    width: int

    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """See Predictor."""
        source = ScaledRows(views.select(self.used), self.classifiers[0].scalings)
        P = self.model.embed(source.read(slice(None)))
        fields: Block = {"embedding": np.pad(P, ((0, 0), (0, self.width - P.shape[1])))}
        if "label" in wanted:
            nearest = nearest_center(P, self.model.centers)
            fields["label"] = self.names[nearest]
        return {field: fields[field] for field in wanted}

    def shape_of(self, field: str) -> tuple[Any, int | None]:
        """See Predictor."""
        embedded = field == "embedding"
        return (np.float64, self.width) if embedded else (np.int64, None)

    def renumber(self, new: np.ndarray) -> FilterPredictor:
        """See Predictor; only clusters that contain samples keep their centre."""
        given = np.full(max(len(new), int(self.names.max()) + 1), -1)
        given[: len(new)] = new  # the last clusters may be empty
        kept = np.flatnonzero(given[self.names] >= 0)
        return replace(
            super().renumber(new),
            model=self.model._replace(centers=self.model.centers[kept]),
            names=given[self.names[kept]],
        )
