"""MATLAB files of versions 4 to 7.2, through SciPy."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import check_deflated, check_size, readable
from mvgraph.datasets.formats.mat5 import (
    COMPRESSED,
    HEADER,
    byte_order,
    check_variables,
    elements,
)
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.casting import check_sparse


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

    order = byte_order(raw)
    if order is None and 0 not in raw[:4]:
        raise ValueError(f"{len(raw)} bytes starting with {raw[:20]!r}")
    end = len(raw) if order is None else _end_of_variables(path, raw, order, options)
    if order is not None:
        check_variables(raw[:end], order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a damaged file is refused, not warned of
        content = loadmat(io.BytesIO(raw[:end]))
    if end < len(raw):
        stale = f"ignored {len(raw) - end} stale bytes after the last variable"
        warnings.warn(f"{path.name}: {stale}", UserWarning, stacklevel=6)
        options.log.note(stale)
    return content


def _end_of_variables(path: Path, raw: bytes, order: str, options: ReadOptions) -> int:
    """Return where the last whole variable ends, once no piece is too large."""
    end, total = HEADER, 0
    for kind, start, stop in elements(raw, order):
        end = stop
        if kind == COMPRESSED:
            total += check_deflated(path.name, raw[start:stop], options)
            check_size(path.name, total, options)
    if end == HEADER or end > len(raw):
        raise ValueError(
            f"it ends inside a variable; {len(raw)} bytes starting with {raw[:20]!r}"
        )
    return end


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
