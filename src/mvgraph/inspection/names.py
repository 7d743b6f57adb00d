"""A name for every cluster, in one line: words of its texts, or features in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from mvgraph.base.kept import names_of
from mvgraph.inspection.groups import (
    Groups,
    Rows,
    described_groups,
    groups_of_model,
)
from mvgraph.inspection.keywords import count_views, keyword_rows, text_views
from mvgraph.inspection.markers import column_names, feature_rows
from mvgraph.tables.encoding import date_in_words
from mvgraph.views.coerce import as_views

#: Words of a name, features of a name, and how many of either it may have where fewer
#: would make two names the same.
WORDS, FEATURES, MOST = 3, 2, 6
#: Features that differ by less, in standard deviations, are not named: a medium effect
#: in the words of Cohen. A second one must differ half as much as the first.
LEAST_EFFECT, BESIDE_FIRST = 0.5, 0.5
#: A feature that is small in a cluster says less of it than one that is large, by this
#: factor. Assumed.
LOW = 0.75
#: Longer names of features are cut in the middle.
LONGEST = 40


def name_clusters(model: Any, X: Any, described_by: Any = None) -> None:
    """Name the clusters of a fitted model that have no name, as `explain` does.

    Parameters
    ----------
    model : fitted clusterer
        Gets ``cluster_names_``.
    X : what the model was fitted on
    described_by : as in :func:`mvgraph.explain`
    """
    groups = groups_of_model(model, X)
    given = as_views(X)
    columns = column_names(given, groups.views)
    groups, columns = described_groups(groups, columns, X, described_by)
    found = names_of_groups(
        groups, columns, count_views(groups, columns, None, text_views(given))
    )
    told = {cluster: name for cluster, name in names_of(model).items() if name}
    for cluster, name in zip(groups.names, found, strict=True):
        taken = name in told.values()
        told.setdefault(cluster, f"{name} ({cluster})" if taken else name)
    model.rename_clusters(told)


def names_of_groups(
    groups: Groups, columns: dict[str, Any], counts: Sequence[str]
) -> list[str]:
    """Name groups by their strongest features and keywords.

    Parameters
    ----------
    groups : Groups
    columns : dict of view name to sequence of str
        Names of the features.
    counts : sequence of str
        Views of word counts.
    """
    features, _ = feature_rows(groups, MOST, columns, None)
    words = keyword_rows(groups, MOST, columns, counts)
    return cluster_names(groups.names, features, words)


def cluster_names(clusters: Sequence[Any], features: Rows, keywords: Rows) -> list[str]:
    """Name clusters, no two alike.

    Parameters
    ----------
    clusters : sequence of int or str
    features, keywords : list of dict
        Rows of :func:`mvgraph.explain`: the features that stand out, and the keywords.
        Words name a cluster, and features where words are few: "high CD19, low CD3".
        The view stands before a feature that has no name of its own, or whose name
        another view has, too.

    Returns
    -------
    list of str
        ``cluster 3`` where nothing stands out. Where more words do not tell two
        clusters apart, their numbers follow in brackets.

    Examples
    --------
    >>> from mvgraph.inspection.names import cluster_names
    >>> row = {"view": "prot", "feature": 0}
    >>> cluster_names([0, 1], [
    ...     row | {"cluster": 0, "name": "CD19", "difference": 2.0},
    ...     row | {"cluster": 0, "name": "CD3", "difference": -1.5},
    ... ], [])
    ['high CD19, low CD3', 'cluster 1']
    """
    several = len({row["view"] for row in features}) > 1
    owners = Counter(name for _, name in {(r["view"], r["name"]) for r in features})
    spoken = {row["view"] for row in keywords}
    parts: list[list[str]] = []
    used: list[int] = []
    for cluster in clusters:
        own = [row for row in keywords if row["cluster"] == cluster]
        own = sorted(own, key=lambda row: -row["weight"])
        words = _different(_word(row) for row in own)
        used.append(WORDS if words else FEATURES)
        own = [row for row in features if row["cluster"] == cluster]
        if words:  # the features of these views are the words
            own = [row for row in own if row["view"] not in spoken]
        words += [
            _feature(row, several, owners[row["name"]] > 1) for row in _telling(own)
        ]
        parts.append(words[:MOST] or [f"cluster {cluster}"])
    return _unique(clusters, parts, used)


def _unique(
    clusters: Sequence[Any], parts: list[list[str]], used: list[int]
) -> list[str]:
    """Join as many parts as are wanted, and more where names would be the same."""
    while True:
        found = [", ".join(p[:n]) for p, n in zip(parts, used, strict=True)]
        count = Counter(found)
        longer = [
            i
            for i, name in enumerate(found)
            if count[name] > 1 and used[i] < len(parts[i])
        ]
        if not longer:
            break
        for i in longer:
            used[i] += 1
    pairs = zip(found, clusters, strict=True)
    return [f"{name} ({c})" if count[name] > 1 else name for name, c in pairs]


def _different(words: Iterable[str]) -> list[str]:
    """Drop words that were there before, in capitals or not."""
    return list({word.casefold(): word for word in reversed([*words])}.values())[::-1]


def _word(row: dict[str, Any]) -> str:
    name = str(row["name"])
    unnamed = name == str(row["feature"])
    return f"{row['view']} word {name}" if unnamed else name


def _telling(rows: Rows) -> Rows:
    """Return the features that differ enough to be named, the most telling first."""

    def effect(row: dict[str, Any]) -> float:
        return float(max(row["difference"], -LOW * row["difference"]))

    rows = sorted(rows, key=lambda row: -effect(row))
    least = max(LEAST_EFFECT, BESIDE_FIRST * effect(rows[0])) if rows else 0.0
    return [row for row in rows if effect(row) >= least]


def _feature(row: dict[str, Any], several: bool, shared: bool) -> str:
    """Write a feature in words: high or low, late or early; a category or not."""
    name = str(row["name"])
    unnamed = name == str(row["feature"])
    if len(name) > LONGEST:
        name = f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"
    if unnamed:
        name = f"feature {name}"
    if several and (unnamed or shared):
        name = f"{row['view']} {name}"
    more = row["difference"] > 0
    if "=" in name and not unnamed:  # a column that was made of a category
        return name if more else f"not {name}"
    return date_in_words(name, more) or ("high " if more else "low ") + name
