"""Results of single-cell tools, written where scanpy looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.annotated import result_names
from mvgraph.views.casting import is_mudata

DEFAULT_KEY = "mvgraph"
#: What samples get beside the label, as a column of ``obs`` after the key.
NUMBERS = ("confidence", "outlier_score")


def check_key(data: Any, key: str, modalities: Sequence[str] = ()) -> None:
    """Reject a name under which other tools have stored something.

    Raises
    ------
    ValueError
        A result of this name would overwrite something that is not a result of mvgraph.
    """
    if key == DEFAULT_KEY or key in result_names(data):
        return
    suffixes = ("", "_name", *(f"_{name}" for name in NUMBERS))
    taken = [f"obs[{key + s!r}]" for s in suffixes if key + s in data.obs]
    taken += [f"{n}: obs[{key!r}]" for n in modalities if key in data.mod[n].obs]
    taken += [f"obsm[{k!r}]" for k in data.obsm if k == f"X_{key}"]
    graphs = (f"{key}_connectivities", f"{key}_distances")
    taken += [f"obsp[{k!r}]" for k in data.obsp if k in graphs]
    taken += [f"uns[{k!r}]" for k in data.uns if k == key]
    if taken:
        raise ValueError(_would_overwrite(key, taken))


def check_record(data: Any, key: str, fields: set[str]) -> None:
    """Reject a name under which ``uns`` has anything but a record of these fields."""
    if key in data.uns and not (
        isinstance(data.uns[key], Mapping) and fields <= set(data.uns[key])
    ):
        raise ValueError(_would_overwrite(key, [f"uns[{key!r}]"]))


def _would_overwrite(key: str, taken: Sequence[str]) -> str:
    return (
        f"key_added={key!r} would overwrite {', '.join(taken)}, which this function "
        "did not write; choose another name, or delete it first"
    )


def modalities_of(data: Any, modalities: str | Sequence[str] | None) -> list[str]:
    """Return the names of the modalities that also get labels.

    Raises
    ------
    ValueError
        There is no such modality, or the object is an AnnData.
    """
    if modalities is None:
        return []
    if not is_mudata(data):
        raise ValueError(
            "modalities names parts of a MuData, but data is an AnnData; leave it out"
        )
    names = [modalities] if isinstance(modalities, str) else list(modalities)
    if names == ["all"]:
        return list(data.mod)
    for name in names:
        if name not in data.mod:
            raise ValueError(
                f"there is no modality {name!r}; there are {list(data.mod)}"
            )
    return names


def join_blocks(blocks: Iterable[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Concatenate the columns of blocks of consecutive samples."""
    parts = list(blocks)
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def write_labels(
    data: Any,
    rows: np.ndarray,
    columns: Mapping[str, np.ndarray],
    model: Any,
    key: str,
    modalities: Sequence[str] = (),
) -> None:
    """Write the columns ``label`` and ``name`` as categories, the others as numbers.

    Categories are the clusters of the model, and those of a finer level, strings in
    numerical order; modalities get them too.
    """
    from pandas import Categorical

    n, labels = len(data.obs_names), columns["label"]
    known = np.union1d(model.labels_, labels[labels >= 0])
    codes = np.full(n, -1)
    codes[rows] = np.where(labels >= 0, np.searchsorted(known, labels), -1)
    data.obs[key] = Categorical.from_codes(codes, categories=known.astype(str))
    for name in modalities:
        part = data.mod[name]
        part.obs[key] = data.obs[key].reindex(part.obs_names)
    if "name" in columns:
        told = np.full(n, None, dtype=object)
        told[rows] = [name or None for name in columns["name"]]
        data.obs[f"{key}_name"] = Categorical(told)
    for name in NUMBERS:
        if name in columns:
            values = np.asarray(columns[name])
            data.obs[f"{key}_{name}"] = spread_rows(values, rows, n)


def write_graph(
    data: Any, links: sp.csr_matrix, rows: np.ndarray, key: str
) -> dict[str, str]:
    """Write the joint graph of cells where scanpy expects it; return its keys."""
    links, n = links.tocoo(), len(data.obs_names)
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


def strongest_links(graph: Any, k: int) -> sp.csr_matrix:
    """Keep the k largest entries of every row of a graph of samples, both ways.

    The larger entry of both directions counts, divided by the largest of all.
    """
    links = sp.csr_matrix(graph).tocoo()
    apart = (links.row != links.col) & (links.data > 0)
    rows, columns, values = (x[apart] for x in (links.row, links.col, links.data))
    order = np.lexsort((columns, -values, rows))
    first = np.searchsorted(rows[order], rows[order])
    kept = order[np.arange(len(order)) - first < k]
    parts = (values[kept], (rows[kept], columns[kept]))
    found = sp.csr_matrix(parts, shape=links.shape)
    found = sp.csr_matrix(found.maximum(found.T))
    return found / max(found.data.max(initial=0), 1e-300)
