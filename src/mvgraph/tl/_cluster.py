"""Cluster cells, or label new ones, and write the results into their object."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from mvgraph import methods
from mvgraph.base.identity import read_like
from mvgraph.base.predictor import predict_blocks, refuse_no_predictor
from mvgraph.graphs.samples import graph_of
from mvgraph.ops.linalg.laplacian import graph_embedding
from mvgraph.persistence.document import check_folder
from mvgraph.persistence.models import load_model
from mvgraph.tl._views import Taken, remember, take_views
from mvgraph.tl._writing import (
    NUMBERS,
    check_key,
    join_blocks,
    modalities_of,
    spread_rows,
    strongest_links,
    write_graph,
    write_labels,
)
from mvgraph.views.casting import is_mudata
from mvgraph.views.schema import Schema

WANTED = ("label", *NUMBERS, "embedding")


def cluster(
    data: Any,
    n_clusters: int | str = "auto",
    *,
    method: str = methods.DEFAULT,
    use_rep: Any = None,
    join: str = "outer",
    counts: str | None = None,
    n_neighbors: int = 15,
    modalities: str | Sequence[str] | None = None,
    key_added: str = "mvgraph",
    random_state: int | None = 0,
    like: Any = None,
    save: str | PathLike | None = None,
    return_model: bool = False,
) -> Any:
    """Cluster the cells of a MuData by its modalities, or of an AnnData by its keys.

    Neither package is imported: any object with ``mod`` or ``obsm`` is accepted.

    Parameters
    ----------
    data : MuData or AnnData
        Changed in place.
    n_clusters : int or "auto", default="auto"
        "auto": determined from the data, by methods that can; the default can.
    method : str, default="graph-consensus"
        A name of :func:`mvgraph.methods.names`.
    use_rep : str, sequence of str, mapping or None
        Matrices to cluster: for a MuData one key for all modalities or a mapping of
        modality to key, for an AnnData the keys that are views; a key is ``"X"``, a key
        of ``obsm``, or ``"layers.NAME"``. None: ``X_pca``, else ``X_lsi``, else ``X``
        of every modality; for an AnnData, all of ``obsm`` except plots and what this
        package wrote, else ``X``. Sparse matrices stay sparse.
    join : {"outer", "inner", "strict"}, default="outer"
        Treatment of cells that are missing in a modality: keep them (their rows count
        as missing), leave them without a cluster, or raise an error.
    counts : {"log1p", "raw"} or None, default=None
        What to do with matrices of raw counts (whole numbers, none negative).
        ``"log1p"``: scale every cell to the median library size, then take
        log(1 + x). ``"raw"``: use them unchanged. None: the same, with a warning.
        Other matrices are used unchanged. `data` itself is not normalised.
    n_neighbors : int, default=15
        Neighbours of a cell in the joint graph, at least 1.
    modalities : "all", str, sequence of str or None
        Modalities of a MuData whose ``obs`` also gets the labels.
    key_added : str, default="mvgraph"
        Name under which results are written.
    random_state : int or None, default=0
    like : estimator or path, optional
        An older model: clusters that it has, too, keep its numbers. `use_rep` and
        `counts` are then by default those of its fit. Components that were computed
        anew, such as ``X_pca`` of other cells, say nothing to it: clusters are then
        matched by the names of the cells, if it knows them.
    save : path, optional
        Folder for the fitted model, for :func:`mvgraph.tl.predict` and
        :func:`mvgraph.load_model`; only for methods that can label new cells.
    return_model : bool, default=False

    Returns
    -------
    estimator or None
        The fitted model if `return_model` is true.

    Raises
    ------
    TypeError
        If `data` is neither a MuData nor an AnnData.
    ValueError
        If the method or the conversion to views raises it (see
        :func:`mvgraph.as_views`), the model cannot be saved, there are no counts for
        ``counts="log1p"``, or results of other tools have the name `key_added`.

    Notes
    -----
    Written to `data`:

    - ``obs[key_added]``: categories ``"0"``, ``"1"``, ...; missing for cells that an
      inner join leaves out;
    - ``obsm["X_" + key_added]``: the joint embedding of the method, else a spectral
      one of its joint graph; NaN for cells that an inner join leaves out;
    - ``obs[key_added + "_confidence"]`` and ``"_outlier_score"``, if the method has
      them: see :class:`mvgraph.GraphConsensus`;
    - ``obsp[key_added + "_connectivities"]`` and ``"_distances"``: the joint graph,
      with at most ``2 * n_neighbors`` entries per cell on average: that of the method
      if it learns a graph of cells, else one of the views, weighted as the method does,
      see :func:`mvgraph.graphs.samples.graph_of`. No label is in it. Distances are one
      minus connectivity. ``scanpy.tl.umap``, ``leiden`` and others take
      ``neighbors_key=key_added``;
    - ``uns[key_added]``: ``connectivities_key``, ``distances_key``, ``params``,
      ``view_weights`` by view, the ``levels`` (their k), with `save` the path of the
      ``model``, and with `like` the ``changes`` in words.

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
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}")
    model = methods.get(method).make(n_clusters, random_state)
    if save is not None:
        refuse_no_predictor(model, "save: ")
        check_folder(save)
    older = read_like(like)
    if older is not None and use_rep is None:
        use_rep = _keys(data, older.schema_)
    taken = take_views(data, use_rep, join, counts, older)
    chosen = modalities_of(data, modalities)
    check_key(data, key_added, chosen)
    model.fit(taken.views, like=older)
    remember(model, taken.keys, counts, taken.sizes)
    learned, columns = vars(model), {"label": model.labels_}
    if "membership_" in learned:
        columns["confidence"] = np.asarray(learned["membership_"]).max(axis=1)
    if "outlier_score_" in learned:
        columns["outlier_score"] = np.asarray(learned["outlier_score_"])
    write_labels(data, taken.rows, columns, model, key_added, chosen)
    params = {
        "method": method,
        "n_clusters": len(model.cluster_ids_),
        "n_neighbors": n_neighbors,
        "random_state": -1 if random_state is None else random_state,
        "join": join,
        "views": list(taken.views.names),
        "counts": counts or "as they are",
    }
    data.uns[key_added] = _write(data, model, taken, params, key_added)
    if save is not None:
        data.uns[key_added]["model"] = str(model.save(save))
    return model if return_model else None


