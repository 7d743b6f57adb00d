"""Warnings of views that the scaling of a method leaves without their values."""

from __future__ import annotations

from typing import Any

from mvgraph.base.result import Note
from mvgraph.ops.wording import counted
from mvgraph.views.container import Views
from mvgraph.views.flattening import NOTHING, flattened_views

__all__ = ["scaling_notes"]


def scaling_notes(estimator: Any, views: Views) -> tuple[Note, ...]:
    """Name the views of which the scaling of this estimator leaves next to nothing.

    Rules that scale samples one by one make a view of one feature zero, or a sign.

    Returns
    -------
    tuple
        For ``fit``; empty where every view keeps its differences.
    """
    rule = estimator._scaling_rule()
    found = flattened_views(views, rule)
    if not found:
        return ()
    sizes = dict(zip(views.names, views.n_features, strict=True))
    zero = [_title(n, sizes[n]) for n, left in found.items() if left == NOTHING]
    sign = [_title(n, sizes[n]) for n, left in found.items() if left != NOTHING]
    lost = []
    if zero:
        lost.append(f"makes all samples equal in {', '.join(zero)}: of no effect")
    if sign:
        lost.append(f"leaves only a sign of each sample in {', '.join(sign)}")
    shown = rule.removeprefix("none+")
    text = (
        f"Scaling sample by sample ({shown!r}) {'; it '.join(lost)}. "
        f"{_remedy(estimator, rule)}"
    )
    return ((text, UserWarning),)


def _title(name: str, n_features: int) -> str:
    return f"{name!r} ({counted(n_features, 'feature')})"


def _remedy(estimator: Any, rule: str) -> str:
    parameters = estimator.get_params(deep=False)
    if parameters.get("scaling") == rule:
        return (
            "Set scaling='zscore', which scales features, or use a method that does "
            "not scale samples, such as kmeans-concat."
        )
    own = " Set metric='euclidean', or use" if "metric" in parameters else " Use"
    return (
        f"This is a part of {type(estimator).__name__}.{own} a method that does not "
        "scale samples, such as kmeans-concat."
    )
