"""Settings that reproduce the published tables, and how they were found."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

__all__ = ["builder", "settings"]


DEFAULT = "msrc_v5"


def settings(
    dataset: str | None, method: str = "mgl", *, strict: bool = False
) -> dict[str, Any]:
    """Return the parameters of the published form for one of the paper's sets.

    Parameters
    ----------
    dataset : str or None
        Name of a set, or of its file up to ``__``; None: MSRC-v5.
    method : str
    strict : bool, default=False
        Refuse a set without settings; otherwise it gets those of MSRC-v5.

    Raises
    ------
    ValueError
        Lists the sets that have settings.
    """
    text = resources.files("mvgraph").joinpath("paper_settings.json").read_text()
    table = json.loads(text)[method]
    name = DEFAULT if dataset is None else str(dataset).split("__")[0]
    name = name.lower().replace("-", "_")
    if strict and name not in table:
        raise ValueError(
            f"dataset={dataset!r} has no published settings; known: "
            f"{', '.join(table)}, or None for those of {DEFAULT}."
        )
    return dict(table.get(name, table[DEFAULT]))


def builder(estimator: type, method: str) -> Callable[..., Any]:
    """Return the ``build`` of a Method whose presets are "default" and "paper"."""

    def build(
        n_clusters: int, random_state: Any, preset: str, dataset_name: str | None
    ) -> Any:
        chosen = settings(dataset_name, method) if preset == "paper" else {}
        return estimator(n_clusters, random_state=random_state, **chosen)

    return build
