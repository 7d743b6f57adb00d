"""Rank the features of clusters, in the layout that scanpy's plots read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mvgraph.inspection.markers import (
    Profile,
    Statistics,
    check_test,
    feature_statistics,
    profile,
)
from mvgraph.tl._counts import check_counts, warn_of_counts
from mvgraph.tl._writing import check_record, modalities_of
from mvgraph.views.annotated import representations
from mvgraph.views.counts import holds_counts, library_size, log_normalise
from mvgraph.views.kinds import is_annotated, is_mudata

__all__ = ["rank_features"]

METHODS = {"mann-whitney": "wilcoxon", "welch": "t-test"}  # as scanpy calls them


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
        Changed in place; of a MuData each modality by itself.
    groupby : str, default="mvgraph"
        Column of ``obs`` with the clusters. Cells without one are left out.
    layer : str, optional
        Name of a layer; default: ``X``.
    counts : {"log1p", "raw"} or None, default=None
        What to do with raw counts: ``"log1p"``: test log(1 + x) of cells brought to the
        median library size; ``"raw"``: test them as they are. None: the same, with a
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
        ``uns[key_added]`` is no ranking.

    Notes
    -----
    Written to ``uns[key_added]`` of the AnnData, or of every modality: structured
    arrays ``names``, ``scores`` (z or t), ``pvals``, ``pvals_adj``
    (Benjamini-Hochberg over the features of a cluster) and ``logfoldchanges``, with one
    field per cluster and the largest score first; frames ``pts`` and ``pts_rest``
    (shares of cells above zero inside and outside); ``params``. So
    ``scanpy.pl.rank_genes_groups_dotplot`` and ``scanpy.get.rank_genes_groups_df``
    read them. Modalities get the column `groupby` of the MuData too, which these
    plots need.

    Fold changes are those of means of expm1(x), as in scanpy: they are right where x
    is log(1 + counts). Of counts that are taken as they are, they are those of the
    means, and NaN for a matrix with negative values. Scores differ from scanpy's
    Wilcoxon scores by the corrections for ties and for continuity.

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
    if not is_annotated(data):
        raise TypeError(
            f"data must be a MuData or an AnnData, got {type(data).__name__}; for "
            "arrays and DataFrames use mvgraph.explain"
        )
    check_counts(counts)
    check_test(test)
    if not is_mudata(data):
        _rank(data, groupby, layer, counts, test, n_features, key_added, "data")
        return
    for name in modalities_of(data, modalities):
        own = data.mod[name]
        if groupby in data.obs:  # without this column, scanpy draws nothing
            own.obs[groupby] = data.obs[groupby].reindex(own.obs_names)
        _rank(own, groupby, layer, counts, test, n_features, key_added, name)


def _rank(
    data: Any, groupby: str, layer: str | None, counts: str | None, test: str,
    n: int | None, key: str, where: str,
) -> None:  # fmt: skip
    check_record(data, key, {"params", "names"})
    column = _column(data, groupby, where)
    known = (column.cat.codes >= 0).to_numpy()
    column = column[known].cat.remove_unused_categories()
    groups, codes = [str(c) for c in column.cat.categories], column.cat.codes.to_numpy()
    if len(groups) < 2:
        raise ValueError(
            f"{where}: obs[{groupby!r}] has {len(groups)} cluster(s); markers need at "
            "least two"
        )
    x, kind = _matrix(data, layer, counts, where)
    x, codes = x[known], codes.astype(np.intp)
    found = feature_statistics(x, codes, len(groups), test)
    names = [str(name) for name in data.var_names]
    every = np.arange(len(names))
    own = profile(where, x, codes, every, names, found.difference)
    data.uns[key] = {
        "params": {
            "groupby": groupby, "reference": "rest", "method": METHODS[test],
            "use_raw": False, "layer": layer, "corr_method": "benjamini-hochberg",
            "counts": counts or "as they are",
        },
        **_tables(own, found, _fold_changes(own, x, kind), groups, n),
    }  # fmt: skip


def _column(data: Any, groupby: str, where: str) -> Any:
    if groupby not in data.obs:
        raise ValueError(
            f"{where}: obs has no {groupby!r}; it has {list(data.obs.columns)}. Run "
            "mvgraph.tl.cluster first, or name a column by groupby"
        )
    return data.obs[groupby].astype("category")


def _matrix(
    data: Any, layer: str | None, counts: str | None, where: str
) -> tuple[Any, str]:
    """Return the matrix to test, and whether it is counts or logarithms of them."""
    name = "X" if layer is None else f"layers.{layer}"
    held = representations(data)
    if name not in held:
        kept = [key for key in held if key == "X" or key.startswith("layers.")]
        raise ValueError(f"{where}: there is no {name}; there are {kept}")
    x = held[name]
    raw = holds_counts(x)
    if raw and counts == "log1p":
        return log_normalise(x, library_size(x)), "log1p"
    if raw and counts is None:
        warn_of_counts({where: x}, stacklevel=5)
    return x, "counts" if raw else "log1p"


def _fold_changes(own: Profile, x: Any, kind: str) -> np.ndarray:
    if x.min() < 0:
        return np.full_like(own.mean_inside, np.nan)
    small = 1e-9  # as in scanpy: no division by zero
    means = (own.mean_inside, own.mean_outside)
    if kind == "log1p":
        means = tuple(np.expm1(m) for m in means)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.log2((means[0] + small) / (means[1] + small))


def _tables(
    own: Profile, found: Statistics, folds: np.ndarray, groups: list[str], n: int | None
) -> dict[str, Any]:
    """Lay the statistics out as scanpy does: one field per group, best first."""
    from pandas import DataFrame

    assert found.score is not None
    order = np.argsort(-found.score, axis=1, kind="stable")[:, :n]
    columns = {
        "names": (np.broadcast_to(np.array(own.names, object), folds.shape), "O"),
        "scores": (found.score, "float32"),
        "pvals": (found.pvalue, "float64"),
        "pvals_adj": (found.adjusted, "float64"),
        "logfoldchanges": (folds, "float32"),
    }
    tables: dict[str, Any] = {}
    for name, (values, kind) in columns.items():
        best = np.take_along_axis(values, order, axis=1)
        frame = DataFrame(dict(zip(groups, best, strict=True)))
        tables[name] = frame.to_records(index=False, column_dtypes=kind)
    for name, share in (("pts", own.share_inside), ("pts_rest", own.share_outside)):
        tables[name] = DataFrame(share.T, index=own.names, columns=groups)
    return tables
