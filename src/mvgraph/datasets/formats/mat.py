"""MATLAB files of versions 4 to 7.2, through SciPy."""

from __future__ import annotations

import io
import struct
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import Source

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15


def read_mat(path: Path) -> Source:
    """Read every variable of a MATLAB file up to version 7.2.

    Raises
    ------
    ValueError
        If SciPy cannot read the file, also after cutting stale trailing bytes.
    """
    from scipy.io import loadmat

    try:
        content = loadmat(path)
    except Exception as error:  # SciPy raises almost anything on a foreign file
        content = _rescue(path, error)
    variables = {
        name: plain(value)
        for name, value in content.items()
        if not name.startswith("__")
    }
    return Source(path, "MATLAB file", variables)


def plain(value: Any) -> Any:
    """Turn SciPy's cells and structs into lists and dicts, matrices into arrays."""
    if sparse.issparse(value):
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


def _rescue(path: Path, error: Exception) -> dict[str, Any]:
    """Read a version 5 file again without the bytes after its last variable."""
    from scipy.io import loadmat

    raw = path.read_bytes()
    end = _end_of_variables(raw)
    if end is None or end >= len(raw):
        raise ValueError(
            f"{path.name}: not a readable MATLAB file ({type(error).__name__}: {error})"
            f"; {len(raw)} bytes starting with {raw[:20]!r}. Remedy: fetch the file"
            " again, or save it from MATLAB with save(..., '-v7')."
        ) from error
    content = loadmat(io.BytesIO(raw[:end]))
    warnings.warn(
        f"{path.name}: ignored {len(raw) - end} stale bytes after the last variable",
        UserWarning,
        stacklevel=5,
    )
    return content


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
