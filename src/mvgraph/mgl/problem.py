"""What the dense and the sparse solver of MGL share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

__all__ = ["BETA", "Learned", "Options"]


class Options(NamedTuple):
    """Parameters of MGL that the learning needs."""

    K: int
    n_neighbors: int
    tensor_weight: float
    p: float
    mu: float
    eta: float
    tol: float
    max_iter: int
    balance: bool
    dtype: Any = np.float32


class Learned(NamedTuple):
    """The mean graph (N, M), the embedding P, g of every view and the history."""

    Z: sp.csr_matrix
    P: np.ndarray
    g: np.ndarray
    history: list[dict[str, Any]]


BETA = 1e-3  # first weight of the rank constraint; the controller doubles it
