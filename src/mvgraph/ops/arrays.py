"""Dense copies of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["dense"]


def dense(x: Any) -> np.ndarray:
    """Return a sparse matrix as a dense array; other input as np.asarray does."""
    return np.asarray(x.toarray() if sp.issparse(x) else x)
