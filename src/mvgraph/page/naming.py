"""Names of the groups of a page: those of the model, else what stands out."""

from __future__ import annotations

from typing import Any

import numpy as np

from mvgraph.inspection.names import cluster_names
from mvgraph.page.levels import Group, Level


def names_found(level: Level, groups: list[Group]) -> list[str]:
    """Name the groups of a level by what stands out."""
    features = [row for group in groups for row in group.features]
    words = [row for group in groups for row in group.keywords]
    return cluster_names(level.numbers, features, words)


def with_given_names(
    model: Any, level: Level, own: Level, names: list[str]
) -> list[str]:
    """Give the groups that are clusters of the fit the names that the model has.

    Parameters
    ----------
    model : fitted clusterer
    level, own : Level
        Any, and that of the labels.
    names : list of str
        Of the groups of the level.
    """
    given = vars(model).get("cluster_names_")
    if given is None:
        return names
    told = dict(zip(model.cluster_ids_.tolist(), given, strict=True))
    names = list(names)
    for i, number in enumerate(level.numbers):
        name = told.get(number)
        if not name:
            continue
        same = own.codes == own.numbers.index(number)
        if np.array_equal(level.codes == i, same):
            taken = name in names[:i] + names[i + 1 :]
            names[i] = f"{name} ({number})" if taken else name
    return names
