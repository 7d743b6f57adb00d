"""Find the class labels among the variables of a file and check them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import (
    ReadOptions,
    Source,
    describe,
    is_matrix,
    is_numeric,
    is_strings,
    strings,
)
from mvgraph.ops.labels import is_missing
from mvgraph.ops.wording import counted
from mvgraph.views.columns import NUMBER, TEXT, Columns

LABEL_NAMES = (  # the first match is used
    "y", "gt", "gnd", "truth", "truelabel", "true_label", "labels", "label",
    "gt_label", "groundtruth", "ground_truth", "y_true",
    "class", "classes", "target", "targets", "cls",
)  # fmt: skip
WITHOUT = (
    'pass key_map={"labels": None} (mvgraph cluster: --labels none) to read the views'
    " alone"
)
OTHER = (
    f"name another variable with key_map (on the command line --labels), or {WITHOUT}"
)


def is_label_name(name: str) -> bool:
    """Return whether a variable's name usually means class labels."""
    return name.lower() in LABEL_NAMES


def find_labels(source: Source) -> tuple[str | None, np.ndarray | None]:
    """Return name and 1-D raw labels, (None, None) if the file has none.

    Raises
    ------
    ValueError
        If a variable with a label name is not one class per sample, or labels come as
        training and test parts.
    """
    named = [name for name in source.variables if is_label_name(name)]
    named.sort(key=lambda name: LABEL_NAMES.index(name.lower()))
    for name in named:
        if is_vector(source.variables[name]):
            return name, read_labels(source, name)
    for name in named:
        if _is_indicator(source.variables[name]):
            return name, read_labels(source, name)
    if {"train", "test"} <= {_part(name) for name in source.variables}:
        raise source.error(
            "there is no single label vector; the variables are train and test parts",
            "join the parts with a list in place of each name, such as "
            'key_map={"views": [["x1_train", "x1_test"], ...], '
            '"labels": ["gt_train", "gt_test"]}',
        )
    return None, None


def refuse_unread_labels(source: Source, views: list[str]) -> None:
    """Reject a matrix called like labels that is neither labels nor a view."""
    for name, value in source.variables.items():
        if is_label_name(name) and name not in views and is_matrix(value):
            raise _no_labels(source, name, value)


def read_labels(source: Source, name: str) -> np.ndarray:
    """Return the variable `name` as a 1-D array with one class per sample."""
    value = _one_copy(source, name, source.get(name))
    source.log.used.add(name.partition(".")[0])
    if isinstance(value, np.ndarray) and value.dtype == object:
        value = _all_known(source, name, value)
    if _is_indicator(value):
        value = _classes_of_indicator(source, name, value)
    if not (is_numeric(value) or is_strings(value)) or not is_vector(value):
        raise _no_labels(source, name, value)
    labels = value.ravel()
    if labels.dtype.kind == "c":
        raise source.error(f"labels {name!r} are complex numbers", OTHER)
    if labels.dtype.kind == "f":
        _check_whole(source, name, labels)
    return labels


def _no_labels(source: Source, name: str, value: Any) -> ValueError:
    what = f"labels {name!r} are not one value per sample but {describe(value)}"
    return source.error(what, OTHER)


