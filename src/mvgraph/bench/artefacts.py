"""What a record keeps of a fitted model for the pictures of a report."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mvgraph.display import (
    ConvergenceDisplay,
    EmbeddingDisplay,
    GraphDisplay,
    WeightsDisplay,
)
from mvgraph.display._display import NothingToDrawError


def collect(
    model: Any, views: Any, classes: np.ndarray, max_bytes: int = 160_000
) -> dict[str, Any]:
    """Collect history, view weights, embedding and graphs of a fitted model.

    Parameters
    ----------
    model : fitted clusterer
    views : Views
        The data of the fit.
    classes : ndarray of int
    max_bytes : int
        Size of all of them in a record; parts that do not fit are left out and named.

    Returns
    -------
    dict
        Those of ``convergence weights embedding graphs`` that the method has, and
        ``left_out``: the reasons why others are missing.
    """
    makers: dict[str, Callable[[], Any]] = {
        "convergence": lambda: _curves(model),
        "weights": lambda: WeightsDisplay.from_estimator(model, views.names),
        "embedding": lambda: EmbeddingDisplay.from_embedding(model, classes),
        "graphs": lambda: GraphDisplay.from_estimator(model, views),
    }
    kept: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for name, make in makers.items():
        try:
            with warnings.catch_warnings(action="ignore"):
                data = make().data()
        except NothingToDrawError:
            continue
        except Exception as error:  # a failed picture must not fail the trial
            left_out[name] = f"{type(error).__name__}: {error}"[:200]
            continue
        size = len(json.dumps(data))
        if size > max_bytes:
            left_out[name] = f"{size} bytes are more than the {max_bytes} left"
        else:
            kept[name] = data["weights"] if name == "weights" else data
            max_bytes -= size
    return {**kept, "left_out": left_out}


def _curves(model: Any) -> ConvergenceDisplay:
    curves = ConvergenceDisplay.from_estimator(model)
    if curves.empty:
        raise NothingToDrawError("one step is not a curve")
    return curves
