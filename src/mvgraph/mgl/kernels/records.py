"""Arguments of the compiled loops of MGL on sparsity patterns."""

from typing import Any, NamedTuple

import numpy as np


class StepTerms(NamedTuple):
    """The numbers of a step that are the same for all rows (eq. 14, 20, 23, 24)."""

    W: np.ndarray  # (V (V + 1) / 2, M) filters of the J-step, upper parts
    H: np.ndarray  # (M, M), see embedding_distances
    qq: np.ndarray  # (M,) squared norms of the embedded anchors
    inverse_g: np.ndarray  # (V,)
    mu: float
    two_alpha: float
    beta_v: float  # beta / V
    next_mu: float


class Groups(NamedTuple):
    """Rows packed for SIMD: arrays (groups, ..., rows of a group)."""

    weight: np.ndarray  # (groups, r)
    pattern: np.ndarray  # (groups, s, r) anchors, -1 beyond the last
    D: np.ndarray  # (groups, V, s, r)
    Z: np.ndarray
    Y: np.ndarray


class Sums(NamedTuple):
    """Sums over rows."""

    totals: Any  # (V + 3,): sum D Z per view, squared residuals, ||Z||^2
    C: np.ndarray  # (M, M), upper part
    G: np.ndarray  # (M, V (V + 1) / 2)


class Work(NamedTuple):
    """Buffers of the loops over a group."""

    d: np.ndarray  # (V, s, r) each, float64
    z: np.ndarray
    y: np.ndarray
    X: np.ndarray  # Z + Y / mu
    J: np.ndarray
    zbar: np.ndarray  # (s, r) each
    live: np.ndarray  # 0, or -1e300 beyond the pattern of a row
    dF: np.ndarray  # noqa: N815
    x: np.ndarray
    column: np.ndarray  # (s, r) anchors, unsigned
    at: np.ndarray  # (r,), unsigned
    products: np.ndarray  # (V (V + 1) / 2, r)
    h: np.ndarray  # (4, r)
