"""Settings that reproduce the published tables, and how they were found."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

__all__ = ["settings"]


def settings(dataset: str | None, method: str = "mgl") -> dict[str, Any]:
    """Return the parameters of the published form for one of the paper's sets.

    A set that is not listed gets those of MSRC-v5.
    """
    text = resources.files("mvgraph").joinpath("paper_settings.json").read_text()
    table = json.loads(text)[method]
    return dict(table.get(dataset or "", table["msrc_v5"]))
