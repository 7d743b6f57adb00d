"""Settings that reproduce the published tables, and how they were found."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

__all__ = ["builder", "settings"]


def settings(dataset: str | None, method: str = "mgl") -> dict[str, Any]:
    """Return the parameters of the published form for one of the paper's sets.

    A set that is not listed gets those of MSRC-v5.
    """
    text = resources.files("mvgraph").joinpath("paper_settings.json").read_text()
    table = json.loads(text)[method]
    return dict(table.get(dataset or "", table["msrc_v5"]))


def builder(estimator: type, method: str) -> Callable[..., Any]:
    """Return the ``build`` of a Method whose presets are "default" and "paper"."""

    def build(
        n_clusters: int, random_state: Any, preset: str, dataset_name: str | None
    ) -> Any:
        chosen = settings(dataset_name, method) if preset == "paper" else {}
        return estimator(n_clusters, random_state=random_state, **chosen)

    return build
