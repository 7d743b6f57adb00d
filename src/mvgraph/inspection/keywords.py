"""Keywords of clusters: class-based tf-idf of counts of words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.groups import Groups

__all__ = ["class_tf_idf", "holds_word_counts", "keyword_rows"]

Rows = list[dict[str, Any]]


def holds_word_counts(x: Any) -> bool:
    """Tell a sparse matrix of whole numbers, none negative."""
    if not sp.issparse(x):
        return False
    return bool((x.data >= 0).all() and (x.data == np.floor(x.data)).all())


def class_tf_idf(counts: Any, groups: np.ndarray, n_groups: int) -> sp.csr_matrix:
    """Weigh words by how frequent they are in a group, and how rare elsewhere.

    W_{t,c} = tf_{t,c} log(1 + A / f_t): tf_{t,c} is the share of word t among the words
    of group c, f_t its count in all groups, A the mean number of words in a group.

    Parameters
    ----------
    counts : ndarray or sparse matrix of shape (n, d)
        Not negative.
    groups : ndarray of int, shape (n,)
        From 0 to ``n_groups - 1``.
    n_groups : int

    Returns
    -------
    csr_matrix of shape (n_groups, d)

    References
    ----------
    Grootendorst, "BERTopic: Neural topic modeling with a class-based TF-IDF
    procedure", 2022, :doi:`10.48550/arXiv.2203.05794`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.inspection.keywords import class_tf_idf
    >>> class_tf_idf(np.array([[3, 1], [0, 4]]), np.array([0, 1]), 2).toarray().round(2)
    array([[0.64, 0.15],
           [0.  , 0.59]])
    """
    n = len(groups)
    member = sp.csr_matrix((np.ones(n), (groups, np.arange(n))), shape=(n_groups, n))
    inside = sp.csr_matrix(member @ sp.csr_matrix(counts, dtype=np.float64))
    inside.sort_indices()
    words = np.asarray(inside.sum(axis=1)).ravel()
    total = np.asarray(inside.sum(axis=0)).ravel()
    rare = np.log1p(words.mean() / np.where(total > 0, total, 1))
    share = sp.diags(1 / np.where(words > 0, words, 1)) @ inside
    return sp.csr_matrix(share @ sp.diags(rare))


def keyword_rows(
    groups: Groups, n: int, names: dict[str, Any], counts: Sequence[str] | None
) -> Rows:
    """List the words with the largest class-based tf-idf, by cluster."""
    views = groups.views
    if counts is None:
        counts = [name for name, x in views.items() if holds_word_counts(x)]
    out: list[tuple[int, dict[str, Any]]] = []
    if isinstance(counts, str):
        raise ValueError(
            f"counts must be a sequence of names of views; write [{counts!r}]."
        )
    for view in dict.fromkeys(counts):
        views.view(view)  # an error if there is none of this name
        x, codes = groups.rows(views.names.index(view))
        if (x < 0).sum() > 0:
            raise ValueError(f"View {view!r} holds negative values and no counts.")
        weights = class_tf_idf(x, codes, len(groups.names))
        for k, cluster in enumerate(groups.names):
            own = weights[[k]]
            for rank, i in enumerate(np.argsort(-own.data, kind="stable")[:n]):
                j = int(own.indices[i])
                name = str(names[view][j]) if view in names else str(j)
                row = {"cluster": cluster, "view": view, "rank": rank, "feature": j}
                out.append((k, row | {"name": name, "weight": float(own.data[i])}))
    return [row for _, row in sorted(out, key=lambda pair: pair[0])]