def _write(
    data: Any, model: Any, taken: Taken, params: dict[str, Any], key: str
) -> dict[str, Any]:
    """Write embedding and graph; return what belongs into ``uns``."""
    uns: dict[str, Any] = {"params": params}
    learned = vars(model)  # every method has some of these
    if "levels_" in learned:
        levels = [level.k for level in learned["levels_"]]
        uns["levels"] = np.array(levels, dtype=np.int64)
    if "changes_" in learned:
        uns["changes"] = np.array([change.words() for change in learned["changes_"]])
    if "view_weights_" in learned:
        weights = zip(taken.views.names, learned["view_weights_"], strict=True)
        uns["view_weights"] = {name: float(w) for name, w in weights}
    Z, k = learned.get("graph_"), params["n_neighbors"]
    if Z is not None and Z.shape[0] == Z.shape[1]:  # a learned graph of samples
        links = strongest_links(Z, k)
    else:
        links = graph_of(model, taken.views, k).links
    uns |= write_graph(data, links, taken.rows, key)
    U = learned.get("embedding_")
    if U is None:
        U = graph_embedding(links, min(params["n_clusters"], len(taken.rows)))
    data.obsm[f"X_{key}"] = spread_rows(U, taken.rows, len(data.obs_names))
    # scanpy looks here for coordinates; a MuData has no X to fall back on
    params["use_rep"] = f"X_{key}"
    return uns


