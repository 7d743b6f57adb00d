"""Settings that reproduce the published tables."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

__all__ = ["published_settings"]

DEFAULT_SET = "msrc_v5"


def published_settings(
    method: str, dataset: str | None = None, *, strict: bool = False
) -> dict[str, Any]:
    """Return the published parameters of a method for one of the paper's sets.

    Parameters
    ----------
    method : str
        Name of a method in the registry.
    dataset : str or None
        Name of a set, or of its file up to ``__``; None: MSRC-v5.
    strict : bool, default=False
        Raise an error for a set without settings; otherwise use those of MSRC-v5.

    Raises
    ------
    ValueError
        If ``strict`` and there are no settings; the message lists the known sets.
    """
    text = resources.files("mvgraph.base").joinpath("published.json").read_text()
    table = json.loads(text)[method]
    name = DEFAULT_SET if dataset is None else str(dataset).split("__")[0]
    name = name.lower().replace("-", "_")
    if strict and name not in table:
        raise ValueError(
            f"dataset={dataset!r} has no published settings; known: "
            f"{', '.join(table)}, or None for those of {DEFAULT_SET}."
        )
    return dict(table.get(name, table[DEFAULT_SET]))
