"""MATLAB files of versions 4 to 7.2, through SciPy."""

from __future__ import annotations

import io
import math
import struct
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
_WORDS = {_INT8, _UINT8, _UTF8}
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


class _Pieces:
    """The tagged pieces of a variable, read one after the other."""

    def __init__(self, data: memoryview, order: str) -> None:
        self.data, self.order, self.at = data, order, 0

    def next(self, kinds: set[int]) -> memoryview:
        """Return the bytes of the next piece, which must be of one of these types."""
        kind, piece = self._next()
        if kind not in kinds:
            raise ValueError(f"a piece of type {kind} where {min(kinds)} is expected")
        return piece

    def _next(self) -> tuple[int, memoryview]:
        data, start = self.data, self.at + 8
        if start > len(data):
            raise ValueError("a variable ends inside a tag")
        kind, size = struct.unpack_from(f"{self.order}II", data, self.at)
        if kind >> 16:  # up to four bytes are in the tag itself
            kind, size = kind & 0xFFFF, kind >> 16
            if size > 4:
                raise ValueError("a short piece is longer than 4 bytes")
            self.at = start
            return kind, data[start - 4 : start - 4 + size]
        end = start + size
        if end > len(data):
            raise ValueError("a piece is longer than its variable")
        self.at = min(end + -size % 8, len(data))
        return kind, data[start:end]

    def numbers(self, piece: memoryview) -> tuple[int, ...]:
        """Return whole numbers of four bytes."""
        return struct.unpack(f"{self.order}{len(piece) // 4}i", piece)


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
            data = _Pieces(memoryview(zlib.decompress(data)), order).next({_MATRIX})
        _check_matrix(data, order, 0)


def _check_matrix(data: memoryview, order: str, depth: int) -> None:
    if not len(data):
        return  # an empty matrix is empty
    if depth > _DEEPEST:
        raise ValueError(f"cells are nested more than {_DEEPEST} deep")
    pieces = _Pieces(data, order)
    kind, parts = _class_of(pieces)
    if kind == _OPAQUE:
        return  # SciPy returns it unread
    dims = pieces.numbers(pieces.next({_INT32}))
    if min(dims, default=-1) < 0:
        raise ValueError(f"a size of {dims}")
    pieces.next(_WORDS)  # its name
    if kind in (_CELL, _STRUCT, _OBJECT, _FUNCTION):
        n = 1 if kind == _FUNCTION else math.prod(dims)
        _check_cells(pieces, kind, n, depth)
        return
    indices = [{_INT32, _UINT32}] * (2 if kind == _SPARSE else 0)
    for kinds in (*indices, *[_TEXT if kind == _CHAR else _NUMBERS] * parts):
        pieces.next(kinds)


def _class_of(pieces: _Pieces) -> tuple[int, int]:
    """Return the class of a matrix, and how many parts its numbers have."""
    flags = pieces.next({_UINT32})
    if len(flags) != 8:
        raise ValueError("flags of another size")
    bits, _ = pieces.numbers(flags)
    kind = bits & 0xFF
    if not 1 <= kind <= _OPAQUE:
        raise ValueError(f"a class of number {kind}")
    return kind, 2 if bits & _COMPLEX else 1


def _check_cells(pieces: _Pieces, kind: int, n: int, depth: int) -> None:
    """Walk the matrices in a cell, or in every field of a struct."""
    if kind == _OBJECT:
        pieces.next(_WORDS - {_UTF8})  # its class
    if kind in (_STRUCT, _OBJECT):
        width = (*pieces.numbers(pieces.next({_INT32})), 0)[0]
        names = pieces.next(_WORDS)
        if width < 1:
            raise ValueError(f"names of fields are {width} characters long")
        n *= len(names) // width
    if n > len(pieces.data) // 8:
        raise ValueError(f"{n} cells in {len(pieces.data)} bytes")
    for _ in range(n):
        _check_matrix(pieces.next({_MATRIX}), pieces.order, depth + 1)
