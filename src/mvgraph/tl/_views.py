"""Views of an annotated object, and where their rows are in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.tl._counts import check_counts, treat_counts
from mvgraph.views.annotated import (
    chosen_keys,
    feature_names,
    matrices,
)
from mvgraph.views.container import Views
from mvgraph.views.kinds import is_annotated

__all__ = ["Taken", "take_views"]


class Taken(NamedTuple):
    """Views of some cells of an object."""

    views: Views
    rows: np.ndarray  # their positions in the object
    keys: dict[str, str]  # by the name of the view
    sizes: dict[str, float]  # library sizes of the views that were normalised


def take_views(
    data: Any,
    use_rep: Any,
    join: str,
    counts: str | None,
    model: Any = None,
) -> Taken:
    """Read matrices; treat counts as asked, or as in the fit of a model.

    Parameters
    ----------
    data : AnnData or MuData
    use_rep, join : as in :func:`mvgraph.views.annotated.matrices`
    counts : {"raw", "log1p"} or None
        None: as in the fit; without a model as they are, with a warning.
    model : estimator, optional
        Fitted.
    """
    if not is_annotated(data):
        raise TypeError(
            f"data must be a MuData or an AnnData, got {type(data).__name__}; "
            "for arrays and DataFrames use an estimator, such as GraphConsensus"
        )
    check_counts(counts)
    parts, names, cells = matrices(data, use_rep, join)
    held = dict(zip(names, parts, strict=True))
    sizes = treat_counts(held, counts, model)
    places = {cell: i for i, cell in enumerate(data.obs_names)}
    rows = np.array([places[cell] for cell in cells], dtype=np.intp)
    views = Views(list(held.values()), names, cells, feature_names(data, use_rep))
    return Taken(views, rows, chosen_keys(data, use_rep), sizes)
