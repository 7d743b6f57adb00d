"""MATLAB 7.3 files, which are HDF5 with reversed dimensions, and plain HDF5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import Source
from mvgraph.views.lazy import EAGER, HDF5Array


def read_hdf5(path: Path) -> Source:
    """Read every variable of a MATLAB 7.3 file, or every data set of an HDF5 file.

    Raises
    ------
    ImportError
        If h5py is not installed.
    ValueError
        If h5py cannot open the file.
    """
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            f"{path.name} is an HDF5 (MATLAB 7.3) file, which needs h5py:"
            " pip install 'mvgraph[files]'"
        ) from error
    try:
        with h5py.File(path, "r") as file:
            # MATLAB puts 512 bytes of its own before the HDF5 part.
            reader = _Reader(path, file, matlab=file.userblock_size > 0)
            variables = {k: reader.read(v) for k, v in file.items() if k[0] != "#"}
    except OSError as error:
        raise ValueError(
            f"{path.name}: HDF5 file that h5py cannot open ({error}). Remedy: fetch the"
            " file again, or save it from MATLAB with save(..., '-v7')"
        ) from error
    kind = "MATLAB 7.3 file" if reader.matlab else "HDF5 file"
    return Source(path, kind, variables, rows_first=not reader.matlab)


class _Reader:
    """Turn HDF5 objects of one open file into arrays, lists and dicts."""

    def __init__(self, path: Path, file: Any, matlab: bool) -> None:
        self.path = path
        self.file = file
        self.matlab = matlab

    def read(self, item: Any) -> Any:
        """Read a group (sparse matrix or struct) or a data set."""
        if not hasattr(item, "dtype"):
            if "MATLAB_sparse" in item.attrs:
                return _sparse(item)
            fields = {k: self.read(v) for k, v in item.items()}
            return _struct_array(item, fields) or fields
        if item.attrs.get("MATLAB_empty"):
            return np.zeros(tuple(int(side) for side in item[()].ravel()))
        if item.dtype.kind == "O":
            return self._objects(item)
        if item.nbytes > EAGER and not self.matlab and _stays(item):
            return HDF5Array(self.path, item.name)
        value = np.asarray(item[()])
        if _class(item) == "char":
            return _strings(value)
        return value.T if self.matlab or "MATLAB_class" in item.attrs else value

    def _objects(self, item: Any) -> Any:
        """Read a cell (references, in MATLAB's order) or strings of Python files."""
        entries = np.asarray(item[()]).ravel()
        if entries.size and isinstance(entries[0], bytes):
            return np.array([entry.decode() for entry in entries])
        return [self.read(self.file[entry]) for entry in entries]


def _stays(item: Any) -> bool:
    """Tell whether a data set can be read row by row as it lies in the file."""
    return item.ndim == 2 and item.dtype.kind in "buif" and not _class(item)


def _class(item: Any) -> str:
    name = item.attrs.get("MATLAB_class", b"")
    return name.decode() if isinstance(name, bytes) else str(name)


def _sparse(group: Any) -> sparse.csc_matrix:
    """Read MATLAB's compressed columns; a matrix of zeros has no data at all."""
    starts = np.asarray(group["jc"][()]).ravel().astype(np.int64)
    shape = (int(group.attrs["MATLAB_sparse"]), len(starts) - 1)
    if "data" not in group:
        return sparse.csc_matrix(shape)
    rows = np.asarray(group["ir"][()]).ravel().astype(np.int64)
    return sparse.csc_matrix((np.asarray(group["data"][()]), rows, starts), shape=shape)


def _strings(codes: np.ndarray) -> np.ndarray:
    """Read character codes: every column of the reversed array is one string."""
    lines = codes.T.reshape(-1, codes.shape[0])
    return np.array(["".join(map(chr, line)) for line in lines])


def _struct_array(group: Any, fields: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the elements of a struct array, None for a single struct.

    The fields of a struct array are bare references; a cell says that it is one.
    """
    bare = [
        hasattr(v, "dtype") and v.dtype.kind == "O" and not _class(v)
        for v in group.values()
    ]
    if not bare or not all(bare):
        return None
    rows = zip(*fields.values(), strict=True)
    return [dict(zip(fields, row, strict=True)) for row in rows]
