"""The library and device of an array; copies to the device and back.

Operators are written for any library of the array API standard; NumPy needs no other
package, everything else goes through array-api-compat (extra ``gpu``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Device", "device_of", "is_non_numpy", "namespace", "to_numpy"]


class Device(NamedTuple):
    """An array library and one of its devices."""

    xp: Any
    handle: Any

    def to_device(self, a: np.ndarray) -> Any:
        """Copy a NumPy array to the device."""
        return self.xp.asarray(np.ascontiguousarray(a), device=self.handle)


def is_non_numpy(a: Any) -> bool:
    """Return True for arrays of other libraries (CuPy, torch) than NumPy."""
    return hasattr(a, "__dlpack__") and not isinstance(a, np.ndarray | np.generic)


def namespace(a: Any) -> Any:
    """Return the module with the functions for an array.

    Raises
    ------
    ImportError
        The array is not NumPy's and array-api-compat is not installed.
    """
    return _compat().array_namespace(a) if is_non_numpy(a) else np


def device_of(a: Any) -> Device:
    """Return the library and device of an array that is not NumPy's."""
    return Device(namespace(a), _compat().device(a))


def to_numpy(a: Any) -> np.ndarray:
    """Copy an array of another library into main memory; others stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.ops.namespace import to_numpy
    >>> to_numpy(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if not is_non_numpy(a):
        return np.asarray(a)
    if hasattr(a, "detach"):  # torch keeps a tape
        a = a.detach()
    if hasattr(a, "get"):  # CuPy copies by a method of its own
        return a.get()
    compat = _compat()
    if not compat.is_torch_array(a):
        return np.asarray(np.from_dlpack(a))
    return np.asarray(compat.to_device(a, "cpu"))


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise ImportError(
            "Arrays of other libraries than NumPy need array-api-compat: "
            "pip install 'mvgraph[gpu]', or pass NumPy arrays."
        ) from error
    return array_api_compat
