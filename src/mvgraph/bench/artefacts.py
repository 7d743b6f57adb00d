"""The data of a report's pictures, small enough for a record."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mvgraph.display import ConvergenceDisplay, EmbeddingDisplay, GraphDisplay

__all__ = ["MAX_BYTES", "collect"]

#: Maximum size of the data for pictures; parts that do not fit are left out and named.
MAX_BYTES = 160_000


def collect(model: Any, views: Any, classes: np.ndarray) -> dict[str, Any]:
    """Collect history, view weights, embedding and graphs of a fitted model.

    Parameters
    ----------
    model : fitted clusterer
    views : Views
        The data of the fit.
    classes : ndarray of int

    Returns
    -------
    dict
        Those of ``convergence weights embedding graphs`` that the method has, and
        ``left_out``: the reasons why others are missing.
    """
    makers: dict[str, Callable[[], dict[str, Any] | None]] = {
        "convergence": lambda: _convergence(model),
        "weights": lambda: _weights(model, views),
        "embedding": lambda: _embedding(model, classes),
        "graphs": lambda: _graphs(model, views),
    }
    found: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    room = MAX_BYTES
    for name, make in makers.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                data = make()
        except Exception as error:  # a failed picture must not fail the trial
            left_out[name] = f"{type(error).__name__}: {error}"[:200]
            continue
        size = len(json.dumps(data))
        if data is not None and size > room:
            left_out[name] = f"{size} bytes are more than the {room} left"
        elif data is not None:
            found[name] = data
            room -= size
    return {**found, "left_out": left_out}


def _convergence(model: Any) -> dict[str, Any] | None:
    history = getattr(model, "history_", None) or ()
    if not any(set(step) - {"seconds", "stage"} for step in history):
        return None
    display = ConvergenceDisplay.from_estimator(model)
    return None if display.empty else display.data()


def _weights(model: Any, views: Any) -> dict[str, float] | None:
    weights = getattr(model, "view_weights_", None)
    if weights is None:
        return None
    pairs = zip(views.names, np.asarray(weights, dtype=float), strict=True)
    return {name: round(float(w), 5) for name, w in pairs if np.isfinite(w)}


def _embedding(model: Any, classes: np.ndarray) -> dict[str, Any] | None:
    if getattr(model, "embedding_", None) is None:
        return None
    return EmbeddingDisplay.from_estimator(model, classes).data()


def _graphs(model: Any, views: Any) -> dict[str, Any] | None:
    if getattr(model, "graph_", None) is None:
        return None
    return GraphDisplay.from_estimator(model, views).data()
