"""Choose the reader by what a file holds, not by what its name or header says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mvgraph.datasets.formats.table import PARQUET, TABLES
from mvgraph.datasets.layout.source import Reading, Source

_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_LFS = b"version https://git-lfs.github.com/spec"


def open_source(path: Path, reading: Reading | None = None) -> Source:
    """Read the variables of a file or folder.

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If the content is in no format that is known here.
    """
    reading = reading or Reading()
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    if path.is_dir():
        from mvgraph.datasets.formats.folder import read_folder, read_parquet_folder
        from mvgraph.datasets.formats.zarr import is_zarr, read_zarr

        if is_zarr(path):
            return read_zarr(path)

        if path.suffix.lower() in PARQUET:
            return read_parquet_folder(path, reading)
        return _unwrapped(read_folder(path, reading))
    with path.open("rb") as stream:
        head = stream.read(1024)
    _refuse_pointer(path, head)
    return _unwrapped(_read_file(path, head, reading))


def _read_file(path: Path, head: bytes, reading: Reading) -> Source:
    if path.suffix.lower() in TABLES:
        from mvgraph.datasets.formats.folder import read_table_file

        return read_table_file(path, reading)
    if path.suffix.lower() in (".h5ad", ".h5mu"):
        from mvgraph.datasets.formats.h5ad import read_annotated

        return read_annotated(path, reading)
    return _read_arrays(path, head)


def _read_arrays(path: Path, head: bytes) -> Source:
    if _HDF5_MAGIC in (head[:8], head[512:520]):
        from mvgraph.datasets.formats.hdf5 import read_hdf5

        return read_hdf5(path)
    if head[:4] == b"PK\x03\x04" or head[:6] == b"\x93NUMPY":
        from mvgraph.datasets.formats.npz import read_numpy

        return read_numpy(path)
    if head.startswith(b"%%MatrixMarket") or path.name.lower().endswith(".mtx.gz"):
        from mvgraph.datasets.formats.market import read_market

        return read_market(path)
    if path.suffix.lower() == ".mat" or head[126:128] in (b"IM", b"MI"):
        from mvgraph.datasets.formats.mat import read_mat

        return read_mat(path)
    raise ValueError(
        f"{path.name}: unknown format, the file starts with {head[:12]!r}."
        " Remedy: bring .mat, .npz, .npy, .mtx, .csv, .tsv, .parquet, .h5ad or .h5mu,"
        " or a folder of tables or arrays"
    )


def _refuse_pointer(path: Path, head: bytes) -> None:
    if head.startswith(_LFS):
        size = head.partition(b"size ")[2].split(b"\n")[0].decode(errors="replace")
        raise ValueError(
            f"{path.name}: a Git LFS pointer and not the data (which has {size} bytes)."
            " Remedy: git lfs pull, or download the file itself"
        )


def _unwrapped(source: Source) -> Source:
    """Look into a file whose only variable is a struct."""
    only = list(source.variables.values())
    if len(only) == 1 and isinstance(only[0], dict):
        return replace(source, variables=only[0])
    return source
