"""Results of single-cell tools, written where scanpy looks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.affinity.sample_graph import (
    keep_strongest,
    sample_graph,
    symmetric_maximum,
)

__all__ = ["modalities_of", "spread_rows", "write_graph", "write_labels"]


def modalities_of(data: Any, modalities: str | Sequence[str] | None) -> list[str]:
    """Return the names of the modalities that shall get labels too.

    Raises
    ------
    ValueError
        There is no such modality, or the object is an AnnData.
    """
    if modalities is None:
        return []
    known = list(getattr(data, "mod", {}))
    if not known:
        raise ValueError(
            "modalities names parts of a MuData, but data is an AnnData; leave it out"
        )
    wanted = [modalities] if isinstance(modalities, str) else list(modalities)
    if wanted == ["all"]:
        return known
    for name in wanted:
        if name not in known:
            raise ValueError(f"there is no modality {name!r}; there are {known}")
    return wanted


def write_labels(
    data: Any,
    rows: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    key: str,
    modalities: Sequence[str] = (),
) -> None:
    """Write labels as categories, strings in numerical order; also into modalities."""
    from pandas import Categorical, Series

    codes = np.full(len(data.obs_names), -1)
    codes[rows] = labels
    names = [str(k) for k in range(n_clusters)]
    data.obs[key] = Categorical.from_codes(codes, categories=names)
    for name in modalities:
        own = data.mod[name]
        held = Series(codes, index=data.obs_names).reindex(own.obs_names)
        own.obs[key] = Categorical.from_codes(
            held.fillna(-1).to_numpy(dtype=int), categories=names
        )


def write_graph(
    data: Any, graph: Any, rows: np.ndarray, n_neighbors: int, key: str
) -> dict[str, str]:
    """Write the joint graph of cells where scanpy expects it; return its keys."""
    square = graph.shape[0] == graph.shape[1]
    Z = sp.csr_matrix(graph)
    if square:  # some methods learn a graph of samples
        links = symmetric_maximum(keep_strongest(Z, 0, n_neighbors)).tocoo()
    else:
        links = sample_graph(Z, n_neighbors).tocoo()
    n = len(data.obs_names)
    where = (rows[links.row], rows[links.col])
    near = sp.csr_matrix((links.data, where), shape=(n, n))
    # the smallest distance must not be zero: an explicit zero would mean no link
    apart = sp.csr_matrix((np.maximum(1 - links.data, 1e-12), where), shape=(n, n))
    keys = {f"{what}_key": f"{key}_{what}" for what in ("connectivities", "distances")}
    data.obsp[keys["connectivities_key"]] = near
    data.obsp[keys["distances_key"]] = apart
    return keys


def spread_rows(values: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """Put rows at their positions among n; other rows are NaN."""
    spread = np.full((n, *values.shape[1:]), np.nan)
    spread[rows] = values
    return spread
