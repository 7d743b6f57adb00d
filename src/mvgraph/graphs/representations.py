"""Representations: the same views under several scalings.

Which scaling suits a view is not known without labels, so base partitions are made
under all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Int, Matrix
from mvgraph.ops.linalg.principal import centred_unit_rows, principal_scores
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.parallel import ordered
from mvgraph.ops.shifted import Shifted
from mvgraph.views.container import Views
from mvgraph.views.missing import fill_absent
from mvgraph.views.scaling import (
    apply_steps,
    fit_scaling,
    is_count_like,
    is_mostly_zero,
)

#: Names of the representations.
PLAIN, UNIT = "zscore", "zscore and unit"
SCALINGS = (PLAIN, UNIT, "centred", "roots", "tf-idf")
#: Rows of so few features are not scaled to length 1: that would leave their signs, or
#: their angles, and clusters at other distances from the mean would be one. Of made
#: sets of 3, 4 and 5 features, three groups along one factor (small, middle, large)
#: have an ARI of .61, .68 and .98 if they are scaled and .99 to 1 if not, groups
#: anywhere the same; only profiles of other totals lose (.75 to .66). The labelled sets
#: have at least 6 features.
NARROW = 5


class Representation(NamedTuple):
    """Views of the sample under one scaling, float32."""

    name: str
    arrays: list[Any]  # (N, d) each: ndarray, csr_matrix or Shifted

    def take(self, rows: Int) -> Representation:
        """Return some of the rows."""
        return self._replace(
            arrays=[
                x.take(rows) if isinstance(x, Shifted) else x[rows] for x in self.arrays
            ]
        )

    def reduced(self, n_components: int) -> Representation:
        """Return the views' principal components, rows of unit length kept so."""

        def reduce(x: Matrix | Shifted) -> np.ndarray:
            return principal_scores(x, n_components)

        scores = list(ordered(reduce, self.arrays))
        return self._replace(arrays=finish(scores, unit=self.name != PLAIN))


def informative_rows(views: Views) -> np.ndarray:
    """Return (N, V): True where the view has the row and it is not zero throughout."""
    columns = []
    for v, x in enumerate(views.arrays):
        present = True if views.mask is None else views.mask[:, v]
        nonzero = np.diff(x.indptr) > 0 if sp.issparse(x) else (x != 0).any(axis=1)
        columns.append(nonzero & present)
    informative = np.column_stack(columns)
    # a view of zeros is constant, not absent
    informative[:, ~informative.any(axis=0)] = True
    return informative


def scalings(views: Views) -> dict[str, tuple[str, ...]]:
    """Return the scalings of the views that make a difference.

    They are z-score; z-score and rows to length 1; rows centred by the mean and to
    length 1; the same of signed square roots; tf-idf for views like word counts. (In
    the first two, views that are mostly zero have rows to length 1 instead of
    z-scores.)

    Parameters
    ----------
    views : Views

    Returns
    -------
    dict of str to tuple of V str
        Rules of :func:`mvgraph.views.scaling.fit_scaling` for each view, by the name of
        the representation; the plain one first, `UNIT` always there.
    """
    of_views = [_rules(x) for x in views.arrays]
    ways = {name: tuple(rules[name] for rules in of_views) for name in SCALINGS}
    different: dict[str, tuple[str, ...]] = {}
    for name in SCALINGS if ways[PLAIN] != ways[UNIT] else SCALINGS[1:]:
        if ways[name] not in different.values():
            different[name] = ways[name]
    return different


def represent(
    views: Views, name: str, rules: Sequence[str], informative: np.ndarray
) -> Representation:
    """Scale the views; views that are mostly zero stay, or become, sparse.

    Parameters
    ----------
    views : Views
    name : str
        Of the representation.
    rules : sequence of V str
        From `scalings`.
    informative : ndarray of bool, shape (N, V)
        From `informative_rows`. Other rows are zero.
    """

    def scale(v: int) -> Matrix | Shifted:
        return _scaled(views.arrays[v], rules[v], informative[:, v])

    return Representation(name, list(ordered(scale, range(views.n_views))))


