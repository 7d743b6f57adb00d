"""Arrays in .npy and .npz (never pickles), one per view."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import check_size, check_zip, readable
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.persistence.numpy_files import check_header, read_member
from mvgraph.views.casting import check_sparse

_SPARSE_MEMBERS = {"indices", "indptr", "format", "shape", "data"}
_LAYOUTS = {
    "csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "bsr": sparse.bsr_matrix,
}  # fmt: skip
REMEDY = (
    "Save the views with numpy.savez(path, view_0=..., view_1=..., labels=...);"
    " pickled objects are rejected, since loading them runs code"
)


def read_numpy(path: Path, options: ReadOptions) -> Source:
    """Read an .npz or .npy file without unpickling anything.

    A large .npy file is mapped into memory and not read.

    Raises
    ------
    ValueError
        If the file is damaged, contains pickled objects, or would not fit into memory.
    """
    with readable(path, "NumPy file of plain arrays", REMEDY):
        with path.open("rb") as stream:
            packed = stream.read(4) == b"PK\x03\x04"
        if not packed:
            return _single(path, _read_array(path, options), options)
        check_zip(path, options)
        with zipfile.ZipFile(path) as archive:
            variables = {
                one.filename.removesuffix(".npy"): read_member(archive, one)
                for one in archive.infolist()
                if not one.is_dir()
            }
        if set(variables) >= _SPARSE_MEMBERS - {"indices", "indptr"} and (
            "format" in variables
        ):
            return _single(path, _sparse(path, variables, options), options)
    return Source(path, ".npz file", variables, rows_first=True, log=options.log)


def _read_array(path: Path, options: ReadOptions) -> np.ndarray:
    """Read or map one array; its header must not declare more than the file has."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        check_header(stream, size - stream.tell(), "it")
    if size > options.eager_bytes:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    check_size(path.name, size, options)
    return np.load(path, allow_pickle=False)


def _sparse(path: Path, parts: dict[str, np.ndarray], options: ReadOptions) -> Any:
    """Build the matrix that `scipy.sparse.save_npz` stored, once it is checked."""
    layout = parts["format"].item()
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    shape = tuple(int(side) for side in parts["shape"])
    # as compressed rows: where each starts, and two numbers per value
    n_bytes = 8 * sum(map(abs, shape)) + 16 * parts["data"].size
    check_size(path.name, n_bytes, options)
    if layout in _LAYOUTS:
        matrix = _LAYOUTS[layout](
            (parts["data"], parts["indices"], parts["indptr"]), shape=shape, copy=False
        )
    elif layout == "coo":
        matrix = sparse.coo_matrix(
            (parts["data"], (parts["row"], parts["col"])), shape=shape
        )
    elif layout == "dia":
        matrix = sparse.dia_matrix((parts["data"], parts["offsets"]), shape=shape)
    else:
        raise ValueError(f"it contains a sparse matrix of format {layout!r}")
    check_sparse(matrix)
    return matrix


def _single(path: Path, view: Any, options: ReadOptions) -> Source:
    kind = f"{path.suffix} file"
    return Source(
        path, kind, {path.stem: view}, views=(path.stem,), rows_first=True,
        log=options.log,
    )  # fmt: skip
