"""Arrays in zarr: a group with one per view, or a single one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.limits import check_size, check_stored, readable
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.lazy import FileArray

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
            view = {path.stem: np.asarray(group[...])}
            return Source(
                path, "zarr array", view, views=(path.stem,), rows_first=True,
                log=options.log,
            )  # fmt: skip
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
    return Source(path, "zarr group", variables, rows_first=True, log=options.log)


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
