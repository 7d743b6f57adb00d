"""Keywords of clusters: class-based tf-idf of word counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.inspection.groups import Groups, Rows
from mvgraph.ops.labels import indicator
from mvgraph.tables.options import TEXT
from mvgraph.views.container import Views
from mvgraph.views.counts import holds_whole_numbers
from mvgraph.views.identifiers import is_counter

#: A keyword is so many times as frequent in the cluster as elsewhere. Assumed.
LEAST_LIFT = 1.5


def holds_word_counts(x: Any, names: Sequence[str] | None = None) -> bool:
    """Return True for word counts: whole numbers, none negative, that are sparse.

    A dense table must be mostly zero and have named columns: pictures are whole numbers
    too.

    Parameters
    ----------
    x : ndarray or sparse matrix
    names : sequence of str, optional
        Of the columns; the numbers 0, 1, 2, ... are not names.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.inspection.keywords import holds_word_counts
    >>> x = np.array([[2, 0, 0], [0, 1, 0]])
    >>> holds_word_counts(x), holds_word_counts(x, ["sea", "farm", "cow"])
    (False, True)
    """
    if sp.issparse(x):
        return holds_whole_numbers(x)
    if names is None or is_counter(np.array(names, dtype=object)):
        return False
    return (
        isinstance(x, np.ndarray)
        and 2 * int(np.count_nonzero(x)) < x.size
        and holds_whole_numbers(x)
    )


def class_tf_idf(counts: Any, groups: np.ndarray, n_groups: int) -> sp.csr_matrix:
    """Weight words by how frequent they are in a group and how rare elsewhere.

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
    inside = _sums(counts, groups, n_groups)
    words = np.asarray(inside.sum(axis=1)).ravel()
    total = np.asarray(inside.sum(axis=0)).ravel()
    rare = np.log1p(words.mean() / np.where(total > 0, total, 1))
    share = sp.diags(1 / np.where(words > 0, words, 1)) @ inside
    return sp.csr_matrix(share @ sp.diags(rare))


def _sums(counts: Any, groups: np.ndarray, n_groups: int) -> sp.csr_matrix:
    """Add up the words of every group."""
    member = indicator(groups, n_groups).T.tocsr()
    inside = sp.csr_matrix(member @ sp.csr_matrix(counts, dtype=np.float64))
    inside.sort_indices()
    inside.eliminate_zeros()
    return inside


def _lift(inside: sp.csr_matrix) -> sp.csr_matrix:
    """Divide the share of every word in a group by its share elsewhere."""
    words = np.asarray(inside.sum(axis=1)).ravel()
    total = np.asarray(inside.sum(axis=0)).ravel()
    rows = np.repeat(np.arange(inside.shape[0]), np.diff(inside.indptr))
    others = np.maximum(total[inside.indices] - inside.data, 1e-12)
    elsewhere = others / np.maximum(words.sum() - words, 1e-12)[rows]
    # where there is nothing else, every word is of the group alone
    elsewhere[words[rows] >= words.sum()] = 1e-12
    data = inside.data / words[rows] / elsewhere
    return sp.csr_matrix((data, inside.indices, inside.indptr), shape=inside.shape)


def text_views(views: Views) -> tuple[str, ...]:
    """Return the names of the views that are columns of text."""
    read = [] if views.encoders is None else views.encoders.rows()
    texts = {row["column"] for row in read if row["kind"] == TEXT}
    return tuple(name for name in views.names if name in texts)


def count_views(
    groups: Groups,
    names: Mapping[str, Any],
    given: Sequence[str] | None,
    texts: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the names of the views of words: counts, and what is known to be text.

    Raises
    ------
    ValueError
        A given name is not that of a view, or its view has negative values.
    """
    views = groups.views
    if given is None:
        return tuple(
            view
            for v, view in enumerate(views.names)
            if view in texts or holds_word_counts(groups.rows(v)[0], names.get(view))
        )
    if isinstance(given, str):
        raise ValueError(f"counts must be a list of view names; write [{given!r}].")
    for view in given:
        views.view(view)  # an error if no view has this name
        x, _ = groups.rows(views.names.index(view))  # read, if it is in a file
        if (x < 0).sum() > 0:
            raise ValueError(f"View {view!r} has negative values, so no counts.")
    return tuple(dict.fromkeys(given))


def keyword_rows(
    groups: Groups, n: int, names: Mapping[str, Any], counts: Sequence[str]
) -> Rows:
    """List the words with the largest class-based tf-idf, by cluster.

    Words that are as frequent elsewhere are left out: "the" would be first.
    """
    out: Rows = []
    for view in counts:
        x, codes = groups.rows(groups.views.names.index(view))
        weights = class_tf_idf(x, codes, len(groups.names))
        lift = _lift(_sums(x, codes, len(groups.names)))
        for k, cluster in enumerate(groups.names):
            row = weights[[k]]
            order = np.argsort(-row.data, kind="stable")
            own = lift[[k]].data[order] >= LEAST_LIFT
            for rank, i in enumerate(order[own][:n]):
                j = int(row.indices[i])
                head = {"cluster": cluster, "view": view, "rank": rank, "feature": j}
                name = str(names[view][j]) if view in names else str(j)
                out.append(head | {"name": name, "weight": float(row.data[i])})
    return groups.by_cluster(out)
