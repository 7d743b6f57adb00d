"""Bring views whose rows are named into one order: by identifier, never by position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.wording import counted
from mvgraph.views.identifiers import is_moved_counter
from mvgraph.views.parts import Part, as_ids, name_by_shape, take_apart

__all__ = [
    "JOINS",
    "Aligned",
    "align",
    "joint_rows",
    "refuse_repeated",
    "take_rows",
]

JOINS = ("strict", "inner", "outer")
#: How many identifiers an error shows.
EXAMPLES = 3


class Aligned(NamedTuple):
    """Views in one order of rows."""

    values: list[Any]
    ids: np.ndarray | None
    index: Any
    features: Sequence[Sequence[str] | None]


def align(
    values: Sequence[Any],
    names: Sequence[str],
    join: str = "strict",
    unique: bool = True,
) -> Aligned:
    """Order the rows of all views as in the first view that names its rows.

    Parameters
    ----------
    values : sequence of DataFrame, Series, mapping of id to row, array or sparse matrix
        One a view. An index, or keys, name the rows; where an index only counts them,
        or there is none, the column that :mod:`mvgraph.views.identifiers` finds.
    names : sequence of str
        Names of the views, for the errors.
    join : {"strict", "inner", "outer"}
        strict: every view has the same identifiers, in any order; inner: keep those
        that all views have; outer: keep all, rows that a view lacks become NaN.
    unique : bool, default=True
        Refuse duplicated identifiers even where one view alone names its rows.

    Returns
    -------
    Aligned
        ``values``, the same objects where no row had to move; ``ids`` of shape
        (n_samples,) or None if no view names its rows; ``index``, the same as an index
        of pandas if the views had one; ``features``, the names of columns by view.

    Raises
    ------
    ValueError
        Duplicated identifiers, identifiers that do not match under strict, nothing in
        common, or a view without identifiers where rows would have to move.

    Examples
    --------
    >>> from mvgraph.views.alignment import align
    >>> views = [{"ann": [1.0], "bob": [2.0]}, {"bob": [4.0], "ann": [3.0]}]
    >>> [v.tolist() for v in align(views, ["a", "b"]).values]
    [[[1.0], [2.0]], [[3.0], [4.0]]]
    """
    parts = [take_apart(value, name) for value, name in zip(values, names, strict=True)]
    parts = name_by_shape(parts, names)
    features = [part.features for part in parts]
    found = [part.ids for part in parts]
    if all(ids is None for ids in found):
        return Aligned([part.content for part in parts], None, None, features)
    named = [n for n, own in zip(names, found, strict=True) if own is not None]
    rows, ids = joint_rows(found, names, join)
    if unique and len(named) == 1:
        _places(ids, named[0])
    nameless = [n for n, own in zip(names, found, strict=True) if own is None]
    moved = any(own is not None for own in rows) or is_moved_counter(ids)
    if nameless and moved:
        raise ValueError(
            f"View {nameless[0]!r} does not name its rows, but the rows of the other "
            "views are in another order, so that it is not known which row "
            f"of {nameless[0]!r} is which sample. Give it an index too, or bring all "
            "views into one order first, for example with df.loc[other.index]."
        )
    taken = [
        part.content if own is None else take_rows(part.content, own)
        for part, own in zip(parts, rows, strict=True)
    ]
    return Aligned(taken, ids, _joint_index(parts, ids), features)


def _joint_index(parts: Sequence[Part], ids: np.ndarray) -> Any:
    """Return the index of pandas of the joint order, None where a view has none."""
    held = [part.index for part in parts if part.ids is not None]
    if any(index is None for index in held):
        return None
    first = held[0]
    if len(first) == len(ids) and np.array_equal(np.asarray(first), ids):
        return first
    whole = first.append(held[1:])
    places: dict[Any, int] = {}
    for i, key in enumerate(whole):
        places.setdefault(key, i)
    wanted = [places.get(key) for key in ids.tolist()]
    return None if None in wanted else whole.take(wanted)


def refuse_repeated(ids: Any, where: str, remedy: str) -> None:
    """Refuse identifiers that occur more than once: rows could not be told apart.

    Raises
    ------
    ValueError
        Counts them and shows the first.
    """
    counts = Counter([] if ids is None else np.asarray(ids).tolist())
    double = [name for name, count in counts.items() if count > 1]
    if double:
        raise ValueError(
            f"{where} has {len(double)} duplicated identifiers, such as"
            f" {str(double[0])!r} ({counts[double[0]]} rows). Remedy: {remedy}"
        )


def joint_rows(
    found: Sequence[np.ndarray | None], names: Sequence[str], join: str = "strict"
) -> tuple[list[np.ndarray | None], np.ndarray]:
    """Find the rows to take from every view, -1 where it lacks the sample.

    Returns
    -------
    rows : list of ndarray or None
        None where a view stays as it is, and for views without identifiers.
    ids : ndarray
        Identifiers in the joint order.
    """
    if join not in JOINS:
        raise ValueError(f"join must be one of {JOINS}; got {join!r}.")
    named = {n: ids for n, ids in zip(names, found, strict=True) if ids is not None}
    first = next(iter(named.values()))
    if len(named) == 1:
        return [None] * len(found), first
    if all(np.array_equal(ids, first) for ids in named.values()):
        _places(first, next(iter(named)))  # duplicates could be in any order
        return [None] * len(found), first
    places = {name: _places(ids, name) for name, ids in named.items()}
    _refuse_strangers(places)
    if join == "strict":
        _refuse_differences(places)
    kept = _joint(list(places.values()), join)
    rows: list[np.ndarray | None] = []
    for name, ids in zip(names, found, strict=True):
        if ids is None:
            rows.append(None)
            continue
        own = np.array([places[name].get(key, -1) for key in kept], dtype=np.intp)
        still = len(own) == len(ids) and np.array_equal(own, np.arange(len(ids)))
        rows.append(None if still else own)
    return rows, as_ids(kept, [ids.dtype for ids in named.values()])


def take_rows(array: Any, rows: np.ndarray) -> Any:
    """Return the rows at these positions as floats; -1 gives a row of NaN."""
    absent = rows < 0
    if not absent.any():
        return array[rows]
    if sp.issparse(array):
        return _take_sparse(sp.csr_matrix(array), rows, absent)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    taken = array[rows]
    taken[absent] = np.nan
    return taken


def _take_sparse(array: sp.csr_matrix, rows: np.ndarray, absent: np.ndarray) -> Any:
    """Take rows of a sparse matrix; an absent row is stored as NaN in every column."""
    kind = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    d = array.shape[1]
    lost = sp.csr_matrix(np.full((1, d), np.nan, dtype=kind))
    return sp.vstack([array.astype(kind), lost], format="csr")[
        np.where(absent, array.shape[0], rows)
    ]


def _places(ids: np.ndarray, name: str) -> dict[Any, int]:
    """Return the place of every identifier; refuse duplicates and missing ones."""
    keys = ids.tolist() if ids.dtype.kind not in "mM" else list(ids)
    places = {key: i for i, key in enumerate(keys)}
    if len(places) < len(keys):
        seen: set[Any] = set()
        double = dict.fromkeys(k for k in keys if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        raise ValueError(
            f"View {name!r} has {counted(len(double), 'duplicated id')}: "
            f"{_some(double)}; rows cannot be matched by them. Make them unique, or "
            "pass plain arrays (df.to_numpy()) if all views are in one order already."
        )
    if any(key != key for key in keys):
        raise ValueError(
            f"View {name!r} has rows whose id is missing (NaN); name or drop them."
        )
    return places


def _joint(places: list[dict[Any, int]], join: str) -> list[Any]:
    if join == "outer":
        return list(dict.fromkeys(key for own in places for key in own))
    kept = [key for key in places[0] if all(key in own for own in places[1:])]
    if not kept:
        raise ValueError("No id is in every view: with join='inner' no sample is left.")
    return kept


def _refuse_strangers(places: dict[str, dict[Any, int]]) -> None:
    """Refuse a view none of whose identifiers any other view has."""
    for name, own in places.items():
        others = [keys for other, keys in places.items() if other != name]
        if not own or any(key in keys for keys in others for key in own):
            continue
        kinds = {n: type(next(iter(p))).__name__ for n, p in places.items() if p}
        told = ", ".join(f"{n!r} {kind}" for n, kind in kinds.items())
        raise ValueError(
            f"View {name!r} has no id in common with any other view (its ids: "
            f"{_some(own)}; theirs: {_some(others[0])}; types: {told}). Use the same "
            "ids in all views, or pass plain arrays (df.to_numpy()) if all views are "
            "in one order already."
        )


def _refuse_differences(places: dict[str, dict[Any, int]]) -> None:
    """Refuse views with different identifiers, and count what differs."""
    everywhere = set.intersection(*(set(own) for own in places.values()))
    union = dict.fromkeys(key for own in places.values() for key in own)
    if len(union) == len(everywhere):
        return
    told = []
    for name, own in places.items():
        lacking = [key for key in union if key not in own]
        if lacking:
            told.append(
                f"view {name!r} ({len(own)} samples) lacks {len(lacking)} of them: "
                f"{_some(lacking)}"
            )
    raise ValueError(
        f"The views name different samples: {len(everywhere)} of {len(union)} ids are "
        f"in every view; {'; '.join(told)}. Pass join='inner' to keep the common "
        "samples, or join='outer' to keep all, with NaN rows where a view lacks one."
    )


def _some(keys: Iterable[Any]) -> str:
    keys = list(keys)
    shown = ", ".join(repr(key) for key in keys[:EXAMPLES])
    return shown + (", ..." if len(keys) > EXAMPLES else "")
