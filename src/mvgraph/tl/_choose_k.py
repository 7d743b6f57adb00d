"""Suggest how many clusters the cells of an object form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mvgraph.inspection.choose_k import ChooseK
from mvgraph.tl._views import take_views
from mvgraph.tl._writing import check_record

__all__ = ["choose_k"]


def choose_k(
    data: Any,
    k: Iterable[int] | None = None,
    *,
    use_rep: Any = None,
    join: str = "outer",
    counts: str | None = None,
    key_added: str = "mvgraph_k",
    random_state: int | None = 0,
) -> ChooseK:
    """Suggest a number of clusters for the cells of a MuData or AnnData.

    Parameters
    ----------
    data : MuData or AnnData
        Changed in place.
    k : iterable of int or None, default=None
        Numbers that may be chosen; None: all that the cells allow.
    use_rep, join, counts : as in :func:`mvgraph.tl.cluster`
    key_added : str, default="mvgraph_k"
    random_state : int or None, default=0

    Returns
    -------
    ChooseK
        Fitted, with ``levels_``, ``best_k_``, ``k_range_``, ``confidence_`` and
        ``plot()``; see :class:`mvgraph.ChooseK`.

    Raises
    ------
    TypeError
        If `data` is neither a MuData nor an AnnData.
    ValueError
        See :class:`mvgraph.ChooseK`; or another tool's record is ``uns[key_added]``.

    Notes
    -----
    Written to `data`: ``uns[key_added]`` with ``best_k``, ``levels`` (their k),
    ``k_range``, ``confidence`` and the columns of the ``table``.

    Examples
    --------
    >>> import anndata, numpy as np, mvgraph.tl
    >>> rng = np.random.default_rng(0)
    >>> centres = 9 * rng.normal(size=(3, 4))
    >>> cells = anndata.AnnData(centres.repeat(40, axis=0) + rng.normal(size=(120, 4)))
    >>> mvgraph.tl.choose_k(cells, range(2, 7)).best_k_
    3
    """
    taken = take_views(data, use_rep, join, counts)
    check_record(data, key_added, {"best_k", "k_range"})
    choice = ChooseK(k, random_state=random_state).fit(taken.views)
    columns = choice.table_[0]
    data.uns[key_added] = {
        "best_k": choice.best_k_,
        "levels": np.array([level.k for level in choice.levels_], dtype=np.int64),
        "k_range": np.array(choice.k_range_),
        "confidence": choice.confidence_,
        "table": {c: np.array([row[c] for row in choice.table_]) for c in columns},
    }
    return choice
