"""The file of results: one JSON line per trial, appended when it ends."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from mvgraph import methods
from mvgraph.base.method import load_object
from mvgraph.bench.trial import Trial
from mvgraph.metrics import SCORES

__all__ = [
    "append",
    "code_sha256",
    "finished",
    "key_of",
    "latest_records",
    "left_out",
    "newest",
]
__all__ += ["newest", "open_log", "read", "variant"]

NAME = "trials.jsonl"
PACKAGE = "mvgraph"
Record = dict[str, Any]
TRIAL = ("set", "method", "preset", "order", "seed")


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


def code_sha256(name: str) -> str | None:
    """Hash the source file in which the class of a method is defined.

    Parameters
    ----------
    name : str
        Name of a method, or ``"module:Class"``.

    Returns
    -------
    str or None
        None for the methods of this library, whose version is in every record, and
        for a class without a file. Modules that the file imports are not hashed.
    """
    try:
        path = methods.get(name).estimator
        if _is_own(path.partition(":")[0]):
            return None  # not imported: that takes seconds
        module = _module_of(load_object(path), path)
    except Exception:  # whatever the import raises: the trial shows it
        return None
    file = vars(sys.modules[module]).get("__file__")
    if _is_own(module) or file is None or not Path(file).is_file():
        return None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _module_of(found: Any, path: str) -> str:
    if isinstance(found, type) or inspect.isfunction(found):
        return str(found.__module__)
    return path.partition(":")[0]


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == PACKAGE


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
    from mvgraph.bench.record_check import fault_of  # needs pydantic

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
    if record["status"] == "done":  # logs of earlier versions lack some scores
        record["scores"] = dict.fromkeys(SCORES) | record["scores"]
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


def variant(record: Record) -> str:
    """Return the name of a method, with its settings unless they are the default."""
    more = [f"{key}={value}" for key, value in record["override"].items()]
    if record["preset"] == "paper":
        more.insert(0, "paper")
    return str(record["method"]) + (f" ({', '.join(more)})" if more else "")


def finished(records: list[Record]) -> list[Record]:
    """Keep the trials that have scores, of the newest data and code only."""
    return [r for r in latest_records(records) if r["status"] == "done"]


def latest_records(records: list[Record]) -> list[Record]:
    """Keep the last record of every trial, of the newest data and code only.

    The order of the records is their age. A file of data may be replaced under its
    name, and a method of one's own be rewritten: results of what was there before do
    not belong in one mean with those of today.

    Parameters
    ----------
    records : list of dict
        As written by ``mvgraph bench``. Missing sets are dropped if they were found
        at another time.
    """
    data, code = newest(records)
    last: dict[Any, Record] = {}
    for record in records:
        if record["method"] is None or not _fault(record, data, code):
            last[_identity(record)] = record
    found = {r["set"] for r in last.values() if r["method"] is not None}
    return [
        r for r in last.values() if r["method"] is not None or r["set"] not in found
    ]


def newest(records: list[Record]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the hash of the newest data by set, and of the newest code by method."""
    trials = [r for r in records if r["method"] is not None]
    data = {r["set"]: r.get("data_sha256") for r in trials}
    return data, {r["method"]: r.get("code_sha256") for r in trials}


def left_out(records: list[Record]) -> list[str]:
    """Say how many records do not count, by set and by method."""
    data, code = newest(records)
    trials = [r for r in records if r["method"] is not None]
    lost = Counter(_fault(record, data, code) for record in trials)
    total = {
        "set": Counter(r["set"] for r in trials),
        "method": Counter(r["method"] for r in trials),
    }
    words = {"set": "other data under this name", "method": "other code"}
    return [
        f"Left out, {field} {name}: {n} of {total[field][name]} records are of "
        f"{words[field]}; only those of the newest count."
        for (field, name), n in ((f, n) for f, n in lost.items() if f is not None)
    ]


def _fault(
    record: Record, data: dict[str, Any], code: dict[str, Any]
) -> tuple[str, str] | None:
    """Return the field by which a record is out of date, and its value."""
    if record.get("data_sha256") != data[record["set"]]:
        return "set", record["set"]
    if record.get("code_sha256") != code[record["method"]]:
        return "method", record["method"]
    return None


def _identity(record: Record) -> Any:
    """Return what two records of one trial share, whatever their keys."""
    if record["method"] is None:
        return record["set"]
    settings = [sorted(record[key].items()) for key in ("override", "grid")]
    return repr([*(record[key] for key in TRIAL), settings])
