"""An order of rows and views that depends on their content only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mvgraph.ops.hashing import sum_hash
from mvgraph.views.container import Views
from mvgraph.views.dask_array import DaskArray, lazy_chunks

__all__ = ["Content", "ContentOrder", "content", "content_order"]


class ContentOrder(NamedTuple):
    """Rows and views sorted by a hash of their content, and their duplicates."""

    rows: np.ndarray  # (N,)
    views: np.ndarray  # (V,)
    copy_of: np.ndarray  # (V,), the first view with the same content, in that order
    content: Content
    copies_before: np.ndarray  # (N,) equal rows before each, in the order of ``rows``

    @property
    def n_distinct(self) -> int:
        """Number of rows that differ in some view."""
        return int(np.count_nonzero(self.copies_before == 0))


class Content(NamedTuple):
    """Two sums over the hashes of the rows: what they hold, and in which order."""

    seed: int
    rows: int  # of the hashes: the same for any order
    places: int  # of the hashes times 1, 3, 5, ...: the same for the same order


def content_order(views: Views, seed: int) -> ContentOrder:
    """Order rows and views by a hash of their content.

    If a method is run on rows and views in this order and its results are put back,
    they do not depend on the input order, to the last bit. Equal rows get equal hashes:
    it does not matter which of them comes first.

    Parameters
    ----------
    views : Views
    seed : int
        Every seed gives a different order.

    Returns
    -------
    ContentOrder
    """
    hashes = _hashes(views, seed)
    tops = hashes.totals()
    joint = _joint(hashes, tops)
    order = np.argsort(np.array(tops), kind="stable")
    rows = np.argsort(joint, kind="stable")
    return ContentOrder(
        rows,
        order,
        _first_copies(hashes, tops, order),
        _content(joint, seed),
        _copies_before(joint[rows]),
    )


def content(views: Views, seed: int) -> Content:
    """Sum the hashes of the rows, to find out later whether rows are the same.

    Parameters
    ----------
    views : Views
        In any order.
    seed : int
        Sums of one seed can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> from mvgraph.views.order import content
    >>> x = np.arange(6.0).reshape(3, 2)
    >>> one, turned = content(Views([x]), 0), content(Views([x[::-1]]), 0)
    >>> one.rows == turned.rows, one.places == turned.places
    (True, False)
    """
    hashes = _hashes(views, seed)
    return _content(_joint(hashes, hashes.totals()), seed)


def _joint(hashes: _Hashes, tops: Sequence[np.uint64]) -> np.ndarray:
    """Return one hash a row, (N,), over all views."""
    # a view contributes by the hash of its content, not by its position; copies of a
    # view contribute once, so that they do not change the order
    last = {int(t): v for v, t in enumerate(tops)}
    factors = np.zeros(len(tops), dtype=np.uint64)
    for t, v in last.items():
        factors[v] = np.uint64(t | 1)
    with np.errstate(over="ignore"):
        return hashes.joint(factors)


def _content(joint: np.ndarray, seed: int) -> Content:
    odd = np.arange(1, 2 * len(joint), 2, dtype=np.uint64)
    with np.errstate(over="ignore"):
        places = np.sum(joint * odd, dtype=np.uint64)
    return Content(seed, int(np.sum(joint, dtype=np.uint64)), int(places))


class _Hashes:
    """Hashes of the rows of every view, V arrays (N,)."""

    def __init__(self, rows: Sequence[np.ndarray]) -> None:
        self.rows = rows

    def totals(self) -> list[np.uint64]:
        """Return the sum over all rows, by view."""
        return [np.sum(h, dtype=np.uint64) for h in self.rows]

    def joint(self, factors: np.ndarray) -> np.ndarray:
        """Return, (N,), the sum over views of hashes times factors."""
        pairs = zip(self.rows, factors, strict=True)
        return np.sum([h * f for h, f in pairs if f], axis=0)

    def equal(self, u: int, v: int) -> bool:
        """Tell whether two views have the same content."""
        return np.array_equal(self.rows[u], self.rows[v])


class _HashesOnWorkers(_Hashes):
    """Hashes that stay where the rows lie, in a dask array (N, V)."""

    def __init__(self, rows: Any) -> None:
        self.far = rows.persist()

    def totals(self) -> list[np.uint64]:
        """See _Hashes."""
        return list(self.far.sum(axis=0, dtype=np.uint64).compute())

    def joint(self, factors: np.ndarray) -> np.ndarray:
        """See _Hashes."""
        f = partial(_weighted, factors=factors)
        return np.asarray(self.far.map_blocks(f, drop_axis=1, dtype=np.uint64))

    def equal(self, u: int, v: int) -> bool:
        """See _Hashes."""
        return bool((self.far[:, u] == self.far[:, v]).all())


def _hashes(views: Views, seed: int) -> _Hashes:
    """Hash the rows of every view; those of dask arrays where they lie, in one pass."""
    if all(isinstance(a, DaskArray) for a in views.arrays):
        f = partial(_block_hashes, seed=seed)
        return _HashesOnWorkers(lazy_chunks(f, views.arrays, np.uint64))
    return _Hashes([sum_hash(a, seed) for a in views.arrays])


def _block_hashes(blocks: Sequence[np.ndarray], seed: int) -> np.ndarray:
    return np.column_stack([sum_hash(x, seed) for x in blocks])


def _weighted(block: np.ndarray, factors: np.ndarray) -> np.ndarray:
    return np.asarray((block * factors).sum(axis=1, dtype=np.uint64))


def _first_copies(
    hashes: _Hashes, tops: Sequence[np.uint64], order: np.ndarray
) -> np.ndarray:
    """Return, for every view, the first view with exactly the same content."""

    def same(u: int, v: int) -> bool:
        return u == v or (tops[u] == tops[v] and hashes.equal(u, v))

    return np.array([next(i for i, u in enumerate(order) if same(u, v)) for v in order])


def _copies_before(ordered: np.ndarray) -> np.ndarray:
    """Return how many equal values stand before each; equal ones are neighbours."""
    place = np.arange(len(ordered), dtype=np.int32)
    starts = np.r_[True, ordered[1:] != ordered[:-1]]
    return place - np.maximum.accumulate(np.where(starts, place, 0))