def predict(
    data: Any,
    model: Any,
    *,
    use_rep: Any = None,
    join: str = "outer",
    counts: str | None = None,
    modalities: str | Sequence[str] | None = None,
    key_added: str = "mvgraph",
) -> None:
    """Label the cells of a MuData or AnnData with a fitted model.

    Parameters
    ----------
    data : MuData or AnnData
        New cells; changed in place. Their matrices must have the fitted features: new
        cells are projected onto the principal components of the fitted cells, not
        onto their own.
    model : estimator or path
        What :func:`mvgraph.tl.cluster` returned, or the folder where it was saved.
    use_rep : as in :func:`mvgraph.tl.cluster`
        None: the keys the model was fitted on.
    join : {"outer", "inner", "strict"}, default="outer"
        Treatment of cells that are missing in a modality.
    counts : {"log1p", "raw"} or None, default=None
        What to do with raw counts: see :func:`mvgraph.tl.cluster`. None: as in the
        fit, with cells scaled to the library size of the fit. A warning names matrices
        of raw counts where the model was fitted on other values, or the reverse.
    modalities : "all", str, sequence of str or None
        Modalities of a MuData whose ``obs`` also gets the labels.
    key_added : str, default="mvgraph"

    Raises
    ------
    TypeError
        If `data` is neither a MuData nor an AnnData.
    ValueError
        If the model cannot label new samples, views or features are not those of the
        fit, or results of other tools have the name `key_added`.

    Notes
    -----
    Written to `data`: ``obs[key_added]`` (categories of the model),
    ``obs[key_added + "_confidence"]`` (probability of the label) and
    ``"_outlier_score"``, if the model has them, ``obsm["X_" + key_added]`` (embedding),
    and the parameters into ``uns[key_added]``.

    Examples
    --------
    >>> import anndata, numpy as np, mvgraph.tl
    >>> rng = np.random.default_rng(0)
    >>> def cells(n):
    ...     truth = np.repeat([[0.0], [9.0]], n, axis=0)
    ...     return anndata.AnnData(truth + rng.normal(size=(2 * n, 3)))
    >>> model = mvgraph.tl.cluster(cells(20), n_clusters=2, return_model=True)
    >>> new = cells(3)
    >>> mvgraph.tl.predict(new, model)
    >>> new.obs["mvgraph"].tolist()
    ['0', '0', '0', '1', '1', '1']
    """
    path = str(model) if isinstance(model, str | PathLike) else ""
    model = load_model(model) if path else model
    refuse_no_predictor(model)
    schema = model.schema_
    keys = _keys(data, schema) if use_rep is None else use_rep
    taken = take_views(data, keys, join, counts, model)
    chosen = modalities_of(data, modalities)
    check_key(data, key_added, chosen)
    views = schema.match(taken.views, stacklevel=3)
    every = schema.needs_every_view
    columns = join_blocks(predict_blocks(model.predictor_, views, WANTED, every))
    write_labels(data, taken.rows, columns, model, key_added, chosen)
    params = {"join": join, "views": list(taken.views.names), "model": path}
    if "embedding" in columns:
        U = spread_rows(columns["embedding"], taken.rows, len(data.obs_names))
        data.obsm[f"X_{key_added}"] = U
        params["use_rep"] = f"X_{key_added}"  # marks it as a result, not a view
    data.uns[key_added] = {"params": params}


def _keys(data: Any, schema: Schema) -> Any:
    """Return the recorded keys of the fit, or for an AnnData the names of its views."""
    keys = {} if schema.annotation is None else dict(schema.annotation.use_rep)
    if not is_mudata(data):
        return list(keys or (schema.names if schema.named else ())) or None
    # a modality may be missing: the model then labels by the others
    present = {name: key for name, key in keys.items() if name in data.mod}
    if keys and not present:
        raise ValueError(
            f"data has none of the modalities of the fit, {list(keys)}; it has "
            f"{list(data.mod)}"
        )
    return present or None
