"""Arrays beside matrices that may name samples, by what they are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.datasets.layout.source import Source, is_numeric, is_strings
from mvgraph.views.identifiers import SAMPLE_WORDS, header_words, is_id_name

#: Names of arrays of names; words for samples count only if the array is text.
PLURALS = ("ids", "identifiers", "barcodes")


def possible_names(
    source: Source, views: list[str], skipped: set[str]
) -> dict[str, np.ndarray]:
    """Return all arrays that may be names; ``ids`` may have one part per view."""
    candidates: dict[str, Any] = {}
    for name, value in source.variables.items():
        parts: dict[str, Any] = value if isinstance(value, dict) else {}
        if isinstance(value, list) and len(value) == len(views):
            parts = dict(zip(views, value, strict=True))
        for view in views if is_called_names(name) else ():
            if view in parts:
                candidates[f"{name}_{view}"] = parts[view]
        candidates.setdefault(name, value)
    arrays = {
        k: _as_names(source, v) for k, v in candidates.items() if k not in skipped
    }
    return {k: v for k, v in arrays.items()
            if v is not None and k not in source.options.said.column}  # fmt: skip


def is_called_names(name: str, value: np.ndarray | None = None) -> bool:
    """Return whether a variable is called like sample names.

    Text may also be called ``samples`` or ``index``.
    """
    words = header_words(name)
    joined = "".join(words)
    if joined in (*PLURALS, "names") or is_id_name(" ".join(words), first=False):
        return True
    if len(words) > 1 and words[-1] in PLURALS:
        return True
    text = value is not None and value.dtype.kind == "U"
    return text and (joined in SAMPLE_WORDS or joined == "index")


def _as_names(source: Source, value: Any) -> np.ndarray | None:
    """Return an array that may be names, one per sample; None for anything else."""
    cells = value if isinstance(value, list) else ()  # of MATLAB
    if cells and all(is_strings(cell) and cell.size <= 1 for cell in cells):
        return np.array(["".join(cell.ravel()) for cell in cells])
    if not (is_numeric(value) or is_strings(value)) or value.dtype.kind in "bc":
        return None
    if value.ndim == 0 or value.size < 2 or value.size != max(value.shape):
        return None
    flat = value.ravel()
    if flat.dtype.kind == "S":
        flat = np.char.decode(flat, "utf-8", "replace")
    if flat.dtype.kind == "U" and not source.rows_first:
        flat = np.char.rstrip(flat)  # MATLAB pads strings with blanks
    return flat
