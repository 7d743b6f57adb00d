"""Bring views whose rows are named into one order: by identifier, never by position."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mvgraph.views.identifiers import SAID_NOTHING, SaidOfNames, holes
from mvgraph.views.joining import Joint, refuse_repeated, take_rows
from mvgraph.views.pairing import pair_rows
from mvgraph.views.parts import Part, take_apart

__all__ = ["Aligned", "align"]


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
    said: SaidOfNames = SAID_NOTHING,
) -> Aligned:
    """Order the rows of all views as in the first view that names its rows.

    Parameters
    ----------
    values : sequence of DataFrame, Series, mapping of id to row, array or sparse matrix
        One a view. An index, or keys, name the rows; where an index only counts them,
        or there is none, the column that :mod:`mvgraph.views.row_names` finds.
    names : sequence of str
        Names of the views, for the errors.
    join : {"strict", "inner", "outer"}
        strict: every view has the same identifiers, in any order; inner: keep those
        that all views have; outer: keep all, rows that a view lacks become NaN.
    unique : bool, default=True
        Refuse duplicated identifiers even where one view alone names its rows.
    said : SaidOfNames
        What the caller says of the names.

    Returns
    -------
    Aligned
        ``values``, the same objects where no row had to move; ``ids`` of shape
        (n_samples,) or None if no view names its rows; ``index``, the same as an index
        of pandas if the views had one; ``features``, the names of columns by view.

    Raises
    ------
    ValueError
        Names that are missing, stand twice or do not match under strict, nothing in
        common, or a view without names where rows would have to move.

    Examples
    --------
    >>> from mvgraph.views.alignment import align
    >>> views = [{"ann": [1.0], "bob": [2.0]}, {"bob": [4.0], "ann": [3.0]}]
    >>> [v.tolist() for v in align(views, ["a", "b"]).values]
    [[[1.0], [2.0]], [[3.0], [4.0]]]
    """
    parts = [
        take_apart(value, name, said) for value, name in zip(values, names, strict=True)
    ]
    features = [part.features for part in parts]
    for part in parts:
        _refuse_holes(part)
    named = [part.names for part in parts if part.names.ids is not None]
    if unique and len(named) == 1:
        refuse_repeated(named[0].ids, f"View {named[0].name!r}")
    joint = pair_rows([part.names for part in parts], join, said)
    if joint is None:
        return Aligned([part.content for part in parts], None, None, features)
    for note in joint.notes:
        logging.getLogger("mvgraph").info(note)
    taken = [
        part.content if own is None else take_rows(part.content, own)
        for part, own in zip(parts, joint.rows, strict=True)
    ]
    return Aligned(taken, joint.ids, _joint_index(parts, joint), features)


def _refuse_holes(part: Part) -> None:
    """Refuse an index that does not name every row."""
    ids = part.names.ids
    if ids is not None and holes(ids).any():
        row = int(np.flatnonzero(holes(ids))[0])
        raise ValueError(
            f"View {part.names.name!r} has rows whose id is missing (NaN), such as row"
            f" {row}; name or drop them."
        )


def _joint_index(parts: Sequence[Part], joint: Joint) -> Any:
    """Return the index of pandas of the joint order, None where a view has none."""
    held = [part.index for part in parts if part.names.ids is not None]
    if any(index is None for index in held):
        return None
    first, ids = held[0], joint.ids
    if len(first) == len(ids) and np.array_equal(np.asarray(first), ids):
        return first
    whole = first.append(held[1:])
    places: dict[Any, int] = {}
    for i, key in enumerate(whole):
        places.setdefault(key, i)
    wanted = [places.get(key) for key in ids.tolist()]
    return None if None in wanted else whole.take(wanted)
