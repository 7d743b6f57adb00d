"""The file of results: one JSON line per trial, appended when it ends."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

from mvgraph.bench.states import State, of_older
from mvgraph.metrics import SCORES
from mvgraph.ops.wording import extra

with extra("a benchmark or its report", "pydantic", "report"):
    from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

NAME = "trials.jsonl"
TRIAL = ("set", "method", "preset", "order", "seed")
Record = dict[str, Any]
Count = Annotated[int, Field(ge=1, lt=10**18)]


class Missing(BaseModel):
    """A set that was not found, and the fields of every record.

    Fields of later versions are kept as they are, and fields that earlier versions did
    not write may be missing.
    """

    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)

    key: str
    set: str
    plan: str
    data_sha256: str | None = None
    environment: dict[str, str | int | float | bool | None]
    status: Literal["skipped"]
    method: str | None
    reason: str


class Skipped(Missing):
    """A trial without a result."""

    method: str
    status: Literal[  # type: ignore[assignment]
        "skipped", "time limit", "out of memory", "failed"
    ]
    preset: str
    order: str
    seed: Annotated[int, Field(ge=0, lt=10**18)]
    override: dict[str, Any]
    grid: dict[str, Any]
    code_sha256: str | None = None
    time_limit: float | None = None


class Done(Skipped):
    """A trial with a result."""

    status: Literal["done"]  # type: ignore[assignment]
    reason: str = ""
    data_sha256: str
    n: Count
    k: Count
    views: Count
    scores: dict[str, float | None]
    seconds: float
    cpu_seconds: float | None = None
    peak_mb: float | None = None
    components: int | None = None
    warnings: list[str] = []
    artefacts: dict[str, Any] = {}
    reading: dict[str, Any] = {}

    @field_validator("scores")
    @classmethod
    def _in_range(cls, scores: dict[str, float | None]) -> dict[str, float | None]:
        for name in SCORES:
            value = scores.get(name)  # sums are rounded
            if value is not None and not SCORES[name].least <= value <= 1 + 1e-9:
                raise ValueError(f"{name} is {value:g}, which is out of its range")
        return scores


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


def _parse(line: bytes, number: int, path: Path) -> Record:
    try:
        record: Record = json.loads(line)
        kind = Done if record.get("status") == "done" else Skipped
        (Missing if record.get("method") is None else kind).model_validate(record)
    except ValidationError as error:
        first = error.errors()[0]
        fault = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    except (ValueError, RecursionError, AttributeError):
        fault = "not a JSON object"
    else:
        record["status"] = of_older(record)
        if kind is Done:  # logs of earlier versions lack some scores
            record["scores"] = dict.fromkeys(SCORES) | record["scores"]
        return record
    raise ValueError(
        f"{path}, line {number}: not a record of mvgraph bench ({fault}); delete this "
        "line"
    )


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
        If another run writes to the folder, or the file is not a regular one.
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
        complete = file.read().rfind(b"\n") + 1
        file.truncate(complete)
        yield file, read(path) if complete else []


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


def append(file: BinaryIO, record: Record) -> None:
    """Write one record and wait until it is on disk.

    Raises
    ------
    OSError
        With the name of the file: the disk is full.
    """
    try:
        file.write(json.dumps(record, allow_nan=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        with suppress(OSError):  # else it would be tried once more
            file.close()
        error.filename = str(file.name)
        raise


# ---------------------------------------------------------------- which records count
def setting(record: Record) -> str:
    """Return the name of a method, with its settings unless they are the default."""
    if record["method"] is None:
        return "all methods"
    settings = ["paper"] if record["preset"] == "paper" else []
    settings += [f"{key}={value}" for key, value in record["override"].items()]
    return str(record["method"]) + (f" ({', '.join(settings)})" if settings else "")


def variant(record: Record) -> str:
    """Return the name of a method with its settings, as it is shown."""
    return str(record.get("label") or setting(record))


def finished(records: list[Record]) -> list[Record]:
    """Keep the trials that have scores, of the newest data and code only."""
    return [r for r in latest_records(records) if r["status"] == State.FINISHED]


def latest_records(records: list[Record]) -> list[Record]:
    """Keep the last record of every trial, of the newest data and code only.

    The order of the records is their age. A data file may be replaced under its name,
    and a method of the user's may be rewritten: results of what was there before must
    not be averaged with those of today.

    Parameters
    ----------
    records : list of dict
        As written by ``mvgraph bench``. Missing sets are dropped if they were found
        at another time.
    """
    present = {r["set"] for r in records if r["method"] is not None}
    last: dict[Any, Record] = {}
    for record, outdated in zip(records, _outdated(records), strict=True):
        if record["method"] is None and record["set"] not in present:
            last[record["set"]] = record
        elif record["method"] is not None and outdated is None:
            last[_identity(record)] = record
    return list(last.values())


def left_out(records: list[Record]) -> list[str]:
    """Report how many records do not count, by set and by method."""
    lost = Counter(pair for pair in _outdated(records) if pair is not None)
    trials = [r for r in records if r["method"] is not None]
    words = {"set": "other data under this name", "method": "other code"}
    return [
        f"Left out, {field} {name}: {n} of {sum(r[field] == name for r in trials)} "
        f"records are of {words[field]}; only those of the newest count."
        for (field, name), n in lost.items()
    ]


def _outdated(records: list[Record]) -> list[tuple[str, str] | None]:
    """Return for each record the field that makes it out of date, and its value."""
    hashes = {"set": "data_sha256", "method": "code_sha256"}
    newest: dict[Any, Any] = {}
    for field, sha256 in hashes.items():
        trials = (r for r in records if r["method"] is not None)
        newest |= {(field, r[field]): r.get(sha256) for r in trials}
    outdated: list[tuple[str, str] | None] = []
    for r in records:
        fields = hashes if r["method"] is not None else ()
        old = [(f, r[f]) for f in fields if r.get(hashes[f]) != newest[f, r[f]]]
        outdated.append(old[0] if old else None)
    return outdated


def _identity(record: Record) -> str:
    """Return what two records of one trial share, whatever their keys."""
    settings = [sorted(record[key].items()) for key in ("override", "grid")]
    return repr([*(record[key] for key in TRIAL), settings])
