"""Limits of what is read: declared sizes, and processes that read apart."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mvgraph.datasets.layout.source import ReadOptions
from mvgraph.ops.memory import TooLargeError, check_room, room
from mvgraph.ops.wording import size_in_words

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


def read_unpacked(path: Path, stream: Any, options: ReadOptions) -> bytes:
    """Read a stream that unpacks a file, piece by piece, up to the limit."""
    pieces, total = [], 0
    with stream:
        while piece := stream.read(CHUNK):
            total += len(piece)
            check_size(path.name, total, options)
            pieces.append(piece)
    return b"".join(pieces)


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


#: Bytes that Python and a reader take before they read; SciPy has a stack per core.
START = {
    "sheets": 2**25, "structure": 2**27, "values": 2**27, "arrow": 2**28,
    "market": 2**28 + 2**23 * (os.cpu_count() or 1),
}  # fmt: skip
#: One thread, and no memory that is reserved for later.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}  # fmt: skip
#: Seconds of a processor for any file, and more by its size on disk: a workbook of
#: 50 MB takes 25 s.
SECONDS, SECONDS_PER_MB = 15, 2
#: Seconds of waiting per second of a processor: the machine may be busy.
PATIENCE = 10
PIECE = 1 << 20
#: Exit status of a child that has written the reason to standard error.
REFUSED = 3


def output_of(work: str, path: Path, options: ReadOptions) -> bytes:
    """Run `child` on a file, and return what it writes.

    It gets the name of its work, the path, its limit of private bytes and its
    limit of processor seconds.

    Raises
    ------
    TooLargeError
        If it takes more memory than there is.
    ValueError
        If the reader refuses the file, crashes, or does not end in time.
    """
    seconds = SECONDS + SECONDS_PER_MB * path.stat().st_size // 10**6
    most = limit_of(options)
    # -P: the modules of this folder do not take the names of others
    command = [sys.executable, "-P", Path(__file__).with_name("child.py"), work, path]
    limits = [min(START[work] + most, 2**62), seconds]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [str(part) for part in (*command, *limits)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
            env=os.environ | ENVIRONMENT,
        )  # fmt: skip
        waits = threading.Timer(PATIENCE * seconds, child.kill)
        waits.start()
        try:
            output = _read(child, path, options)
            status = child.wait()
        finally:
            waits.cancel()
            child.kill()
            child.communicate()
        errors.seek(0)
        error = errors.read(10_000).decode(errors="replace").strip()
    _refuse(path, status, error, most, seconds)
    return output


def _read(child: subprocess.Popen[bytes], path: Path, options: ReadOptions) -> bytes:
    assert child.stdout is not None
    pieces = []
    while piece := child.stdout.read(PIECE):
        check_size(path.name, len(piece), options)
        pieces.append(piece)
    return b"".join(pieces)


def _refuse(path: Path, status: int, error: str, most: int, seconds: int) -> None:
    if status == 0:
        return
    if "memory allocation" in error or error == "MemoryError":
        raise TooLargeError(
            f"{path.name}: takes more in memory than the {size_in_words(most)} that are"
            " left. Raise memory_limit (on the command line --memory-limit) if the"
            " file is right, or store fewer cells"
        )
    if -status in (getattr(signal, "SIGXCPU", None), getattr(signal, "SIGKILL", None)):
        raise ValueError(f"reading it does not end within {seconds} s of a processor")
    raise ValueError(error if status == REFUSED else f"its reader crashed ({status})")
