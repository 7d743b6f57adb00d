"""Choose the reader by the content of a file rather than its name."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scipy import sparse

from mvgraph.datasets.formats import arrays, folder, h5ad, market
from mvgraph.datasets.formats.excel import EXCEL
from mvgraph.datasets.formats.hdf5 import check_structure, read_hdf5
from mvgraph.datasets.formats.limits import check_size, named
from mvgraph.datasets.formats.mat import read_mat
from mvgraph.datasets.formats.parts import TableFiles, files_of_table, is_partitioned
from mvgraph.datasets.formats.records import has_records, read_records
from mvgraph.datasets.formats.table import PARQUET, is_table
from mvgraph.datasets.layout.source import ReadOptions, Source

_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_LFS = b"version https://git-lfs.github.com/spec"
_KNOWN = (
    ".mat, .npz, .npy, .mtx, .csv, .tsv, .txt, .parquet, .feather, .xlsx, .h5, .h5ad or"
    " .h5mu, or a folder of tables or arrays"
)


def open_source(path: Path | TableFiles, options: ReadOptions | None = None) -> Source:
    """Read the variables of a file or folder, or of several files of one table.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If the format is unknown, or the file is damaged.
    """
    options = options or ReadOptions()
    if isinstance(path, TableFiles):
        with named(path.path):
            return folder.read_files(path, options, "files of one table")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.is_dir():
        with named(path):
            return _unwrapped(_read_folder(path, options))
    _refuse_special(path)
    with path.open("rb") as stream:
        head = stream.read(1024)
    _refuse_pointer(path, head)
    with named(path):
        if _is_hdf5(head):
            check_structure(path, options)
        source = _unwrapped(_reader_of(path, head)(path, options))
        _refuse_large_sparse(source.variables, path.name, options)
        return read_records(source, options) if has_records(source) else source


def _refuse_large_sparse(value: Any, where: str, options: ReadOptions) -> None:
    """Reject sparse matrices whose shape alone takes more memory than there is.

    Every row, or column, of compressed storage takes a number even if it is empty.
    """
    if sparse.issparse(value):
        check_size(where, 8 * sum(value.shape), options)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            _refuse_large_sparse(part, f"{where}: {name}", options)
    elif isinstance(value, list):
        for part in value:
            _refuse_large_sparse(part, where, options)


def _read_folder(path: Path, options: ReadOptions) -> Source:
    if arrays.is_zarr(path):
        arrays.check_codecs(path)
        read = h5ad.read_annotated if h5ad.encoding(path) else arrays.read_zarr
        return read(path, options)
    if market.is_tenx_folder(path):
        return market.read_tenx_folder(path, options)
    if path.suffix.lower() in PARQUET or is_partitioned(path, PARQUET):
        files = files_of_table(path, PARQUET, options.log)
        return folder.read_files(files, options, "Parquet folder")
    return folder.read_folder(path, options)


def _reader_of(path: Path, head: bytes) -> Callable[[Path, ReadOptions], Source]:
    suffix = path.suffix.lower()
    if suffix in EXCEL:
        return folder.read_workbook
    if is_table(path):
        return folder.read_table_file
    if suffix in (".h5ad", ".h5mu"):
        return h5ad.read_annotated
    if _is_hdf5(head):
        tenx = head.startswith(_HDF5_MAGIC) and market.is_tenx_file(path)
        return market.read_tenx_file if tenx else read_hdf5
    if head[:4] == b"PK\x03\x04" or head[:6] == b"\x93NUMPY":
        return arrays.read_numpy
    if head.startswith(b"%%MatrixMarket") or path.name.lower().endswith(".mtx.gz"):
        return market.read_market
    if suffix == ".mat" or head[126:128] in (b"IM", b"MI"):
        return read_mat
    raise ValueError(
        f"{path.name}: unknown format, the file starts with {head[:12]!r}. Use {_KNOWN}"
    )


def _is_hdf5(head: bytes) -> bool:
    return _HDF5_MAGIC in (head[:8], head[512:520])


def _refuse_special(path: Path) -> None:
    """Reject pipes, sockets and devices, which may never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(
            f"{path}: a pipe, socket or device, not a regular file. Use - for"
            " standard input, or save the data to a file first"
        )


def _refuse_pointer(path: Path, head: bytes) -> None:
    if head.startswith(_LFS):
        size = head.partition(b"size ")[2].split(b"\n")[0].decode(errors="replace")
        raise ValueError(
            f"{path.name}: a Git LFS pointer instead of the data ({size} bytes)."
            " Run git lfs pull, or download the file itself"
        )


def _unwrapped(source: Source) -> Source:
    """Return the fields of a file whose only variable is a struct."""
    only = list(source.variables.values())
    if len(only) == 1 and isinstance(only[0], dict):
        return replace(source, variables=only[0])
    return source
