"""Labels and the samples that have them; which rows of two are the same samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.ops.wording import counted
from mvgraph.views.spelling import normalised, of_one_kind, refuse_other_spelling

#: Samples that one labeling alone has: so many are named.
NAMED = 3


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
    values = [None if v is None or v != v or v == "" else v for v in labels.tolist()]
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
    if one.ids is None or other.ids is None:
        n, m = len(one.labels), len(other.labels)
        if n != m:
            which = a if one.ids is None else b
            raise ValueError(
                f"{a} has {n} labels and {b} has {m}, and {which} does not name its "
                "samples: give both with the names of the samples"
            )
        named = one.ids is not None or other.ids is not None
        lacking = a if one.ids is None else b
        said = f"{lacking} names no samples: matched by position"
        return np.arange(n), np.arange(n), [said] if named else []
    pair = of_one_kind([one.ids, other.ids])
    if normalise:
        pair = normalised(pair)
    places = {}
    for name, ids in zip(names, pair, strict=True):
        assert ids is not None
        places[name] = {x: i for i, x in enumerate(ids.tolist())}
        if len(places[name]) < len(ids):
            n_twice = len(ids) - len(places[name])
            raise ValueError(
                f"{name}: ids occur more than once ({counted(n_twice, 'row')}); keep "
                "one row per id"
            )
    return _rows_of(places)


def _rows_of(
    places: Mapping[str, dict[Any, int]],
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows of the samples that both name."""
    left, right = places.values()
    if left.keys() != right.keys():
        refuse_other_spelling(places, "labeling")
    shared = [x for x in left if x in right]
    (a, b), notes = places, []
    if not shared:
        raise ValueError(
            f"{a} and {b} have no sample in common: {a} has {_some(list(left))}, {b} "
            f"has {_some(list(right))}. Write both with the same ids; labels without "
            "ids are numbered from 0 in the order of their data"
        )
    for name, own, others in ((a, left, right), (b, right, left)):
        only = [x for x in own if x not in others]
        if only:
            notes.append(
                f"{counted(len(only), 'sample')} only in {name}: {_some(only)}"
            )
    rows = np.array([left[x] for x in shared], np.intp)
    return rows, np.array([right[x] for x in shared], np.intp), notes


def _some(ids: list[Any]) -> str:
    more = ", ..." if len(ids) > NAMED else ""
    return ", ".join(str(x) for x in ids[:NAMED]) + more
