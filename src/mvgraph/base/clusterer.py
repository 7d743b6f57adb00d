"""The contract of every clusterer: views in, labels out, in the caller's order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, dataclass_transform

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from mvgraph.base import checks
from mvgraph.base.identity import Identity, identify, read_like
from mvgraph.base.kept import Kept, NamedClusters
from mvgraph.base.limits import bytes_left, expected
from mvgraph.base.parameters import Parameters, add_init
from mvgraph.base.predictor import Predictor, if_predictor_gives, predict_rows
from mvgraph.base.result import Result, issue
from mvgraph.base.run import Callback, Run
from mvgraph.ops.parallel import one_blas_thread
from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views
from mvgraph.views.schema import Schema


@dataclass_transform(kw_only_default=True, eq_default=False)
class Clusterer(
    Kept,
    NamedClusters,
    Parameters,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    BaseEstimator,
    ABC,
):
    """Base class: validates views, fixes the order of rows, numbers the labels.

    A method lists its parameters as annotated names with defaults, from which
    ``__init__`` is generated, and implements ``_fit(views, run) -> Result``, a function
    of the views, the run and the parameters that sets no attributes. An order-free
    method gets rows and views sorted by a hash of their content and the seed, so that a
    permutation of the input changes only the numbering of labels. Labels are numbered
    by first occurrence.

    A method whose results contain a predictor names its class and has ``predict``,
    ``transform`` and ``save``. Other methods have none of these.
    """

    #: The class of ``predictor_``; None if models cannot label new samples.
    predictor: type[Predictor] | None = None
    #: False for published forms whose results depend on the order of rows and views.
    _order_free: bool = True
    #: True for methods that sort rows themselves while reading them: ``_fit`` gets
    #: unsorted rows and returns results in their order.
    _reads_in_place: bool = False
    #: False for order-free methods that depend on the order of the views.
    _sorts_views: bool = True
    #: True if samples may be missing in some views.
    _accepts_missing: bool = False

    labels_: np.ndarray
    cluster_ids_: np.ndarray
    next_cluster_id_: int
    schema_: Schema  # of the views of the fit
    predictor_: Predictor

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        add_init(cls)

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        callback: Callback | None = None,
        like: Any = None,
    ) -> Clusterer:
        """Cluster the samples.

        A fit that fails or is interrupted leaves the estimator as it is.

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
        like : fitted model or folder of one, optional
            Clusters that it has, too, keep its numbers; others get numbers that were
            never used. ``changes_`` lists what became of every cluster. A warning says
            why if :func:`mvgraph.monitor` would find ``refit``.

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
        older, views = read_like(like), as_views(X)
        named = checks.named_features(self, X, views)
        checks.check_fit(self, views, callback)
        few = None if self.predictor is None else 10 * expected(self.n_clusters)
        left = bytes_left(self, views, few)
        issue(checks.fit_notes(self, views))
        run = Run.start(self.random_state, X, views, callback, left)
        with one_blas_thread():
            result = self._run(views, run)
        K = self.n_clusters if result.n_clusters is None else result.n_clusters
        issue(checks.result_notes(result, K, run.order.n_distinct))
        kind, whole = type(self).__name__, checks.needs_every_view(self)
        schema = Schema.of(views, run.order.content, kind, whole)
        identity = identify(result.labels, run.order.rows, views, older)
        issue(((identity.moved, UserWarning),) if identity.moved else ())
        if self.predictor is not None:
            named["reference_"] = identity.describe(result, run.order, views)
        return self._keep(result, run, identity, named | {"schema_": schema})

    def _scaling_rule(self) -> str:
        """Return the rule by which every view is scaled; see fit_scaling."""
        return self.get_params(deep=False).get("scaling", "none")

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

    def _keep(self, result: Result, run: Run, identity: Identity, more: Any) -> Any:
        """Set all attributes at once; undo the order of views."""
        if self._order_free and self._sorts_views:
            result = result.take("views", np.argsort(run.order.views))
        found = result.renumber(identity.position, identity.ids)
        fitted = found.attributes() | identity.attributes() | more
        kept = {name: v for name, v in vars(self).items() if name[-1] != "_"}
        # one assignment: other threads see either the old model or the new one
        self.__dict__ = kept | fitted
        return self

    @if_predictor_gives("label")
    def predict(self, X: Any) -> Any:
        """Assign samples to clusters; for fitted samples, not always as in ``labels_``.

        Parameters
        ----------
        X : as in fit, with the same views
            Names of views and columns are matched. Samples may lack views if they may
            in the fit.

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            If all views are dask arrays, a dask array: blocks of rows are checked and
            labelled on the workers when the result is computed.

        Raises
        ------
        ValueError
            If views or columns are not those of the fit, or values are invalid.
        """
        return self._predicted(X, "label")

    @if_predictor_gives("probability")
    def predict_proba(self, X: Any) -> Any:
        """Return the probability of every cluster; the largest is that of `predict`.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        ndarray or dask array of float32, shape (n_samples, n_clusters)
            One column for each of ``cluster_ids_``; rows sum to one.
        """
        return self._predicted(X, "probability")

    def transform(self, X: Any) -> Any:
        """Embed samples; fitted samples lie near their rows of ``embedding_``.

        Parameters
        ----------
        X : as in `predict`

        Returns
        -------
        ndarray or dask array of shape (n_samples, n_components)
        """
        return self._predicted(X, "embedding")

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, then embed the same samples with `transform`."""
        return self.fit(X, y).transform(X)

    @if_predictor_gives("embedding")
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of `transform`."""
        return super().get_feature_names_out(input_features)

    @property
    def _n_features_out(self) -> int | None:
        return self.predictor_.shape_of("embedding")[1]

    def _predicted(self, X: Any, field: str) -> Any:
        check_is_fitted(self)
        views = self.schema_.match(X, stacklevel=5)
        whole = self.schema_.needs_every_view
        return predict_rows(self.predictor_, views, field, whole)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if self.predictor is None:
            tags.transformer_tags = None
        return tags


# scikit-learn wraps these two while it makes the class: they are hidden afterwards
_embeds = if_predictor_gives("embedding")
Clusterer.transform = _embeds(Clusterer.transform)  # type: ignore[method-assign]
Clusterer.fit_transform = _embeds(Clusterer.fit_transform)  # type: ignore[method-assign]
