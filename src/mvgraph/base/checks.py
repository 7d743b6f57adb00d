"""Checks of the data in fit and predict: errors and warnings."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from mvgraph.base.parameters import ParameterError, check_parameters, is_integer
from mvgraph.base.result import Note, Result, RowOrderWarning
from mvgraph.ops.wording import counted
from mvgraph.views.casting import is_held_frame
from mvgraph.views.container import Views
from mvgraph.views.missing import groups_of_views

#: Rows that a message lists; if there are more, it gives their number.
SHOWN_ROWS = 5
#: Scaling rules that treat one sample at a time, or may turn into such a rule.
MAY_BE_BY_ROW = {"unit", "rowz", "tfidf", "auto"}


def check_fit(estimator: Any, views: Views, callback: Any = None) -> None:
    """Raise an error for parameters and data that the estimator cannot cluster.

    Raises
    ------
    ValueError
        The message names the parameter or the view, its value, and what to do.
    """
    K, N = estimator.n_clusters, len(views)
    if callback is not None and not callable(callback):
        raise ParameterError(
            "callback must be a function of (done, total, record) or None; got "
            f"{callback!r}."
        )
    if N < 2:
        raise ValueError(f"n_samples={N}: clustering needs at least two samples.")
    check_parameters(estimator)
    if is_integer(K) and N < K:
        raise ValueError(
            f"n_clusters={K} is more than n_samples={N}; ask for fewer clusters."
        )
    if views.mask is None:
        return
    if not views.mask.any(axis=0).all():
        name = views.names[int(np.argmin(views.mask.any(axis=0)))]
        raise ValueError(
            f"view {name!r} has no samples: all its rows are NaN; leave it out."
        )
    if needs_every_view(estimator):
        raise ValueError(_missing_text(views, views.mask, type(estimator).__name__))


def needs_every_view(estimator: Any) -> bool:
    """Return whether an estimator takes no samples that some view lacks."""
    return not estimator._accepts_missing


def _missing_text(views: Views, mask: np.ndarray, method: str) -> str:
    """Name every view that lacks samples, and the samples to drop."""
    lacking = [
        f"view {name!r} lacks {counted(int(count), 'sample')}"
        for name, count in zip(views.names, (~mask).sum(axis=0), strict=True)
        if count
    ]
    rows = np.flatnonzero(~mask.all(axis=1))
    drop = f"the {len(rows)} samples" if len(rows) > 1 else "the sample"
    what = "these views" if len(lacking) > 1 else "the view"
    names = rows if views.ids is None else views.ids[rows]
    first = ", ".join(map(str, names[:SHOWN_ROWS])) + ", ..." * (len(rows) > SHOWN_ROWS)
    which = "row" if views.ids is None else "id"
    which += "s" * (len(rows) > 1)
    return (
        f"Input contains NaN: {'; '.join(lacking)}; {method} needs every view of every "
        f"sample: drop {drop} that some view lacks ({which} {first}) or {what}, or use "
        "a method that takes them, such as graph-consensus."
    )


def fit_notes(estimator: Any, views: Views) -> tuple[Note, ...]:
    """Return warnings about data for which the result may be unexpected."""
    notes = scaling_notes(estimator, views)
    if not estimator._order_free:
        text = (
            f"The result of {type(estimator).__name__} depends on the order of the "
            "rows: files sorted by class give scores that shuffled rows do not reach. "
            "Shuffle the rows, or use a method without this effect, such as "
            "graph-consensus."
        )
        notes = ((text, RowOrderWarning), *notes)
    groups = [] if views.mask is None else groups_of_views(views.mask)
    if len(groups) > 1:
        parts = [
            f"{', '.join(repr(views.names[v]) for v in group)} "
            f"({counted(count, 'sample')})"
            for group, count in groups
        ]
        text = (
            f"The views fall into {len(groups)} groups that have no sample in common: "
            f"{'; '.join(parts)}. The clusters of one group cannot be matched with "
            "those of another. Cluster each group separately, or add samples that have "
            "views of both."
        )
        notes += ((text, UserWarning),)
    return notes


def result_notes(result: Result, n_clusters: int, n_distinct: int) -> tuple[Note, ...]:
    """Return the warnings of a method, and those about too few samples or labels."""
    count = len(np.unique(result.labels))
    text = ""
    if n_distinct == 1 < n_clusters:
        text = (
            f"There is 1 distinct sample, so that no n_clusters={n_clusters} can be "
            "told apart. Look for views in which samples differ."
        )
    elif n_distinct < n_clusters:
        outcome = "some clusters contain copies of others"
        if count < n_clusters:
            outcome = f"only {_nonempty(count)}"
        text = (
            f"There are {n_distinct} distinct samples, fewer than "
            f"n_clusters={n_clusters}; {outcome}. Ask for at most {n_distinct} "
            "clusters."
        )
    elif count < n_clusters and not any(
        issubclass(category, ConvergenceWarning) for _, category in result.warnings
    ):
        ask = f"Ask for at most {count} clusters, or look" if count > 1 else "Look"
        text = (
            f"{_nonempty(count)}, not n_clusters={n_clusters}. {ask} for views without "
            "differences between samples."
        )
        return (*result.warnings, (text, ConvergenceWarning))
    notes: tuple[Note, ...] = ((text, ConvergenceWarning),) if text else ()
    return notes + result.warnings


def _nonempty(count: int) -> str:
    return f"{counted(count, 'cluster')} {'holds' if count == 1 else 'hold'} samples"


def scaling_notes(estimator: Any, views: Views) -> tuple[Note, ...]:
    """Name the views of which the scaling of this estimator leaves almost nothing.

    Rules that scale samples one by one make a view of one feature zero, or a sign.

    Returns
    -------
    tuple
        For ``fit``; empty where every view keeps its differences.
    """
    rule = estimator._scaling_rule()
    if MAY_BE_BY_ROW.isdisjoint(str(rule).split("+")):
        return ()
    from mvgraph.views.flattening import NOTHING, SIGN, flattened_views

    left = flattened_views(views, rule)
    titles = {
        name: f"{name!r} ({counted(d, 'feature')})"
        for name, d in zip(views.names, views.n_features, strict=True)
    }
    effects = (
        (NOTHING, "makes all samples equal in {}: of no effect"),
        (SIGN, "leaves only a sign of each sample in {}"),
    )
    lost = [
        text.format(", ".join(titles[n] for n, what in left.items() if what == kind))
        for kind, text in effects
        if kind in left.values()
    ]
    if not lost:
        return ()
    parameters = estimator.get_params(deep=False)
    advice = f"This is a part of {type(estimator).__name__}. Use"
    if parameters.get("scaling") == rule:
        advice = "Set scaling='zscore', which scales features, or use"
    elif "metric" in parameters:
        advice = advice.replace("Use", "Set metric='euclidean', or use")
    text = (
        f"Scaling sample by sample ({rule.removeprefix('none+')!r}) "
        f"{'; it '.join(lost)}. {advice} a method that does not scale "
        "samples, such as kmeans-concat."
    )
    return ((text, UserWarning),)


def named_features(estimator: Any, X: Any, views: Views) -> dict[str, Any]:
    """Return what scikit-learn keeps of the features; sets no attributes."""
    found = {"n_features_in_": sum(views.n_features)}
    named = views.feature_names[0] is not None and is_held_frame(X)
    if not named or len(X.columns) != found["n_features_in_"]:
        return found  # or one of the columns names the rows
    probe = copy(estimator)  # scikit-learn sets the names on the estimator
    validate_data(probe, X, skip_check_array=True)
    checked = ("n_features_in_", "feature_names_in_")
    return {n: v for n, v in vars(probe).items() if n in checked}
