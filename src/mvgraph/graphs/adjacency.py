"""Views that are graphs of the samples themselves: citations, links, friendships."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.container import Views
from mvgraph.views.scaling import is_mostly_zero

#: Directed links are those of the samples if so many of them, beyond chance, are
#: between samples with a link in common: .55 and .97 in two graphs of papers, .01 to
#: .03 if their rows are shuffled.
IN_COMMON = 0.1
#: Links are symmetric if this share of them goes both ways. Assumed: by chance it is
#: their density.
BOTH_WAYS = 0.5
#: Pairs of samples with a link in common are counted on so many samples.
COUNTED = 2_000


def with_closed_neighborhoods(views: Views) -> Views:
    """Replace views that are graphs of the samples by who is linked to whom.

    Rows of a graph say whom a sample is linked to; two samples that are linked to each
    other, and to nobody else, have no link in common. So links count in both
    directions, and every sample is linked to itself, as strongly as to any other.

    Parameters
    ----------
    views : Views
        N samples.

    Returns
    -------
    Views
        The same if no view is a graph.
    """
    graphs = [v for v in range(views.n_views) if _is_present(views, v)]
    graphs = [v for v in graphs if is_adjacency(views.arrays[v])]
    if not graphs:
        return views
    arrays = list(views.arrays)
    for v in graphs:
        W = abs(sp.csr_matrix(arrays[v]))
        W = W.maximum(W.T)
        W.setdiag(0)
        W.eliminate_zeros()
        own = sp.diags(W.max(axis=1).toarray().ravel().astype(W.dtype))
        arrays[v] = sp.csr_matrix(W + own)
    return Views._trusted(arrays, views.names, views.ids, views.mask)


def _is_present(views: Views, v: int) -> bool:
    in_memory = isinstance(views.arrays[v], np.ndarray) or sp.issparse(views.arrays[v])
    return in_memory and (views.mask is None or bool(views.mask[:, v].all()))


def is_adjacency(x: Any) -> bool:
    """Return True if a view is a graph of the samples, by the pattern of its entries.

    It is square and mostly zero, and links go both ways, or samples that are linked
    have links in common. Neither holds if the columns are in another order than the
    rows.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (N, d)
    """
    n, d = x.shape
    if n != d or not is_mostly_zero(x):
        return False
    A = sp.csr_matrix(x != 0, dtype=np.float64)
    A.setdiag(0)
    A.eliminate_zeros()
    if A.nnz == 0:
        return False
    if A.multiply(A.T).nnz > BOTH_WAYS * A.nnz:
        return True
    some = A[:COUNTED]
    common = sp.csr_matrix(some @ A.T)
    common.data[:] = 1.0
    chance = (common.nnz - common.diagonal().sum()) / (some.shape[0] * (n - 1))
    found = common.multiply(some).nnz / max(some.nnz, 1)
    return bool(found - chance > IN_COMMON * (1 - chance))
