"""Forecast of the memory of a fit."""

from __future__ import annotations

from typing import Any

from mvgraph import methods
from mvgraph.base.limits import (
    INTERPRETER,
    Cost,
    Shape,
    engine_of,
    is_pair,
    need_of,
    refuse,
    shape_of,
)
from mvgraph.base.loading import load_object
from mvgraph.base.method import Method
from mvgraph.base.parameters import check_memory_limit, check_parameters, is_integer


def estimate(
    views: Any,
    method: str = methods.DEFAULT,
    n_clusters: Any = 8,
    *,
    memory_limit: int | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Forecast the memory of a fit without fitting.

    Parameters
    ----------
    views : as in fit, or a pair of n_samples and the features of every view
    method : str
        See `mvgraph.methods`.
    n_clusters : int or "auto"
        With "auto", which some methods take, 20 are counted.
    memory_limit : int, optional
        Bytes; ``fits`` shows whether the fit stays within them.
    **parameters
        Parameters of the estimator, such as ``n_anchors`` of AnchorFilter.

    Returns
    -------
    dict
        ``method n k views``; ``bytes``: a dict of ``interpreter`` (Python and
        libraries), ``views`` (in memory, not mapped), ``rows`` (state of all rows,
        which other engines store in files or on workers), ``fixed`` (outputs and
        working memory, needed with any engine), ``other`` (what else this process
        has in memory, where that is more than a fit leaves behind), ``least`` (the
        smallest memory_limit that suffices with this engine) and ``peak``; ``cost`` and
        ``memory``, the growth of time and memory as declared by the method; ``fits``
        (True without a limit).

    Raises
    ------
    ValueError
        If n_clusters is not between 2 and the number of samples, or a parameter has a
        wrong type or is out of its range.

    Examples
    --------
    >>> import mvgraph
    >>> cost = mvgraph.estimate((1_000_000, (20, 30)), "anchor-filter", 10)
    >>> cost["bytes"]["rows"] > 100e6, cost["cost"]
    (True, 'O(N V d (M + 1000))')
    """
    check_memory_limit(memory_limit)
    entry, shape = methods.get(method), shape_of(views)
    model = entry.make(n_clusters).set_params(**parameters)
    check_parameters(model)
    if is_integer(n_clusters) and not 2 <= n_clusters <= shape.n:
        raise ValueError(
            f"n_clusters={n_clusters} is not between 2 and n_samples={shape.n}."
        )
    cost = _cost(entry, model, shape, n_clusters)
    need = need_of(shape, cost, engine_of(model), not is_pair(views))
    return {
        "method": method,
        "n": shape.n,
        "k": n_clusters,
        "views": list(shape.features),
        "bytes": {
            "interpreter": INTERPRETER,
            "views": need.views,
            "rows": need.rows,
            "fixed": need.fixed,
            "other": need.other,
            "least": need.least,
            "peak": need.peak,
        },
        "cost": entry.cost,
        "memory": entry.memory,
        "fits": memory_limit is None or need.least <= memory_limit,
    }


def refuse_fit(views: Any, method: str, model: Any, memory_limit: int) -> None:
    """Raise an error if a fit cannot stay within a limit of memory.

    Estimators with a ``memory_limit`` do the same by themselves.

    Raises
    ------
    MemoryError
        The message names the needed memory by purpose, and the smallest limit that
        would suffice.
    """
    shape = views if isinstance(views, Shape) else shape_of(views)
    cost = _cost(methods.get(method), model, shape, model.n_clusters)
    need = need_of(shape, cost, engine_of(model), not is_pair(views))
    refuse(need, method, memory_limit)


def _cost(entry: Method, model: Any, shape: Shape, K: Any) -> Cost:
    if entry.cost_model:
        return load_object(entry.cost_model)(model, shape, K)
    size = shape.n * sum(shape.features) * 8
    if entry.needs_n_by_n:
        return Cost(0, 8 * shape.n**2 * (shape.v + 2) + 2 * size)
    return Cost(0, 3 * size)
