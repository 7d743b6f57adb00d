"""Types of arrays in the signatures of numerical functions, and dense copies.

SciPy has no type information, so that checkers treat ``csr_matrix`` as Any; the names
below keep signatures readable all the same.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Array", "Eigenpairs", "Float", "Int", "Matrix", "dense"]


def dense(x: Any) -> np.ndarray:
    """Return a sparse matrix as a dense array; other input as np.asarray does."""
    return np.asarray(x.toarray() if sp.issparse(x) else x)


#: NumPy, or any library of the array API standard (CuPy, torch).
Array: TypeAlias = Any
#: Rows of samples, dense or sparse.
Matrix: TypeAlias = np.ndarray | sp.csr_matrix
Float: TypeAlias = NDArray[np.floating[Any]]
Int: TypeAlias = NDArray[np.integer[Any]]
#: Eigenvalues (k,) and eigenvectors (n, k).
Eigenpairs: TypeAlias = tuple[np.ndarray, np.ndarray]
