"""Features that stand out in a cluster: effect, shares above zero, tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from mvgraph.base.parameters import ParameterError, is_integer
from mvgraph.inspection.groups import Groups, Rows
from mvgraph.ops.group_tests import (
    GroupTest,
    group_means,
    mann_whitney,
    positive_shares,
    welch,
)
from mvgraph.views.container import Views
from mvgraph.views.feature_names import names_by_view

TESTS: dict[str, Callable[..., GroupTest]] = {
    "mann-whitney": mann_whitney,
    "welch": welch,
}


class Statistics(NamedTuple):
    """Statistics of all features of one view, clusters x features."""

    difference: np.ndarray
    score: np.ndarray | None
    pvalue: np.ndarray | None
    # Benjamini-Hochberg, over the features of a cluster
    pvalue_adjusted: np.ndarray | None


class Profile(NamedTuple):
    """Some features of one view in all clusters, clusters x features."""

    view: str
    features: np.ndarray  # numbers of the columns
    names: list[str]
    difference: np.ndarray
    mean_inside: np.ndarray
    mean_outside: np.ndarray
    share_inside: np.ndarray  # above zero
    share_outside: np.ndarray


def check_test(test: str | None) -> None:
    """Reject an unknown test."""
    if test is not None and test not in TESTS:
        raise ParameterError(f"test must be one of {[*TESTS, None]}; got {test!r}.")


def check_number(name: str, n: Any, optional: bool = False) -> None:
    """Reject anything but a whole number of at least 0, or None if it is optional."""
    if not (n is None and optional) and (not is_integer(n) or n < 0):
        raise ParameterError(f"{name} must be a whole number, at least 0; got {n!r}.")


def feature_statistics(
    x: Any, groups: np.ndarray, n_groups: int, test: str | None
) -> Statistics:
    """Compare every feature inside and outside of every cluster.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    groups : ndarray of int, shape (n,)
    n_groups : int
    test : {"mann-whitney", "welch"} or None

    Returns
    -------
    Statistics
    """
    difference = standardised_difference(x, groups, n_groups)
    if test is None:
        return Statistics(difference, None, None, None)
    score, p = TESTS[test](x, groups, n_groups)
    return Statistics(difference, score, p, false_discovery_control(p, axis=1))


def profile(
    view: str, x: Any, groups: np.ndarray, features: np.ndarray, names: list[str],
    difference: np.ndarray,
) -> Profile:  # fmt: skip
    """Describe the chosen features in all clusters.

    Parameters
    ----------
    view : str
    x : ndarray or csr_matrix of shape (n, d)
    groups : ndarray of int, shape (n,)
    features : ndarray of int, shape (f,)
    names : list of str
    difference : ndarray of shape (K, d)
    """
    K = len(difference)
    part = x if len(features) == x.shape[1] else x[:, features]
    size = np.bincount(groups, minlength=K)[:, None]
    means = _sides(group_means(part, groups, K), size)
    shares = _sides(positive_shares(part, groups, K), size)
    return Profile(view, features, names, difference[:, features], *means, *shares)


def _sides(inside: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means inside of every cluster, and those of all rows outside of it."""
    total = (size * inside).sum(axis=0)
    return inside, (total - size * inside) / np.maximum(size.sum() - size, 1)


def standardised_difference(x: Any, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return mean inside minus mean outside of every cluster in standard deviations.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    labels : ndarray of int, shape (n,)
    n_clusters : int

    Returns
    -------
    ndarray of shape (n_clusters, d)
        Zero for constant features, and for a cluster without rows or with all rows.
    """
    n, K = len(labels), n_clusters
    x = x if sp.issparse(x) else np.asarray(x, dtype=np.float64)
    peak = float(abs(x).max())
    x = x / (peak if peak > 0 else 1)  # squares of 1e200 overflow
    sizes = np.bincount(labels, minlength=K)[:, None]
    inside, outside = _sides(group_means(x, labels, K), sizes)
    mean = (sizes * inside).sum(axis=0) / n
    if sp.issparse(x):
        square = np.asarray(x.multiply(x).mean(axis=0)).ravel()
        std = np.sqrt(np.maximum(square - mean**2, 0))
    else:
        std = x.std(axis=0)
    steady = (std > 1e-9 * np.maximum(np.abs(mean), 1e-300)) & (sizes > 0) & (sizes < n)
    return np.where(steady, (inside - outside) / np.where(std > 0, std, 1), 0)


def column_names(given: Views, views: Views, others: Any = None) -> dict[str, Any]:
    """Return the names of the columns by view.

    Parameters
    ----------
    given : Views
        As the caller passed them.
    views : Views
        The same in the order of the fit, which may also have named columns.
    others : dict of str to sequence of str, optional
        Replace the others; in the order of the columns of `given`.

    Raises
    ------
    ValueError
        `others` has a name that no view has, or does not name all columns of a view.
    """
    passed, fitted = _by_view(given), _by_view(views)
    named = names_by_view(others, views.names, views.n_features)
    for view in named.keys() & passed.keys() & fitted.keys():
        places = {name: i for i, name in enumerate(passed[view])}
        if len(places) == len(passed[view]) and set(places) == set(fitted[view]):
            # columns are in the order of the fit, and their names follow
            named[view] = tuple(named[view][places[name]] for name in fitted[view])
    return passed | fitted | named


def _by_view(views: Views) -> dict[str, Any]:
    pairs = zip(views.names, views.feature_names, strict=True)
    return {view: columns for view, columns in pairs if columns is not None}


def feature_rows(
    groups: Groups, n: int | None, names: dict[str, Any], test: str | None
) -> tuple[Rows, list[Profile]]:
    """List the features that stand out, by cluster, and describe them in all."""
    rows: Rows = []
    profiles = []
    for v, view in enumerate(groups.views.names):
        x, codes = groups.rows(v)
        statistics = feature_statistics(x, codes, len(groups.names), test)
        difference = statistics.difference
        top = np.argsort(-np.abs(difference), axis=1, kind="stable")[:, :n]
        largest = np.argsort(-difference, axis=1, kind="stable")[:, :n]
        chosen = np.unique(np.r_[top, largest])  # the largest are drawn
        labels = [str(names[view][j]) if view in names else str(j) for j in chosen]
        table = profile(view, x, codes, chosen, labels, difference)
        profiles.append(table)
        values = dict(zip(table._fields[3:], table[3:], strict=True))
        for key, whole in statistics._asdict().items():
            if whole is not None:
                values[key] = whole[:, chosen]
        for k, cluster in enumerate(groups.names):
            for rank, j in enumerate(top[k].tolist()):
                at = int(np.searchsorted(chosen, j))
                row = {"cluster": cluster, "view": view, "rank": rank, "feature": j}
                row["name"] = labels[at]
                rows.append(row | {key: float(values[key][k, at]) for key in values})
    return groups.by_cluster(rows), profiles
