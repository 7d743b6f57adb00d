"""Bytes that an Arrow IPC file or stream takes in memory, from its messages alone.

pyarrow allocates what a compressed buffer declares in its first eight bytes, however
small the file is. The layout is that of Message.fbs and File.fbs of the Arrow columnar
format, version 1.5, which are FlatBuffers.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_MAGIC = b"ARROW1"
_CONTINUES = 0xFFFFFFFF
_DICTIONARY, _RECORDS = 2, 3  # MessageHeader
_NOT_COMPRESSED = -1


class _Table(NamedTuple):
    """A FlatBuffers table: `at` is its position, relative to which all others are."""

    data: memoryview
    at: int

    @classmethod
    def root(cls, data: memoryview) -> _Table:
        return cls(data, _int(data, "<I", 0))

    def field(self, number: int) -> int | None:
        """Return where a field is; None if it is absent."""
        table = self.at - _int(self.data, "<i", self.at)
        slot = 4 + 2 * number
        if slot >= _int(self.data, "<H", table):
            return None
        offset = _int(self.data, "<H", table + slot)
        return self.at + offset if offset else None

    def table(self, number: int) -> _Table | None:
        at = self.field(number)
        return None if at is None else _Table(self.data, self._follow(at))

    def structs(self, number: int, form: str) -> Iterator[tuple[int, ...]]:
        """Yield the structs of a vector."""
        at = self.field(number)
        if at is None:
            return
        vector = self._follow(at)
        size, n = struct.calcsize(form), _int(self.data, "<I", vector)
        if vector + 4 + n * size > len(self.data):
            raise ValueError("a vector in a message ends beyond it")
        yield from struct.iter_unpack(
            form, self.data[vector + 4 : vector + 4 + n * size]
        )

    def _follow(self, at: int) -> int:
        return at + _int(self.data, "<I", at)


def unpacked_bytes(path: Path) -> int:
    """Return the bytes of all buffers of an Arrow file or stream once unpacked.

    Raises
    ------
    ValueError
        If the messages are damaged.
    """
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=1) as mapped:
        data = memoryview(mapped)
        try:
            # every block of a footer counts, also one that is listed twice
            blocks = _footer(data) if data[:6] == _MAGIC else _messages(data)
            return sum(_batch_bytes(data, *block) for block in blocks)
        except struct.error as error:
            raise ValueError(f"a message is damaged: {error}") from error
        finally:
            data.release()


def _footer(data: memoryview) -> list[tuple[int, int]]:
    """Return where the messages and the bodies of all batches start."""
    size = _int(data, "<i", len(data) - 10)
    if not 0 < size <= len(data) - 20:
        raise ValueError("the footer is damaged")
    with data[len(data) - 10 - size : len(data) - 10] as footer:
        root = _Table.root(footer)
        return [
            (offset, offset + length)
            for number in (2, 3)  # dictionaries, record batches
            for offset, length, _, _ in root.structs(number, "<qiiq")
        ]


def _messages(data: memoryview) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 4 <= len(data):
        start, size = _metadata(data, at)
        if size == 0:
            return
        body = start + size
        yield at, body
        with data[start:body] as message:
            field = _Table.root(message).field(3)
            length = 0 if field is None else _int(message, "<q", field)
        if length < 0:
            raise ValueError("a message has a body of negative size")
        at = body + length


def _metadata(data: memoryview, at: int) -> tuple[int, int]:
    """Return where the metadata of a message starts, and its size."""
    first = _int(data, "<I", at)
    if first != _CONTINUES:
        return at + 4, first  # before version 0.15
    return at + 8, _int(data, "<I", at + 4)


def _batch_bytes(data: memoryview, at: int, body: int) -> int:
    start, size = _metadata(data, at)
    with data[start : start + size] as message:
        root = _Table.root(message)
        kind = root.field(1)
        header = root.table(2)
        kind = 0 if kind is None else message[kind]
        if kind == _DICTIONARY and header is not None:
            header = header.table(1)
        if kind not in (_DICTIONARY, _RECORDS) or header is None:
            return 0
        packed = header.field(3) is not None
        buffers = header.structs(2, "<qq")
        return sum(_size(data, body + o, n, packed) for o, n in buffers)


def _size(data: memoryview, at: int, length: int, packed: bool) -> int:
    if not packed or length < 8:
        return max(0, length)
    declared = _int(data, "<q", at)
    return length - 8 if declared == _NOT_COMPRESSED else max(0, declared)


def _int(data: memoryview, form: str, at: int) -> int:
    if at < 0:
        raise ValueError("a message points before its start")
    value: int = struct.unpack_from(form, data, at)[0]
    return value
