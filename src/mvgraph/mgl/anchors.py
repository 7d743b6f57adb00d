"""Number and choice of the anchors of MGL."""

from __future__ import annotations

import numpy as np

__all__ = ["count_anchors"]


def count_anchors(n_anchors: int | float | None, N: int, K: int) -> int:
    """Return the number of anchors that the parameter asks for."""
    if n_anchors is None:
        return min(5 * K, max(N // 4, 2 * K), N)
    if isinstance(n_anchors, int | np.integer):
        return int(n_anchors)
    return int(N * n_anchors + 1e-9)  # 0.29999... is 0.3
