"""Tools for single-cell objects: results are written back, as in scanpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mvgraph import methods
from mvgraph.ops.affinity.sample_graph import (
    keep_strongest,
    sample_graph,
    symmetric_maximum,
)
from mvgraph.views.annotated import is_annotated, matrices
from mvgraph.views.container import Views

__all__ = ["cluster"]


def cluster(
    data: Any,
    n_clusters: int = 8,
    *,
    method: str = methods.DEFAULT,
    use_rep: Any = None,
    join: str = "outer",
    n_neighbors: int = 15,
    key_added: str = "mvgraph",
    random_state: int | None = 0,
) -> None:
    """Cluster the cells of a MuData over its modalities, or of an AnnData over keys.

    Neither package is imported: any object with ``mod`` or ``obsm`` is accepted.

    Parameters
    ----------
    data : MuData or AnnData
        Changed in place.
    n_clusters : int, default=8
    method : str, default="graph-consensus"
        A name of :func:`mvgraph.methods.names`.
    use_rep : str, sequence of str, mapping or None
        Matrices to cluster: for a MuData one key for all modalities or a mapping of
        modality to key, for an AnnData the keys that are views; a key is ``"X"``, a key
        of ``obsm``, or ``"layers.NAME"``. None: ``X_pca``, else ``X_lsi``, else ``X``
        of every modality; for an AnnData, all of ``obsm`` except plots. Sparse matrices
        stay sparse. Counts are not normalised: normalise them first.
    join : {"outer", "inner", "strict"}, default="outer"
        Treatment of cells that are missing in a modality: keep them (their rows count
        as missing), leave them without a cluster, or raise an error.
    n_neighbors : int, default=15
        Neighbours of a cell in the joint graph, at least 1.
    key_added : str, default="mvgraph"
        Name under which results are written.
    random_state : int or None, default=0

    Raises
    ------
    TypeError
        If `data` is neither a MuData nor an AnnData.
    ValueError
        If the method or the conversion to views raises it: see
        :func:`mvgraph.as_views`.

    Notes
    -----
    Written to `data`:

    - ``obs[key_added]``: categories ``"0"``, ``"1"``, ...; missing for cells that an
      inner join leaves out;
    - ``obsm["X_" + key_added]``: the joint embedding, if the method has one;
    - ``obsp[key_added + "_connectivities"]`` and ``"_distances"``: the joint graph, if
      the method has one, with at most ``2 * n_neighbors`` entries per cell on average
      (see :func:`mvgraph.ops.affinity.sample_graph.sample_graph`); distances are one
      minus connectivity. ``scanpy.tl.leiden`` and others take
      ``neighbors_key=key_added``;
    - ``uns[key_added]``: ``connectivities_key``, ``distances_key``, ``params`` and
      ``view_weights`` by view.

    Examples
    --------
    >>> import anndata, numpy as np, mvgraph.tl
    >>> cells = anndata.AnnData(np.zeros((40, 1)))
    >>> rng = np.random.default_rng(0)
    >>> for key in ("rna", "adt"):
    ...     truth = np.repeat([0.0, 9.0], 20)[:, None]
    ...     cells.obsm[key] = truth + rng.normal(size=(40, 3))
    >>> mvgraph.tl.cluster(cells, n_clusters=2)
    >>> cells.obs["mvgraph"].value_counts().tolist()
    [20, 20]
    """
    if not is_annotated(data):
        raise TypeError(
            f"data must be a MuData or an AnnData, got {type(data).__name__}; "
            "for arrays and DataFrames use an estimator, such as GraphConsensus"
        )
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}")
    parts, names, cells = matrices(data, use_rep, join)
    views = Views(parts, names, cells)
    model = methods.get(method).make(n_clusters, random_state).fit(views)
    rows = _rows(data, cells)
    n = len(data.obs_names)
    _write_labels(data, rows, model.labels_, key_added)
    uns: dict[str, Any] = {
        "params": {
            "method": method,
            "n_clusters": n_clusters,
            "n_neighbors": n_neighbors,
            "random_state": -1 if random_state is None else random_state,
            "join": join,
            "views": list(names),
        },
    }
    if hasattr(model, "view_weights_"):
        weights = zip(names, model.view_weights_, strict=True)
        uns["view_weights"] = {name: float(w) for name, w in weights}
    if hasattr(model, "embedding_"):
        data.obsm[f"X_{key_added}"] = _spread_rows(model.embedding_, rows, n)
    if hasattr(model, "graph_"):
        uns |= _write_graph(data, model.graph_, rows, n_neighbors, key_added)
    data.uns[key_added] = uns


def _rows(data: Any, cells: np.ndarray) -> np.ndarray:
    """Return the position in `data` of every clustered cell."""
    places = {cell: i for i, cell in enumerate(data.obs_names)}
    return np.array([places[cell] for cell in cells], dtype=np.intp)


def _write_labels(data: Any, rows: np.ndarray, labels: np.ndarray, key: str) -> None:
    """Write labels as categories: strings in numerical order."""
    from pandas import Categorical

    codes = np.full(len(data.obs_names), -1)
    codes[rows] = labels
    names = [str(k) for k in range(int(labels.max()) + 1)]
    data.obs[key] = Categorical.from_codes(codes, categories=names)


def _write_graph(
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


def _spread_rows(values: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
    """Put rows at their positions among n; other rows are NaN."""
    spread = np.full((n, values.shape[1]), np.nan)
    spread[rows] = values
    return spread
