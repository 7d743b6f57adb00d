"""How new samples compare with those of the fit, as a part of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mvgraph.page.summary import Table, percent

#: Features that are listed, those that moved most.
SHOWN = 10
_NUMBER = (int, float)
#: What is shown of a comparison, and of the rows of its tables.
FIELDS = {"verdict": str, "reasons": list, "n_samples": int}
CLUSTERS = {
    "cluster": int,
    "n": int,
    "share_before": _NUMBER,
    "share": _NUMBER,
    "low": _NUMBER,
    "high": _NUMBER,
    "moved": _NUMBER,
}
FEATURES = {"feature": str, "view": str, "psi": _NUMBER, "psi_within": _NUMBER}


def check_monitor(found: Any) -> dict[str, Any]:
    """Return a comparison that was read from JSON.

    Raises
    ------
    ValueError
        It is something else.
    """
    held = found if isinstance(found, dict) else {}
    rows = [*_rows(held, "clusters", CLUSTERS), *_rows(held, "features", FEATURES)]
    for row, types in [(held, FIELDS), *rows]:
        if not isinstance(row, dict) or not all(
            isinstance(row.get(name), kind) for name, kind in types.items()
        ):
            raise ValueError("this is no comparison of new samples with a fit")
    return held


def _rows(held: Mapping[str, Any], name: str, types: Mapping[str, Any]) -> list[Any]:
    rows = held.get(name)
    return [(row, types) for row in (rows if isinstance(rows, list) else [None])]


def moved_tables(found: Mapping[str, Any] | None) -> list[Table]:
    """List clusters, and the features that moved most."""
    if found is None:
        return []
    clusters = [
        [
            str(row["cluster"]),
            f"{row['n']:,}",
            percent(row["share_before"]),
            "{} ({} to {})".format(
                *(percent(row[k]) for k in ("share", "low", "high"))
            ),
            percent(row["moved"]),
        ]
        for row in found["clusters"]
    ]
    features = [
        [row["feature"], row["view"], f"{row['psi']:.2f}", f"{row['psi_within']:.2f}"]
        for row in found["features"][:SHOWN]
    ]
    head = ["cluster", "new samples", "share at the fit", "share now (95 %)"]
    of_features = ["feature", "view", "index", "index within clusters"]
    return [
        Table("Clusters", [*head, "features that moved"], clusters),
        Table("Features that moved most", of_features, features),
    ]
