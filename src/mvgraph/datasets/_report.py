"""Report how `load` interpreted a source, and why variables were left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from mvgraph.datasets._places import origin
from mvgraph.datasets.layout.find_views import MAYBE_VIEWS, NOT_VIEWS
from mvgraph.datasets.layout.labels import is_label_name, may_be_labels, renumber
from mvgraph.datasets.layout.report import ColumnRead, Reading, ViewRead
from mvgraph.datasets.layout.source import Source, describe, is_matrix, is_strings
from mvgraph.views.lazy import LazyArray


class Parts(NamedTuple):
    """Views with samples in rows and labels, both as stored."""

    names: list[str]
    matrices: list[Any]
    labels: np.ndarray | None
    present: np.ndarray | None
    ids: np.ndarray | None
    label_name: str | None = None


def feature_names(source: Source, parts: Parts) -> list[Any]:
    """Return the names of the columns of every view, where the file has some."""
    names_by_view = []
    for name, matrix in zip(parts.names, parts.matrices, strict=True):
        names = source.features.get(name)
        names_by_view.append(names if names and len(names) == matrix.shape[1] else None)
    return names_by_view


def report(source: Source, parts: Parts, kinds: bool = True) -> Reading:
    """Describe views, ids and labels, and every variable that was left out.

    Without `kinds` what becomes of the columns is left out: the fit has reported it.
    """
    log = source.log
    n = parts.matrices[0].shape[0]
    _report_left_out(source, parts.names, n)
    together = "rows in the order of the file"
    if len(parts.names) > 1 and parts.ids is None:
        together = "rows are paired by position, in the order of the file"
    labels = None
    if parts.labels is not None:
        k = len(renumber(parts.labels)[0])
        labels = f"{parts.label_name or 'joined'}, {k} classes"
    views = [
        ViewRead(name, int(matrix.shape[0]), int(matrix.shape[1]), _kind(matrix))
        for name, matrix in zip(parts.names, parts.matrices, strict=True)
    ]
    return Reading(
        origin(source.path), source.kind, tuple(views),
        log.id_column if parts.ids is not None else None, log.matched or together,
        labels, tuple(log.left_out), tuple(log.notes), tuple(log.may_be_labels),
        _columns(source) if kinds else (),
    )  # fmt: skip


def _columns(source: Source) -> tuple[ColumnRead, ...]:
    """Return what becomes of the columns of tables."""
    if source.encoders is None:
        return ()
    return tuple(ColumnRead(**row) for row in source.encoders.rows())


def _kind(matrix: Any) -> str:
    if sparse.issparse(matrix):
        return f"sparse {matrix.dtype}"
    place = "" if not isinstance(matrix, LazyArray | np.memmap) else " in the file"
    return f"{matrix.dtype}{place}"


def _report_left_out(source: Source, views: list[str], n_samples: int) -> None:
    """Report every variable that was not used."""
    for name, value in source.variables.items():
        if name not in source.log.used and name not in views:
            source.log.leave_out(name, f"{_why(name, value, n_samples)}")
            if may_be_labels(value, n_samples):
                source.log.may_be_labels.append(name)


def _why(name: str, value: Any, n_samples: int) -> str:
    if value is None:
        return "it is empty"
    what = describe(value)
    if is_label_name(name):
        return f"it is named like labels but was not chosen as labels ({what})"
    if not is_matrix(value):
        return _why_no_matrix(value, what)
    if name.lower() in MAYBE_VIEWS:
        return f"it looks like a graph of samples ({what}); name it with --views"
    if name.lower() in NOT_VIEWS:
        return f"its name does not mean features ({what}); name it with --views"
    if n_samples not in value.shape:
        return f"no side of it has {n_samples} samples ({what})"
    if min(value.shape) < 2:
        return f"a single row or column ({what}); name it with --views"
    return f"other variables were taken as the views ({what}); name it with --views"


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
