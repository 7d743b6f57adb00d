"""Rows side by side: in a group of 64 rows, entry a of one is next to that of another.

A row of MGL has about ten entries, too few for vector instructions; 64 rows have the
same entry 64 times. Rows with as many entries lie together, so that few lanes of a
group are idle. An array keeps its shape (n, ...), so that whoever stores blocks of rows
need not know; only the order of its numbers differs.
"""

from __future__ import annotations

import numpy as np

__all__ = ["LANES", "groups", "pack", "unpack"]

LANES = 64


def groups(a: np.ndarray) -> list[np.ndarray]:
    """Return views (groups, ..., lanes) of a packed array: full groups, then the rest.

    Parameters
    ----------
    a : (n, ...) array, packed

    Returns
    -------
    list of one or two arrays
    """
    n, rest = len(a), a.shape[1:]
    full = n - n % LANES
    parts = [a[:full].reshape(-1, *rest, LANES), a[full:].reshape(1, *rest, n - full)]
    return [part for part in parts if part.size]


def pack(
    support: np.ndarray, *arrays: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Order rows by their number of entries and lay them side by side.

    Parameters
    ----------
    support : (n, s) array
        Ascending anchors of every row, -1 after the last.
    *arrays : (n, ...) arrays

    Returns
    -------
    order : (n,) int32 array
        Row at every place.
    packed : tuple
        The support and the arrays.
    """
    order = np.argsort((support >= 0).sum(axis=1), kind="stable").astype(np.int32)
    return order, tuple(_lay(a[order]) for a in (support, *arrays))


def _lay(rows: np.ndarray) -> np.ndarray:
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
    laid = [np.moveaxis(g, -1, 1).reshape(-1, *a.shape[1:]) for g in groups(a)]
    out = np.empty_like(a)
    out[order] = np.concatenate(laid) if laid else a
    return out
