"""What a fit remembers of its input: names and numbers of features."""

from __future__ import annotations

from typing import Any

from mvgraph.views.container import Views
from mvgraph.views.frames import is_frame

__all__ = ["columns_by_view", "described"]


def described(X: Any, views: Views) -> Any:
    """Return what scikit-learn reads the number and names of features from."""
    held = is_frame(X) and hasattr(X, "columns") and not hasattr(X, "collect")
    return X if held and len(X.columns) == views.shape[1] else views


def columns_by_view(views: Views) -> dict[str, list[str]]:
    """Return the names of the columns, by view, where views came with some."""
    pairs = zip(views.names, views.feature_names, strict=True)
    return {name: list(columns) for name, columns in pairs if columns is not None}
