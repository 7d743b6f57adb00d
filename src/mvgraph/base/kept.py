"""What a fitted model keeps and writes: labels, names, a folder, a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.base.predictor import if_predictor_gives
from mvgraph.base.result import OF_ROWS
from mvgraph.ops.wording import extra
from mvgraph.views.casting import is_dask
from mvgraph.views.schema import Schema


class Kept:
    """Methods of every clusterer that write what was learned."""

    labels_: np.ndarray
    schema_: Schema

    if not TYPE_CHECKING:  # to a checker, every name would be an attribute

        def __getattr__(self, name: str) -> Any:
            """Say how a model gets what it would have of every sample."""
            if name in OF_ROWS:
                check_is_fitted(self)
                raise AttributeError(
                    f"This {type(self).__name__} is without {name}; if its method gives"
                    " one, save it with rows=True (--save-rows), or ask predict."
                )
            return object.__getattribute__(self, name)

    @property
    def sample_ids_(self) -> np.ndarray | None:
        """Identifiers of the samples of the fit, None if they had none."""
        return self.schema_.ids

    def labels_frame(self) -> Any:
        """Return ``labels_`` as a pandas Series, with the index given to ``fit``.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        check_is_fitted(self)
        with extra("labels_frame", "pandas", "files"):
            from pandas import Index, Series
        index = self.schema_.index
        if index is None and self.schema_.ids is not None:
            index = Index(self.schema_.ids)
        return Series(self.labels_, index=index, name="cluster")

    def _check_loaded(self) -> None:
        """Reject what a file contained if its parts do not fit each other."""
        from mvgraph.base.loaded import check_loaded  # of no use to a fit

        check_loaded(self)

    @if_predictor_gives("label")
    def save(self, folder: Any, *, rows: bool = True, ids: bool = True) -> Any:
        """Write the fitted model into a folder; see :func:`mvgraph.load_model`.

        Attributes that are dask arrays are left out.

        Parameters
        ----------
        folder : path
            Created; its parent must exist. An older model there is replaced, any other
            content is an error.
        rows : bool, default=True
            Keep what was learned of every sample, such as its graph, embedding and
            memberships. False: labels and identifiers stay, and nothing else of the
            samples; all that concerns new samples is the same, in a few MB.
        ids : bool, default=True
            Keep the identifiers of the samples. Without them, the next fit with
            ``like`` recognises clusters by predictions alone. Random identifiers cannot
            be compressed: UUIDs have 16 bytes each.

        Returns
        -------
        Path
        """
        from mvgraph.persistence.models import save_model

        check_is_fitted(self)
        fitted = {
            name: value
            for name, value in vars(self).items()
            if name[-1] == "_" and not is_dask(value) and (rows or name not in OF_ROWS)
        }
        # the identifiers are kept as an array
        kept = self.schema_.ids if ids else None
        fitted["schema_"] = replace(self.schema_, index=None, ids=kept)
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        return save_model(type(self), parameters, fitted, folder, compress=not rows)

    def page(self, X: Any, path: Any, **options: Any) -> int:
        """Write a page that shows the clusters; see :func:`mvgraph.write_page`.

        Parameters
        ----------
        X : as in `fit`, the same samples
        path : path
            Ends in ``.html``.
        **options
            ``metadata``, ``pictures``, ``name`` and others.

        Returns
        -------
        int
            Bytes of the file.
        """
        check_is_fitted(self, "labels_")
        # by name, as the package loads its public names: pages know the methods, and
        # methods know no page
        return import_module("mvgraph.page").write_page(self, X, path, **options)


class NamedClusters:
    """A model whose clusters may have names.

    Attributes
    ----------
    cluster_names_ : list of str
        One for each of ``cluster_ids_``, empty for a cluster without a name; only of a
        model that was told names.
    """

    cluster_ids_: np.ndarray
    cluster_names_: list[str]

    def rename_clusters(self, names: Mapping[int, str]) -> Self:
        """Give clusters names; those that are not mentioned keep theirs.

        Parameters
        ----------
        names : mapping of int to str
            By the number of the cluster; an empty name takes the name away.
            ``dict(zip(why.clusters, why.names_))`` are those that
            :func:`mvgraph.explain` finds.

        Returns
        -------
        self
            With ``cluster_names_``, which `save` keeps, and a later fit with ``like``.

        Raises
        ------
        ValueError
            There is no such cluster, or two clusters would have the same name.

        Examples
        --------
        >>> import numpy as np
        >>> from mvgraph import AnchorFilter
        >>> x = np.repeat([[0.0, 1.0], [9.0, 5.0]], 20, axis=0)
        >>> x += np.random.default_rng(0).normal(size=x.shape)
        >>> model = AnchorFilter(2, random_state=0).fit([x])
        >>> model.rename_clusters({1: "B cells"}).cluster_names_
        ['', 'B cells']
        """
        check_is_fitted(self)
        ids = self.cluster_ids_.tolist()
        unknown = [c for c in names if c not in ids]
        if unknown:
            raise ValueError(f"there is no cluster {unknown[0]!r}; there are {ids}.")
        told = names_of(self) or dict.fromkeys(ids, "")
        for cluster, name in names.items():
            if not isinstance(name, str):
                raise ValueError(f"the name of cluster {cluster} is no text: {name!r}.")
            told[int(cluster)] = " ".join(name.split())
        shared = [n for n, count in Counter(told.values()).items() if n and count > 1]
        if shared:
            both = [c for c, name in told.items() if name == shared[0]]
            raise ValueError(
                f"clusters {both} would have the same name, {shared[0]!r}; names must "
                "differ."
            )
        self.cluster_names_ = [told[c] for c in ids]
        return self


def names_of(model: Any) -> dict[int, str]:
    """Return the names of clusters by number, some empty; nothing if none has one."""
    names = vars(model).get("cluster_names_")
    ids = () if names is None else model.cluster_ids_.tolist()
    return dict(zip(ids, names or (), strict=True))


def names_of_labels(
    model: Any, labels: np.ndarray, level: int | None = None
) -> np.ndarray:
    """Return the name of the cluster of every label.

    Parameters
    ----------
    model : fitted estimator with ``cluster_names_``
    labels : ndarray of int, shape (n,)
    level : int, optional
        The labels are those of `cut` at this level: a union has the names of its
        parts, and a part says of what it is one.

    Returns
    -------
    ndarray of str, shape (n,)
        Empty for -1, ``cluster 7`` for a cluster without a name.
    """
    told = {c: name or f"cluster {c}" for c, name in names_of(model).items()}
    if level is not None:
        base, finer = model.leaf_numbers(len(told)), model.leaf_numbers(level)
        told = _at_level(told, base, finer)
    values, place = np.unique(labels, return_inverse=True)
    found = [told.get(c, "") for c in values.tolist()]
    return np.array(found, dtype=object)[place]


def _at_level(
    told: Mapping[int, str], base: np.ndarray, level: np.ndarray
) -> dict[int, str]:
    """Name the clusters of a level by those of the fit; both by leaf of the tree."""
    found = {}
    for cluster in np.unique(level).tolist():
        parts = np.unique(base[level == cluster]).tolist()
        whole = np.isin(base, parts).sum() == (level == cluster).sum()
        name = " + ".join(told[part] for part in parts)
        found[cluster] = name if whole else f"{name}, part {cluster}"
    return found
