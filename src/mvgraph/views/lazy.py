"""Views that stay in their files: rows become arrays only when they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

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
        ascending, back = in_order(rows, len(self))
        return self._cast(self._read_rows(ascending))[back]

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


def in_order(rows: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return row numbers ascending without repeats, as h5py needs them, and back."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    return np.unique(np.where(rows < 0, rows + n, rows), return_inverse=True)


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

    def _read_slice(self, rows: Any) -> Any:
        return self.source[rows][:, self.columns]

    _read_rows = _read_slice


class FileArray(LazyArray):
    """A 2-D array in a file; pickled as its place, so that workers can read it.

    Parameters
    ----------
    path : path
        A .npy file, an HDF5 file, or the folder of a zarr group.
    name : str, optional
        Of the data set in the file; a .npy file needs none.
    zarr : bool, default=False
        Whether the path is a zarr group.
    """

    def __init__(self, path: Path, name: str = "", zarr: bool = False) -> None:
        self.place = path, name, zarr
        super().__init__(_opened(path, name, zarr))

    def __reduce__(self):
        return FileArray, self.place


def _opened(path: Path, name: str, zarr: bool) -> Any:
    if not name:
        return np.load(path, mmap_mode="r")
    if zarr:
        from zarr import open_group

        return open_group(str(path), mode="r")[name]
    from h5py import File

    return File(path, "r")[name]


class ParquetArray(LazyArray):
    """Numeric columns of Parquet files; reads only the row groups that rows are in.

    The last group read is kept, so that reading in order decodes every group once.

    Parameters
    ----------
    path : path or sequence of path
        A file, or the files of one table in the order of their rows.
    columns : sequence of str, optional
        Default: all of the first file.
    values : sequence of dict, optional
        Of every file: columns that have one value in all of its rows.
    """

    def __init__(
        self,
        path: Path | Sequence[Path],
        columns: Sequence[str] | None = None,
        values: Sequence[Mapping[str, float]] = (),
    ) -> None:
        import pyarrow.parquet as pq

        self.paths = [path] if isinstance(path, str | Path) else list(path)
        self.values = list(values) or [{}] * len(self.paths)
        metas = [pq.read_metadata(one) for one in self.paths]
        schemas = [meta.schema.to_arrow_schema() for meta in metas]
        self.columns = list(schemas[0].names if columns is None else columns)
        kinds = {
            schema.field(name).type.to_pandas_dtype()
            for schema, own in zip(schemas, self.values, strict=True)
            for name in self.columns
            if name not in own
        }
        wrong = [kind for kind in kinds if np.dtype(kind).kind not in "fiub"]
        if wrong:
            raise ValueError(
                f"{path}: columns of {wrong[0]} are not numbers; name only columns "
                "of numbers"
            )
        self._groups = [
            (f, g) for f, meta in enumerate(metas) for g in range(meta.num_row_groups)
        ]
        sizes = [metas[f].row_group(g).num_rows for f, g in self._groups]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._lock, self._kept = Lock(), (-1, np.empty((0, 0)))
        self.source = None
        self.ndim, self.shape = 2, (int(self._starts[-1]), len(self.columns))
        self.dtype = np.dtype(np.float32 if kinds == {np.float32} else np.float64)

    def __reduce__(self):
        return ParquetArray, (self.paths, self.columns, self.values)

    def select(self, columns: Sequence[int]) -> ParquetArray:
        """Return some of the columns, by position."""
        return ParquetArray(self.paths, [self.columns[c] for c in columns], self.values)

    def _read_slice(self, rows: slice) -> np.ndarray:
        return self._read_rows(np.arange(*rows.indices(len(self))))

    def _read_rows(self, rows: np.ndarray) -> np.ndarray:
        out = np.empty((len(rows), self.shape[1]), dtype=self.dtype)
        groups = np.searchsorted(self._starts, rows, side="right") - 1
        for g in np.unique(groups):
            inside = groups == g
            out[inside] = self._group(int(g))[rows[inside] - self._starts[g]]
        return out

    def _group(self, g: int) -> np.ndarray:
        """Read one row group; missing values become NaN."""
        import pyarrow.parquet as pq

        with self._lock:
            if self._kept[0] != g:
                f, inside = self._groups[g]
                own = self.values[f]
                stored = [name for name in self.columns if name not in own]
                with pq.ParquetFile(self.paths[f]) as file:
                    table = file.read_row_group(inside, columns=stored)
                n_rows = int(self._starts[g + 1] - self._starts[g])
                values = np.empty((n_rows, self.shape[1]), self.dtype)
                for c, name in enumerate(self.columns):
                    values[:, c] = (
                        own[name] if name in own else table.column(name).to_numpy()
                    )
                self._kept = g, values
            return self._kept[1]


def is_lazy(a: Any) -> bool:
    """Return whether an array is read on demand: no ndarray, frame or sparse matrix."""
    known = isinstance(a, np.ndarray) or hasattr(a, "to_numpy") or hasattr(a, "tocsr")
    sliceable = hasattr(a, "__getitem__") and hasattr(a, "dtype")
    return not known and sliceable and len(getattr(a, "shape", ())) == 2
