"""MATLAB files of versions 4 to 7.2, through SciPy."""

from __future__ import annotations

import io
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import check_deflated, check_size, readable
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.sparse import check_sparse

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15


def read_mat(path: Path, options: ReadOptions) -> Source:
    """Read every variable of a MATLAB file up to version 7.2.

    Raises
    ------
    ValueError
        If SciPy cannot read the file, also after cutting stale trailing bytes; if it
        would not fit into memory.
    """
    remedy = "fetch the file again, or save it from MATLAB with save(..., '-v7')"
    with readable(path, "MATLAB file", remedy):
        check_size(path.name, path.stat().st_size, options)
        raw = path.read_bytes()
        _check_unpacked(path, raw, options)
        content = _load(path, raw, options)
        variables = {
            name: plain(value)
            for name, value in content.items()
            if not name.startswith("__")
        }
    return Source(path, "MATLAB file", variables, log=options.log)


def _load(path: Path, raw: bytes, options: ReadOptions) -> dict[str, Any]:
    """Read all variables; bytes after the last one are cut off and reported."""
    from scipy.io import loadmat

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a damaged file it is refused, not warned
        try:
            return loadmat(io.BytesIO(raw))
        except Exception:  # SciPy raises almost anything on a foreign file
            end = _end_of_variables(raw)
            if end is None or end >= len(raw):
                raise
        content = loadmat(io.BytesIO(raw[:end]))
    warnings.warn(
        f"{path.name}: ignored {len(raw) - end} stale bytes after the last variable",
        UserWarning,
        stacklevel=6,
    )
    options.log.note(f"{len(raw) - end} stale bytes after the last variable ignored")
    return content


def _check_unpacked(path: Path, raw: bytes, options: ReadOptions) -> None:
    """Refuse compressed variables that unpack to more than the limit allows."""
    order = {b"IM": "<", b"MI": ">"}.get(raw[126:128])
    position, total = _HEADER, 0
    while order is not None and position + 8 <= len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, position)
        if kind == _COMPRESSED:
            packed = raw[position + 8 : position + 8 + size]
            total += check_deflated(path.name, packed, options)
            check_size(path.name, total, options)
        position += 8 + size


def plain(value: Any) -> Any:
    """Turn SciPy's cells and structs into lists and dicts, matrices into arrays."""
    if sparse.issparse(value):
        check_sparse(value)
        return value
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.names:
        items = [
            {name: plain(item[name]) for name in value.dtype.names}
            for item in value.ravel(order="F")
        ]
        return items[0] if len(items) == 1 else items
    if value.dtype == object and type(value) is np.ndarray:
        return [plain(item) for item in value.ravel(order="F")]
    return value


def _end_of_variables(raw: bytes) -> int | None:
    """Walk the top-level elements; return where the last whole one ends.

    None means that no variable is whole, or that the file ends inside one.
    """
    order = {b"IM": "<", b"MI": ">"}.get(raw[126:128])
    position = _HEADER
    if order is None:
        return None
    while position + 8 <= len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, position)
        if kind not in (_MATRIX, _COMPRESSED):
            break
        position += 8 + size
    return None if position == _HEADER or position > len(raw) else position
