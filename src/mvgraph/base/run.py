"""Inputs of a method beside data and parameters: order, generator, device, progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvgraph.base.parameters import draw_seed
from mvgraph.base.progress import Callback, StageTimer
from mvgraph.ops.arrays import Device, device_of, is_non_numpy
from mvgraph.views.container import Views
from mvgraph.views.order import ContentOrder, content_order

__all__ = ["Run"]


@dataclass(frozen=True)
class Run:
    """One call of fit.

    Parameters
    ----------
    rng : Generator
    order : ContentOrder
        The order of rows and views by their content, duplicate views, and the number
        of distinct rows.
    device : Device or None
        Device of the input, if it is not NumPy arrays.
    stages : StageTimer
        Reports progress.
    bytes_left : int or None, default=None
        What a limit of memory leaves for the state of the rows.
    """

    rng: np.random.Generator
    order: ContentOrder
    device: Device | None
    stages: StageTimer
    bytes_left: int | None = None

    @classmethod
    def start(
        cls,
        random_state: Any,
        X: Any,
        views: Views,
        callback: Callback | None = None,
        bytes_left: int | None = None,
    ) -> Run:
        """Draw the seed and compute the order of the content."""
        seed = draw_seed(random_state)
        order = content_order(views, seed)
        rng = np.random.default_rng(seed)
        stages = StageTimer(callback)
        return cls(rng, order, _device(X), stages, bytes_left)


def _device(X: Any) -> Device | None:
    """Return the device of the first view that is not a NumPy array, or None."""
    views = X.values() if isinstance(X, Mapping) else X
    if not isinstance(X, Mapping | list | tuple):
        views = [X]
    return next((device_of(a) for a in views if is_non_numpy(a)), None)
