"""The structure of MATLAB 5 files, walked before SciPy's compiled reader follows it.

SciPy looks types up in a table by a number from the file; a damaged number ends the
interpreter.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "COMPRESSED",
    "HEADER",
    "MATRIX",
    "byte_order",
    "check_variables",
    "elements",
]

HEADER = 128
MATRIX, COMPRESSED = 14, 15
_INT8, _UINT8, _INT32, _UINT32, _UTF8 = 1, 2, 5, 6, 16
_NUMBERS = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}
_TEXT = _NUMBERS | {16, 17, 18}
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_COMPLEX = 0x800
DEEPEST = 32


class Element(NamedTuple):
    """One tagged piece: its type, its bytes, and where the next one begins."""

    kind: int
    data: memoryview
    end: int


def byte_order(raw: bytes) -> str | None:
    """Return how numbers are written, None if this is no file of version 5."""
    return {b"IM": "<", b"MI": ">"}.get(bytes(raw[126:128]))


def elements(raw: bytes, order: str) -> Iterator[tuple[int, int, int]]:
    """Yield type, beginning and end of every variable, up to the first other thing."""
    position = HEADER
    while position + 8 <= len(raw):
        kind, size = struct.unpack_from(f"{order}II", raw, position)
        if kind not in (MATRIX, COMPRESSED):
            return
        yield kind, position + 8, position + 8 + size
        position += 8 + size


def check_variables(raw: bytes, order: str) -> None:
    """Walk all variables of a file.

    Raises
    ------
    ValueError
        A type, a size or a number of parts cannot be right.
    """
    for kind, start, end in elements(raw, order):
        data = memoryview(raw)[start:end]
        if kind == COMPRESSED:
            whole = memoryview(zlib.decompress(data))
            inner = _element(whole, 0, order)
            if inner.kind != MATRIX:
                raise ValueError(f"a variable has type {inner.kind}")
            data = inner.data
        _check_matrix(data, order, 0)


def _element(data: memoryview, at: int, order: str) -> Element:
    if at + 8 > len(data):
        raise ValueError("a variable ends inside of a tag")
    kind, size = struct.unpack_from(f"{order}II", data, at)
    if kind >> 16:  # up to four bytes stand in the tag itself
        kind, size = kind & 0xFFFF, kind >> 16
        if size > 4:
            raise ValueError("a short piece is longer than 4 bytes")
        return Element(kind, data[at + 4 : at + 4 + size], at + 8)
    if at + 8 + size > len(data):
        raise ValueError("a piece is longer than its variable")
    end = at + 8 + size
    padded = end if kind == COMPRESSED else end + -size % 8
    return Element(kind, data[at + 8 : end], min(padded, len(data)))


def _check_matrix(data: memoryview, order: str, depth: int) -> None:
    if not len(data):
        return  # an empty matrix is empty
    if depth > DEEPEST:
        raise ValueError(f"cells are nested more than {DEEPEST} deep")
    flags = _typed(data, 0, order, {_UINT32})
    if len(flags.data) != 8:
        raise ValueError("flags of another size")
    bits = struct.unpack_from(f"{order}I", flags.data)[0]
    kind, parts = bits & 0xFF, 2 if bits & _COMPLEX else 1
    if not 1 <= kind <= _OPAQUE:
        raise ValueError(f"a class of number {kind}")
    if kind == _OPAQUE:
        return  # SciPy hands it on as it is
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
        inner = _typed(data, at, order, {MATRIX})
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


def _typed(data: memoryview, at: int, order: str, kinds: set[int]) -> Element:
    found = _element(data, at, order)
    if found.kind not in kinds:
        raise ValueError(f"a piece of type {found.kind} where {min(kinds)} is expected")
    return found
