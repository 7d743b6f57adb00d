"""The file of results: one JSON line per trial, appended when it ends."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from mvgraph.bench.plan import Trial
from mvgraph.bench.record_check import fault_of
from mvgraph.display._counted import latest_records, left_out

__all__ = ["append", "key_of", "latest_records", "left_out", "open_log", "read"]

NAME = "trials.jsonl"
Record = dict[str, Any]


def key_of(
    trial: Trial, data_sha256: str | None, code_sha256: str | None = None
) -> str:
    """Return a hash of everything that determines the result of a trial.

    The code is that of a method of one's own; None: of this library, as in the records
    of all its versions.
    """
    parts = [trial.describe(), data_sha256, *filter(None, [code_sha256])]
    text = json.dumps(parts, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read(folder: str | Path) -> list[Record]:
    """Read the records of a folder of results, or of one such file.

    An incomplete last line, left by a killed run, is ignored.

    Raises
    ------
    ValueError
        If there are no records, or a complete line is not a record.
    """
    path = Path(folder)
    path = path / NAME if path.is_dir() else path
    if not path.is_file():
        raise ValueError(
            f"no results at {folder}: there is no {path.name}; run mvgraph bench first"
        )
    lines = path.read_bytes().split(b"\n")[:-1]  # after the last newline: incomplete
    records = [_parse(line, i, path) for i, line in enumerate(lines, 1) if line.strip()]
    if not records:
        raise ValueError(f"{path}: no finished trial yet; run mvgraph bench first")
    return records


@contextmanager
def open_log(folder: Path) -> Iterator[tuple[BinaryIO, list[Record]]]:
    """Lock the file, remove an incomplete last line, and open it for appending.

    Yields
    ------
    file, records
        The records of earlier runs.

    Raises
    ------
    ValueError
        If another run writes to the folder, or the file is none.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    if path.exists() and not path.is_file():
        raise ValueError(
            f"{path} is a device, a pipe or a folder; remove it, or choose another "
            "folder with -o"
        )
    with open(path, "a+b") as file:
        _lock(file, folder)
        file.seek(0)
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)
        yield file, read(path) if whole else []


def append(file: BinaryIO, record: Record) -> None:
    """Write one record and wait until it is on disk."""
    file.write(json.dumps(record, allow_nan=False).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _parse(line: bytes, number: int, path: Path) -> Record:
    try:
        record = json.loads(line)
        fault = fault_of(record)
    except (ValueError, RecursionError):
        fault = "no JSON"
    if fault:
        raise ValueError(
            f"{path}, line {number}: not a record of mvgraph bench ({fault}); delete "
            "this line"
        )
    whole: Record = record
    return whole


def _lock(file: BinaryIO, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise ValueError(
            f"another mvgraph bench writes to {folder}; wait for it, "
            "or choose another folder with -o"
        ) from error
