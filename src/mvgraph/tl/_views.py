"""Views of an annotated object, and where their rows are in it."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.annotated import (
    chosen_keys,
    feature_names,
    is_annotated,
    matrices,
)
from mvgraph.views.container import Views
from mvgraph.views.counts import (
    holds_counts,
    holds_whole_numbers,
    library_size,
    log_normalise,
)

__all__ = ["COUNTS", "Taken", "check_counts", "take_views", "warn_of_counts"]

COUNTS = (None, "raw", "log1p")
REMEDY = (
    "pass counts='log1p' to bring all cells to one library size and take logarithms, "
    "or counts='raw' if they shall stay as they are"
)


class Taken(NamedTuple):
    """Views of some cells of an object."""

    views: Views
    rows: np.ndarray  # their positions in the object
    record: dict[str, Any]  # how to take the same views of other cells


def check_counts(counts: str | None) -> None:
    """Refuse an unknown treatment of counts."""
    if counts not in COUNTS:
        raise ValueError(f"counts must be one of {COUNTS}; got {counts!r}")


def take_views(
    data: Any,
    use_rep: Any,
    join: str,
    counts: str | None,
    record: dict[str, Any] | None = None,
) -> Taken:
    """Read matrices; treat counts as asked, or as the record of a model says.

    Parameters
    ----------
    data : AnnData or MuData
    use_rep, join : as in :func:`mvgraph.views.annotated.matrices`
    counts : {"raw", "log1p"} or None
        None: as they are, with a warning.
    record : dict, optional
        Of the fit: keys of the views, and library sizes by view.
    """
    if not is_annotated(data):
        raise TypeError(
            f"data must be a MuData or an AnnData, got {type(data).__name__}; "
            "for arrays and DataFrames use an estimator, such as GraphConsensus"
        )
    check_counts(counts)
    parts, names, cells = matrices(data, use_rep, join)
    held = dict(zip(names, parts, strict=True))
    sizes = _library_sizes(held, counts, record)
    left = {name: x for name, x in held.items() if name not in sizes}
    if counts is None and (record is None or record["counts"] != "raw"):
        warn_of_counts(left)
    for name, size in sizes.items():
        held[name] = log_normalise(held[name], size)
    parts = list(held.values())
    places = {cell: i for i, cell in enumerate(data.obs_names)}
    rows = np.array([places[cell] for cell in cells], dtype=np.intp)
    views = Views(parts, names, cells, feature_names(data, use_rep))
    keys = chosen_keys(data, use_rep)
    kept = {"use_rep": keys, "counts": counts, "log1p": sizes}
    return Taken(views, rows, kept)


def _library_sizes(
    held: dict[str, Any], counts: str | None, record: dict[str, Any] | None
) -> dict[str, float]:
    """Return the library size of every view that shall be normalised."""
    before = {} if record is None else record["log1p"]
    if counts is None:
        sizes = {name: size for name, size in before.items() if name in held}
        odd = [name for name in sizes if not holds_whole_numbers(held[name])]
        if odd:
            raise ValueError(
                f"{odd[0]!r} holds no counts, but the model was fitted with "
                "counts='log1p'; pass the raw counts, or counts='raw' if the values "
                "are log(1 + x) at the library size of the fit already"
            )
        return sizes
    if counts == "raw":
        return {}
    found = [name for name, x in held.items() if holds_counts(x)]
    if not found:
        raise ValueError(
            "counts='log1p', but no view holds counts (whole numbers, none negative): "
            f"{list(held)}; choose others by use_rep, or leave counts out"
        )
    # new cells are brought to the size of those of the fit
    return {name: before.get(name) or library_size(held[name]) for name in found}


def warn_of_counts(parts: dict[str, Any], stacklevel: int = 4) -> None:
    """Say which matrices hold raw counts that nobody asked to take so."""
    held = [name for name, x in parts.items() if holds_counts(x)]
    if held:
        warnings.warn(
            f"{', '.join(map(repr, held))}: raw counts (whole numbers) are taken as "
            "they are, so that cells with many counts and common features decide; "
            f"{REMEDY}.",
            UserWarning,
            stacklevel=stacklevel,
        )
