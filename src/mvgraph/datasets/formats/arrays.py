"""Arrays in .npy and .npz (never pickles) and in zarr: one per view."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import (
    check_size,
    check_stored,
    check_zip,
    readable,
)
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.persistence.arrays import check_header, read_member
from mvgraph.views.casting import check_sparse
from mvgraph.views.lazy import FileArray

_SPARSE_MEMBERS = {"format", "shape", "data"}
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
    kind = f"{path.suffix} file"
    with readable(path, "NumPy file of plain arrays", REMEDY):
        with path.open("rb") as stream:
            packed = stream.read(4) == b"PK\x03\x04"
        if not packed:
            return _single(path, _read_array(path, options), kind, options)
        check_zip(path, options)
        with zipfile.ZipFile(path) as archive:
            variables = {
                one.filename.removesuffix(".npy"): read_member(archive, one)
                for one in archive.infolist()
                if not one.is_dir()
            }
        if variables.keys() >= _SPARSE_MEMBERS:
            return _single(path, _sparse(path, variables, options), kind, options)
    return Source(path, ".npz file", variables, options, rows_first=True)


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
    """Build the matrix that `scipy.sparse.save_npz` stored, once its parts are read."""
    # as compressed rows: where each starts, and two numbers per value
    n_bytes = 8 * sum(abs(int(n)) for n in parts["shape"]) + 16 * parts["data"].size
    check_size(path.name, n_bytes, options)
    matrix = sparse.load_npz(path)
    check_sparse(matrix)
    return matrix


def _single(path: Path, view: Any, kind: str, options: ReadOptions) -> Source:
    views = {path.stem: view}
    return Source(path, kind, views, options, views=tuple(views), rows_first=True)


_ZARR = (".zgroup", ".zarray", "zarr.json")
#: Codecs of zarr 2 and 3 that only turn bytes into bytes, numbers or texts.
CODECS = {
    *("adler32", "astype", "bitround", "blosc", "bytes", "bz2", "crc32", "crc32c"),
    *("delta", "fixedscaleoffset", "fletcher32", "gz", "gzip", "jenkins_lookup3"),
    *("lz4", "lz4hc", "lzma", "packbits", "quantize", "sharding_indexed", "shuffle"),
    *("transpose", "vlen-array", "vlen-bytes", "vlen-utf8", "zlib", "zstd"),
    *("numcodecs.delta", "numcodecs.lz4", "numcodecs.shuffle", "numcodecs.zlib"),
}


def is_zarr(path: Path) -> bool:
    """Return whether a folder is a zarr group or a single array."""
    return any((path / mark).is_file() for mark in _ZARR)


def read_zarr(path: Path, options: ReadOptions) -> Source:
    """Read the arrays of a group, or a single array; large ones stay in the file.

    Raises
    ------
    ImportError
        If zarr is not installed.
    ValueError
        The group is damaged, or an array would not fit into memory.
    """
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            f"{path.name} is stored in zarr, which needs zarr: pip install zarr"
        ) from error
    variables: dict[str, Any] = {}
    with readable(path, "zarr group or array"):
        group = zarr.open(str(path), mode="r")
        if isinstance(group, zarr.Array):
            check_size(path.name, group.nbytes, options)
            return _single(path, np.asarray(group[...]), "zarr array", options)
        for name, array in sorted(group.arrays()):
            plain = array.ndim == 2 and array.dtype.kind in "buif"
            if plain and array.nbytes > options.eager_bytes:
                stored = partial(_stored, path / name)
                check_stored(f"{path.name}: {name}", array, stored, options)
                variables[name] = FileArray(path, name, zarr=True)
                continue
            check_size(f"{path.name}: {name}", array.nbytes, options)
            variables[name] = np.asarray(array[...])
        for name in sorted(name for name, _ in group.groups()):
            options.log.leave_out(name, "a nested group")
    return Source(path, "zarr group", variables, options, rows_first=True)


def _stored(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*"))


def check_codecs(path: Path) -> None:
    """Reject arrays of zarr that are packed by anything but the usual codecs.

    Some of numcodecs run code that the array contains, as pickle does.

    Raises
    ------
    ValueError
    """
    for file in (*path.rglob(".zarray"), *path.rglob("zarr.json")):
        with readable(file, "description of an array in zarr"):
            odd = sorted(_codecs(json.loads(file.read_text("utf-8"))) - CODECS)
        if odd:
            raise ValueError(
                f"{path.name}: {file.parent.name!r} is packed with {odd[0]!r}, which is"
                " not read. Write it with blosc, zstd or gzip"
            )


def _codecs(described: Any) -> set[str]:
    """Return the names of all codecs of an array, also those inside others."""
    if not isinstance(described, Mapping):
        return set()
    parts = [described.get("compressor"), *(described.get("filters") or ())]
    names = {str(part["id"]) for part in parts if isinstance(part, Mapping)}
    configuration = described.get("configuration")
    nested = [described, configuration] if isinstance(configuration, Mapping) else []
    for level in nested or [described]:
        for key in ("codecs", "index_codecs"):
            for codec in level.get(key) or ():
                names |= {str(codec["name"])} | _codecs(codec)
    return names
