"""Results of single-cell tools, written where scanpy looks for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.affinity.sample_graph import (
    keep_strongest,
    sample_graph,
    symmetric_maximum,
)
from mvgraph.views.annotated import result_names

__all__ = [
    "check_key",
    "check_record",
    "modalities_of",
    "spread_rows",
    "write_graph",
    "write_labels",
]

DEFAULT_KEY = "mvgraph"


def check_key(data: Any, key: str, modalities: Sequence[str] = ()) -> None:
    """Refuse a name under which other tools keep something; own results may go.

    Raises
    ------
    ValueError
        A result of this name would overwrite such a thing.
    """
    if key == DEFAULT_KEY or key in result_names(data):
        return
    suffixes = ("", "_confidence")
    taken = [f"obs[{key + s!r}]" for s in suffixes if key + s in data.obs]
    taken += [f"{n}: obs[{key!r}]" for n in modalities if key in data.mod[n].obs]
    taken += [f"obsm[{k!r}]" for k in data.obsm if k == f"X_{key}"]
    graphs = (f"{key}_connectivities", f"{key}_distances")
    taken += [f"obsp[{k!r}]" for k in data.obsp if k in graphs]
    taken += [f"uns[{k!r}]" for k in data.uns if k == key]
    if taken:
        raise ValueError(_would_overwrite(key, taken))


def check_record(data: Any, key: str, own: set[str]) -> None:
    """Refuse a name under which ``uns`` has anything but a record with these keys."""
    if key in data.uns and not (
        isinstance(data.uns[key], Mapping) and own <= set(data.uns[key])
    ):
        raise ValueError(_would_overwrite(key, [f"uns[{key!r}]"]))


def _would_overwrite(key: str, taken: Sequence[str]) -> str:
    return (
        f"key_added={key!r} would overwrite {', '.join(taken)}, which is no result of "
        "this function; choose another name, or delete it first"
    )


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
