"""Whether views are those that a model was fitted on, row by row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mvgraph.views.container import Views
from mvgraph.views.order import Content, content

__all__ = ["check_same_rows", "refuse_fewer_views"]

BY_POSITION = (
    "labels_ are taken by position: make sure that the order is that of the fit"
)


def check_same_rows(model: Any, views: Views, stacklevel: int = 2) -> None:
    """Refuse rows of the fit in another order; warn where rows cannot be recognised.

    Rows are compared by their ids, and by a hash of their content where the model
    keeps one. Other values under the ids of the fit are in order: raw counts, say,
    of a fit on scaled ones.

    Parameters
    ----------
    model : fitted clusterer
    views : Views
        With views and columns in the order of the fit.
    stacklevel : int, default=2
        Of the warning, counted from the caller.

    Raises
    ------
    ValueError
        The number of rows is another, or their order.
    """
    labels = model.labels_
    kind = type(model).__name__
    if len(views) != len(labels):
        raise ValueError(
            f"The model was fitted on {len(labels)} samples, X has {len(views)}; pass "
            "the views of the fit."
        )
    text = _other_ids(model, views, kind)
    if text is None:
        return
    held = getattr(model, "_content", None)
    if held is not None:
        before = Content(*held)
        now = content(views, before.seed)
        if now == before:
            return
        if now.rows == before.rows:
            raise ValueError(
                f"X holds the rows that {kind} was fitted on in another order, and "
                "labels_ belong to rows by position; pass X as in fit."
            )
        text = text or f"X holds other values than {kind} was fitted on"
    if text:
        warnings.warn(f"{text}; {BY_POSITION}.", UserWarning, stacklevel=stacklevel + 1)


def _other_ids(model: Any, views: Views, kind: str) -> str | None:
    """Compare ids: None if they are those of the fit, else how they differ, or ""."""
    known, own = getattr(model, "sample_ids_", None), views.ids
    if known is None or own is None:
        return ""
    before, now = (np.asarray(ids).astype(str) for ids in (known, own))
    different = before != now
    if not different.any():
        return None
    if np.array_equal(np.sort(before), np.sort(now)):
        raise ValueError(
            f"X names the samples that {kind} was fitted on in another order, and "
            "labels_ belong to rows by position; bring X into the order of "
            "model.sample_ids_."
        )
    first = int(np.argmax(different))
    return (
        f"{int(different.sum())} of {len(now)} samples of X have other ids than in the "
        f"fit of {kind}, first {str(now[first])!r} where it had {str(before[first])!r}"
    )


def refuse_fewer_views(model: Any, views: Views) -> None:
    """Refuse views that lack some of those of the fit.

    Methods that label samples without some views do not show what these views say.

    Raises
    ------
    ValueError
        The message names the views that are lacking, or all where they have no names.
    """
    sizes = getattr(model, "_n_features", None)
    if sizes is None or views.n_views >= len(sizes):
        return
    known = model._names_of_views()
    if views.named and not set(views.names) <= set(known):
        return  # another error, which check_views reports
    absent = [name for name in known if name not in views.names]
    said = f"it lacks {', '.join(map(repr, absent))}"
    if not views.named:
        shape = ", ".join(f"{n!r} ({d})" for n, d in zip(known, sizes, strict=True))
        said = f"the fit had, with columns, {shape}; X has {views.n_features}"
    raise ValueError(
        f"X has {views.n_views} of the {len(sizes)} views that "
        f"{type(model).__name__} was fitted on: {said}. Pass all views of the fit."
    )
