"""The contract of every clusterer: views in, labels out, in the caller's order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from mvgraph.base.checks import refuse_other_views, warn_few_distinct, warn_unconnected
from mvgraph.base.parameters import ParameterError, _seed, check_parameters
from mvgraph.base.progress import Callback
from mvgraph.base.result import Fit
from mvgraph.ops.labels import by_first_occurrence
from mvgraph.ops.namespace import Home, home_of, is_foreign
from mvgraph.persistence.models import save_model
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views
from mvgraph.views.order import canonical_order

__all__ = ["Clusterer", "Fit"]


class Clusterer(ClusterMixin, BaseEstimator, ABC):
    """Base class: validates views, fixes the order of rows, numbers the labels.

    An order-free method runs on rows and views sorted by a hash of their content and
    the seed, so that permuting them changes nothing but the numbering of labels.
    Labels are numbered by first occurrence.
    """

    #: False for published forms that read the order of rows.
    _order_free = True
    #: True if samples may lack some of the views.
    _accepts_missing = False

    #: While fit runs: whom to tell about steps, and where the arrays came from.
    _callback: Callback | None = None
    _home: Home | None = None

    n_clusters: int
    random_state: Any

    def fit(
        self, X: Any, y: Any = None, *, callback: Callback | None = None
    ) -> Clusterer:
        """Cluster the samples.

        Parameters
        ----------
        X : Views, list, tuple, dict, DataFrame, sparse matrix or 2-D array
            Views of the same samples, samples in rows. See :func:`mvgraph.as_views`.
            Arrays of CuPy or torch are copied to the processor; the dense bases of
            :class:`mvgraph.MGL` learn their graphs on the device that X came from.
        y : ignored
        callback : callable, optional
            Called with (steps done, all steps or None, record) while the method runs;
            ``record["seconds"]`` is the time of the step, or of the stage so far where
            ``record["stage"]`` names one, and steps are counted within it. Methods
            without steps to tell do not call it.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            See :class:`mvgraph.Views`; also more clusters than samples or anchors, or
            a parameter of a wrong type or outside of its range.
        """
        if callback is not None and not callable(callback):
            raise ParameterError(
                "callback must be a function of (done, total, record) or None; got "
                f"{callback!r}."
            )
        views = as_views(X)
        validate_data(
            self, X if hasattr(X, "columns") else views, skip_check_array=True
        )
        self._check_parameters(views)
        warn_few_distinct(views, self.n_clusters)
        warn_unconnected(views)
        self._n_features = views.n_features
        self._view_names = views.names if isinstance(X, Mapping) else None
        self._columns = _columns(X)
        self.sample_ids_ = views.ids
        seed = _seed(self.random_state)
        rng = np.random.default_rng(seed)
        # BLAS on one thread: products split over threads round differently, and the
        # engines run blocks in parallel anyway
        with (
            threadpool_limits(limits=1, user_api="blas"),
            self._told(callback, _home_of_views(X)),
        ):
            if not self._order_free:
                return self._store(self._fit(views[:], rng), None)
            rows, keys = canonical_order(views, seed)
            fitted = self._fit_ordered(views.select(keys), rows, rng)
        return self._store(fitted, keys)

    @contextmanager
    def _told(self, callback: Callback | None, home: Home | None) -> Iterator[None]:
        """Keep what concerns one call of fit only while it runs."""
        self._callback, self._home = callback, home
        try:
            yield
        finally:
            del self._callback, self._home

    def _fit_ordered(self, views: Views, rows: np.ndarray, rng) -> Fit:
        """Fit in the given order of rows; return results in the order of views."""
        return self._fit(views[rows], rng).take(np.argsort(rows))

    @abstractmethod
    def _fit(self, views: Views, rng: np.random.Generator) -> Fit:
        """Cluster validated views; rows and views may come in any order."""

    def _check_parameters(self, views: Views) -> None:
        K, N = self.n_clusters, len(views)
        if N < 2:
            raise ValueError(f"n_samples={N}: clustering needs at least two samples.")
        check_parameters(self)
        if N < K:
            raise ValueError(
                f"n_clusters={K} is more than n_samples={N}; ask for fewer clusters."
            )
        if views.mask is not None and not views.mask.any(axis=0).all():
            name = views.names[int(np.argmin(views.mask.any(axis=0)))]
            raise ValueError(
                f"view {name!r} has no samples: all its rows are NaN; leave it out."
            )
        if views.mask is not None and not self._accepts_missing:
            name = views.names[int(np.argmin(views.mask.all(axis=0)))]
            raise ValueError(
                f"Input contains NaN: view {name!r} lacks "
                f"{int((~views.mask).any(axis=1).sum())} samples; "
                f"{type(self).__name__} needs every view of every sample: "
                "drop these samples or the view."
            )

    def _store(self, fit: Fit, keys: np.ndarray | None) -> Clusterer:
        """Keep the results; number the labels; undo the order of views."""
        old = by_first_occurrence(fit.labels)
        new = np.full(int(old.max()) + 1, -1)  # -1: a label that no sample has
        new[old] = np.arange(len(old))
        self.labels_ = new[fit.labels]
        for name, value in chain(
            fit.samples.items(), fit.pairs.items(), fit.other.items()
        ):
            setattr(self, name, value)
        for name, value in fit.clusters.items():
            setattr(self, name, np.where(value >= 0, new[value], -1))
        for name, value in fit.views.items():
            setattr(self, name, value if keys is None else value[np.argsort(keys)])
        self._new_label = new
        self._view_order = keys
        self.history_: list[dict[str, Any]]
        return self

    def labels_frame(self) -> Any:
        """Return ``labels_`` as a pandas Series named "cluster", by sample id.

        The index is that of the DataFrames given to ``fit``, or 0, 1, ... without ids.

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
        index = None if self.sample_ids_ is None else Index(self.sample_ids_)
        return Series(self.labels_, index=index, name="cluster")

    def save(self, folder: Any) -> Any:
        """Write the fitted model into a folder; see :func:`mvgraph.load_model`.

        Parameters
        ----------
        folder : path
            Created, in a folder that exists; an older model there is replaced,
            anything else is refused.

        Returns
        -------
        Path
        """
        check_is_fitted(self)
        return save_model(self, folder)

    def _check_new(self, X: Any) -> Views:
        """Validate views for predict and bring them into the order of the fit."""
        check_is_fitted(self)
        views = self._in_order_of_names(as_views(X), X)
        refuse_other_views(views, self._n_features, type(self).__name__)
        validate_data(
            self,
            X if hasattr(X, "columns") else views,
            skip_check_array=True,
            reset=False,
        )
        known = getattr(self, "_columns", {})
        for view, columns in _columns(X).items():
            if known.get(view, columns) != columns:
                raise ValueError(
                    f"The columns of view {view!r} are not those of the fit, or in "
                    "another order; select them by name first."
                )
        if views.mask is not None and not self._accepts_missing:
            raise ValueError("Input contains NaN: new samples need every view.")
        return views if self._view_order is None else views.select(self._view_order)

    def _in_order_of_names(self, views: Views, X: Any) -> Views:
        """Match views that came by name, now and at the fit, by these names."""
        names = getattr(self, "_view_names", None)
        if names is None or not isinstance(X, Mapping) or views.names == names:
            return views
        if set(views.names) != set(names):
            raise ValueError(
                f"The views are called {views.names}, but {type(self).__name__} was "
                f"fitted on {names}; pass the same names."
            )
        return views.select([views.names.index(name) for name in names])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _columns(X: Any) -> dict[Any, list[Any]]:
    """Return the columns of the views that are data frames, by name or position."""
    if not isinstance(X, Mapping | list | tuple):
        return {}  # scikit-learn checks the columns of a single frame
    pairs = X.items() if isinstance(X, Mapping) else enumerate(X)
    return {view: list(a.columns) for view, a in pairs if hasattr(a, "columns")}


def _home_of_views(X: Any) -> Home | None:
    """Find the device of the first view that is an array of CuPy, torch or the like."""
    views = X.values() if isinstance(X, Mapping) else X
    if not isinstance(X, Mapping | list | tuple):
        views = [X]
    return next((home_of(a) for a in views if is_foreign(a)), None)
