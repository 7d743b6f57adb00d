"""Representations: the same views under several scalings, reduced to a few components.

Which scaling suits a view is not known without labels, so base partitions are made
under all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.linalg.principal import principal_scores
from mvgraph.ops.linalg.spectral import row_normalise
from mvgraph.views.container import Views
from mvgraph.views.scaling import apply_steps, fill_absent, fit_scaling, is_count_like

__all__ = ["Representation", "informative_rows", "representations"]

#: Numbers of principal components, in multiples of the number of clusters.
MULTIPLES = (2, 4, 8)


class Representation(NamedTuple):
    """Views of the sample under one scaling; rows without information hold the mean."""

    name: str
    arrays: list[np.ndarray]  # float32


def informative_rows(views: Views) -> np.ndarray:
    """Return, (N, V), where a view says anything: present and not zero throughout."""
    columns = []
    for v, x in enumerate(views.arrays):
        present = True if views.mask is None else views.mask[:, v]
        nonzero = np.diff(x.indptr) > 0 if sp.issparse(x) else (x != 0).any(axis=1)
        columns.append(nonzero & present)
    says = np.column_stack(columns)
    says[:, ~says.any(axis=0)] = True  # a view of zeros is constant, not absent
    return says


def representations(views: Views, n_clusters: int) -> list[Representation]:
    """Scale the views in every way that makes a difference, and reduce them.

    The ways are z-score; z-score and rows to length 1; rows centred by the mean and to
    length 1; the same of signed square roots; tf-idf for views like word counts. (In
    the first two, views that are mostly zero have rows to length 1 instead of
    z-scores.) All but the first are reduced to 2 K, 4 K and 8 K principal components
    and their rows scaled to length 1 again.

    Parameters
    ----------
    views : Views
    n_clusters : int
        K.

    Returns
    -------
    list of Representation
    """
    says = informative_rows(views)
    different: dict[str, list[np.ndarray]] = {}
    for name, scaled in _scaled(views, says).items():
        most = [principal_scores(x, MULTIPLES[-1] * n_clusters) for x in scaled]
        if not any(_same(most, other) for other in different.values()):
            different[name] = most
    out = []
    for name, most in different.items():
        plain = name == "zscore" and "zscore and unit" in different
        out += _reduced(name, most, says, n_clusters, plain)
    return out


def _reduced(
    name: str, most: list, says: np.ndarray, K: int, plain: bool
) -> list[Representation]:
    """Cut to each number of components; rows to length 1, but of plain z-scores."""
    out: list[Representation] = []
    previous = 0
    for multiple in (MULTIPLES[1],) if plain else MULTIPLES:
        if previous and max(x.shape[1] for x in most) <= previous * K:
            break  # nothing left to cut off
        previous = multiple
        arrays = [x[:, : multiple * K] for x in most]
        arrays = arrays if plain else [row_normalise(x) for x in arrays]
        for v, x in enumerate(arrays):
            silent = ~says[:, v]
            if silent.any():
                x = arrays[v] = x.copy()
                x[silent] = x[~silent].mean(axis=0)
        ready = [np.ascontiguousarray(x, dtype=np.float32) for x in arrays]
        out.append(Representation(f"{name}, {multiple} K", ready))
    return out


def _scaled(views: Views, says: np.ndarray) -> dict[str, list]:
    """Return the views under every way of scaling."""
    auto = [_fit_apply(x, "auto", says[:, v]) for v, x in enumerate(views.arrays)]
    unit = [_fit_apply(x, "unit", says[:, v]) for v, x in enumerate(auto)]
    out = {"zscore": auto, "zscore and unit": unit}
    present = [
        fill_absent(_dense(x), m) for x, m in zip(views.arrays, says.T, strict=True)
    ]
    out["centred"] = [_centred_unit(x, m) for x, m in zip(present, says.T, strict=True)]
    roots = [np.sign(x) * np.sqrt(np.abs(x)) for x in present]
    out["roots"] = [_centred_unit(x, m) for x, m in zip(roots, says.T, strict=True)]
    if any(is_count_like(x) for x in views.arrays):
        out["tf-idf"] = [
            _fit_apply(x, "tfidf", says[:, v]) if is_count_like(x) else unit[v]
            for v, x in enumerate(views.arrays)
        ]
    return out


def _fit_apply(x, rule: str, says: np.ndarray):
    steps = fit_scaling(x[says] if not says.all() else x, rule)
    return fill_absent(apply_steps(x, steps), says)


def _centred_unit(x: np.ndarray, says: np.ndarray) -> np.ndarray:
    peak = np.abs(x).max()
    x = x / (peak if peak > 0 else 1)  # squares must not overflow
    return row_normalise(x - x[says].mean(axis=0))


def _dense(x) -> np.ndarray:
    return x.toarray() if sp.issparse(x) else np.asarray(x, dtype=np.float64)


def _same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    """Tell whether two scalings came out alike: same lengths of all components."""
    return all(
        p.shape == q.shape
        and np.allclose(np.linalg.norm(p, axis=0), np.linalg.norm(q, axis=0), rtol=1e-5)
        for p, q in zip(a, b, strict=True)
    )
