"""Labels and the samples that have them; which rows of two are the same samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.ops.labels import is_missing
from mvgraph.views.joining import joint_rows


class Labeling(NamedTuple):
    """Labels, and the samples that have them."""

    ids: np.ndarray | None  # None: samples are known by their positions
    labels: np.ndarray


def labeling(source: Any, name: str = "labels") -> Labeling:
    """Return the labels of a fitted model, a Series, a mapping of ids, or an array.

    Raises
    ------
    ValueError
        A model is not fitted, or a sample is named twice.
    """
    if isinstance(source, Labeling):
        return source
    if hasattr(source, "fit"):
        labels = vars(source).get("labels_")
        if labels is None:
            raise ValueError(f"{name}: the {type(source).__name__} is not fitted.")
        ids = source.schema_.ids if isinstance(source, Clusterer) else None
        return Labeling(ids, np.asarray(labels))
    if isinstance(source, Mapping):
        keys, values = list(source), list(source.values())
        return Labeling(np.array(keys, object), np.array(values, object))
    if hasattr(source, "reindex"):
        index = source.index
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise ValueError(f"{name}: sample {twice!r} occurs twice; keep one row.")
        return Labeling(np.asarray(index, dtype=object), np.asarray(source, object))
    labels = np.asarray(source)
    if labels.ndim != 1:
        raise ValueError(
            f"{name}: one label per sample is needed, got shape {labels.shape}."
        )
    return Labeling(None, labels)


def plain(labels: np.ndarray) -> np.ndarray:
    """Return whole numbers that were read as text as numbers, "" as missing."""
    if labels.dtype.kind not in "OU":
        return labels
    values = [None if is_missing(v) or v == "" else v for v in labels.tolist()]
    if all(v is None or _is_number(v) for v in values):
        return np.array([np.nan if v is None else float(v) for v in values])
    return np.array(values, dtype=object)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.isascii() and value.removeprefix("-").isdecimal()
    return isinstance(value, int | float)


def same_samples(
    one: Labeling, other: Labeling, names: tuple[str, str], normalise: bool
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows of both that are the same samples, and notes on the others."""
    a, b = names
    n, m = len(one.labels), len(other.labels)
    if one.ids is None or other.ids is None:
        lacking = a if one.ids is None else b
        if n != m:
            raise ValueError(
                f"{a} has {n} labels and {b} has {m}, and {lacking} does not name its "
                "samples: give both with the names of the samples"
            )
        named = one.ids is not None or other.ids is not None
        said = f"{lacking} names no samples: matched by position"
        return np.arange(n), np.arange(n), [said] if named else []
    joint = joint_rows(
        (one.ids, other.ids), names, "inner", what="labeling", normalise=normalise
    )
    left, right = (
        np.arange(len(joint.ids)) if rows is None else rows for rows in joint.rows
    )
    return left, right, list(joint.notes)
