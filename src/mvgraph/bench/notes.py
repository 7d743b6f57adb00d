"""The lines below the table of methods and sets: what the table does not show."""

from __future__ import annotations

from collections.abc import Iterator

from mvgraph.bench import compare
from mvgraph.bench.records import Record, latest_records, left_out, variant

__all__ = ["PARTIAL", "table_notes"]

PARTIAL = (
    "(2 of 3): so many trials ended with a result, the others failed. Such a mean is "
    "over seeds on which the method did not fail: it is not marked as best, and does "
    "not count for mean, rank and tests."
)


def table_notes(records: list[Record]) -> list[str]:
    """Say what the records hold and the table does not."""
    notes = left_out(records)
    records = latest_records(records)
    names = ", ".join(sorted(compare.series(records)))
    if names:
        notes.append(f"Left out, several sizes of one set: {names}.")
    if any(record.get("grid") for record in records):
        notes.append("Left out: trials of a grid of parameters.")
    if any(g.lost and g.records for g in compare.shuffled(records)):
        notes.append(PARTIAL)
    return [*notes, *_failures(records), *_warned(records)]


def _failures(records: list[Record]) -> Iterator[str]:
    """Name methods and sets without any result, each with a reason."""
    ended = [r for r in records if r["status"] == "done"]
    methods = {variant(r) for r in ended}
    sets = {r["set"] for r in ended}
    lost = [r for r in records if r["status"] == "skipped"]
    trials = [r for r in lost if r["method"] is not None]
    of_method = {variant(r): r["reason"] for r in reversed(trials)}
    of_set = {r["set"]: r["reason"] for r in reversed(lost)}
    for name in dict.fromkeys(map(variant, trials)):
        if name not in methods:
            yield f"Without any result: {name} ({of_method[name]})."
    for name in dict.fromkeys(r["set"] for r in lost):
        if name not in sets:
            yield f"No method has a result on {name} ({of_set[name]})."


def _warned(records: list[Record]) -> Iterator[str]:
    ended = [r for r in records if r["status"] == "done"]
    n = sum(bool(r.get("warnings")) for r in ended)
    if n:
        yield (
            f"{n} of {len(ended)} trials gave warnings; the page of mvgraph report "
            "lists them."
        )
