"""Which samples have which views, odd values, and missing rows that are filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mvgraph.ops.arrays import dense
from mvgraph.ops.distance import nearest_columns, squared_distances
from mvgraph.ops.parallel import map_rows, slices
from mvgraph.ops.wording import counted
from mvgraph.views.dask_array import DaskArray, lazy_chunks
from mvgraph.views.lazy import BLOCK

#: Of the largest number of a type; beyond, differences of two values overflow.
LARGEST = 0.1
#: States of a row.
USABLE, ABSENT, ODD = 0, 1, 2


def presence(
    arrays: Sequence[Any],
    names: Sequence[str],
    features: Sequence[Any] | None = None,
    lacking: Sequence[int] = (),
    first_row: int = 0,
) -> np.ndarray | None:
    """Find absent rows (all NaN); reject infinities, stray NaN and overflow.

    Parameters
    ----------
    arrays : sequence of V arrays (N, d_v)
    names : sequence of str
    features : sequence of (sequence of str or None), optional
        Names of the columns, for the errors.
    lacking : sequence of int
        Views that no sample has, whatever their arrays contain.
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
    states = {}
    if far:
        found = lazy_chunks(_row_states, [arrays[v] for v in far], np.uint8)
        states = dict(zip(far, np.asarray(found).T, strict=True))
    for v in set(range(len(arrays))) - set(lacking):
        if v not in states:
            blocks = (arrays[v][i : i + BLOCK] for i in range(0, n, BLOCK))
            states[v] = np.concatenate([_row_states([x])[:, 0] for x in blocks])
        state = states[v]
        odd = np.flatnonzero(state == ODD)
        if odd.size:  # of views on workers, only this block is read
            start = int(odd[0]) // BLOCK * BLOCK
            block = dense(arrays[v][start : start + BLOCK])
            rows = f"{counted(odd.size, 'such row')} of {n}"
            raise _unusable(block, names[v], first_row + start, features[v], rows)
        mask[:, v] = state == USABLE
    if not mask.any(axis=1).all():
        row = int(np.flatnonzero(~mask.any(axis=1))[0])
        raise ValueError(
            f"Input contains NaN: sample {first_row + row} is absent from every view; "
            "drop it (a table: --impute drop-rows, in Python impute='drop-rows')."
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


def _row_states(blocks: Sequence[Any]) -> np.ndarray:
    states = np.full((blocks[0].shape[0], len(blocks)), USABLE, dtype=np.uint8)
    for v, block in enumerate(blocks):
        if not _surely_usable(block):
            x = dense(block)
            states[~(np.abs(x) <= LARGEST * np.finfo(x.dtype).max).all(axis=1), v] = ODD
            states[np.isnan(x).all(axis=1), v] = ABSENT
    return states


def _surely_usable(block) -> bool:
    """Return whether a block is certainly usable; False calls for a closer look."""
    values = block.data if sp.issparse(block) else block
    if values.size == 0:
        return True
    most = LARGEST * np.finfo(values.dtype).max
    return bool(-most <= values.min() and values.max() <= most)  # NaN: False


def _unusable(
    block: np.ndarray,
    name: str,
    start: int,
    features: Sequence[str] | None,
    rows: str,
) -> ValueError:
    """Build the error for a block with an infinity, a stray NaN or an overflow."""
    most = LARGEST * np.finfo(block.dtype).max
    nan = np.isnan(block)
    stray = nan & ~nan.all(axis=1, keepdims=True)
    for wrong in (np.isinf(block), np.abs(block) > most, stray):
        if wrong.any():
            break
    row, column = (int(i[0]) for i in np.nonzero(wrong))
    place = f"view {name!r}, row {start + row}, column {_title(column, features)}"
    value = block[row, column]
    if np.isinf(value):
        return ValueError(f"Input contains infinity: {place}; replace or drop it.")
    if not np.isnan(value):
        return ValueError(
            f"Input is too large: {place} is {value:.3g}, and differences of "
            f"{block.dtype} values beyond {most:.1e} overflow; divide the view by a "
            "constant first."
        )
    empty = np.flatnonzero(nan[~nan.all(axis=1)].all(axis=0))
    if empty.size:  # there is nothing to impute it from
        return ValueError(
            f"Input contains NaN: view {name!r}, column {_title(empty[0], features)} "
            f"has no value in any row ({counted(empty.size, 'such column')}); leave it "
            "out."
        )
    return ValueError(
        f"Input contains NaN: {place} ({rows}); impute it (a table: --impute median, "
        "in Python impute='median' of mvgraph.read_columns or datasets.load), or make "
        "the whole row NaN to declare the sample absent from this view."
    )


def _title(column: int, features) -> str:
    """Name a column by its number, and its name if it has one."""
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


FILL_NEIGHBORS = 10
#: Neighbours are searched among the first rows that have the view, at most this many;
#: in order of content, the first rows are a random sample.
MAX_CANDIDATES = 5000
ROWS_PER_BLOCK = 512


def impute(
    near_in: list[Any], mask: np.ndarray, fill: list[list[np.ndarray]]
) -> tuple[list[list[np.ndarray]], np.ndarray]:
    """Fill missing rows with the mean of their nearest rows that have the view.

    The distance of two rows is the mean over the views that both have, each view's
    distances divided by their mean.

    Parameters
    ----------
    near_in : list of V arrays (N, d_v)
        Views in which distances are measured; missing rows are not read.
    mask : ndarray of bool, shape (N, V)
        False where a view lacks the row.
    fill : list of lists of V dense arrays (N, ...)
        Several representations of the same views, all to be filled.

    Returns
    -------
    fill : list of lists of V arrays
        Filled copies of the views with missing rows.
    known : ndarray of bool, shape (N, V)
        True where present or filled. Rows that share no view with the rows that have
        the view are left unchanged.
    """
    known = mask.copy()
    filled = [list(arrays) for arrays in fill]
    for v in np.flatnonzero(~mask.all(axis=0)):
        rows = np.flatnonzero(~mask[:, v])
        near, found = neighbours_with(near_in, mask, int(v), rows)
        rows, near = rows[found], near[found]
        known[rows, v] = True
        for old, new in zip(fill, filled, strict=True):
            new[v] = old[v].copy()
            for block in slices(len(rows), ROWS_PER_BLOCK):
                new[v][rows[block]] = old[v][near[block]].mean(axis=1)
    return filled, known


def neighbours_with(
    arrays: list[Any], mask: np.ndarray, v: int, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find, for rows that lack view v, the nearest rows that have it.

    Returns
    -------
    near : ndarray of int, shape (len(rows), k)
    found : ndarray of bool, shape (len(rows),)
        False where fewer than k rows share a view with the row.
    """
    others = np.flatnonzero(mask[:, v])[:MAX_CANDIDATES]
    k = min(FILL_NEIGHBORS, len(others))
    views = [u for u in range(len(arrays)) if u != v]

    def search(block: slice) -> tuple[np.ndarray, np.ndarray]:
        some = rows[block]
        total = np.zeros((len(some), len(others)))
        shared = np.zeros_like(total)
        for u in views:
            both = np.outer(mask[some, u], mask[others, u])
            if both.any():
                D = squared_distances(arrays[u][some], arrays[u][others])
                mean = float(D[both].mean(dtype=np.float64))
                total += np.where(both, D / (mean if mean > 0 else 1), 0)
                shared += both
        D = np.where(shared > 0, total / np.maximum(shared, 1), np.inf)
        return others[nearest_columns(D, k)[0]], (shared > 0).sum(axis=1) >= k

    parts = map_rows(search, len(rows), ROWS_PER_BLOCK)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
