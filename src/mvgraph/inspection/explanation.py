"""What clusters are made of: votes of views, exemplars, features that stand out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.inspection.groups import (
    Rows,
    contributions,
    described_groups,
    exemplars,
    groups_of_labels,
    groups_of_model,
)
from mvgraph.inspection.keywords import count_views, keyword_rows, text_views
from mvgraph.inspection.markers import (
    Profile,
    check_number,
    check_test,
    column_names,
    feature_rows,
)
from mvgraph.inspection.names import names_of_groups
from mvgraph.ops.wording import html_table
from mvgraph.views.coerce import as_views

SHOWN = 3  # features per cluster and view in a notebook
MOST_LINES = 16  # clusters of the text
TABLES = ("features", "keywords", "exemplars", "contributions")
#: Columns of tables that may have no rows, and the reason.
EMPTY = {
    "keywords": (
        ("cluster", "view", "rank", "feature", "name", "weight"),
        "no view was taken as counts of words, or none of them has a word; name such "
        "views: explain(..., counts=[...])",
    ),
    "exemplars": (
        ("cluster", "rank", "row", "id", "closeness"),
        "there is no embedding: only a fitted model that embeds the samples shows "
        "which are typical",
    ),
    "features": (
        ("cluster", "view", "rank", "feature", "name", *Profile._fields[3:]),
        "n_features is 0",
    ),
}


class Explanation(NamedTuple):
    """Tables that describe clusters; see :func:`explain`."""

    contributions: np.ndarray | None  # (n, V), rows sum to one
    exemplars: Rows
    features: Rows
    view_names: tuple[str, ...]
    keywords: Rows
    profiles: list[Profile]
    clusters: list[Any]
    counts: tuple[str, ...] = ()  # views that were taken as counts of words
    names_: tuple[str, ...] = ()  # of the clusters

    def __repr__(self) -> str:
        """Return a line per cluster: its name, and what else stands out."""
        shown = [
            f"  {cluster}: {name}"
            for cluster, name in zip(self.clusters, self.names_, strict=True)
        ]
        more = len(shown) - MOST_LINES
        if more > 0:
            shown = [*shown[:MOST_LINES], f"  and {more} more in names_"]
        tables = ", ".join(
            f"{name} ({len(self._asdict()[name])} rows)"
            for name in ("features", "keywords", "exemplars")
        )
        views = ", ".join(self.view_names)
        head = f"Explanation of {len(self.clusters)} clusters in the views {views}"
        return "\n".join([head, *shown, f"  to_frame(table): {tables}"])

    def to_frame(self, table: str = "features", backend: str = "pandas") -> Any:
        """Return one table as a DataFrame.

        Parameters
        ----------
        table : {"features", "keywords", "exemplars", "contributions"}
        backend : {"pandas", "polars"}
            The package that makes the frame.

        Warns
        -----
        UserWarning
            The table has no rows; the message states why.
        """
        if table not in TABLES:
            raise ValueError(f"table must be one of {TABLES}; got {table!r}.")
        if backend not in ("pandas", "polars"):
            raise ValueError(f"backend must be 'pandas' or 'polars'; got {backend!r}.")
        try:
            frame = import_module(backend).DataFrame
        except ImportError as error:
            raise ImportError(f"to_frame needs {backend}: install it") from error
        if table != "contributions":
            rows = self._asdict()[table]
            return frame(rows) if rows else frame(_no_rows(table))
        if self.contributions is None:
            raise ValueError(
                "There are no contributions: only GraphConsensus, AnchorFilter and "
                "MGL have a vote of every view."
            )
        return frame(dict(zip(self.view_names, self.contributions.T, strict=True)))

    def plot(self, view: str | None = None, n_features: int = 3, ax: Any = None) -> Any:
        """Draw a dot plot of the features with the largest difference per cluster.

        Parameters
        ----------
        view : str, optional
            Default: the first view.
        n_features : int, default=3
            How many per cluster, at most as many as in :func:`explain`.
        ax : matplotlib axes, optional

        Returns
        -------
        DotPlotDisplay
            See :class:`mvgraph.display.DotPlotDisplay`.
        """
        from mvgraph.display import DotPlotDisplay

        return DotPlotDisplay.from_explanation(self, view, n_features).plot(ax)

    def _repr_html_(self) -> str:
        """Return the features (and keywords) of every cluster, for notebooks."""
        head = ["cluster", *self.view_names, *(["keywords"] if self.keywords else [])]
        rows = [
            [
                cluster,
                *(_listed(self.features, cluster, view) for view in self.view_names),
                *([_listed(self.keywords, cluster)] if self.keywords else []),
            ]
            for cluster in self.clusters
        ]
        title = "Features that stand out; \u25bc: smaller than elsewhere"
        return html_table(title, head, rows)


def _no_rows(table: str) -> dict[str, list[Any]]:
    """Return the columns of a table without rows, and warn with the reason."""
    columns, reason = EMPTY[table]
    warnings.warn(f"There are no {table}: {reason}.", UserWarning, stacklevel=3)
    return {column: [] for column in columns}


def _listed(rows: Rows, cluster: Any, view: str | None = None) -> str:
    """Join the names of the first features of a cluster."""
    names = [
        str(row["name"]) + (" \u25bc" if row.get("difference", 0) < 0 else "")
        for row in rows
        if row["cluster"] == cluster and view in (None, row["view"])
    ]
    return ", ".join(names[:SHOWN])


def explain(
    model: Any,
    X: Any,
    *,
    n_exemplars: int = 5,
    n_features: int | None = 5,
    n_keywords: int = 10,
    test: str | None = "mann-whitney",
    counts: Sequence[str] | None = None,
    feature_names: dict[str, Any] | None = None,
    described_by: dict[str, Any] | None = None,
) -> Explanation:
    """Describe what distinguishes clusters, for a model or for views and labels.

    ``explain(model, X)`` takes any fitted clusterer with ``labels_`` and the rows it
    was fitted on, ``explain(X, labels)`` any input of views and one label per sample.

    Parameters
    ----------
    model : fitted clusterer, or views
    X : what the model was fitted on, or labels
        Labels are numbers or words; negative or missing ones are in no cluster and left
        out. A pandas Series is matched by its index if the views name their rows.
    n_exemplars : int, default=5
        How many per cluster.
    n_features : int or None, default=5
        How many per cluster and view; None: all.
    n_keywords : int, default=10
        How many per cluster and view.
    test : {"mann-whitney", "welch"} or None, default="mann-whitney"
        Test of every feature, inside against outside: the rank sum in its normal
        approximation, or the t test with unequal variances. None: no test, which is
        faster.
    counts : sequence of str, optional
        Names of views of word counts, which get keywords. Default: views of whole
        numbers, none negative, sparse, or mostly zero with named columns; and text.
    feature_names : dict of view name to sequence of str, optional
        One name per column, in the order of X. Default: columns of DataFrames and
        files, genes of AnnData; else numbers.
    described_by : dict of view name to DataFrame or (matrix, names), optional
        Other columns of the samples, for the features and keywords of a view that says
        little, such as components. Default: of an AnnData or MuData the genes.

    Returns
    -------
    Explanation
        ``contributions``, shape (n_samples, n_views): how much each view supports the
        sample's cluster, as shares of the sample: the share of that cluster among the
        view's nearest anchors, above chance. Zero for a view that the sample lacks or
        that the fit left out; equal shares where no view is above chance. None for
        models without anchors and for labels.
        ``exemplars``, dicts of cluster, rank, row, id and closeness: the rows nearest
        to the mean of their cluster in the embedding of the joint graph (cosine). Empty
        without an embedding.
        ``features``, dicts of cluster, view, rank, feature, name, difference (the
        effect: mean inside minus mean outside over the standard deviation of all rows
        that have the view, the largest in absolute value first), mean_inside,
        mean_outside, share_inside and share_outside (of rows above zero), and with a
        test score (z or t), pvalue and pvalue_adjusted (Benjamini-Hochberg, over the
        features of the view, cluster by cluster).
        ``keywords``, dicts of cluster, view, rank, feature, name and weight:
        class-based tf-idf. ``counts``, names of the views that they come from.
        ``names_``, a name for every one of ``clusters``, no two alike: its first
        keywords, or the features that differ most, such as "high CD19, low CD3".

    Raises
    ------
    ValueError
        X lacks views, columns or rows of the fit, or has its rows in another order;
        labels do not fit the views; names are given for views that do not exist, or
        not one per column; no sample of a cluster has a view.

    Warns
    -----
    UserWarning
        X has other values than in the fit and no ids to match the rows: labels are
        matched by position.

    Notes
    -----
    Models of mvgraph keep a hash of their rows, which reveals another order; for models
    of other packages only ids and the number of rows can be compared.

    Clusters differ in the data in which they were found even if there are no groups:
    p-values rank the features; they do not show that the clusters are real.

    References
    ----------
    Benjamini, Hochberg, "Controlling the false discovery rate", Journal of the Royal
    Statistical Society B 57, 1995, :doi:`10.1111/j.2517-6161.1995.tb02031.x`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import AnchorFilter
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4)); X[:30, 2] += 9
    >>> why = explain(AnchorFilter(2, random_state=0).fit([X]), [X], n_features=1)
    >>> [row["feature"] for row in why.features]
    [2, 2]
    """
    check_test(test)
    check_number("n_exemplars", n_exemplars)
    check_number("n_keywords", n_keywords)
    check_number("n_features", n_features, optional=True)
    fitted = hasattr(model, "fit")
    if fitted:
        check_is_fitted(model, "labels_")
    groups = groups_of_model(model, X) if fitted else groups_of_labels(model, X)
    views = groups.views
    given = as_views(X if fitted else model)
    names = column_names(given, views, feature_names)
    groups, names = described_groups(
        groups, names, X if fitted else model, described_by
    )
    features, profiles = feature_rows(groups, n_features, names, test)
    words = count_views(groups, names, counts, text_views(given))
    predictor = vars(model).get("predictor_") if fitted else None
    embedded = fitted and vars(model).get("embedding_") is not None
    return Explanation(
        None if predictor is None else contributions(predictor, views, model.labels_),
        exemplars(model, views, n_exemplars) if embedded else [],
        features,
        views.names,
        keyword_rows(groups, n_keywords, names, words),
        profiles,
        groups.names,
        words,
        tuple(names_of_groups(groups, names, words)),
    )
