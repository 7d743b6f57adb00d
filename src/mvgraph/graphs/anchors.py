"""Anchors: a few points that represent all samples, the same points in every view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Int, Matrix, dense
from mvgraph.ops.kmeans import lloyd
from mvgraph.ops.labels import indicator
from mvgraph.ops.linalg.principal import Components, principal_components
from mvgraph.views.container import Views
from mvgraph.views.missing import fill_absent
from mvgraph.views.scaling import fit_scaling, scale_views

RULES = ("kmeans", "random", "das", "vda")
MAX_KMEANS_ROWS = 20_000
#: Of a CSR matrix; a product with it takes longer than one with a dense array.
BYTES_PER_ENTRY = 3 * 12


class Anchors(NamedTuple):
    """Anchor points of every view, and their row numbers if they are samples."""

    points: tuple[Any, ...]  # V arrays (M, d_v), CSR for wide sparse views
    rows: Int | None  # (M,) ascending, or None for k-means

    @property
    def n_anchors(self) -> int:
        """Number of anchors."""
        return int(self.points[0].shape[0])


def default_n_anchors(n_samples: int, n_clusters: int) -> int:
    """Return min(N / 2, max(300, 3 K)), but at least min(N, 3 K)."""
    most = max(300, 3 * n_clusters)
    return min(max(n_samples // 2, min(n_samples, 3 * n_clusters)), most)


def count_anchors(n_anchors: int | float, n_samples: int) -> int:
    """Return the number of anchors that the parameter asks for."""
    if isinstance(n_anchors, int | np.integer):
        return int(n_anchors)
    return int(n_samples * n_anchors + 1e-9)  # 0.29999... is 0.3


def choose_anchors(
    views: Views,
    scaled: Views,
    rule: str,
    n_anchors: int | float,
    n_samples: int,
    n_clusters: int,
    rng: np.random.Generator,
    **options: Any,
) -> Anchors:
    """Choose anchors from a sample of the rows, by the parameters of an estimator.

    Parameters
    ----------
    views, scaled : Views
        The rows to choose from, before and after scaling. ``das`` and ``vda`` use the
        views divided by their maximum, as in their papers.
    rule : str
        See `select_anchors`.
    n_anchors : int or float
        Parameter of the estimator; a float is a share of the samples.
    n_samples : int
        Number of all samples, which a share of the samples refers to.
    n_clusters : int
    rng : Generator
    **options
        See `select_anchors`.

    Raises
    ------
    ValueError
        If there would be fewer anchors than clusters, or more than samples.
    """
    M, K = count_anchors(n_anchors, n_samples), n_clusters
    if M < K:
        raise ValueError(
            f"n_clusters={K} is more than the {M} anchors that n_anchors={n_anchors} "
            f"gives for {n_samples} samples; ask for fewer clusters or more anchors."
        )
    if n_samples < M:
        raise ValueError(f"n_anchors={M} is more than n_samples={n_samples}; lower it.")
    if rule != "kmeans" and views.mask is not None:  # anchors are rows: fill these
        first = slice(max(MAX_KMEANS_ROWS, 10 * M))
        views, scaled = impute_views(views[first]), impute_views(scaled[first])
    if rule not in ("das", "vda"):
        return _at_least_two(select_anchors(scaled, rule, M, rng, **options))
    by_max = scale_views(views, [fit_scaling(x, "max") for x in views.arrays])
    rows = select_anchors(by_max, rule, M, rng).rows
    return Anchors(tuple(dense(x) for x in scaled[rows].arrays), rows)


def _at_least_two(anchors: Anchors) -> Anchors:
    """Repeat a single anchor (all samples coincide): the weights need two distances."""
    if anchors.n_anchors > 1:
        return anchors
    rows = None if anchors.rows is None else np.repeat(anchors.rows, 2)
    return Anchors(tuple(np.repeat(x, 2, axis=0) for x in anchors.points), rows)


def select_anchors(
    views: Views, rule: str, n_anchors: int, rng: np.random.Generator, **options: Any
) -> Anchors:
    """Choose anchors for all views at once.

    Parameters
    ----------
    views : Views
        Scaled views.
    rule : {"kmeans", "random", "das", "vda"}
        ``kmeans``: centres of k-means clusters of the concatenated views (each view
        divided by its Frobenius norm), 12 Lloyd steps. ``random``: rows drawn without
        replacement. ``das``, ``vda``: the sampling of SFMC and of TBGL, on the
        concatenated views.
    n_anchors : int, 1 <= n_anchors <= n_samples
    rng : Generator
    **options
        Passed to :func:`kmeans_anchors` by the rule ``kmeans``.

    Returns
    -------
    Anchors
        Fewer than ``n_anchors`` if samples coincide.

    Raises
    ------
    ValueError
        If the rule is unknown.
    """
    if rule == "kmeans":
        centres = kmeans_anchors(views, n_anchors, rng, **options)
        return Anchors(tuple(dense(x) for x in centres.points), None)
    if rule == "random":
        rows: Int = np.sort(rng.choice(len(views), n_anchors, replace=False))
    elif rule == "das":
        rows = das_rows(views, n_anchors)
    elif rule == "vda":
        rows = vda_rows(views, n_anchors)
    else:
        raise ValueError(f"anchors must be one of {RULES}; got {rule!r}.")
    return Anchors(tuple(dense(x[rows]) for x in views.arrays), rows)


def join_normalised(views: Views) -> np.ndarray:
    """Concatenate the views, each divided by its Frobenius norm, as float32."""
    parts = []
    for x in views.arrays:
        y = dense(x)
        norm = np.linalg.norm(y)
        parts.append((y / (norm if norm > 0 else 1)).astype(np.float32))
    joined = np.hstack(parts)
    return joined * np.float32(np.sqrt(len(views)))  # rows of about unit length


def kmeans_anchors(
    views: Views,
    n_anchors: int,
    rng: np.random.Generator,
    max_iter: int = 12,
    min_share: float = 0.0,
    at_least: int = 1,
    n_init: int = 1,
    n_components: int | None = None,
    components: Callable[[Matrix, int], Components] = principal_components,
) -> Anchors:
    """Return the centres of k-means clusters of the concatenated views, in every view.

    Of ``n_init`` random starts, the best is used. With ``n_components``, clusters are
    found in this many principal components of each view, from the function
    ``components``; centres are in all features.
    Clusters with less than ``min_share`` of the mean number of samples are left out,
    but at least ``at_least`` clusters are kept.

    Only the first ``MAX_KMEANS_ROWS`` rows are clustered. Missing rows of a view are
    first filled from rows that are near in the other views; see
    :func:`mvgraph.views.missing.impute`.
    """
    most = max(MAX_KMEANS_ROWS, 10 * n_anchors)
    views = views if len(views) <= most else views[:most]
    if views.mask is not None:
        views = impute_views(views)
    reduced = views
    if n_components is not None:
        reduced = _reduced(views, n_components, components)
    joined = join_normalised(reduced)
    starts = [rng.choice(len(views), n_anchors, replace=False) for _ in range(n_init)]
    runs = lloyd(joined, joined[np.stack(starts)], max_iter)
    labels = min(runs, key=lambda run: run.inertia).labels
    sizes = np.bincount(labels, minlength=n_anchors)
    floor = min(min_share * sizes.mean(), np.sort(sizes)[-min(at_least, n_anchors)])
    used = np.flatnonzero(sizes >= max(floor, 1))
    return anchors_of_groups(views, labels, used)


def anchors_of_groups(views: Views, labels: Int, used: Int) -> Anchors:
    """Return the means of some groups of rows as anchors, in every view."""
    member = indicator(labels, int(labels.max()) + 1).T.tocsr()[used]
    mean = sp.diags(1 / member.sum(axis=1).A1) @ member
    return Anchors(tuple(_smaller(mean @ x) for x in views.arrays), None)


def _smaller(x: Any) -> Any:
    """Return sparse points as CSR if that is smaller: few rows of a million columns."""
    if sp.issparse(x) and BYTES_PER_ENTRY * x.nnz < 8 * x.shape[0] * x.shape[1]:
        return sp.csr_matrix(x)
    return dense(x)


def impute_views(views: Views) -> Views:
    """Fill the missing rows of all views; views become dense."""
    from mvgraph.views.missing import impute

    mask = np.asarray(views.mask)
    arrays = [
        dense(fill_absent(x, m)) for x, m in zip(views.arrays, mask.T, strict=True)
    ]
    (filled,), _ = impute(arrays, mask, [arrays])
    return Views._trusted(filled, views.names, views.ids, None)


def _reduced(
    views: Views, n_components: int, components: Callable[[Matrix, int], Components]
) -> Views:
    arrays = [
        components(x, n_components).scores if x.shape[1] > n_components else x
        for x in views.arrays
    ]
    return Views._trusted(arrays, views.names, views.ids, views.mask)


def das_rows(views: Views, n_anchors: int) -> Int:
    """Pick rows by directly alternate sampling (SFMC, step 1).

    The score of a row is the sum of its features above their minima. After every pick
    the logistic map s (1 - s) is applied to the scores, which loses about one bit per
    pick: from about pick 40 on, the rows depend on the last bit of the sums, which are
    therefore added column by column. The result depends on ties and rounding, hence on
    the order of columns; ``kmeans`` is preferable in practice.
    """
    s = np.zeros(len(views))
    for x in views.arrays:
        y = dense(x)
        low = y.min(axis=0)
        for j in range(y.shape[1]):
            s += y[:, j] - low[j]
    s = s / s.max() if s.max() > 0 else s
    picks = [int(s.argmax())]
    for _ in range(n_anchors - 1):
        s = s * (1 - s)
        s = s / s.max() if s.max() > 0 else s
        picks.append(int(s.argmax()))
    return np.unique(picks)


def vda_rows(views: Views, n_anchors: int) -> Int:
    """Pick rows by variance-based de-correlation sampling (TBGL).

    The score of a sample is its variance over the concatenated features. Every pick a
    multiplies the score of sample j by 1 - c_j / max(c), c_j = 1 / (1 + sqrt|s_a -
    s_j|), which lowers the scores that are similar to that of a.
    """
    s = np.hstack([dense(x) for x in views.arrays]).var(axis=1, ddof=1)
    s = s / s.max() if s.max() > 0 else s
    picks = []
    for _ in range(n_anchors):
        a = int(s.argmax())
        picks.append(a)
        c = 1 / (1 + np.sqrt(np.abs(s[a] - s)))
        s = s * (1 - c / c.max())
        s = s / s.max() if s.max() > 0 else s
    return np.unique(picks)
