"""The method that all others are compared with, usually the user's own."""

from __future__ import annotations

from mvgraph.bench.records import Record, variant
from mvgraph.ops.wording import nearest


def reference_of(records: list[Record]) -> str | None:
    """Return the name of the reference, as in tables; None if there is none."""
    return next((variant(r) for r in records if r.get("reference")), None)


def with_reference(records: list[Record], name: str) -> list[Record]:
    """Mark the records of one method as those of the reference.

    Parameters
    ----------
    records : list of dict
    name : str
        As in tables, or the name of a method that was run with one setting.

    Raises
    ------
    ValueError
        If no such method was run on shuffled rows, or with several settings.
    """
    tried = [r for r in records if r["method"] is not None and not r["grid"]]
    tried = [r for r in tried if r["order"] == "shuffled"]
    names = dict.fromkeys(map(variant, tried))
    same = dict.fromkeys(variant(r) for r in tried if r["method"] == name)
    found = [name] if name in names else list(same)
    if not found:
        raise ValueError(
            f"the reference {name!r} was not run on shuffled rows; "
            f"{nearest(name, names)}"
        )
    if len(found) > 1:
        raise ValueError(
            f"the reference {name!r} was run with several settings; choose among "
            f"{', '.join(found)}"
        )
    methods = {r["method"] for r in tried if variant(r) == found[0]}
    return [
        {**r, "reference": r["method"] in methods and variant(r) == found[0]}
        for r in records
    ]
