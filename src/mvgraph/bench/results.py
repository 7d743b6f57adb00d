"""The records that a report is made of: of one run or several, with their names."""

from __future__ import annotations

from pathlib import Path

from mvgraph.bench.naming import joined, read_naming, refuse_twice, with_reference
from mvgraph.bench.records import Record, read, setting, variant
from mvgraph.bench.states import State
from mvgraph.ops.wording import counted

#: Trials can be compared in seconds if these are the same.
MACHINE = ("processor", "cores", "threads")


def gather(
    places: list[Path], reference: str | None = None
) -> tuple[list[Record], list[str]]:
    """Read the results of one run or join those of several.

    Parameters
    ----------
    places : list of Path
        Folders of results, or files of records.
    reference : str, optional
        Method that all others are compared with, instead of that of the plan.

    Returns
    -------
    records, notes : list of dict, list of str
        One record per trial and run of it, and sentences that say what was joined.

    Raises
    ------
    ValueError
        If there are no results, two methods have one name, or the reference was not
        run.
    """
    naming, differ = joined([read_naming(place) for place in places])
    records, notes = _joined([naming.apply(read(place)) for place in places])
    notes += differ
    rows = {(setting(r), variant(r)) for r in records if r["method"] is not None}
    refuse_twice(label for _, label in rows)
    sets = {(r.get("set_in_plan", r["set"]), r["set"]) for r in records}
    refuse_twice((label for _, label in sets), "set")
    named = naming.reference
    if reference is not None:
        return with_reference(records, reference), notes
    if named is not None:
        try:
            records = with_reference(records, named)
        except ValueError as error:  # its trials are not there yet
            notes.append(f"Compared with the best method instead: {error}.")
    return records, notes


def _joined(logs: list[list[Record]]) -> tuple[list[Record], list[str]]:
    """Keep one record of each trial, and describe what was done."""
    if len(logs) == 1:
        return logs[0], []
    kept: dict[str, Record] = {}
    n_twice = 0
    for log in logs:
        own = {r["key"]: r for r in log}
        n_twice += len(own.keys() & kept.keys())
        for key, record in own.items():
            if key not in kept or _counts(record) >= _counts(kept[key]):
                kept.pop(key, None)  # the newest last: later data and code count
                kept[key] = record
    sizes = " + ".join(str(len({r["key"] for r in log})) for log in logs)
    notes = [f"Joined {len(logs)} logs of {sizes} trials."]
    if n_twice:
        notes.append(
            f"{counted(n_twice, 'trial')} in more than one log: a finished one counts "
            "before one that did not finish, then the log that was named last."
        )
    machines = {
        tuple(r["environment"].get(key) for key in MACHINE) for r in kept.values()
    }
    if len(machines) > 1:
        notes.append(
            "The logs are of different machines or numbers of threads: seconds of "
            "different logs cannot be compared."
        )
    return list(kept.values()), notes


def _counts(record: Record) -> bool:
    return bool(record["status"] == State.FINISHED)
