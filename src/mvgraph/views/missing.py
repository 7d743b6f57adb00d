"""Which samples have which views; values that are neither numbers nor absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.wording import counted
from mvgraph.views.dask_array import DaskArray, lazy_chunks
from mvgraph.views.lazy import BLOCK

__all__ = ["fill_absent", "groups_of_views", "presence"]

#: Of the largest number of a type; beyond, differences of two values overflow.
LARGEST = 0.1
#: States of a row, where they are found on workers.
USABLE, ABSENT, ODD = 0, 1, 2


def presence(
    arrays: Sequence[Any],
    names: Sequence[str],
    features: Sequence[Any] | None = None,
    lacking: Sequence[int] = (),
    first_row: int = 0,
) -> np.ndarray | None:
    """Find absent rows (all NaN); refuse infinities, stray NaN, overflow.

    Parameters
    ----------
    arrays : sequence of V arrays (N, d_v)
    names : sequence of str
    features : sequence of (sequence of str or None), optional
        Names of the columns, for the errors.
    lacking : sequence of int
        Views that no sample has, whatever their arrays hold.
    first_row : int
        Number of the first row among all, for the errors.

    Returns
    -------
    ndarray of bool, shape (N, V), True where present; None if nothing is absent

    Raises
    ------
    ValueError
        Names the view, the row and the column; or a sample that no view has.
    """
    n = arrays[0].shape[0]
    mask = np.ones((n, len(arrays)), dtype=bool)
    mask[:, list(lacking)] = False
    features = features or [None] * len(arrays)
    far = [v for v, a in enumerate(arrays) if isinstance(a, DaskArray)]
    states = _states_on_workers(far, arrays) if far else {}
    for v, (a, name) in enumerate(zip(arrays, names, strict=True)):
        if v in lacking:
            continue
        starts: Sequence[int] = range(0, n, BLOCK)
        if v in states:  # of these, only a block that is refused is read
            mask[:, v] = states[v] == USABLE
            odd = np.flatnonzero(states[v] == ODD)
            starts = [int(row) // BLOCK * BLOCK for row in odd[:1]]
        for start in starts:
            block = a[start : start + BLOCK]
            if not _surely_usable(block):
                mask[start : start + BLOCK, v] = _present_rows(
                    block, name, first_row + start, features[v]
                )
    if not mask.any(axis=1).all():
        row = int(np.flatnonzero(~mask.any(axis=1))[0])
        raise ValueError(
            f"Input contains NaN: sample {first_row + row} is absent from every view; "
            "drop it."
        )
    return None if mask.all() else mask


def groups_of_views(mask: np.ndarray) -> list[tuple[list[int], int]]:
    """Group views that samples connect, directly or through other views.

    Parameters
    ----------
    mask : ndarray of bool, shape (N, V), True where present

    Returns
    -------
    list of (views, number of samples), by first view
    """
    shared = [[(a & b).any() for b in mask.T] for a in mask.T]
    count, label = connected_components(np.array(shared), directed=False)
    groups = [np.flatnonzero(label == c).tolist() for c in range(count)]
    return [(group, int(mask[:, group].any(axis=1).sum())) for group in groups]


def _states_on_workers(
    found: Sequence[int], arrays: Sequence[Any]
) -> dict[int, np.ndarray]:
    """Return the states of the rows of dask arrays, (N,), by position of the view."""
    far = [arrays[v] for v in found]
    states = np.asarray(lazy_chunks(_row_states, far, np.uint8))
    return dict(zip(found, states.T, strict=True))


def _row_states(blocks: Sequence[np.ndarray]) -> np.ndarray:
    states = np.full((len(blocks[0]), len(blocks)), USABLE, dtype=np.uint8)
    for v, block in enumerate(blocks):
        if not _surely_usable(block):
            most = LARGEST * np.finfo(block.dtype).max
            states[~(np.abs(block) <= most).all(axis=1), v] = ODD
            states[np.isnan(block).all(axis=1), v] = ABSENT
    return states


def _surely_usable(block) -> bool:
    """One cheap look settles the usual case; anything odd means a closer one."""
    values = block.data if sp.issparse(block) else block
    if values.size == 0:
        return True
    most = LARGEST * np.finfo(values.dtype).max
    return bool(-most <= values.min() and values.max() <= most)  # NaN: False


def _present_rows(block, name: str, start: int, features=None) -> np.ndarray:
    dense = block.toarray() if sp.issparse(block) else block
    if np.isinf(dense).any():
        row, column = (int(i[0]) for i in np.nonzero(np.isinf(dense)))
        raise ValueError(
            f"Input contains infinity: view {name!r}, row {start + row}, column "
            f"{_title(column, features)}; replace or drop it."
        )
    most = LARGEST * np.finfo(dense.dtype).max
    if (np.abs(dense) > most).any():
        row, column = (int(i[0]) for i in np.nonzero(np.abs(dense) > most))
        raise ValueError(
            f"Input is too large: view {name!r}, row {start + row}, column "
            f"{_title(column, features)} holds {dense[row, column]:.3g}, and "
            f"differences of {dense.dtype} values beyond {most:.1e} overflow; divide "
            "the view by a constant first."
        )
    nan = np.isnan(dense)
    stray = nan.any(axis=1) & ~nan.all(axis=1)
    if stray.any():
        _refuse_empty_column(nan, name, features)
        row = int(np.flatnonzero(stray)[0])
        column = int(np.flatnonzero(nan[row])[0])
        raise ValueError(
            f"Input contains NaN: view {name!r}, row {start + row}, column "
            f"{_title(column, features)} ({counted(int(stray.sum()), 'such row')} near "
            "it); "
            "impute it, or make the whole row NaN to declare the sample absent from "
            "this view."
        )
    return ~nan.all(axis=1)


def _refuse_empty_column(nan: np.ndarray, name: str, features) -> None:
    """Refuse a column without any value: there is nothing to impute it from."""
    some = ~nan.all(axis=1)
    empty = np.flatnonzero(nan[some].all(axis=0))
    if empty.size:
        raise ValueError(
            f"Input contains NaN: view {name!r}, column {_title(empty[0], features)} "
            f"has no value in any row ({counted(empty.size, 'such column')}); leave it "
            "out."
        )


def _title(column: int, features) -> str:
    """Write a column by its number, and its name where it has one."""
    return f"{column}" if features is None else f"{column} ({features[column]!r})"


def fill_absent(x: Any, present: np.ndarray | None) -> Any:
    """Set the missing rows of a view to zero."""
    if present is None or present.all():
        return x
    if sp.issparse(x):
        keep = sp.csr_matrix(x[np.flatnonzero(present)])
        where = (np.flatnonzero(present), np.arange(keep.shape[0]))
        spread = sp.csr_matrix(
            (np.ones(keep.shape[0]), where), shape=(len(present), keep.shape[0])
        )
        return spread @ keep
    return np.where(present[:, None], x, 0)
