"""Columns that were not clustered: given by the caller, or those of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mvgraph.views.casting import is_annotated, is_frame
from mvgraph.views.container import Views
from mvgraph.views.frames import columns_of


def columns_given(metadata: Any, views: Views) -> dict[str, np.ndarray]:
    """Return columns by name, one value for every sample.

    Parameters
    ----------
    metadata : DataFrame, mapping of str to sequence, or None
        In the order of the samples. A pandas frame whose index holds the names of the
        samples is put into that order.
    views : Views

    Raises
    ------
    ValueError
        A column has another number of values, or a sample has no row.
    """
    if metadata is None:
        return {}
    if is_frame(metadata):
        found = _of_frame(_in_order(metadata, views))
    elif isinstance(metadata, Mapping):
        found = {str(name): np.asarray(x) for name, x in metadata.items()}
    else:
        raise TypeError(
            "metadata must be a DataFrame, or a mapping of names to columns; got "
            f"{type(metadata).__name__}."
        )
    for name, x in found.items():
        if x.shape != (len(views),):
            raise ValueError(
                f"metadata: column {name!r} has shape {x.shape}; it needs one value "
                f"for each of {len(views)} samples."
            )
    return found


def columns_of_input(X: Any, views: Views) -> dict[str, np.ndarray]:
    """Return the columns of a frame that its views do not hold as they are.

    Of an AnnData or a MuData, those of ``obs``. Several frames may name their rows in
    other orders, and are left to `metadata`.
    """
    if is_annotated(X):
        if views.ids is None or len(X.obs) != len(views):
            return {}
        return _of_frame(X.obs.loc[list(views.ids)])
    if not is_frame(X) or hasattr(X, "collect") or len(X) != len(views):
        return {}
    held = {c for own in views.feature_names for c in own or ()}
    plain = views.encoders is None
    found = _of_frame(X)
    return {k: x for k, x in found.items() if not (plain and k in held)}


def _in_order(frame: Any, views: Views) -> Any:
    """Put the rows of a pandas frame into the order of the samples, by its index."""
    if views.ids is None or not hasattr(frame, "loc"):
        return frame
    index = frame.index.astype(str)
    names = np.asarray(views.ids).astype(str)
    if not index.is_unique or not index.isin(names).any():
        return frame  # it only counts the rows
    absent = names[~np.isin(names, index.to_numpy(dtype=str))]
    if len(absent):
        raise ValueError(
            f"metadata: {len(absent)} samples have no row, first {str(absent[0])!r}; "
            "its index names others."
        )
    return frame.set_axis(index, axis=0).loc[names]


def _of_frame(frame: Any) -> dict[str, np.ndarray]:
    columns = columns_of(frame, "metadata")
    return {name: columns.one(i) for i, name in enumerate(columns.header)}
