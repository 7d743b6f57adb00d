"""Results of single-cell tools, written where scanpy looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph.views.annotated import result_names
from mvgraph.views.casting import is_mudata

DEFAULT_KEY = "mvgraph"


def check_key(data: Any, key: str, modalities: Sequence[str] = ()) -> None:
    """Reject a name under which other tools have stored something.

    Raises
    ------
    ValueError
        A result of this name would overwrite something that is not a result of mvgraph.
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
    """Write the column ``label`` as categories, and ``confidence`` if there is one.

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
    if "confidence" in columns:
        confidence = spread_rows(columns["confidence"], rows, n)
        data.obs[f"{key}_confidence"] = confidence


def write_graph(
    data: Any, graph: Any, rows: np.ndarray, n_neighbors: int, key: str
) -> dict[str, str]:
    """Write the joint graph of cells where scanpy expects it; return its keys."""
    Z = sp.csr_matrix(graph)
    if Z.shape[0] == Z.shape[1]:  # some methods learn a graph of samples
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


def sample_graph(
    Z: sp.csr_matrix,
    n_neighbors: int,
    samples_per_anchor: int = 500,
    entries_per_block: int = 4_000_000,
) -> sp.csr_matrix:
    """Link every sample to its nearest neighbours through the anchors.

    The similarity of samples i and j is (Z D^-1 Z')_ij, where D is the diagonal matrix
    of the column sums of Z: the probability of a walk from i to j over an anchor. Every
    row keeps its `n_neighbors` largest entries, and the graph is made symmetric by
    taking the larger entry of both directions.

    Parameters
    ----------
    Z : csr_matrix of shape (n_samples, n_anchors)
        Non-negative.
    n_neighbors : int
        At least 1.
    samples_per_anchor : int, default=500
        An anchor proposes at most this many samples as neighbours, those of largest
        weight; without a limit the cost would grow with the square of the number of
        samples.
    entries_per_block : int, default=4_000_000
        Entries of one block of products.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)
        Symmetric, with a zero diagonal and at most ``2 * n_neighbors * n_samples``
        entries, the largest of which is 1.

    Notes
    -----
    Exact if no anchor has more than `samples_per_anchor` samples. Time
    O(N k samples_per_anchor) for k anchors per sample.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from mvgraph.tl._writing import sample_graph
    >>> Z = sp.csr_matrix([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    >>> sample_graph(Z, 2).toarray().astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    Z = sp.csr_matrix(Z, dtype=np.float64)
    N = Z.shape[0]
    degree = np.asarray(Z.sum(axis=0)).ravel()
    offered = _limit_columns(sp.csc_matrix(Z), samples_per_anchor)
    offered = sp.diags_array(1 / np.maximum(degree, 1e-300)) @ offered.T.tocsr()
    blocks = []
    # as many rows per product as the widest row allows
    widths = np.append(np.diff(offered.indptr)[Z.indices], 0)
    reached = np.add.reduceat(widths, np.minimum(Z.indptr[:-1], Z.nnz))
    step = max(1, entries_per_block // max(int(reached.max(initial=1)), 1))
    for start in range(0, N, step):
        product = sp.csr_matrix(Z[start : start + step] @ offered)
        blocks.append(keep_strongest(product, start, n_neighbors))
    return symmetric_maximum(sp.csr_matrix(sp.vstack(blocks)))


def symmetric_maximum(graph: sp.csr_matrix) -> sp.csr_matrix:
    """Take the larger entry of both directions, and divide by the largest entry."""
    graph = sp.csr_matrix(graph.maximum(graph.T))
    top = graph.data.max(initial=0)
    return graph / top if top > 0 else graph


def _limit_columns(Z: sp.csc_matrix, limit: int) -> sp.csc_matrix:
    """Keep the largest entries of every column; ties go to the earlier sample."""
    counts = np.diff(Z.indptr)
    if counts.max(initial=0) <= limit:
        return Z
    columns = np.repeat(np.arange(Z.shape[1]), counts)
    order = np.lexsort((Z.indices, -Z.data, columns))
    rank = np.arange(len(order)) - np.repeat(Z.indptr[:-1], counts)
    kept = order[rank < limit]
    entries = (Z.data[kept], (Z.indices[kept], columns[kept]))
    return sp.csc_matrix(entries, shape=Z.shape)


def keep_strongest(product: sp.csr_matrix, start: int, k: int) -> sp.csr_matrix:
    """Keep the k largest entries of every row, without the diagonal.

    `product` has some rows of a square matrix, from row `start` on.
    """
    n, N = product.shape
    counts = np.diff(product.indptr)
    rows = np.repeat(np.arange(n), counts)
    values = np.where(product.indices == rows + start, 0, product.data)
    width = int(counts.max(initial=0))
    if width > k:  # a padded table, so that one call partitions all rows
        place = np.arange(product.nnz) - np.repeat(product.indptr[:-1], counts)
        table = np.zeros((n, width))
        table[rows, place] = values
        table = np.argpartition(-table, k - 1, axis=1)[:, :k]
        inside = table < counts[:, None]
        kept = (product.indptr[:-1, None] + table)[inside]
    else:
        kept = np.arange(product.nnz)
    kept = kept[values[kept] > 0]
    parts = (values[kept], (rows[kept], product.indices[kept]))
    return sp.csr_matrix(parts, shape=(n, N))
