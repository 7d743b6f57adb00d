"""Arrays: their types in signatures, dense copies, and other libraries than NumPy.

SciPy has no type information, so type checkers treat ``csr_matrix`` as Any; the names
below still make signatures readable. Functions are written for any library of
the array API standard. NumPy needs no other package; other libraries are reached
through array-api-compat (extra ``gpu``).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mvgraph.ops.wording import extra

#: NumPy, or any library of the array API standard (CuPy, torch).
Array: TypeAlias = Any
#: Rows of samples, dense or sparse.
Matrix: TypeAlias = np.ndarray | sp.csr_matrix
Float: TypeAlias = NDArray[np.floating[Any]]
Int: TypeAlias = NDArray[np.integer[Any]]
#: Eigenvalues (k,) and eigenvectors (n, k).
Eigenpairs: TypeAlias = tuple[np.ndarray, np.ndarray]


def dense(x: Any) -> np.ndarray:
    """Return a sparse matrix as a dense array; other input as np.asarray does."""
    return np.asarray(x.toarray() if sp.issparse(x) else x)


class Device(NamedTuple):
    """An array library and one of its devices."""

    xp: Any
    handle: Any

    def to_device(self, a: np.ndarray) -> Array:
        """Copy a NumPy array to the device."""
        return self.xp.asarray(np.ascontiguousarray(a), device=self.handle)


def is_non_numpy(a: Any) -> bool:
    """Return True if an array belongs to a library other than NumPy (CuPy, torch)."""
    return hasattr(a, "__dlpack__") and not isinstance(a, np.ndarray | np.generic)


def namespace(a: Array) -> Any:
    """Return the module with the functions for an array.

    Raises
    ------
    ImportError
        If the array is not a NumPy array and array-api-compat is not installed.
    """
    return _compat().array_namespace(a) if is_non_numpy(a) else np


def device_of(a: Array) -> Device:
    """Return the library and device of an array that is not a NumPy array."""
    return Device(namespace(a), _compat().device(a))


def to_numpy(a: Array) -> np.ndarray:
    """Copy an array of another library to main memory; return NumPy arrays unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.ops.arrays import to_numpy
    >>> to_numpy(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if not is_non_numpy(a):
        return np.asarray(a)
    compat = _compat()
    if compat.is_cupy_array(a):  # has its own method for copies
        return np.asarray(a.get())
    if compat.is_torch_array(a):  # leaves the autograd graph
        return np.asarray(compat.to_device(a.detach(), "cpu"))
    return np.asarray(np.from_dlpack(a))


def _compat() -> Any:
    with extra("an array of a library other than NumPy", "array-api-compat", "gpu"):
        import array_api_compat
    return array_api_compat
