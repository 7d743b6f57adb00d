"""Labels from the learned graph of MGL."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mvgraph.base.result import Note, Result
from mvgraph.graphs import partition
from mvgraph.mgl.problem import Learned
from mvgraph.mgl.smooth import Smooth
from mvgraph.ops.labels import anchor_memberships
from mvgraph.prediction.anchor_model import anchor_means

__all__ = ["read_result", "read_smooth_result"]


class _Labels(NamedTuple):
    """Labels of samples and anchors, and their source."""

    samples: np.ndarray
    anchors: np.ndarray
    n_components: int
    partition: str


def read_result(
    learned: Learned,
    K: int,
    rng: np.random.Generator,
    max_iter: int,
    few_distinct: bool = False,
) -> Result:
    """Read labels from the learned graph: its components, or a spectral cut.

    Parameters
    ----------
    learned : Learned
    K : int
    rng : Generator
    max_iter : int
        For the warning that there are not K components.
    few_distinct : bool
        True if there are fewer than K distinct samples, so that no graph can have K
        components; ``fit`` has then warned already.
    """
    Z, history = learned.Z, learned.history
    missing = K - learned.P.shape[1]  # there are fewer than K if anchors coincide
    P = np.pad(learned.P, ((0, 0), (0, missing)))
    found = _labels(Z, P, K, rng)
    wrong = found.n_components != K and not few_distinct
    return Result(
        found.samples,
        embedding=P,
        graph=Z,
        anchor_labels=found.anchors,
        view_weights=_self_weights(learned.g),
        n_components=found.n_components,
        partition=found.partition,
        history=history,
        extra={
            "_memberships": anchor_memberships(Z, found.samples, K),
            "_anchor_embedding": anchor_means(Z, P),
        },
        warnings=(_note(found.n_components, K, len(history), max_iter),)
        if wrong
        else (),
    )


def read_smooth_result(learned: Smooth, K: int, few_distinct: bool = False) -> Result:
    """Return the clusters of the smooth form; its components are these clusters.

    Parameters
    ----------
    learned : Smooth
    K, few_distinct
        See :func:`read_result`.
    """
    count, _, anchor_labels = partition.components(learned.Z)
    P = np.pad(learned.P, ((0, 0), (0, K - learned.P.shape[1])))
    exact = count == K
    return Result(
        learned.labels,
        embedding=P,
        graph=learned.Z,
        anchor_labels=np.where(anchor_labels >= 0, learned.owner, -1),
        view_weights=_self_weights(learned.g),
        n_components=count,
        partition="components" if exact else "spectral",
        history=learned.history,
        extra={
            "_memberships": learned.memberships,
            "_anchor_embedding": anchor_means(learned.Z, P),
        },
        warnings=() if exact or few_distinct else (_cut_note(count, K),),
    )


def _labels(
    Z: sp.csr_matrix, P: np.ndarray, K: int, rng: np.random.Generator
) -> _Labels:
    count, labels, anchor_labels = partition.components(Z)
    if count == K:
        return _Labels(labels, anchor_labels, count, "components")
    labels = partition.spectral_labels(P, K, rng)
    members = anchor_memberships(Z, labels, K)
    majority = np.where(members.any(axis=1), members.argmax(axis=1), -1)
    return _Labels(labels, majority, count, "spectral")


def _self_weights(g: np.ndarray) -> np.ndarray:
    w: np.ndarray = 1 / np.maximum(g, 1e-12)
    return np.asarray(w / w.sum())


def _note(count: int, K: int, n_iter: int, max_iter: int) -> Note:
    text = (
        f"The learned graph has {count} components, not n_clusters={K}, after {n_iter} "
        f"of at most {max_iter} steps; labels come from a spectral cut of the same "
        "graph. Raise max_iter, or change n_clusters or n_neighbors."
    )
    return text, ConvergenceWarning


def _cut_note(count: int, K: int) -> Note:
    text = (
        f"The learned graph has {count} components, not n_clusters={K}: a cluster of "
        "the spectral cut is not connected, or empty. Change n_clusters or n_neighbors."
    )
    return text, ConvergenceWarning
