"""Views that stay where they are: rows become arrays only when they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FileArray", "LazyArray", "is_lazy"]

BLOCK = 65536  # rows read at a time where all of them are needed


class LazyArray:
    """Wrap a 2-D array of h5py, zarr or dask; slicing rows gives a float ndarray."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.shape = tuple(source.shape)
        self.ndim = 2
        single = np.dtype(source.dtype) == np.float32
        self.dtype = np.dtype(np.float32 if single else np.float64)

    @property
    def nbytes(self) -> int:
        """Bytes that all values would take in memory."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> np.ndarray:
        if isinstance(rows, slice):
            return np.asarray(self.source[rows]).astype(self.dtype, copy=False)
        rows = np.asarray(rows)
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        # h5py wants ascending indices without repeats
        found, back = np.unique(rows, return_inverse=True)
        return np.asarray(self.source[found]).astype(self.dtype, copy=False)[back]


class FileArray(LazyArray):
    """A 2-D array in a .npy file; pickled as its path, so that workers can read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(np.load(path, mmap_mode="r"))

    def __reduce__(self):
        return FileArray, (self.path,)


def is_lazy(a: Any) -> bool:
    """Tell arrays that are read on demand: neither ndarrays nor frames nor sparse."""
    known = isinstance(a, np.ndarray) or hasattr(a, "to_numpy") or hasattr(a, "tocsr")
    sliceable = hasattr(a, "__getitem__") and hasattr(a, "dtype")
    return not known and sliceable and len(getattr(a, "shape", ())) == 2
