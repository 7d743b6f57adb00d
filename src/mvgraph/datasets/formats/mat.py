"""MATLAB files of versions 4 to 7.2, through SciPy."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from mvgraph.datasets.formats.limits import check_deflated, check_size, readable
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.casting import check_sparse

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_INT8, _UINT8, _INT32, _UINT32, _UTF8 = 1, 2, 5, 6, 16
_NUMBERS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}
_TEXT = _NUMBERS | {16, 17, 18}
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_COMPLEX = 0x800
_DEEPEST = 32


def read_mat(path: Path, options: ReadOptions) -> Source:
    """Read every variable of a MATLAB file up to version 7.2.

    Raises
    ------
    ValueError
        If SciPy cannot read the file, also after cutting stale trailing bytes; if it
        would not fit into memory.
    """
    remedy = "Fetch the file again, or save it from MATLAB with save(..., '-v7')"
    with readable(path, "MATLAB file", remedy):
        check_size(path.name, path.stat().st_size, options)
        raw = path.read_bytes()
        content = _load(path, raw, options)
        variables = {
            name: plain(value)
            for name, value in content.items()
            if not name.startswith("__")
        }
    return Source(path, "MATLAB file", variables, options)


def _load(path: Path, raw: bytes, options: ReadOptions) -> dict[str, Any]:
    """Read all variables; bytes after the last one are cut off and reported."""
    from scipy.io import loadmat

    order = _byte_order(raw)
    if order is None and 0 not in raw[:4]:
        raise ValueError(f"{len(raw)} bytes starting with {raw[:20]!r}")
    end = len(raw) if order is None else _end_of_variables(path, raw, order, options)
    if order is not None:
        _check_variables(raw[:end], order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a damaged file is an error, not a warning
        content = loadmat(io.BytesIO(raw[:end]))
    if end < len(raw):
        stale = f"ignored {len(raw) - end} stale bytes after the last variable"
        warnings.warn(f"{path.name}: {stale}", UserWarning, stacklevel=6)
        options.log.note(stale)
    return content


def _end_of_variables(path: Path, raw: bytes, order: str, options: ReadOptions) -> int:
    """Return where the last whole variable ends, once no piece is too large."""
    end, total = _HEADER, 0
    for kind, start, stop in _elements(raw, order):
        end = stop
        if kind == _COMPRESSED:
            total += check_deflated(path.name, raw[start:stop], options)
            check_size(path.name, total, options)
    if end == _HEADER or end > len(raw):
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


class _Element(NamedTuple):
    """One tagged piece: its type, its bytes, and where the next one begins."""

    kind: int
    data: memoryview
    end: int


def _byte_order(raw: bytes) -> str | None:
    """Return how numbers are written, None if this is not a file of version 5."""
    return {b"IM": "<", b"MI": ">"}.get(bytes(raw[126:128]))


def _elements(raw: bytes, order: str) -> Iterator[tuple[int, int, int]]:
    """Yield type, beginning and end of every variable, up to the first other thing."""
    position = _HEADER
    while position + 8 <= len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, position)
        if kind not in (_MATRIX, _COMPRESSED):
            return
        yield kind, position + 8, position + 8 + size
        position += 8 + size


def _check_variables(raw: bytes, order: str) -> None:
    """Walk all variables of a file.

    Raises
    ------
    ValueError
        If a type, a size or a number of parts is impossible.
    """
    for kind, start, end in _elements(raw, order):
        data = memoryview(raw)[start:end]
        if kind == _COMPRESSED:
            unpacked = memoryview(zlib.decompress(data))
            inner = _piece(unpacked, 0, order)
            if inner.kind != _MATRIX:
                raise ValueError(f"a variable has type {inner.kind}")
            data = inner.data
        _check_matrix(data, order, 0)


def _piece(data: memoryview, at: int, order: str) -> _Element:
    if at + 8 > len(data):
        raise ValueError("a variable ends inside a tag")
    kind, size = struct.unpack_from(f"{order}II", data, at)
    if kind >> 16:  # up to four bytes are in the tag itself
        kind, size = kind & 0xFFFF, kind >> 16
        if size > 4:
            raise ValueError("a short piece is longer than 4 bytes")
        return _Element(kind, data[at + 4 : at + 4 + size], at + 8)
    if at + 8 + size > len(data):
        raise ValueError("a piece is longer than its variable")
    end = at + 8 + size
    padded = end if kind == _COMPRESSED else end + -size % 8
    return _Element(kind, data[at + 8 : end], min(padded, len(data)))


def _check_matrix(data: memoryview, order: str, depth: int) -> None:
    if not len(data):
        return  # an empty matrix is empty
    if depth > _DEEPEST:
        raise ValueError(f"cells are nested more than {_DEEPEST} deep")
    flags = _typed(data, 0, order, {_UINT32})
    if len(flags.data) != 8:
        raise ValueError("flags of another size")
    bits = struct.unpack_from(f"{order}I", flags.data)[0]
    kind, parts = bits & 0xFF, 2 if bits & _COMPLEX else 1
    if not 1 <= kind <= _OPAQUE:
        raise ValueError(f"a class of number {kind}")
    if kind == _OPAQUE:
        return  # SciPy returns it unread
    sizes = _typed(data, flags.end, order, {_INT32})
    dims = struct.unpack(f"{order}{len(sizes.data) // 4}i", sizes.data)
    if min(dims, default=-1) < 0:
        raise ValueError(f"a size of {dims}")
    name = _typed(data, sizes.end, order, {_INT8, _UINT8, _UTF8})
    _check_content(data, name.end, order, depth, kind, math.prod(dims), parts)


def _check_content(
    data: memoryview, at: int, order: str, depth: int, kind: int, n: int, parts: int
) -> None:
    if kind in (_CELL, _STRUCT, _OBJECT, _FUNCTION):
        if kind == _OBJECT:
            at = _typed(data, at, order, {_INT8, _UINT8}).end
        if kind in (_STRUCT, _OBJECT):
            at, fields = _fields(data, at, order)
            n *= fields
        _check_parts(data, at, order, depth, 1 if kind == _FUNCTION else n)
        return
    if kind == _SPARSE:
        for _ in range(2):
            at = _typed(data, at, order, {_INT32, _UINT32}).end
    for _ in range(parts):
        at = _typed(data, at, order, _TEXT if kind == _CHAR else _NUMBERS).end


def _check_parts(data: memoryview, at: int, order: str, depth: int, n: int) -> None:
    if n > len(data) // 8:
        raise ValueError(f"{n} cells in {len(data)} bytes")
    for _ in range(n):
        inner = _typed(data, at, order, {_MATRIX})
        _check_matrix(inner.data, order, depth + 1)
        at = inner.end


def _fields(data: memoryview, at: int, order: str) -> tuple[int, int]:
    """Return where the values of a struct begin, and how many fields it has."""
    length = _typed(data, at, order, {_INT32})
    names = _typed(data, length.end, order, {_INT8, _UINT8, _UTF8})
    width = struct.unpack_from(f"{order}i", length.data)[0] if length.data else 0
    if width < 1:
        raise ValueError(f"names of fields are {width} characters long")
    return names.end, len(names.data) // width


def _typed(data: memoryview, at: int, order: str, kinds: set[int]) -> _Element:
    piece = _piece(data, at, order)
    if piece.kind not in kinds:
        raise ValueError(f"a piece of type {piece.kind} where {min(kinds)} is expected")
    return piece
