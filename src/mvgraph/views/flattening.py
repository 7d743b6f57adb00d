"""Check whether scaling samples one by one removes all differences from a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mvgraph.ops.arrays import dense
from mvgraph.ops.parallel import slices
from mvgraph.views.container import Views
from mvgraph.views.dask_array import DaskArray
from mvgraph.views.scaling import Scaling, apply_steps, fit_scaling

#: What a rule may leave of the samples: all are equal, or lie on one line through
#: zero, at two opposite points of it.
NOTHING, SIGN = "nothing", "a sign"
#: Rules that look at one sample at a time.
BY_ROW = {"unit", "rowz", "tfidf"}
#: Values that are checked at once.
BLOCK = 2**20


def flattened_views(views: Views, rule: str) -> dict[str, str]:
    """Return the views of which a rule leaves nothing, or a sign, by name.

    Parameters
    ----------
    views : Views
        Those on workers are not read.
    rule : str
        See :func:`mvgraph.views.scaling.fit_scaling`.
    """
    present = [None] * views.n_views if views.mask is None else list(views.mask.T)
    triples = zip(views.names, views.arrays, present, strict=True)
    left = {
        name: flattened(x, rule, rows)
        for name, x, rows in triples
        if not isinstance(x, DaskArray)
    }
    return {name: what for name, what in left.items() if what is not None}


def flattened(
    x: Any, rule: str, present: np.ndarray | None = None, block_values: int = BLOCK
) -> str | None:
    """Return what a rule leaves of samples that differ, if it is not enough.

    Most views are settled by their first rows.

    Parameters
    ----------
    x : ndarray, csr_matrix or LazyArray of shape (n, d)
    rule : str
    present : ndarray of bool, shape (n,), optional
        False for rows without values.
    block_values : int, optional
        Values that are checked at once.

    Returns
    -------
    {"nothing", "a sign"} or None
        None too where samples that the rule makes equal were equal before.
    """
    steps: tuple[Scaling, ...] = ()
    axis: np.ndarray | None = None
    first: dict[int, np.ndarray] = {}  # a row of each side of zero
    differ = False
    for part in _blocks(x, present, block_values):
        steps = steps or fit_scaling(part, rule)
        if BY_ROW.isdisjoint(step.rule for step in steps):
            return None
        scaled = dense(apply_steps(part, steps))
        if axis is None and scaled.any():
            axis = scaled[int(np.argmax(scaled.any(axis=1)))]
        side = _side(scaled, axis)
        if side is None:
            return None
        for s in np.unique(side):
            rows = part[side == s]
            differ |= bool((rows != first.setdefault(int(s), rows[0])).any())
    if not differ:
        return None
    return NOTHING if len(first) == 1 else SIGN


def _blocks(
    x: Any, present: np.ndarray | None, block_values: int
) -> Iterator[np.ndarray]:
    """Read rows that have values, a block at a time."""
    for block in slices(x.shape[0], max(1, block_values // x.shape[1])):
        part = dense(x[block])
        if present is not None:
            part = part[present[block]]
        if len(part):
            yield part


def _side(scaled: np.ndarray, axis: np.ndarray | None) -> np.ndarray | None:
    """Return -1, 0 or 1 for rows that are so many times the axis, None for others."""
    if axis is None:
        return np.zeros(len(scaled))
    side = np.rint(scaled @ axis / (axis @ axis))
    rounding = 1e3 * np.finfo(scaled.dtype).eps * np.abs(axis).max()
    close = np.abs(scaled - side[:, None] * axis).max() <= rounding
    return side if close else None
