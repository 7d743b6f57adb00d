"""The result of a method: labels and fitted attributes, with the axes of each."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from mvgraph.base.predictor import Predictor
from mvgraph.views.container import Views


class RowOrderWarning(UserWarning):
    """The labels depend on the order of the rows, not only on the samples."""


#: A warning that fit issues: the message and its category.
Note = tuple[str, type[Warning]]

#: Axes of a field that run along samples or views; other axes and fields run along
#: neither.
AXES = {
    "labels": ("samples",),
    "embedding": ("samples",),
    "graph": ("samples",),
    "affinity": ("samples", "samples"),
    "sample_view_weights": ("samples", "views"),
    "view_weights": ("views",),
    "linked_views": ("views",),
    "memberships": ("samples",),
    "outlier_score": ("samples",),
    "outlier_part": ("samples",),
}
#: Fields of cluster labels; -1 means no cluster.
NUMBERS = ("labels", "anchor_labels")
#: Attribute of the estimator if it is not the name of the field and "_".
ATTRIBUTES = {"affinity": "graph_", "memberships": "membership_"}

#: Attributes with a row per sample that a model can do without.
OF_ROWS = {
    ATTRIBUTES.get(name, f"{name}_") for name, (axis, *_) in AXES.items()
    if axis == "samples" and name != "labels"
}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """Everything that a fit has learned; None for fields that a method does not have.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    embedding : ndarray of shape (N, q)
    graph : csr_matrix of shape (N, M)
        Bipartite graph of samples and anchors.
    affinity : csr_matrix or ndarray of shape (N, N)
        Graph of samples; also becomes ``graph_``.
    memberships : ndarray of shape (N, K)
        Rows sum to one; becomes ``membership_``, columns in the order of the labels.
    outlier_score, outlier_part : ndarray of shape (N,)
        How unusual every sample is, and in which part; see
        :mod:`mvgraph.prediction.outliers`.
    anchor_labels : ndarray of int, shape (M,)
        -1 for an anchor that no sample uses.
    anchor_rows : ndarray of int, shape (M,)
        Samples that are anchors, in the numbering of the input.
    view_weights : ndarray of shape (V,)
    sample_view_weights : ndarray of shape (N, V)
    linked_views : ndarray of bool, shape (V,)
    n_clusters : int
        Of a method that can find the number.
    levels : tuple of Level
        What it found.
    n_components : int
    partition : {"components", "spectral"}
    predictor : Predictor
        Labels new samples; of the class that the method names.
    lazy_labels : dask array of int, shape (N,)
        The labels, computed again on the workers.
    history : list of dict
        One dict per step.
    n_iter : int
        If it is not the length of the history.
    sample : pair of ndarray of int and Views, or None
        Rows that lie on workers and were read, by their numbers: none is read twice.
    extra : mapping of str to Any
        Attributes of this method only, by their full names; without axes.
    warnings : tuple of (message, category)
        Issued by ``fit``.
    """

    labels: np.ndarray
    embedding: np.ndarray | None = None
    graph: Any = None
    affinity: Any = None
    memberships: np.ndarray | None = None
    outlier_score: np.ndarray | None = None
    outlier_part: np.ndarray | None = None
    anchor_labels: np.ndarray | None = None
    anchor_rows: np.ndarray | None = None
    view_weights: np.ndarray | None = None
    sample_view_weights: np.ndarray | None = None
    linked_views: np.ndarray | None = None
    n_clusters: int | None = None
    levels: tuple[Any, ...] | None = None
    n_components: int | None = None
    partition: str | None = None
    predictor: Predictor | None = None
    lazy_labels: Any = None
    history: list[dict[str, Any]] | None = None
    n_iter: int | None = None
    sample: tuple[np.ndarray, Views] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[Note, ...] = ()

    def take(self, axis: str, order: np.ndarray) -> Result:
        """Reorder all fields along the axis "samples" or "views"."""
        changed = {}
        for name, axes in AXES.items():
            value = vars(self)[name]
            for i, follows in enumerate(axes):
                if follows == axis and value is not None:
                    value = value[order] if i == 0 else value[:, order]
            changed[name] = value
        if axis == "views" and self.predictor is not None:
            changed["predictor"] = self.predictor.take_views(order)
        return replace(self, **changed)

    def renumber(self, new: np.ndarray, ids: np.ndarray) -> Result:
        """Put cluster c at position ``new[c]``, and call what is there by its id."""
        names = np.where(new >= 0, ids[new], -1)
        changed: dict[str, Any] = {}
        for name in NUMBERS:
            value = vars(self)[name]
            if value is not None:
                changed[name] = np.where(value >= 0, names[value], -1)
        if self.memberships is not None:
            known = np.flatnonzero(new >= 0)
            changed["memberships"] = self.memberships[:, known[np.argsort(new[known])]]
        if self.predictor is not None:
            changed["predictor"] = replace(self.predictor.renumber(new), ids=ids)
        if self.lazy_labels is not None:
            renamed = self.lazy_labels.map_blocks(
                partial(np.take, names), dtype=np.int64
            )
            changed["lazy_labels"] = renamed
        return replace(self, **changed)

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of an estimator by name."""
        n_iter = self.n_iter
        if n_iter is None and self.history is not None:
            n_iter = len(self.history)
        values = vars(self) | {
            "n_iter": n_iter,
            "extra": None,
            "warnings": None,
            "sample": None,
        }
        return {
            ATTRIBUTES.get(name, f"{name}_"): value
            for name, value in values.items()
            if value is not None
        } | dict(self.extra)


def issue(notes: tuple[Note, ...]) -> None:
    """Issue warnings with the location of the call of fit, which calls this."""
    for message, category in notes:
        warnings.warn(message, category, stacklevel=3)
