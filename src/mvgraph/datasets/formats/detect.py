"""Choose the reader by the content of a file rather than its name."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scipy import sparse

from mvgraph.datasets.formats.excel import EXCEL
from mvgraph.datasets.formats.limits import check_size, named
from mvgraph.datasets.formats.parts import TableFiles, files_of_table, is_partitioned
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
        from mvgraph.datasets.formats.folder import read_files

        with named(path.path):
            return read_files(path, options, "files of one table")
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
        source = _unwrapped(_read_file(path, head, options))
        _refuse_large_sparse(source.variables, path.name, options)
        return _with_tables(source, options)


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


def _with_tables(source: Source, options: ReadOptions) -> Source:
    from mvgraph.datasets.formats.records import has_records, read_records

    return read_records(source, options) if has_records(source) else source


def _read_folder(path: Path, options: ReadOptions) -> Source:
    from mvgraph.datasets.formats.arrays import check_codecs, is_zarr, read_zarr
    from mvgraph.datasets.formats.folder import read_files, read_folder
    from mvgraph.datasets.formats.h5ad import encoding, read_annotated
    from mvgraph.datasets.formats.market import is_tenx_folder, read_tenx_folder

    if is_zarr(path):
        check_codecs(path)
        return (
            read_annotated(path, options)
            if encoding(path)
            else read_zarr(path, options)
        )
    if is_tenx_folder(path):
        return read_tenx_folder(path, options)
    if path.suffix.lower() in PARQUET or is_partitioned(path, PARQUET):
        files = files_of_table(path, PARQUET, options.log)
        return read_files(files, options, "Parquet folder")
    return read_folder(path, options)


def _read_file(path: Path, head: bytes, options: ReadOptions) -> Source:
    suffix = path.suffix.lower()
    if _is_hdf5(head):
        from mvgraph.datasets.formats.hdf5 import check_structure

        check_structure(path, options)
    if suffix in EXCEL:
        from mvgraph.datasets.formats.folder import read_workbook

        return read_workbook(path, options)
    if is_table(path):
        from mvgraph.datasets.formats.folder import read_table_file

        return read_table_file(path, options)
    if suffix in (".h5ad", ".h5mu"):
        from mvgraph.datasets.formats.h5ad import read_annotated

        return read_annotated(path, options)
    return _read_arrays(path, head, options)


def _read_arrays(path: Path, head: bytes, options: ReadOptions) -> Source:
    if _is_hdf5(head):
        from mvgraph.datasets.formats.hdf5 import read_hdf5
        from mvgraph.datasets.formats.market import is_tenx_file, read_tenx_file

        tenx = head.startswith(_HDF5_MAGIC) and is_tenx_file(path)
        return (read_tenx_file if tenx else read_hdf5)(path, options)
    if head[:4] == b"PK\x03\x04" or head[:6] == b"\x93NUMPY":
        from mvgraph.datasets.formats.arrays import read_numpy

        return read_numpy(path, options)
    if head.startswith(b"%%MatrixMarket") or path.name.lower().endswith(".mtx.gz"):
        from mvgraph.datasets.formats.market import read_market

        return read_market(path, options)
    if path.suffix.lower() == ".mat" or head[126:128] in (b"IM", b"MI"):
        from mvgraph.datasets.formats.mat import read_mat

        return read_mat(path, options)
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
