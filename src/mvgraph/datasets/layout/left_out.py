"""Why a variable of a file is neither a view nor labels."""

from __future__ import annotations

from typing import Any

from mvgraph.datasets.layout.find_views import MAYBE_VIEWS, NOT_VIEWS
from mvgraph.datasets.layout.labels import is_label_name, may_be_labels
from mvgraph.datasets.layout.source import Source, describe, is_matrix, is_strings

__all__ = ["report_left_out"]


def report_left_out(source: Source, views: list[str], n_samples: int) -> None:
    """Report every variable that nothing used; nothing is left out in silence."""
    for name, value in source.variables.items():
        if name not in source.log.used and name not in views:
            source.log.leave_out(name, f"{_why(name, value, n_samples)}")
            if may_be_labels(value, n_samples):
                source.log.may_be_labels.append(name)


def _why(name: str, value: Any, n_samples: int) -> str:
    if value is None:
        return "it holds nothing"
    what = describe(value)
    if is_label_name(name):
        return f"it is called like labels, which were not asked of it ({what})"
    if not is_matrix(value):
        return _why_no_matrix(value, what)
    if name.lower() in MAYBE_VIEWS:
        return f"it looks like a graph of samples ({what}); name it with --views"
    if name.lower() in NOT_VIEWS:
        return f"its name stands for no features ({what}); name it with --views"
    if n_samples not in value.shape:
        return f"no side of it has {n_samples} samples ({what})"
    if min(value.shape) < 2:
        return f"a single row or column ({what}); name it with --views"
    return f"others were taken for the views ({what}); name it with --views"


def _why_no_matrix(value: Any, what: str) -> str:
    if is_strings(value):
        return f"text ({what})"
    if isinstance(value, list | dict):
        return f"not a matrix ({what})"
    dimensions = getattr(value, "ndim", None)
    if dimensions == 1:
        return f"one-dimensional ({what}); store it as N x 1 to make it a view"
    if dimensions:
        return f"not a two-dimensional array of numbers ({what})"
    return f"a single value ({what})"
