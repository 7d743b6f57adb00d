"""What a model from a file must be: its parts fit each other and give finite results.

A checksum shows that a file is what was saved, not who saved it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.base.predictor import Predictor, predict_rows
from mvgraph.base.result import ATTRIBUTES, AXES
from mvgraph.ops.memory import require_memory
from mvgraph.views.annotated import Annotation
from mvgraph.views.casting import check_sparse
from mvgraph.views.coerce import as_views
from mvgraph.views.feature_names import ReadsColumns
from mvgraph.views.schema import Schema

#: Rows that are labelled to see whether the parts of a predictor fit each other.
TRIAL = 3


def check_loaded(model: Any) -> None:
    """Reject a model whose parts do not fit each other.

    Raises
    ------
    ValueError
    MemoryError
        If new samples would have more features than fit in memory.
    """
    schema, labels = model.schema_, model.labels_
    _require(isinstance(schema, Schema), "schema_ is no description of views")
    _require(isinstance(model.predictor_, model.predictor), "predictor_ is another")
    widths = schema.n_features
    sizes = {len(widths), len(schema.names), len(schema.counts)}
    _require(sizes == {len(schema.feature_names)}, "its views have several numbers")
    _require(len(widths) > 0 and min(widths) > 0, "a view has no features")
    for width, names in zip(widths, schema.feature_names, strict=True):
        _require(names is None or len(names) == width, "names of features are lacking")
    for part, kind in (
        (schema.annotation, Annotation),
        (schema.encoders, ReadsColumns),
    ):
        _require(
            part is None or isinstance(part, kind), "its views are read by another"
        )
    _check_labels(labels, schema.n_samples, model.cluster_ids_)
    ids = model.predictor_.ids
    same = ids is None or np.array_equal(ids, model.cluster_ids_)
    _require(same and model.cluster_ids_.dtype.kind in "iu", "its clusters are others")
    _check_rows(model)
    _check_numbers(model.predictor_, "predictor_", np.isnan)
    _check_tree(vars(model).get("tree_"))
    _try(model.predictor_, widths)


def _require(holds: Any, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _check_labels(labels: Any, n_samples: int, ids: Any) -> None:
    whole = isinstance(labels, np.ndarray) and labels.dtype.kind in "iu"
    _require(whole and labels.shape == (n_samples,), "labels_ are not one per sample")
    _require(np.isin(labels, ids).all(), "labels_ name other clusters")


def _check_rows(model: Any) -> None:
    """Check what has a row per sample."""
    for name, axes in AXES.items():
        value = vars(model).get(ATTRIBUTES.get(name, f"{name}_"))
        if value is not None and axes[0] == "samples":
            shape = np.shape(value)
            fits = bool(shape) and shape[0] == len(model.labels_)
            _require(fits, f"{name} is not one per sample")
            if sp.issparse(value):
                check_sparse(value, name)


def _check_numbers(value: Any, where: str, wrong: Callable[[Any], Any]) -> None:
    """Reject wrong numbers anywhere, and indices outside of sparse matrices.

    A predictor has infinite numbers: the scale of a constant column is one.
    """
    if isinstance(value, np.ndarray):
        holds = value.dtype.kind in "fc" and wrong(value).any()
        _require(not holds, f"{where} has numbers that cannot be")
    elif sp.issparse(value):
        check_sparse(value, where)
        _check_numbers(value.data, where, wrong)
    elif isinstance(value, float):
        _require(not wrong(value), f"{where} cannot be")
    else:
        for name, part in _parts(value):
            _check_numbers(part, f"{where}.{name}", wrong)


def _not_finite(x: Any) -> Any:
    return ~np.isfinite(x)


def _parts(value: Any) -> Iterable[tuple[Any, Any]]:
    if is_dataclass(value):
        return [(f.name, vars(value)[f.name]) for f in fields(value)]
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _check_tree(tree: Any) -> None:
    """Check that every node of a tree is merged once, and after it was made."""
    if tree is None:
        return
    children, n_leaves = tree.children_, len(tree.children_) + 1
    made = n_leaves + np.arange(len(children))[:, None]
    whole = children.ndim == 2 and children.dtype.kind in "iu" and len(children)
    if whole:
        fits = (children >= 0).all() and (children < made).all()
        _require(fits and np.unique(children).size == children.size, "tree_ is none")
    leaves = tree.labels
    _require(
        leaves.size == 0 or (leaves.min() >= 0 and leaves.max() < n_leaves),
        "tree_ has other leaves",
    )


def _try(predictor: Predictor, widths: tuple[int, ...]) -> None:
    """Compute everything for a few rows."""
    require_memory(8.0 * TRIAL * sum(widths), "A row of the views", "fit it again")
    rng = np.random.default_rng(0)
    views = as_views([rng.random((TRIAL, width)) for width in widths])
    for field in sorted(predictor.fields):
        found = predict_rows(predictor, views, field, whole=False)
        _require(found.shape[0] == TRIAL, f"{field} of new samples is cut")
        _check_numbers(found, field, _not_finite)
