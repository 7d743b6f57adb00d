"""Clusters of a model or of labels: members, votes of the views, exemplars."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mvgraph.base.clusterer import Clusterer
from mvgraph.base.predictor import Predictor
from mvgraph.ops.labels import is_missing
from mvgraph.views.annotated import genes_of
from mvgraph.views.beside import in_order_of
from mvgraph.views.casting import is_annotated, is_frame
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

Rows = list[dict[str, Any]]


class Groups(NamedTuple):
    """Views, and the cluster of every row."""

    views: Views
    codes: np.ndarray  # (n,), -1: in no cluster
    names: list[Any]  # of the clusters, int or str

    def rows(self, v: int) -> tuple[Any, np.ndarray]:
        """Return the rows of a view that are in a cluster, and their clusters.

        Raises
        ------
        ValueError
            There are none.
        """
        used = self.codes >= 0
        if self.views.mask is not None:
            used = used & self.views.mask[:, v]
        if not used.any():
            raise ValueError(
                f"View {self.views.names[v]!r}: no sample of a cluster has it; leave "
                "the view out."
            )
        rows = slice(None) if used.all() else used
        return self.views.arrays[v][rows], self.codes[used]

    def by_cluster(self, rows: Rows) -> Rows:
        """Sort rows of a table by cluster, and leave their order within one."""
        return sorted(rows, key=lambda row: self.names.index(row["cluster"]))


def groups_of_model(model: Any, X: Any) -> Groups:
    """Read ``labels_`` of a fitted clusterer and check that X fits them."""
    views, labels = as_views(X), np.asarray(model.labels_)
    if isinstance(model, Clusterer):
        model.schema_.refuse_raw_counts(X)
        model.schema_.refuse_fewer_views(views)
        views = model.schema_.match(views)
        model.schema_.check_same_rows(views, stacklevel=3)
    elif len(views) != len(labels):
        raise ValueError(
            f"The model was fitted on {len(labels)} samples, but X has {len(views)}; "
            "pass the views that the model was fitted on."
        )
    return Groups(views, *coded(labels))


def groups_of_labels(X: Any, labels: Any) -> Groups:
    """Read labels of any kind; a Series is matched with named rows by its index.

    Raises
    ------
    ValueError
        There are more or fewer labels than samples, none is a cluster, or they are of
        other samples.
    """
    views = as_views(X)
    labels = np.asarray(in_order_of(labels, views.ids, "labels"))
    if labels.shape != (len(views),):
        raise ValueError(
            f"labels must have one label for each of {len(views)} samples, got shape "
            f"{labels.shape}."
        )
    return Groups(views, *coded(labels))


def coded(labels: np.ndarray) -> tuple[np.ndarray, list[Any]]:
    """Return the position of every label in the sorted names, -1 if missing; names."""
    if labels.dtype.kind in "biuf":
        known = labels >= 0  # NaN is not
    else:
        known = np.array([not is_missing(value) for value in labels])
    if not known.any():
        raise ValueError("labels contain no cluster: all are negative or missing.")
    values = labels[known]
    if values.dtype.kind == "f" and (values == np.floor(values)).all():
        values = values.astype(np.int64)  # pandas makes floats where one is missing
    if values.dtype.kind == "O" and not all(isinstance(v, int) for v in values):
        values = values.astype(str)
    names = np.unique(values).tolist()
    if all(isinstance(v, str) and v.isdecimal() for v in names):
        names.sort(key=int)  # "2" before "10"
    places = {name: i for i, name in enumerate(names)}
    codes = np.full(len(labels), -1)
    codes[known] = [places[value] for value in values.tolist()]
    return codes, names


def described_groups(
    groups: Groups, names: dict[str, Any], given: Any, by: Any
) -> tuple[Groups, dict[str, Any]]:
    """Replace the columns of views by those that describe them.

    Parameters
    ----------
    groups : Groups
    names : dict of view name to sequence of str
        Names of the columns.
    given : views of any kind
        Of an AnnData or MuData, the genes behind components are known.
    by : mapping of view name to DataFrame or (matrix, names), or None
        None: what is known of `given`.

    Returns
    -------
    Groups
    names : dict

    Raises
    ------
    ValueError
        No view has such a name, or there is not one row per sample.
    """
    views = groups.views
    if by is None:
        by = {}
        if is_annotated(given) and views.ids is not None:
            by = genes_of(given, views.names, views.ids)
    if not by:
        return groups, names
    names, arrays = dict(names), list(views.arrays)
    for view, table in by.items():
        views.view(view)  # an error if no view has this name
        x, columns = (
            (table.to_numpy(), table.columns) if is_frame(table) else tuple(table)
        )
        if x.shape != (len(views), len(columns)):
            raise ValueError(
                f"described_by: {view!r} has shape {x.shape}, but there are "
                f"{len(views)} samples and {len(columns)} names of columns."
            )
        arrays[views.names.index(view)] = x
        names[view] = tuple(map(str, columns))
    columns = [names.get(view) for view in views.names]
    return groups._replace(views=views.replace(arrays, columns)), names


def contributions(
    predictor: Predictor, views: Views, labels: np.ndarray
) -> np.ndarray | None:
    """Return the shares of the views in the votes for every sample's own cluster.

    None if the views of a model do not vote.
    """
    votes = predictor.votes(views, labels)
    if votes is None:
        return None
    has = np.zeros((len(views), views.n_views))
    has[:, predictor.used] = 1
    if views.mask is not None:
        has *= views.mask
    votes *= has
    votes = np.where(votes.any(axis=1, keepdims=True), votes, has)
    return votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)


def exemplars(model: Any, views: Views, n: int) -> Rows:
    """List the rows nearest to the mean of their cluster in the embedding."""
    U = np.asarray(model.embedding_, dtype=np.float64)
    U = U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), 1e-12)
    ids = np.arange(len(views)) if views.ids is None else views.ids
    out: Rows = []
    for cluster in np.unique(model.labels_).tolist():
        rows = np.flatnonzero(model.labels_ == cluster)
        centre = U[rows].mean(axis=0)
        closeness = U[rows] @ centre / max(float(np.linalg.norm(centre)), 1e-12)
        best = np.argsort(-closeness, kind="stable")[:n]
        columns = (rows[best], ids[rows[best]], closeness[best])
        values = zip(*(column.tolist() for column in columns), strict=True)
        out += [
            {"cluster": cluster, "rank": rank, "row": row, "id": id_, "closeness": near}
            for rank, (row, id_, near) in enumerate(values)
        ]
    return out
