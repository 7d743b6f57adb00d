"""Suggest the number of clusters, and rank their features as scanpy's plots need it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mvgraph.inspection.choose_k import ChooseK
from mvgraph.inspection.markers import (
    Profile,
    Statistics,
    check_test,
    feature_statistics,
    profile,
)
from mvgraph.tl._views import check_data, take_views, warn_of_counts
from mvgraph.tl._writing import check_record, modalities_of
from mvgraph.views.annotated import obs_column, representations
from mvgraph.views.casting import is_mudata
from mvgraph.views.counts import holds_counts, library_size, log_normalise

METHODS = {"mann-whitney": "wilcoxon", "welch": "t-test"}  # as scanpy calls them


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


def rank_features(
    data: Any,
    groupby: str = "mvgraph",
    *,
    layer: str | None = None,
    counts: str | None = None,
    test: str = "mann-whitney",
    n_features: int | None = None,
    modalities: str | Sequence[str] | None = "all",
    key_added: str = "rank_genes_groups",
) -> None:
    """Test every feature in every cluster against all other cells.

    Parameters
    ----------
    data : MuData or AnnData
        Changed in place; each modality of a MuData is tested separately.
    groupby : str, default="mvgraph"
        Column of ``obs`` with the clusters. Cells without one are left out.
    layer : str, optional
        Name of a layer; default: ``X``.
    counts : {"log1p", "raw"} or None, default=None
        What to do with raw counts: ``"log1p"``: test log(1 + x) of cells scaled to the
        median library size; ``"raw"``: test them unchanged. None: the same, with a
        warning. `data` itself is not normalised.
    test : {"mann-whitney", "welch"}, default="mann-whitney"
        See :func:`mvgraph.explain`.
    n_features : int, optional
        How many per cluster; default: all.
    modalities : "all", str or sequence of str, default="all"
        Modalities of a MuData.
    key_added : str, default="rank_genes_groups"

    Raises
    ------
    TypeError
        If `data` is neither a MuData nor an AnnData.
    ValueError
        There is no such column, layer or modality, fewer than two clusters, or
        ``uns[key_added]`` is not a ranking.

    Notes
    -----
    Written to ``uns[key_added]`` of the AnnData, or of every modality: structured
    arrays ``names``, ``scores`` (z or t), ``pvals``, ``pvals_adj``
    (Benjamini-Hochberg over the features of a cluster) and ``logfoldchanges``, with one
    field per cluster and the largest score first; frames ``pts`` and ``pts_rest``
    (shares of cells above zero inside and outside); ``params``. This is the layout that
    ``scanpy.pl.rank_genes_groups_dotplot`` and ``scanpy.get.rank_genes_groups_df``
    read. Modalities also get the column `groupby` of the MuData, which these plots
    need.

    Fold changes are computed from expm1 of the means, as in scanpy, which is right
    where x is log(1 + counts); for unchanged counts they are ratios of the means, and
    for a matrix with negative values they are NaN. Scores differ from scanpy's Wilcoxon
    scores by the corrections for ties and for continuity.

    Examples
    --------
    >>> import anndata, numpy as np, mvgraph.tl
    >>> rng = np.random.default_rng(0)
    >>> cells = anndata.AnnData(rng.poisson(np.repeat([[4, 1], [1, 4]], 30, axis=0)))
    >>> cells.obs["mvgraph"] = ["a"] * 30 + ["b"] * 30
    >>> mvgraph.tl.rank_features(cells, counts="log1p")
    >>> cells.uns["rank_genes_groups"]["names"]["b"].tolist()
    ['1', '0']
    """
    check_data(data, counts, "mvgraph.explain")
    check_test(test)
    if not is_mudata(data):
        _rank(data, groupby, layer, counts, test, n_features, key_added, "data")
        return
    for name in modalities_of(data, modalities):
        part = data.mod[name]
        if groupby in data.obs:  # without this column, scanpy draws nothing
            part.obs[groupby] = data.obs[groupby].reindex(part.obs_names)
        _rank(part, groupby, layer, counts, test, n_features, key_added, name)


def _rank(
    data: Any, groupby: str, layer: str | None, counts: str | None, test: str,
    n: int | None, key: str, where: str,
) -> None:  # fmt: skip
    check_record(data, key, {"params", "names"})
    advice = "run mvgraph.tl.cluster first, or name a column with groupby"
    column = obs_column(data, groupby, f"{where}: ", advice).astype("category")
    labelled = column.notna().to_numpy()
    column = column[labelled].cat.remove_unused_categories()
    groups, codes = [str(c) for c in column.cat.categories], column.cat.codes.to_numpy()
    if len(groups) < 2:
        raise ValueError(
            f"{where}: obs[{groupby!r}] has {len(groups)} cluster(s); markers need at "
            "least two"
        )
    x, logarithms = _matrix(data, layer, counts, where)
    x, codes = x[labelled], codes.astype(np.intp)
    statistics = feature_statistics(x, codes, len(groups), test)
    names = [str(name) for name in data.var_names]
    every = np.arange(len(names))
    means = profile(where, x, codes, every, names, statistics.difference)
    folds = _fold_changes(means, x, logarithms)
    data.uns[key] = {
        "params": {
            "groupby": groupby, "reference": "rest", "method": METHODS[test],
            "use_raw": False, "layer": layer, "corr_method": "benjamini-hochberg",
            "counts": counts or "as they are",
        },
        **_tables(means, statistics, folds, groups, n),
    }  # fmt: skip


def _matrix(
    data: Any, layer: str | None, counts: str | None, where: str
) -> tuple[Any, bool]:
    """Return the matrix to test, and whether its values are logarithms, not counts."""
    name = "X" if layer is None else f"layers.{layer}"
    matrices = representations(data)
    if name not in matrices:
        names = [key for key in matrices if key == "X" or key.startswith("layers.")]
        raise ValueError(f"{where}: there is no {name}; there are {names}")
    x = matrices[name]
    raw = holds_counts(x)
    if raw and counts == "log1p":
        return log_normalise(x, library_size(x)), True
    if raw and counts is None:
        warn_of_counts({where: x})
    return x, not raw


def _fold_changes(means: Profile, x: Any, logarithms: bool) -> np.ndarray:
    inside, outside = means.mean_inside, means.mean_outside
    if x.min() < 0:
        return np.full_like(inside, np.nan)
    small = 1e-9  # as in scanpy: no division by zero
    with np.errstate(over="ignore", invalid="ignore"):
        if logarithms:
            inside, outside = np.expm1(inside), np.expm1(outside)
        return np.log2((inside + small) / (outside + small))


def _tables(
    means: Profile,
    statistics: Statistics,
    folds: np.ndarray,
    groups: list[str],
    n: int | None,
) -> dict[str, Any]:
    """Lay the statistics out as scanpy does: one field per group, best first."""
    from pandas import DataFrame

    assert statistics.score is not None
    order = np.argsort(-statistics.score, axis=1, kind="stable")[:, :n]
    columns = {
        "names": (np.broadcast_to(np.array(means.names, object), folds.shape), "O"),
        "scores": (statistics.score, "float32"),
        "pvals": (statistics.pvalue, "float64"),
        "pvals_adj": (statistics.pvalue_adjusted, "float64"),
        "logfoldchanges": (folds, "float32"),
    }
    tables: dict[str, Any] = {}
    for name, (values, kind) in columns.items():
        best = np.take_along_axis(values, order, axis=1)
        frame = DataFrame(dict(zip(groups, best, strict=True)))
        tables[name] = frame.to_records(index=False, column_dtypes=kind)
    for name, share in (("pts", means.share_inside), ("pts_rest", means.share_outside)):
        tables[name] = DataFrame(share.T, index=means.names, columns=groups)
    return tables
