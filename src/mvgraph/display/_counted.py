"""Which records of a benchmark count: the last of a trial, of newest data and code."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["latest_records", "left_out", "newest"]

Record = dict[str, Any]
TRIAL = ("set", "method", "preset", "order", "seed")


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
        if record.get("method") is None or not _fault(record, data, code):
            last[_identity(record)] = record
    found = {r["set"] for r in last.values() if r.get("method") is not None}
    return [
        r
        for r in last.values()
        if r.get("method") is not None or r.get("set") not in found
    ]


def newest(records: list[Record]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the hash of the newest data by set, and of the newest code by method."""
    trials = [r for r in records if r.get("method") is not None]
    data = {r["set"]: r.get("data_sha256") for r in trials}
    return data, {r["method"]: r.get("code_sha256") for r in trials}


def left_out(records: list[Record]) -> list[str]:
    """Say how many records do not count, by set and by method."""
    data, code = newest(records)
    trials = [r for r in records if r.get("method") is not None]
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
    if record.get("method") is None:
        return record.get("set")
    if "seed" not in record:  # not of a benchmark: nothing to compare by
        return id(record)
    settings = [sorted(record.get(key, {}).items()) for key in ("override", "grid")]
    return repr([*(record.get(key) for key in TRIAL), settings])
