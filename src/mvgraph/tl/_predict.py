"""Label new cells with a model of other cells."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

from mvgraph.base.predictor import predict_blocks, refuse_no_predictor
from mvgraph.persistence.models import load_model
from mvgraph.tl._views import take_views
from mvgraph.tl._writing import (
    check_key,
    join_blocks,
    modalities_of,
    spread_rows,
    write_labels,
)
from mvgraph.views.kinds import is_mudata
from mvgraph.views.schema import Schema

__all__ = ["predict"]

WANTED = ("label", "confidence", "embedding")


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
    ``obs[key_added + "_confidence"]`` (probability of the label, if the model has
    one), ``obsm["X_" + key_added]`` (embedding), and the parameters into
    ``uns[key_added]``.

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
    n_labels = int(model.labels_.max()) + 1
    write_labels(data, taken.rows, columns, n_labels, key_added, chosen)
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