def renumber(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels, and the index of each sample's label."""
    if labels.dtype.kind in "US":
        labels = np.char.strip(labels)
    values, codes = np.unique(labels, return_inverse=True)
    return values, codes.ravel().astype(np.int64)


def is_vector(value: Any) -> bool:
    """Return whether a value has one entry per sample, including copies in a cell."""
    if isinstance(value, list):
        return len(value) > 0 and all(
            isinstance(item, np.ndarray) and item.size == max(item.shape, default=1)
            for item in value
        )
    if not isinstance(value, np.ndarray) or value.size < 2:
        return False
    return bool(value.size == max(value.shape))


def may_be_labels(value: Any, n_samples: int) -> bool:
    """Return whether a value could be classes: few distinct ones, one per sample."""
    if not is_vector(value) or isinstance(value, list) or value.size != n_samples:
        return False
    if value.dtype == object or value.dtype.kind not in "biufUS":
        return False
    if value.dtype.kind == "f" and not np.array_equal(value, np.round(value)):
        return False
    return 2 <= len(np.unique(value)) <= max(2, n_samples // 2)


def _one_copy(source: Source, name: str, value: Any) -> Any:
    """Turn a cell of labels (a copy per view, or an entry per sample) into an array."""
    if sparse.issparse(value):
        return value.toarray()
    if not isinstance(value, list) or not is_vector(value):
        return value
    if all(item.size == 1 for item in value):
        return np.array([item.ravel()[0] for item in value])
    first = value[0].ravel()
    for view, copy in enumerate(value):
        if not np.array_equal(first, copy.ravel()):
            raise source.error(
                f"labels {name!r} have one copy per view, and copy {view} differs"
                " from copy 0",
                f"keep one copy, or {WITHOUT}",
            )
    return first


def _is_indicator(value: Any) -> bool:
    """Return whether a value is a 0/1 matrix with several rows and columns."""
    if sparse.issparse(value):
        value = value.toarray()
    if not is_numeric(value) or value.ndim != 2 or min(value.shape) < 2:
        return False
    return bool(np.isin(value, (0, 1)).all())


def _classes_of_indicator(source: Source, name: str, value: np.ndarray) -> np.ndarray:
    for axis in (1, 0):
        if (value.sum(axis=axis) == 1).all():
            return value.argmax(axis=axis)
    raise source.error(
        f"labels {name!r} are a 0/1 matrix with several classes per sample"
        f" ({describe(value)}), clustering scores need one",
        WITHOUT,
    )


def _all_known(source: Source, name: str, value: np.ndarray) -> np.ndarray:
    """Return labels in words as text; every sample must have one."""
    holes = [i for i, cell in enumerate(value.ravel()) if is_missing(cell)]
    if holes:
        raise _hole(source, name, holes[0], len(holes))
    return strings(value.ravel()).reshape(value.shape)


def _hole(source: Source, name: str, sample: int, count: int) -> ValueError:
    return source.error(
        f"labels {name!r} have no class at sample {sample}"
        f" ({counted(count, 'such sample')})",
        f"fill it in, or {WITHOUT}",
    )


def _check_whole(source: Source, name: str, labels: np.ndarray) -> None:
    holes = np.flatnonzero(np.isnan(labels))
    if holes.size:
        raise _hole(source, name, int(holes[0]), holes.size)
    bad = np.flatnonzero(~(labels == np.round(labels)))
    if bad.size:
        raise source.error(
            f"labels {name!r} are not whole numbers at {bad.size} samples, the first"
            f" is {labels[bad[0]]} at sample {bad[0]}",
            OTHER,
        )


def _part(name: str) -> str | None:
    match = re.fullmatch(r".+?_?(train|test)", name, flags=re.IGNORECASE)
    return match[1].lower() if match else None


def label_column(
    columns: Columns, table: str, options: ReadOptions, notes: list[str]
) -> int | None:
    """Find the classes: the chosen column, or integers or text named like labels.

    In a table ``labels`` of two columns, the second one contains them if it is text.
    """
    if options.label_name in columns.header:
        return columns.header.index(options.label_name)
    named = [i for i, name in enumerate(columns.header) if is_label_name(name.strip())]
    if not named:
        two = is_label_name(table) and len(columns.header) == 2
        return 1 if two and columns.kinds[1] == TEXT else None
    last = named[-1]
    more_labels = [columns.header[i] for i in named[:-1]]
    notes += [
        f"column {n!r} is called like labels and is a feature" for n in more_labels
    ]
    if columns.kinds[last] == NUMBER and len(columns.header) > 1:
        values = np.asarray(columns.one(last))
        if not np.array_equal(values, np.rint(values), equal_nan=True):
            notes.append(
                f"column {columns.header[last]!r} is a feature, not labels: it contains"
                " fractions"
            )
            return None
    return last
