"""How well the clusters of every view agree with the result."""

from __future__ import annotations

import numpy as np

from mvgraph.consensus.fusion import agreement_between


def view_weights(
    labels: np.ndarray, own: list[np.ndarray], copy_of: np.ndarray
) -> np.ndarray:
    """Weigh views by how well the clusters of each alone agree with the labels.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)
    own : list of ndarray of int, shape (N,)
        A partition of every view that is no copy of an earlier one.
    copy_of : ndarray of int, shape (V,)
        The view that each is a copy of; its own number if it is none.

    Returns
    -------
    ndarray of shape (V,)
        Sum one; copies have the weight of the original before the sum.
    """
    first = np.unique(copy_of)
    agree = np.zeros(int(first.max()) + 1)
    K = 1 + max(int(part.max()) for part in (labels, *own))
    agree[first] = np.maximum(agreement_between(labels[None], np.stack(own), K), 0)
    weights = agree[copy_of]
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
