"""Rows packed for SIMD: in a group of 64 rows, the same entry of all rows is adjacent.

A row of MGL has about ten entries, too few for vector instructions; a group has each
entry 64 times. Rows of equal length are packed together, so that little of a group is
padding. A packed array keeps its shape (n, ...), and engines can store it as any other;
only the order of its numbers differs.
"""

from __future__ import annotations

import numpy as np

__all__ = ["ROWS_PER_GROUP", "groups", "pack", "unpack"]

ROWS_PER_GROUP = 64


def groups(a: np.ndarray) -> list[np.ndarray]:
    """Return views (groups, ..., rows) of a packed array: full groups, then the rest.

    Parameters
    ----------
    a : (n, ...) array, packed

    Returns
    -------
    list of one or two arrays
    """
    n, rest = len(a), a.shape[1:]
    full = n - n % ROWS_PER_GROUP
    parts = [
        a[:full].reshape(-1, *rest, ROWS_PER_GROUP),
        a[full:].reshape(1, *rest, n - full),
    ]
    return [part for part in parts if part.size]


def pack(
    pattern: np.ndarray, *arrays: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Order rows by their number of entries and pack them.

    Parameters
    ----------
    pattern : (n, s) array
        Ascending anchors of every row, -1 after the last.
    *arrays : (n, ...) arrays

    Returns
    -------
    order : (n,) int32 array
        Row at every position.
    packed : tuple
        The pattern and the arrays.
    """
    order = np.argsort((pattern >= 0).sum(axis=1), kind="stable").astype(np.int32)
    return order, tuple(_pack_rows(a[order]) for a in (pattern, *arrays))


def _pack_rows(rows: np.ndarray) -> np.ndarray:
    out = np.empty_like(rows)
    start = 0
    for group in groups(out):
        size = group.shape[0] * group.shape[-1]
        part = rows[start : start + size].reshape(len(group), -1, *rows.shape[1:])
        group[:] = np.moveaxis(part, 1, -1)
        start += size
    return out


def unpack(order: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return the rows of a packed array in their own order.

    Parameters
    ----------
    order : (n,) array
    a : (n, ...) array, packed

    Returns
    -------
    (n, ...) array
    """
    rows = [np.moveaxis(g, -1, 1).reshape(-1, *a.shape[1:]) for g in groups(a)]
    out = np.empty_like(a)
    out[order] = np.concatenate(rows) if rows else a
    return out
