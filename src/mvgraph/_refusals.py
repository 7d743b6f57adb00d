"""Refuse what holds no views, or other views than those of the fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set, ValuesView
from os import PathLike
from typing import Any

import scipy.sparse as sp

__all__ = ["refuse_no_views", "refuse_other_views"]


def refuse_no_views(X: Any) -> None:
    """Refuse what holds no views at all, before its parts are looked at."""
    if X is None or (isinstance(X, list | tuple | Mapping) and len(X) == 0):
        what = "None" if X is None else f"an empty {type(X).__name__}"
    elif isinstance(X, str | PathLike):
        raise ValueError(
            f"No views were given but a name, {str(X)!r}; read the data first: "
            f"mvgraph.datasets.load({str(X)!r}).views"
        )
    elif isinstance(X, tuple) and hasattr(X, "views"):
        raise ValueError("No views were given but a data set; pass its .views.")
    elif isinstance(X, Iterator | Set | ValuesView):
        raise ValueError(
            f"No views were given but a {type(X).__name__}, which is read once or has "
            "no order; pass a list of the views: list(X)."
        )
    elif isinstance(X, list | tuple) and any(_holds_views(a) for a in X):
        raise ValueError(
            "Views are nested too deeply: X is a list that holds a list or dict of "
            "views; pass that list or dict itself, X[0]."
        )
    else:
        return
    raise ValueError(
        f"No views were given: X is {what}; pass a list or dict of 2-D arrays, samples "
        "in rows, or one 2-D array."
    )


def _holds_views(a: Any) -> bool:
    """Tell a list or dict of 2-D arrays, where one view was expected."""
    parts = a.values() if isinstance(a, Mapping) and not sp.issparse(a) else a
    if not isinstance(a, list | tuple | Mapping) or sp.issparse(a):
        return False
    return any(len(getattr(part, "shape", ())) == 2 for part in parts)


def refuse_other_views(views: Any, fitted: tuple[int, ...], name: str) -> None:
    """Refuse views of other sizes than at the fit of the estimator of this name."""
    now = views.n_features
    if len(now) == len(fitted) == 1:
        return  # scikit-learn says it in its own words
    if len(now) != len(fitted):
        raise ValueError(
            f"X has {len(now)} view(s) with {now} features, but {name} was fitted on "
            f"{len(fitted)} with {fitted}; pass the same views."
        )
    told = [
        f"view {view!r} has {a} features, {b} in the fit"
        for view, a, b in zip(views.names, now, fitted, strict=True)
        if a != b
    ]
    if told:
        raise ValueError(
            f"X is not like the views that {name} was fitted on: {'; '.join(told)}. "
            "Pass the same views in the same order."
        )
