"""An order of rows and views that depends on their content only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from mvgraph.ops.hashing import sum_hash
from mvgraph.views.container import Views
from mvgraph.views.dask_array import DaskArray, lazy_chunks


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
    """Two sums over the hashes of the rows: of their content, and of their order."""

    seed: int
    rows: int  # of the hashes: the same for any order
    places: int  # of the hashes times 1, 3, 5, ...: the same for the same order


def content_order(views: Views, seed: int) -> ContentOrder:
    """Order rows and views by a hash of their content.

    If a method runs on rows and views in this order and its results are reordered to
    match the input, they do not depend on the input order, to the last bit. Equal rows
    get equal hashes: it does not matter which of them comes first.

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
    tops = _totals(hashes)
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
    """Sum the hashes of the rows, to check later whether rows are the same.

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
    return _content(_joint(hashes, _totals(hashes)), seed)


def _hashes(views: Views, seed: int) -> Any:
    """Hash the rows of every view, (N, V); those of dask arrays stay on the workers."""
    if all(isinstance(a, DaskArray) for a in views.arrays):
        f = partial(_block_hashes, seed=seed)
        return lazy_chunks(f, views.arrays, np.uint64).persist()
    return _block_hashes(views.arrays, seed)


def _block_hashes(blocks: Sequence[Any], seed: int) -> np.ndarray:
    hashes = np.empty((len(blocks), blocks[0].shape[0]), dtype=np.uint64)
    for v, x in enumerate(blocks):
        hashes[v] = sum_hash(x, seed)
    return hashes.T


def _totals(hashes: Any) -> list[int]:
    """Return the sum over all rows, by view."""
    return [int(t) for t in np.asarray(hashes.sum(axis=0, dtype=np.uint64))]


def _joint(hashes: Any, tops: Sequence[int]) -> np.ndarray:
    """Return one hash per row, (N,), over all views."""
    # a view contributes by the hash of its content, not by its position; copies of a
    # view contribute once, so that they do not change the order
    last = {t: v for v, t in enumerate(tops)}
    parts = [hashes[:, v] * np.uint64(t | 1) for t, v in last.items()]
    return np.asarray(reduce(add, parts))


def _content(joint: np.ndarray, seed: int) -> Content:
    odd = np.arange(1, 2 * len(joint), 2, dtype=np.uint64)
    places = np.sum(joint * odd, dtype=np.uint64)
    return Content(seed, int(np.sum(joint, dtype=np.uint64)), int(places))


def _first_copies(hashes: Any, tops: Sequence[int], order: np.ndarray) -> np.ndarray:
    """Return, for every view, the first view with exactly the same content."""

    def same(u: int, v: int) -> bool:
        return u == v or (
            tops[u] == tops[v] and bool((hashes[:, u] == hashes[:, v]).all())
        )

    return np.array([next(i for i, u in enumerate(order) if same(u, v)) for v in order])


def _copies_before(ordered: np.ndarray) -> np.ndarray:
    """Return how many equal values precede each; equal ones are neighbours."""
    place = np.arange(len(ordered), dtype=np.int32)
    starts = np.r_[True, ordered[1:] != ordered[:-1]]
    return place - np.maximum.accumulate(np.where(starts, place, 0))
