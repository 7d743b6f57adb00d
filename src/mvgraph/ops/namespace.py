"""In which library an array lives, and the way there and back.

Operators are written for any library of the array API standard; NumPy needs no other
package, everything else goes through array-api-compat (extra ``gpu``).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Home", "home_of", "is_foreign", "namespace", "to_numpy"]


class Home(NamedTuple):
    """A library and one of its devices."""

    xp: Any
    device: Any

    def put(self, a: np.ndarray) -> Any:
        """Return the same numbers there."""
        return self.xp.asarray(np.ascontiguousarray(a), device=self.device)


def is_foreign(a: Any) -> bool:
    """Tell arrays of other libraries (CuPy, torch) from those of NumPy."""
    return hasattr(a, "__dlpack__") and not isinstance(a, np.ndarray | np.generic)


def namespace(a: Any) -> Any:
    """Return the module with the functions for an array.

    Raises
    ------
    ImportError
        The array is foreign and array-api-compat is not installed.
    """
    return _compat().array_namespace(a) if is_foreign(a) else np


def home_of(a: Any) -> Home:
    """Return library and device of a foreign array."""
    return Home(namespace(a), _compat().device(a))


def to_numpy(a: Any) -> np.ndarray:
    """Copy a foreign array into the memory of the processor; others stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.ops.namespace import to_numpy
    >>> to_numpy(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if not is_foreign(a):
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
