"""Views that stay where they are: rows become arrays only when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

__all__ = [
    "EAGER",
    "ColumnsArray",
    "FileArray",
    "HDF5Array",
    "LazyArray",
    "ParquetArray",
    "ZarrArray",
    "is_lazy",
]

BLOCK = 65536  # rows read at a time where all of them are needed
#: Readers of files load up to so many bytes at once; larger arrays stay in the file.
EAGER = 2**26


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
            return self._cast(self._read_slice(rows))
        rows = np.asarray(rows)
        if rows.dtype == bool:
            rows = np.flatnonzero(rows)
        # h5py wants ascending indices without repeats
        rows = np.where(rows < 0, rows + len(self), rows)
        found, back = np.unique(rows, return_inverse=True)
        return self._cast(self._read_rows(found))[back]

    def select(self, columns: Sequence[int]) -> LazyArray:
        """Return some of the columns, by position."""
        return ColumnsArray(self, columns)

    def _cast(self, block: Any) -> np.ndarray:
        return np.asarray(block).astype(self.dtype, copy=False)

    def _read_slice(self, rows: slice) -> Any:
        return self.source[rows]

    def _read_rows(self, rows: np.ndarray) -> Any:
        """Read rows in ascending order without repeats."""
        # zarr reads lists of indices along single axes by oindex only
        return getattr(self.source, "oindex", self.source)[rows]


class ColumnsArray(LazyArray):
    """Some columns of a 2-D array in a file, in any order.

    Parameters
    ----------
    source : LazyArray
    columns : sequence of int
    """

    def __init__(self, source: LazyArray, columns: Sequence[int]) -> None:
        super().__init__(source)
        self.columns = list(columns)
        self.shape = (source.shape[0], len(self.columns))

    def __reduce__(self):
        return ColumnsArray, (self.source, self.columns)

    def _read_slice(self, rows: slice) -> Any:
        return self.source[rows][:, self.columns]

    def _read_rows(self, rows: np.ndarray) -> Any:
        return self.source[rows][:, self.columns]


class FileArray(LazyArray):
    """A 2-D array in a .npy file; pickled as its path, so that workers can read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(np.load(path, mmap_mode="r"))

    def __reduce__(self):
        return FileArray, (self.path,)


class HDF5Array(LazyArray):
    """A 2-D data set of an HDF5 file; pickled as path and name."""

    def __init__(self, path: Path, name: str) -> None:
        import h5py

        self.path, self.name = path, name
        super().__init__(h5py.File(path, "r")[name])

    def __reduce__(self):
        return HDF5Array, (self.path, self.name)


class ZarrArray(LazyArray):
    """A 2-D array of a zarr group; pickled as path and name."""

    def __init__(self, path: Path, name: str) -> None:
        import zarr

        self.path, self.name = path, name
        super().__init__(zarr.open_group(str(path), mode="r")[name])

    def __reduce__(self):
        return ZarrArray, (self.path, self.name)


class ParquetArray(LazyArray):
    """Numeric columns of a Parquet file; reads only the row groups that rows are in.

    The last group read is kept, so that reading in order decodes every group once.

    Parameters
    ----------
    path : path
    columns : sequence of str, optional
        Default: all.
    """

    def __init__(self, path: Path, columns: Sequence[str] | None = None) -> None:
        import pyarrow.parquet as pq

        self.path = path
        meta = pq.read_metadata(path)
        schema = pq.read_schema(path)
        self.columns = list(schema.names if columns is None else columns)
        kinds = {schema.field(name).type.to_pandas_dtype() for name in self.columns}
        odd = [kind for kind in kinds if np.dtype(kind).kind not in "fiub"]
        if odd:
            raise ValueError(
                f"{path}: columns of {odd[0]} hold no numbers; name those that do"
            )
        sizes = [meta.row_group(g).num_rows for g in range(meta.num_row_groups)]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._lock, self._kept = Lock(), (-1, np.empty((0, 0)))
        self.source = None
        self.ndim, self.shape = 2, (int(self._starts[-1]), len(self.columns))
        self.dtype = np.dtype(np.float32 if kinds == {np.float32} else np.float64)

    def __reduce__(self):
        return ParquetArray, (self.path, self.columns)

    def select(self, columns: Sequence[int]) -> ParquetArray:
        """Return some of the columns, by position."""
        return ParquetArray(self.path, [self.columns[c] for c in columns])

    def _read_slice(self, rows: slice) -> np.ndarray:
        return self._read_rows(np.arange(*rows.indices(len(self))))

    def _read_rows(self, rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        groups = np.searchsorted(self._starts, rows, side="right") - 1
        for g in np.unique(groups):
            here = groups == g
            out[here] = self._group(int(g))[rows[here] - self._starts[g]]
        return out

    def _group(self, g: int) -> np.ndarray:
        """Read one row group; missing values become NaN."""
        import pyarrow.parquet as pq

        with self._lock:
            if self._kept[0] != g:
                with pq.ParquetFile(self.path) as file:
                    table = file.read_row_group(g, columns=self.columns)
                values = np.empty((table.num_rows, table.num_columns), self.dtype)
                for c, name in enumerate(self.columns):
                    values[:, c] = table.column(name).to_numpy()
                self._kept = g, values
            return self._kept[1]


def is_lazy(a: Any) -> bool:
    """Tell arrays that are read on demand: neither ndarrays nor frames nor sparse."""
    known = isinstance(a, np.ndarray) or hasattr(a, "to_numpy") or hasattr(a, "tocsr")
    sliceable = hasattr(a, "__getitem__") and hasattr(a, "dtype")
    return not known and sliceable and len(getattr(a, "shape", ())) == 2
