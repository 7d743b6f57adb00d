"""The genes behind the principal components of an AnnData or MuData."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.annotated import REDUCED, reduced_key, representations
from mvgraph.views.casting import is_mudata
from mvgraph.views.counts import holds_counts, library_size, log_normalise
from mvgraph.views.joining import take_rows

#: Keys of loadings in ``varm``, by the reduction that they belong to.
LOADINGS = {"X_pca": "PCs", "X_lsi": "LSI"}
#: Genes that are computed from loadings, those with the largest.
MOST_GENES = 2_000


def genes_of(
    data: Any, names: Sequence[str], cells: Iterable[Any]
) -> dict[str, tuple[Any, list[str]]]:
    """Return what the views that are reductions were made of.

    Parameters
    ----------
    data : AnnData or MuData
    names : sequence of str
        Of the views: modality, or modality and key (``rna.X_pca``), or key.
    cells : iterable
        Names of the samples.

    Returns
    -------
    dict of str to (matrix of shape (n_samples, n_genes), list of str)
        By the name of the view: ``X``, counts as log(1 + x) at one library size, and
        its genes. Without an ``X``, the 2,000 genes with the largest loadings, as the
        components describe them. Views that are no reduction are left out.
    """
    found = {}
    cells = [str(cell) for cell in cells]
    for name in names:
        one, key = _part(data, name)
        if one is None or key not in REDUCED or key not in one.obsm:
            continue
        places = {cell: i for i, cell in enumerate(map(str, one.obs_names))}
        rows = np.array([places.get(cell, -1) for cell in cells], dtype=np.intp)
        genes = [str(gene) for gene in one.var_names]
        x = representations(one).get("X")
        if x is None:
            x, kept = _from_loadings(one, key)
            genes = [genes[j] for j in kept]
        elif holds_counts(x):
            x = log_normalise(x, library_size(x))
        if len(genes):
            x = sp.csr_matrix(x) if sp.issparse(x) else np.asarray(x)
            found[name] = (take_rows(x, rows), genes)
    return found


def _part(data: Any, name: str) -> tuple[Any, str]:
    """Return the AnnData of a view, and the key of its matrix there."""
    if not is_mudata(data):
        return data, name
    modality, _, key = name.partition(".")
    if modality not in data.mod:
        return None, ""
    one = data.mod[modality]
    return one, key or reduced_key(one)


def _from_loadings(data: Any, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the genes with the largest loadings as the components describe them."""
    if LOADINGS[key] not in data.varm:
        return np.zeros((len(data.obs_names), 0)), np.zeros(0, dtype=np.intp)
    scores, loadings = (
        np.asarray(x) for x in (data.obsm[key], data.varm[LOADINGS[key]])
    )
    size = (loadings**2 * scores.var(axis=0)).sum(axis=1)
    kept = np.sort(np.argsort(-size, kind="stable")[:MOST_GENES])
    kept = kept[size[kept] > 0]  # genes that were no part of the reduction have zeros
    return scores @ loadings[kept].T, kept