class KnownScores:
    """Principal components of views under a rule, found once while it lives.

    Of the same rows: the rule of both representations may be one, and a view may be
    looked at again without others.
    """

    def __init__(self) -> None:
        self._known: list[tuple[Matrix, str, int, np.ndarray]] = []

    def of(
        self, x: Matrix, rule: str, informative: np.ndarray, n_components: int
    ) -> np.ndarray:
        """Return the scores of a view."""
        for other, *key, scores in self._known:
            if other is x and key == [rule, n_components]:
                return scores
        scores = principal_scores(_scaled(x, rule, informative), n_components)
        self._known.append((x, rule, n_components, scores))
        return scores


def reduced_representation(
    views: Views,
    informative: np.ndarray,
    n_components: int,
    unit: bool = True,
    known: KnownScores | None = None,
) -> Representation:
    """Scale the views in one way alone, and reduce them.

    Parameters
    ----------
    views : Views
    informative : ndarray of bool, shape (N, V)
    n_components : int
        Principal components of every view.
    unit : bool, default=True
        z-score and rows to length 1; else z-score.
    known : KnownScores, optional
        Of the same rows.

    Returns
    -------
    Representation
        Rows that say nothing hold the mean.
    """
    scores = KnownScores() if known is None else known

    def reduce(v: int) -> np.ndarray:
        x = views.arrays[v]
        return scores.of(x, _two_rules(x)[unit], informative[:, v], n_components)

    found = finish(list(ordered(reduce, range(views.n_views))), unit)
    arrays = [
        np.where(rows[:, None], x, x[rows].mean(axis=0))
        for x, rows in zip(found, informative.T, strict=True)
    ]
    return Representation(UNIT if unit else PLAIN, arrays)


def unit_rule(x: Matrix) -> str:
    """Return the rule that scales a view by feature and its rows to length 1."""
    return "auto" if x.shape[1] <= NARROW else "auto+unit"


def finish(scores: list[np.ndarray], unit: bool) -> list[np.ndarray]:
    """Make scores float32, with rows of length 1 if asked; not of narrow views."""
    arrays = [row_normalise(x) if unit and x.shape[1] > NARROW else x for x in scores]
    return [np.ascontiguousarray(x, dtype=np.float32) for x in arrays]


def _rules(x: Matrix) -> dict[str, str]:
    """Return the rule of every representation; the same rule for the same result."""
    plain, unit = _two_rules(x)
    if x.shape[1] <= NARROW:
        return dict.fromkeys(SCALINGS, plain)
    return {
        PLAIN: plain,
        UNIT: unit,
        "centred": "centred",
        "roots": "centred" if _has_one_value(x) else "roots+centred",
        "tf-idf": "tfidf" if is_count_like(x) else unit,
    }


def _two_rules(x: Matrix) -> tuple[str, str]:
    """Return the rules of the plain representation, and of that of unit rows."""
    if is_mostly_zero(x):
        return "unit", "unit"
    return "zscore", "zscore" if x.shape[1] <= NARROW else "zscore+unit"


def _has_one_value(x: Matrix) -> bool:
    """Return True if all entries are zero or one and the same number above it."""
    values = np.asarray(x.data if sp.issparse(x) else x)
    top = values.max(initial=0)
    return bool(((values == 0) | (values == top)).all())


def _scaled(x: Matrix, rule: str, informative: np.ndarray) -> Matrix | Shifted:
    """Scale a view, float32; one that is mostly zero is sparse."""
    if is_mostly_zero(x):
        x = sp.csr_matrix(x)
    scaled = _fit_apply(x, rule, informative)
    if isinstance(scaled, Shifted):
        return scaled._replace(x=scaled.x.astype(np.float32))
    if sp.issparse(scaled):
        return sp.csr_matrix(scaled, dtype=np.float32)
    return np.ascontiguousarray(scaled, dtype=np.float32)


def _fit_apply(x: Matrix, rule: str, informative: np.ndarray) -> Matrix | Shifted:
    """Scale by what the informative rows say; sparse rows are not centred in memory."""
    steps = fit_scaling(x[informative] if not informative.all() else x, rule)
    if steps[-1].rule != "centred":
        return fill_absent(apply_steps(x, steps), informative)
    x = fill_absent(x, informative)
    if isinstance(x, np.ndarray):
        return apply_steps(x, steps)
    *before, centre = steps
    scaled = sp.csr_matrix(apply_steps(x, tuple(before)) / centre.scale)
    return centred_unit_rows(scaled, np.asarray(centre.shift))
