"""Features that stand out in a cluster: effect, shares above zero, test, their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from mvgraph.base.parameters import ParameterError
from mvgraph.inspection.groups import Groups
from mvgraph.ops.group_tests import (
    GroupTest,
    group_means,
    mann_whitney,
    positive_shares,
    welch,
)
from mvgraph.ops.labels import cluster_sums
from mvgraph.views.container import Views
from mvgraph.views.feature_names import names_by_view

__all__ = [
    "Profile",
    "Statistics",
    "check_number",
    "check_test",
    "column_names",
    "feature_rows",
    "feature_statistics",
    "profile",
]

TESTS: dict[str, Callable[..., GroupTest]] = {
    "mann-whitney": mann_whitney,
    "welch": welch,
}


class Statistics(NamedTuple):
    """Statistics of all features of one view, clusters x features."""

    difference: np.ndarray
    score: np.ndarray | None
    pvalue: np.ndarray | None
    adjusted: np.ndarray | None  # Benjamini-Hochberg, over the features of a cluster


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
    """Refuse a test that is not known."""
    if test is not None and test not in TESTS:
        raise ParameterError(f"test must be one of {[*TESTS, None]}; got {test!r}.")


def check_number(name: str, n: Any) -> None:
    """Refuse what is no whole number, or below zero."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise ParameterError(f"{name} must be a whole number from 0 on; got {n!r}.")


def feature_statistics(
    x: Any, groups: np.ndarray, n_groups: int, test: str | None
) -> Statistics:
    """Compare every feature inside and outside every cluster.

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
    both = []
    for inside in (
        group_means(part, groups, K),
        positive_shares(part, groups, K),
    ):
        total = (size * inside).sum(axis=0)
        others = (total - size * inside) / np.maximum(len(groups) - size, 1)
        both += [inside, others]
    return Profile(view, features, names, difference[:, features], *both)


def standardised_difference(
    x: Any, labels: np.ndarray, n_clusters: int | None = None
) -> np.ndarray:
    """Mean inside minus mean outside every cluster, over the standard deviation.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    labels : ndarray of int, shape (n,)
    n_clusters : int, optional
        Default: the largest label plus one.

    Returns
    -------
    ndarray of shape (n_clusters, d)
        Zero for constant features, and for a cluster without rows or with all rows.
    """
    n, K = len(labels), n_clusters or int(labels.max()) + 1
    x = x if sp.issparse(x) else np.asarray(x, dtype=np.float64)
    peak = float(abs(x).max())
    x = x / (peak if peak > 0 else 1)  # squares of 1e200 overflow
    sums = cluster_sums(x, labels, K)
    sizes = np.bincount(labels, minlength=K)[:, None]
    mean = sums.sum(axis=0) / n
    if sp.issparse(x):
        square = np.asarray(x.multiply(x).mean(axis=0)).ravel()
        std = np.sqrt(np.maximum(square - mean**2, 0))
    else:
        std = x.std(axis=0)
    inside = sums / np.maximum(sizes, 1)
    outside = (n * mean - sums) / np.maximum(n - sizes, 1)
    steady = (std > 1e-9 * np.maximum(np.abs(mean), 1e-300)) & (sizes > 0) & (sizes < n)
    return np.where(steady, (inside - outside) / np.where(std > 0, std, 1), 0)


Rows = list[dict[str, Any]]


def column_names(given: Views, views: Views, others: Any = None) -> dict[str, Any]:
    """Return the names of the columns by view.

    Parameters
    ----------
    given : Views
        As the caller brought them.
    views : Views
        The same in the order of the fit, which may have named columns too.
    others : dict of str to sequence of str, optional
        Go first; in the order of the columns of `given`.

    Raises
    ------
    ValueError
        `others` names no view, or not all of its columns.
    """
    brought, known = _held(given), _held(views)
    named = names_by_view(others, views.names, views.n_features)
    for view in named.keys() & brought.keys() & known.keys():
        places = {name: i for i, name in enumerate(brought[view])}
        if len(places) == len(brought[view]) and set(places) == set(known[view]):
            # columns were brought into the order of the fit, and their names follow
            named[view] = tuple(named[view][places[name]] for name in known[view])
    return brought | known | named


def _held(views: Views) -> dict[str, Any]:
    pairs = zip(views.names, views.feature_names, strict=True)
    return {name: own for name, own in pairs if own is not None}


def feature_rows(
    groups: Groups, n: int | None, names: dict[str, Any], test: str | None
) -> tuple[Rows, list[Profile]]:
    """List the features that stand out, by cluster, and describe them in all."""
    out: list[tuple[int, dict[str, Any]]] = []
    profiles = []
    for v, view in enumerate(groups.views.names):
        x, codes = groups.rows(v)
        found = feature_statistics(x, codes, len(groups.names), test)
        top = np.argsort(-np.abs(found.difference), axis=1, kind="stable")[:, :n]
        largest = np.argsort(-found.difference, axis=1, kind="stable")[:, :n]
        chosen = np.unique(np.r_[top, largest])  # the largest are drawn
        called = [str(names[view][j]) if view in names else str(j) for j in chosen]
        own = profile(view, x, codes, chosen, called, found.difference)
        profiles.append(own)
        for k, cluster in enumerate(groups.names):
            columns = np.searchsorted(chosen, top[k])
            for rank, at in enumerate(columns.tolist()):
                head = {"cluster": cluster, "view": view, "rank": rank}
                out.append((k, head | _feature(own, found, k, at)))
    return [row for _, row in sorted(out, key=lambda pair: pair[0])], profiles


def _feature(own: Profile, found: Statistics, k: int, at: int) -> dict[str, Any]:
    """Return one row of the table of features."""
    j = int(own.features[at])
    row: dict[str, Any] = {"feature": j, "name": own.names[at]}
    for key, table in zip(own._fields[3:], own[3:], strict=True):
        row[key] = float(table[k, at])
    values = (found.score, found.pvalue, found.adjusted)
    keys = ("score", "pvalue", "pvalue_adjusted")
    for key, held in zip(keys, values, strict=True):
        if held is not None:
            row[key] = float(held[k, j])
    return row
