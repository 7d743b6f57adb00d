"""Check declared sizes before unpacking, and translate errors of other libraries."""

from __future__ import annotations

import gzip
import math
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.memory import TooLargeError, check_room, room

#: Largest ratio by which zlib can compress, as its documentation states.
RATIO = 1032
CHUNK = 1 << 20


def limit_of(options: ReadOptions) -> int:
    """Return how many bytes the next array of a file may take in memory."""
    return room(options.memory_limit)


def check_size(where: str, n_bytes: float, options: ReadOptions) -> None:
    """Raise TooLargeError if an array would not fit, before it is read."""
    check_room(where, n_bytes, options.memory_limit)


def check_stored(
    where: str, array: Any, stored: Callable[[], int], options: ReadOptions
) -> None:
    """Reject an array that stays in a file and declares far more than that stores.

    What is not stored is a fill value, and costs no byte of the file.

    Raises
    ------
    TooLargeError
    """
    chunk = math.prod(array.chunks or (1,)) * array.dtype.itemsize
    check_size(f"{where}, one chunk", chunk, options)
    if array.nbytes > limit_of(options) and stored() * RATIO < array.nbytes:
        check_size(where, array.nbytes, options)


def check_gzip(path: Path, options: ReadOptions) -> None:
    """Reject a gzip file that unpacks to more than the limit allows.

    It is unpacked piece by piece, and only if it could exceed the limit at all.
    """
    if path.stat().st_size * RATIO <= limit_of(options):
        return
    total = 0
    with gzip.open(path, "rb") as stream:
        while piece := stream.read(CHUNK):
            total += len(piece)
            check_size(path.name, total, options)


def check_deflated(where: str, packed: bytes, options: ReadOptions) -> int:
    """Return the unpacked size of a zlib stream; reject more than the limit."""
    if len(packed) * RATIO <= limit_of(options):
        return len(packed)
    stream, total = zlib.decompressobj(), 0
    rest = packed
    while rest and not stream.eof:
        total += len(stream.decompress(rest, CHUNK))
        rest = stream.unconsumed_tail
        check_size(where, total, options)
    return total


def check_zip(path: Path, options: ReadOptions) -> None:
    """Reject an archive whose members unpack to more than the limit allows.

    Python stops reading a member at its declared size, so the sizes can be trusted.
    """
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    check_size(path.name, sum(one.file_size for one in members), options)


@contextmanager
def readable(
    path: Path, kind: str, remedy: str = "Fetch or write the file again"
) -> Iterator[None]:
    """Turn whatever a library raises on a damaged file into one line that names it.

    Parsers raise almost any exception on a damaged file. Errors that already name the
    file, and missing packages, are passed on unchanged.
    """
    try:
        yield
    except (ImportError, FileNotFoundError, PermissionError, TooLargeError):
        raise
    except MemoryError as error:
        raise TooLargeError(
            f"{path.name}: a {kind} that declares more than fits in memory ({error})."
            " Fetch or write the file again, or use a larger machine"
        ) from error
    except RecursionError as error:
        raise ValueError(
            f"{path.name}: a {kind} that is nested too deeply. {remedy}"
        ) from error
    except Exception as error:
        if isinstance(error, ValueError) and str(error).startswith(
            (path.name, str(path))
        ):
            raise
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ValueError(
            f"{path.name}: not a readable {kind} ({reason}). {remedy}"
        ) from error


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Add the name of the file to every error of a reader."""
    try:
        yield
    except (ImportError, MemoryError, OSError):
        raise
    except ValueError as error:
        if path.is_dir() or path.name in str(error):  # a file of the folder is named
            raise
        kind = TooLargeError if isinstance(error, TooLargeError) else ValueError
        raise kind(f"{path.name}: {error}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise ValueError(
            f"{path.name}: not readable ({reason}). Fetch or write it again"
        ) from error
