"""Representations: the same views under several scalings, reduced to a few components.

Which scaling suits a view is not known without labels, so base partitions are made
under all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Matrix
from mvgraph.ops.linalg.principal import centred_unit_rows, principal_scores
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.ops.parallel import ordered
from mvgraph.ops.shifted import Shifted
from mvgraph.views.container import Views
from mvgraph.views.missing import fill_absent
from mvgraph.views.scaling import apply_steps, fit_scaling, is_count_like

#: Principal components, in multiples of the number of clusters.
MULTIPLE = 4
#: Rules of `mvgraph.views.scaling`, by the names of the representations.
SCALINGS = {
    "zscore": "auto",
    "zscore and unit": "auto+unit",
    "centred": "centred",
    "roots": "roots+centred",
    "tf-idf": "tfidf",
}
#: Scaling of views that are not like counts where others have tf-idf.
INSTEAD = "zscore and unit"
#: Rows of so few features are not scaled to length 1: that would leave their signs, or
#: their angles, and clusters at other distances from the mean would be one.
NARROW = 2


class Representation(NamedTuple):
    """Views of the sample under one scaling; rows without information hold the mean."""

    name: str
    arrays: list[np.ndarray]  # float32


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


def representations(
    views: Views, n_clusters: int, informative: np.ndarray
) -> list[Representation]:
    """Scale the views in every way that makes a difference, and reduce them.

    The representations are z-score; z-score and rows to length 1; rows centred by the
    mean and to length 1; the same of signed square roots; tf-idf for views like word
    counts. (In the first two, views that are mostly zero have rows to length 1 instead
    of z-scores.) Views are reduced to 4 K principal components, and all but the first
    representation have rows scaled to length 1 again.

    Parameters
    ----------
    views : Views
    n_clusters : int
        K.
    informative : ndarray of bool, shape (N, V)
        From `informative_rows`.

    Returns
    -------
    list of Representation
        The plain one first.
    """
    # view by view, so that a single one is held under several scalings
    of_views = list(
        ordered(
            lambda v: _scores(
                views.arrays[v], informative[:, v], MULTIPLE * n_clusters
            ),
            range(views.n_views),
        )
    )
    different: dict[str, list[np.ndarray]] = {}
    for name in SCALINGS:
        scores = [found.get(name, found[INSTEAD]) for found in of_views]
        if not any(_same(scores, other) for other in different.values()):
            different[name] = scores
    plain = "zscore" if "zscore and unit" in different else None
    return [
        Representation(name, _finish(scores, informative, unit=name != plain))
        for name, scores in different.items()
    ]


def reduced_representation(
    views: Views, informative: np.ndarray, n_components: int, unit: bool = True
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

    Returns
    -------
    Representation
        The one that :func:`representations` gives this name.
    """

    def reduce(v: int) -> np.ndarray:
        x = views.arrays[v]
        rule = unit_rule(x) if unit else "auto"
        return principal_scores(_fit_apply(x, rule, informative[:, v]), n_components)

    name = "zscore and unit" if unit else "zscore"
    scores = list(ordered(reduce, range(views.n_views)))
    return Representation(name, _finish(scores, informative, unit))


def unit_rule(x: Matrix) -> str:
    """Return the rule that scales a view by feature and its rows to length 1."""
    return "auto" if x.shape[1] <= NARROW else "auto+unit"


def _finish(
    scores: list[np.ndarray], informative: np.ndarray, unit: bool
) -> list[np.ndarray]:
    """Scale rows to length 1; rows without information hold the mean."""
    arrays = []
    for x, known in zip(scores, informative.T, strict=True):
        x = row_normalise(x) if unit and x.shape[1] > NARROW else x
        if not known.all():
            x = x.copy()
            x[~known] = x[known].mean(axis=0)
        arrays.append(np.ascontiguousarray(x, dtype=np.float32))
    return arrays


def _scores(x: Matrix, known: np.ndarray, n_components: int) -> dict[str, np.ndarray]:
    """Return the principal components of a view under every scaling."""
    found: dict[str, np.ndarray] = {}
    for name, rule in SCALINGS.items():
        if x.shape[1] <= NARROW and found:
            return found | {INSTEAD: found["zscore"]}
        if rule != "tfidf" or is_count_like(x):
            found[name] = principal_scores(_fit_apply(x, rule, known), n_components)
    return found


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


def _same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Return True if two scalings came out alike: same lengths of all components."""
    return all(
        p.shape == q.shape
        and np.allclose(np.linalg.norm(p, axis=0), np.linalg.norm(q, axis=0), rtol=1e-5)
        for p, q in zip(a, b, strict=True)
    )
