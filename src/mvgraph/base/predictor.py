"""How a fitted model labels new samples: one pass over blocks of rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.metaestimators import available_if

from mvgraph.ops.parallel import map_rows, one_blas_thread, slices
from mvgraph.views.container import Views

#: Score beyond which a sample belongs nowhere, by default. Of clean normal clusters
#: 0.1 % of the samples are beyond it, of those with heavy tails 0.6 %.
MAX_OUTLIER = 0.98
#: Rows that a thread labels at a time: enough for products of matrices.
ROWS_PER_THREAD = 2048
#: Rows of a block that is yielded, unless its values would take more bytes than this.
ROWS, BYTES = 65_536, 2**27

Block = dict[str, Any]


@dataclass(frozen=True)
class Predictor(ABC):
    """What a fit learned to label new samples with; see ``Result.predictor``.

    Views are those of the fit, in their order. A method names the class of its
    predictors, so that it is known before a fit what its models can do. Inside a
    predictor clusters are positions; `predict_rows` and `predict_blocks` name them.

    Parameters
    ----------
    used : ndarray of int
        Positions of the views that are used, in the order in which they are.
    ids : ndarray of int, shape (K,), or None
        Numbers of the clusters by position, rising; None: the positions.
    """

    used: np.ndarray = field(kw_only=True)
    ids: np.ndarray | None = field(default=None, kw_only=True)

    #: What `block` can return: some of label, confidence, probability, outlier_score,
    #: outlier_part, embedding and graph.
    fields: ClassVar[frozenset[str]]

    @abstractmethod
    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """Return the wanted fields of a block of rows, in one pass over it.

        Parameters
        ----------
        views : Views
            n rows, in memory.
        wanted : sequence of str
            Some of ``fields``.

        Returns
        -------
        dict
            ``label`` (n,), ``confidence`` (n,) its probability, ``probability``
            (n, K), ``outlier_score`` (n,) and ``outlier_part`` (n,), ``embedding``
            (n, q), ``graph`` csr_matrix (n, M).
        """

    @abstractmethod
    def shape_of(self, field: str) -> tuple[Any, int | None]:
        """Return the dtype of a field, and its number of columns; None: one axis."""

    def take_views(self, order: np.ndarray) -> Self:
        """Return the predictor for views in another order: new view i is order[i]."""
        return replace(self, used=np.argsort(order)[self.used])

    @abstractmethod
    def renumber(self, new: np.ndarray) -> Self:
        """Return the predictor that puts cluster c at ``new[c]``; -1: nowhere."""

    def view_graphs(self, views: Views) -> dict[str, sp.csr_matrix]:
        """Return the anchor graph of every view that is used; none without anchors."""
        return {}

    def votes(self, views: Views, labels: np.ndarray) -> np.ndarray | None:
        """Return how much every view says for the given labels, above chance, (N, V).

        Views that are not used say nothing. None where views do not vote.
        """
        return None

    def positions(self, labels: np.ndarray) -> np.ndarray:
        """Return the positions of clusters that are given by their numbers."""
        return labels if self.ids is None else np.searchsorted(self.ids, labels)


def refuse_no_predictor(method: Any, where: str = "") -> None:
    """Reject a method whose models cannot label new samples, before or after a fit.

    Parameters
    ----------
    method : clusterer or its class
    where : str
        Begins the message.

    Raises
    ------
    ValueError
    """
    if method.predictor is None:
        name = method.__name__ if isinstance(method, type) else type(method).__name__
        raise ValueError(
            f"{where}{name} cannot label new samples, so its models cannot be saved; "
            "use another method, such as graph-consensus"
        )


def if_predictor_gives(field: str) -> Any:
    """Return scikit-learn's decorator of a method that needs a field of a predictor."""

    def check(estimator: Any) -> bool:
        refuse_no_predictor(estimator)
        return field in estimator.predictor.fields

    return available_if(check)


def predict_rows(predictor: Predictor, views: Views, field: str, whole: bool) -> Any:
    """Return one field of all rows; for dask arrays lazily, on the workers.

    Parameters
    ----------
    predictor : Predictor
    views : Views
        In the order of the fit.
    field : str
        One of ``predictor.fields``.
    whole : bool
        Reject samples without some view.

    Returns
    -------
    ndarray, csr_matrix or dask array
    """
    if not views.on_workers:
        return _of_rows(predictor, views, (field,), whole)[field]
    from mvgraph.engines.distributed import lazy_rows
    from mvgraph.views.rows import Rows

    f = partial(_one_field, predictor, field, whole)
    return lazy_rows(f, Rows(views), *predictor.shape_of(field))


def predict_blocks(
    predictor: Predictor,
    views: Views,
    wanted: Sequence[str],
    whole: bool,
    progress: Callable[[int, int], Any] | None = None,
    block_rows: int = ROWS,
    observe: Callable[[Views, Block], Any] | None = None,
) -> Iterator[Block]:
    """Yield fields of consecutive rows; only one block of rows is in memory.

    Parameters
    ----------
    predictor : Predictor
    views : Views
        In the order of the fit, in memory or in files.
    wanted : sequence of str
        Fields; those that the predictor does not have are left out.
    whole : bool
        Reject samples without some view.
    progress : callable, optional
        Called with (rows done, rows in all).
    block_rows : int, optional
        Rows of a block, at most.
    observe : callable, optional
        Called with the rows of every block, and its fields.
    """
    n, row_bytes = len(views), 8 * sum(views.n_features)
    size = max(1, min(block_rows, BYTES // row_bytes))
    known = [field for field in wanted if field in predictor.fields]
    for rows in slices(n, size):
        some = views[rows]
        found = _of_rows(predictor, some, known, whole)
        if observe is not None:
            observe(some, found)
        yield found
        if progress is not None:
            progress(rows.stop, n)


def _of_rows(
    predictor: Predictor, views: Views, wanted: Sequence[str], whole: bool
) -> Block:
    """Return fields of any number of rows, computed by several threads."""
    if whole and views.mask is not None:
        raise ValueError("Input contains NaN: new samples need every view.")
    with one_blas_thread():
        parts = map_rows(
            lambda rows: predictor.block(views[rows], wanted),
            len(views),
            ROWS_PER_THREAD,
        )
    found = {field: _joined([part[field] for part in parts]) for field in wanted}
    if "label" in found and predictor.ids is not None:
        found["label"] = predictor.ids[found["label"]]
    return found


def _joined(parts: list[Any]) -> Any:
    if sp.issparse(parts[0]):
        return sp.vstack(parts, format="csr")
    return np.concatenate(parts)


def _one_field(
    predictor: Predictor, field: str, whole: bool, views: Views, first_row: int
) -> Any:
    return _of_rows(predictor, views, (field,), whole)[field]
