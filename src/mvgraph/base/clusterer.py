"""The contract of every clusterer: views in, labels out, in the caller's order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from mvgraph.base.checks import (
    check_fit,
    fit_notes,
    refuse_other_views,
    refuse_raw_counts,
    result_notes,
)
from mvgraph.base.limits import bytes_left
from mvgraph.base.progress import Callback
from mvgraph.base.result import Result, issue
from mvgraph.base.run import Run
from mvgraph.base.schema import columns_by_view, described
from mvgraph.ops.labels import by_first_occurrence
from mvgraph.persistence.models import save_model
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views
from mvgraph.views.dask_array import is_dask
from mvgraph.views.fitted_columns import (
    match_columns,
    name_columns,
    taken_by_position,
)
from mvgraph.views.fitted_counts import find_kinds, keep_kinds, other_kinds

__all__ = ["Clusterer"]


class Clusterer(ClusterMixin, BaseEstimator, ABC):
    """Base class: validates views, fixes the order of rows, numbers the labels.

    A method implements ``_fit(views, run) -> Result`` as a function of the views, the
    run and its parameters; it sets no attributes. An order-free method gets rows and
    views sorted by a hash of their content and the seed, so that a permutation of the
    input changes only the numbering of labels. Labels are numbered by first occurrence.
    """

    #: False for published forms whose results depend on the order of rows and views.
    _order_free: bool = True
    #: True for methods that sort rows themselves while reading them: ``_fit`` gets
    #: unsorted rows and returns results in their order.
    _reads_in_place: bool = False
    #: False for order-free methods that depend on the order of the views.
    _sorts_views: bool = True
    #: True if samples may be missing in some views.
    _accepts_missing: bool = False

    n_clusters: int
    random_state: Any
    labels_: np.ndarray
    history_: list[dict[str, Any]]
    n_iter_: int
    n_features_in_: int
    sample_ids_: np.ndarray | None
    _new_label: np.ndarray  # label in labels_ of every cluster of the method
    _view_order: np.ndarray | None
    _content: tuple[int, int, int]  # of the rows, see mvgraph.views.order.Content
    _n_features: tuple[int, ...]
    _view_names: tuple[str, ...] | None
    _columns: dict[str, list[str]]
    _counts: tuple[bool | None, ...]  # which views hold them
    _index: Any  # of pandas
    _fitted_names: tuple[str, ...]  # of what the last fit set

    def fit(
        self, X: Any, y: Any = None, *, callback: Callback | None = None
    ) -> Clusterer:
        """Cluster the samples.

        A fit that fails or is interrupted does not change the estimator.

        Parameters
        ----------
        X : Views, list, tuple, dict, DataFrame, sparse matrix or 2-D array
            Views of the same samples, samples in rows. See :func:`mvgraph.as_views`.
            Arrays of CuPy or torch are copied to main memory; only :class:`mvgraph.MGL`
            learns its graphs on the device of X.
        y : ignored
        callback : callable, optional
            Called with (steps done, number of steps or None, record) while the method
            runs. ``record["seconds"]`` is the time of the step. If ``record["stage"]``
            names a stage, it is the time of the stage so far, and steps are those of
            the stage. Methods that report no steps do not call it.

        Returns
        -------
        self

        Raises
        ------
        MemoryError
            If the fit cannot stay within a ``memory_limit``; before it starts.
        ValueError
            If the views are invalid (see :class:`mvgraph.Views`), there are more
            clusters than samples or anchors, or a parameter has a wrong type or is out
            of its range.
        """
        views = as_views(X)
        schema = self._schema(X, views)
        check_fit(self, views, callback)
        left = bytes_left(self, views)
        run = Run.start(self.random_state, X, views, callback, left)
        issue(fit_notes(self, views))
        # BLAS on one thread: with several, the rounding of products depends on their
        # number, and the engines run blocks in parallel anyway
        with threadpool_limits(limits=1, user_api="blas"):
            result = self._run(views, run)
        issue(result_notes(result, self.n_clusters, run.order.n_distinct))
        return self._keep(result, run, schema)

    def _scaling_rule(self) -> str:
        """Return the rule by which every view is scaled; see fit_scaling."""
        return getattr(self, "scaling", "none")

    @abstractmethod
    def _fit(self, views: Views, run: Run) -> Result:
        """Cluster validated views; sets no attributes of the estimator."""

    def _run(self, views: Views, run: Run) -> Result:
        """Call the method on views in the order that it needs; undo the order."""
        if not self._order_free:
            return self._fit(views[:], run)
        views = views.select(run.order.views) if self._sorts_views else views
        if self._reads_in_place:
            return self._fit(views, run)
        rows = run.order.rows
        return self._fit(views[rows], run).take("samples", np.argsort(rows))

    def _keep(self, result: Result, run: Run, schema: dict[str, Any]) -> Clusterer:
        """Set all attributes at once; number the labels; undo the order of views."""
        order = run.order.views if self._order_free and self._sorts_views else None
        if order is not None:
            result = result.take("views", np.argsort(order))
        old = by_first_occurrence(result.labels)
        new = np.full(int(old.max()) + 1, -1)  # -1: a label that no sample has
        new[old] = np.arange(len(old))
        fitted = result.renumber(new).attributes()
        fitted |= schema | {"_new_label": new, "_view_order": order}
        fitted["_content"] = tuple(run.order.content)
        fitted["_fitted_names"] = tuple(fitted)
        old_fit = vars(self).get("_fitted_names", ())
        kept = {name: v for name, v in vars(self).items() if name not in old_fit}
        # one assignment: other threads see either the old model or the new one
        self.__dict__ = kept | fitted
        return self

    def _schema(self, X: Any, views: Views) -> dict[str, Any]:
        """Describe the input, to check later input against it; sets no attributes."""
        probe = copy(self)  # scikit-learn sets n_features_in_ on the estimator
        validate_data(probe, described(X, views), skip_check_array=True)
        checked = ("n_features_in_", "feature_names_in_")
        return {n: v for n, v in vars(probe).items() if n in checked} | {
            "_n_features": views.n_features,
            "_view_names": views.names if views.named else None,
            "_columns": columns_by_view(views),
            "_counts": find_kinds(views),
            "_index": views.index,
            "sample_ids_": views.ids,
        }

    def labels_frame(self) -> Any:
        """Return ``labels_`` as a pandas Series named "cluster", by sample id.

        The index is that of the DataFrames given to ``fit``, with its names and type,
        or 0, 1, ... without ids.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        check_is_fitted(self)
        try:
            from pandas import Index, Series
        except ImportError as error:
            raise ImportError(
                "labels_frame needs pandas: pip install 'mvgraph[files]'"
            ) from error
        index = getattr(self, "_index", None)
        if index is None and self.sample_ids_ is not None:
            index = Index(self.sample_ids_)
        return Series(self.labels_, index=index, name="cluster")

    def save(self, folder: Any) -> Any:
        """Write the fitted model into a folder; see :func:`mvgraph.load_model`.

        Attributes that are dask arrays are left out: their rows are on the workers.

        Parameters
        ----------
        folder : path
            Created; its parent must exist. An older model there is replaced, any other
            content is an error.

        Returns
        -------
        Path
        """
        check_is_fitted(self)
        stored = copy(self)  # the identifiers are kept as an array
        stored._index = None
        far = {name for name, value in vars(self).items() if is_dask(value)}
        for name in far:
            delattr(stored, name)
        names = getattr(self, "_fitted_names", ())
        stored._fitted_names = tuple(n for n in names if n not in far)
        return save_model(stored, folder)

    def _check_new(self, X: Any) -> Views:
        """Validate views for predict and put them in the order of the method."""
        views = self.check_views(X)
        return views if self._view_order is None else views.select(self._view_order)

    def check_views(self, X: Any) -> Views:
        """Validate new views against those of the fit.

        Parameters
        ----------
        X : as in fit, with the same views
            Views that have names are matched by them, never by position, and so are
            columns; a warning names the views whose columns have names, or that hold
            counts, only here or only in the fit. A view that is not there at all is
            absent from every sample.

        Returns
        -------
        Views
            Views and their columns in the order of the fit.

        Raises
        ------
        ValueError
            If the views have other names, columns or numbers of features, or have
            missing rows and the method needs every view.
        """
        check_is_fitted(self)
        refuse_raw_counts(self, X)
        views = self._in_order_of_names(as_views(X))
        held = getattr(self, "_columns", {})
        known = [held.get(name) for name in self._names_of_views()]
        if views.n_views == len(known):
            views = match_columns(views, known)
        refuse_other_views(views, self._n_features, type(self).__name__)
        if views.mask is not None and not self._accepts_missing:
            raise ValueError("Input contains NaN: new samples need every view.")
        kinds = getattr(self, "_counts", (None,) * views.n_views)
        texts = taken_by_position(views, known), other_kinds(views, kinds)
        issue(tuple((text, UserWarning) for text in texts if text is not None))
        return keep_kinds(name_columns(views, known), kinds)

    def _names_of_views(self) -> tuple[str, ...]:
        """Return the names of the views of the fit, made up where it had none."""
        names = getattr(self, "_view_names", None)
        return names or tuple(f"view_{v}" for v in range(len(self._n_features)))

    def _in_order_of_names(self, views: Views) -> Views:
        """Match views by name, now and at the fit; fill in those that are lacking.

        Without names on either side, the order is all there is. A single view needs no
        name: files of two samples are called differently.
        """
        names = getattr(self, "_view_names", None)
        single = len(self._n_features) == views.n_views == 1
        if single or not views.named or views.names == names:
            return views
        known = self._names_of_views()
        other = [name for name in views.names if name not in known]
        if other:
            raise ValueError(
                f"The views are named {views.names}, but {type(self).__name__} was "
                f"fitted on {known}; pass the same names"
                f"{'' if names else ', or a list in the order of the fit'}."
            )
        lacking = [name for name in known if name not in views.names]
        if lacking and not self._accepts_missing:
            raise ValueError(
                f"View {lacking[0]!r} of the fit is not there: {type(self).__name__} "
                "needs every view of every sample."
            )
        return views.complete(known, self._n_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
