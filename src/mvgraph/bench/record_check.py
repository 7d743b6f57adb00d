"""What a record must hold, so that runs and reports can rely on it."""

from __future__ import annotations

import math
from typing import Any

from mvgraph.metrics import SCORES

__all__ = ["fault_of"]

Kinds = tuple[type, ...]
NOTHING = type(None)
NUMBER: Kinds = (int, float)
#: Of every record; of one that belongs to a trial; of a trial that was done.
ALWAYS: dict[str, Kinds] = {
    "key": (str,),
    "status": (str,),
    "set": (str,),
    "method": (str, NOTHING),
    "plan": (str,),
    "data_sha256": (str, NOTHING),
    "environment": (dict,),
}
OF_TRIAL: dict[str, Kinds] = {
    "preset": (str,),
    "order": (str,),
    "seed": (int,),
    "override": (dict,),
    "grid": (dict,),
}
OF_DONE: dict[str, Kinds] = {
    "data_sha256": (str,),
    "n": (int,),
    "k": (int,),
    "views": (int,),
    "scores": (dict,),
    "seconds": NUMBER,
}
OPTIONAL: dict[str, Kinds] = {
    "peak_mb": (*NUMBER, NOTHING),
    "cpu_seconds": NUMBER,
    "components": (int, NOTHING),
    "code_sha256": (str, NOTHING),
    "warnings": (list,),
    "time_limit": NUMBER,
    "artefacts": (dict,),
    "reading": (dict,),
}


def fault_of(record: Any) -> str | None:
    """Say what is wrong with a record; None: nothing."""
    if not isinstance(record, dict):
        return "no object"
    fault = _kinds(record, ALWAYS)
    if fault:
        return fault
    if record["status"] not in ("done", "skipped"):
        return f"status {str(record['status'])[:20]!r}"
    trial = record["method"] is not None
    if record["status"] == "skipped":
        wanted = {"reason": (str,), **(OF_TRIAL if trial else {})}
    elif not trial:
        return "method None of a trial that was done"
    else:
        wanted = OF_TRIAL | OF_DONE
    present = {name: kinds for name, kinds in OPTIONAL.items() if name in record}
    return _kinds(record, wanted | present) or _values(record)


def _kinds(record: dict[str, Any], wanted: dict[str, Kinds]) -> str | None:
    for name, kinds in wanted.items():
        if name not in record:
            return f"{name} is missing"
        value = record[name]
        if not isinstance(value, kinds) or isinstance(value, bool):
            return f"{name} is of type {type(value).__name__}"
        if isinstance(value, int | float) and not abs(value) < 1e18:
            return f"{name} is no finite number"
    return None


def _values(record: dict[str, Any]) -> str | None:
    for key, value in record["environment"].items():
        if isinstance(value, dict | list):
            return f"environment.{key} is of type {type(value).__name__}"
    if record["status"] == "skipped":
        return None
    if not all(isinstance(text, str) for text in record.get("warnings", [])):
        return "warnings holds what is no text"
    for name in ("n", "k", "views"):
        if record[name] < 1:
            return f"{name} is below 1"
    return next(filter(None, (_score(name, record["scores"]) for name in SCORES)), None)


def _score(name: str, scores: dict[str, Any]) -> str | None:
    value = scores.get(name)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return f"scores.{name} is no number"
    if not (-1 if name == "ari" else 0) <= value <= 1 + 1e-9:
        return f"scores.{name} is {value:g}, which is no such score"
    return None
