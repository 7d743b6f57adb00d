"""Limits of memory: forecast what a fit takes, and reject a fit that takes too much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.memory import private_bytes
from mvgraph.ops.wording import size_in_words
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views
from mvgraph.views.lazy import LazyArray

#: Bytes of Python and the libraries that a fit loads, on Linux.
INTERPRETER = 170_000_000
#: Other data of the process are counted in multiples of so many bytes: a limit that was
#: advised suffices even if the process uses a little more at the next call.
STEP = 2**26
#: Rows of a sample that suffice for a fit if all rows are too many.
SAMPLE = 10_000


class Shape(NamedTuple):
    """Sizes of the views."""

    n: int
    features: tuple[int, ...]
    held: int  # bytes of views in private memory; mapped files do not count
    stored: tuple[float, ...]  # values per row of every view: features, or non-zeros
    sparse: bool = False  # whether any view is
    far: bool = False  # whether all rows are in dask arrays
    mappable: int = 0  # bytes of the dense views in memory

    @property
    def v(self) -> int:
        """Number of views."""
        return len(self.features)

    def row_bytes(self) -> tuple[float, ...]:
        """Bytes of a row of every view, as float64 or CSR."""
        per_value = (
            8 if s == d else 12 for s, d in zip(self.stored, self.features, strict=True)
        )
        return tuple(b * s for b, s in zip(per_value, self.stored, strict=True))


class Cost(NamedTuple):
    """Forecast of the bytes of a fit."""

    rows: float  # bytes that an engine can store outside of memory
    fixed: float  # all other bytes


#: Number of clusters assumed in forecasts if the fit is to determine it.
EXPECTED = 20


def expected(n_clusters: int | str) -> int:
    """Return the clusters that a forecast counts: the number given, if it is one."""
    return EXPECTED if isinstance(n_clusters, str) else int(n_clusters)


class LimitError(MemoryError):
    """A limit of memory is too small; the message names what would suffice."""


class Need(NamedTuple):
    """Bytes of private memory that a fit takes, by purpose."""

    n: int  # samples
    views: int  # held in memory
    mappable: int  # those of dense views, which files could hold
    fixed: int  # outputs and working memory
    rows: int  # state of all rows, which engines can store elsewhere
    other: int  # other memory of the process
    engine: Any

    @property
    def without_rows(self) -> int:
        """All but the state of the rows."""
        return INTERPRETER + self.views + self.fixed + self.other

    @property
    def peak(self) -> int:
        """With the state of all rows in memory."""
        return self.without_rows + self.rows

    @property
    def least(self) -> int:
        """The smallest sufficient limit; out of core, blocks of rows stay in memory."""
        if not self.rows:
            return self.peak
        from mvgraph.engines import least_bytes

        beside = self.without_rows
        return beside + least_bytes(
            self.engine, self.rows, self.n, beside // 100 + 2**20
        )


def shape_of(views: Any) -> Shape:
    """Return the sizes of views, or of a pair of n_samples and features of the views.

    Parameters
    ----------
    views : as in fit, or a pair of n_samples and the features of every view

    Returns
    -------
    Shape
    """
    if is_pair(views):
        n, features = views
        features = tuple(int(d) for d in np.atleast_1d(features))
        size = int(n) * sum(features) * 8
        return Shape(int(n), features, size, features, mappable=size)
    views = views if isinstance(views, Views) else as_views(views)
    stored = tuple(
        x.nnz / len(views) if sp.issparse(x) else float(x.shape[1])
        for x in views.arrays
    )
    sparse = any(sp.issparse(x) for x in views.arrays)
    held = sum(map(_held, views.arrays))
    dense = sum(_held(x) for x in views.arrays if not sp.issparse(x))
    features, far = views.n_features, views.on_workers
    return Shape(len(views), features, held, stored, sparse, far, dense)


def need_of(
    shape: Shape, cost: Cost, engine: Any = "memory", in_this_process: bool = True
) -> Need:
    """Count what a fit takes.

    Parameters
    ----------
    shape : Shape
    cost : Cost
    engine : name, address or engine, default="memory"
        Where the state of the rows is stored.
    in_this_process : bool, default=True
        Also count the memory of this process other than the views.

    Returns
    -------
    Need
    """
    fixed, rows = int(cost.fixed), int(cost.rows)
    need = Need(shape.n, shape.held, shape.mappable, fixed, rows, 0, engine)
    return need._replace(other=_other(need)) if in_this_process else need


def engine_of(model: Any) -> Any:
    """Return the engine of an estimator; without the parameter, rows are in memory."""
    return model.get_params(deep=False).get("engine", "memory")


def bytes_left(model: Any, views: Views, n_sample: int | None = None) -> int | None:
    """Return what the limit of an estimator leaves for the state of the rows.

    Parameters
    ----------
    model : estimator
        If it has a ``memory_limit``, it has ``_cost(shape) -> Cost`` too.
    views : Views
    n_sample : int, optional
        Rows that suffice for a fit if the others can be labelled later.

    Returns
    -------
    int or None
        None without a limit.

    Raises
    ------
    LimitError
        If the fit cannot stay within the limit.
    """
    limit = model.get_params(deep=False).get("memory_limit")
    if limit is None:
        return None
    shape, sample = shape_of(views), None
    need = need_of(shape, model._cost(shape), engine_of(model))
    few = max(SAMPLE, n_sample or shape.n)
    if few < shape.n:
        part = shape._replace(n=few, held=shape.held * few // shape.n)
        taken, own = model._cost(part), few * sum(shape.row_bytes())
        fixed, rows = int(taken.fixed + own), int(taken.rows)
        sample = need._replace(n=few, fixed=fixed, rows=rows)
    refuse(need, type(model).__name__, limit, sample)
    return int(limit - need.without_rows)


def refuse(need: Need, who: str, limit: int, sample: Need | None = None) -> None:
    """Raise an error if a fit cannot stay within a limit of memory.

    Parameters
    ----------
    need : Need
    who : str
        Name of the method, for the message.
    limit : int
        Bytes of private memory of the process.
    sample : Need, optional
        The need of a fit to `SAMPLE` of the rows, if the others can be labelled later.

    Raises
    ------
    LimitError
        The message names the needed memory by purpose, the smallest limit that would
        suffice, and what else would.
    """
    if need.least <= limit:
        return
    sizes = {
        "interpreter and libraries": INTERPRETER,
        "views held in memory": need.views,
        "other data of this process": need.other,
        "outputs and working memory": need.fixed,
        "state of the rows": need.rows,
    }
    parts = [f"{name} {size_in_words(size)}" for name, size in sizes.items() if size]
    advice = [f"allow at least {need.least} bytes", *_advice(need, limit, sample)]
    raise LimitError(
        f"{who} on {need.n} samples does not fit into memory_limit="
        f"{size_in_words(limit)}: {', '.join(parts)}; {' or '.join(advice)}"
    )


def _advice(need: Need, limit: int, sample: Need | None) -> Iterator[str]:
    """Return the changes that would each suffice to stay within this limit."""
    if need._replace(engine="auto").least <= limit:
        yield "use engine='auto'"
    if need._replace(views=need.views - need.mappable).least <= limit:
        yield "pass the views as memory-mapped .npy files"
    if sample is not None and sample.least <= limit:
        yield f"fit {sample.n} of the samples and label the others with predict"


def _other(need: Need) -> int:
    """Return the memory of this process other than the interpreter and the views.

    What an earlier fit of this size may have left is free for the next one.
    """
    beside = (private_bytes() or 0) - INTERPRETER - need.views
    left = max(STEP, need.fixed + need.rows)
    return -(-beside // STEP) * STEP if beside > left else 0


def is_pair(views: Any) -> bool:
    """Return True for n_samples and features in place of views."""
    return isinstance(views, tuple) and len(views) == 2 and np.ndim(views[0]) == 0


def _held(a: Any) -> int:
    """Count the bytes of a view, unless it is read on demand or mapped."""
    if isinstance(a, LazyArray) or _mapped(a):
        return 0
    parts: Sequence[Any] = (a.data, a.indices, a.indptr) if sp.issparse(a) else (a,)
    return sum(part.nbytes for part in parts)


def _mapped(a: Any) -> bool:
    while isinstance(a, np.ndarray):
        if isinstance(a, np.memmap):
            return True
        a = a.base
    return False
