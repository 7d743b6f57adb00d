"""What can be read off a fitted consensus: levels, outliers, labels on workers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvgraph.base.parameters import check_share, is_integer
from mvgraph.base.predictor import MAX_OUTLIER, predict_rows
from mvgraph.ops.merges import Merges
from mvgraph.prediction.outliers import reason_of
from mvgraph.views.schema import Schema

#: Largest membership below which a sample lies between clusters: no cluster has half.
UNSURE = 0.5


class FittedConsensus:
    """Methods of GraphConsensus that read its attributes and learn nothing."""

    cluster_ids_: np.ndarray
    labels_: np.ndarray
    lazy_labels_: Any
    membership_: Any
    next_cluster_id_: int
    outlier_score_: Any
    outlier_part_: Any
    predictor_: Any
    schema_: Schema
    tree_: Merges

    @property
    def confidence_(self) -> Any:
        """Largest membership of every sample, shape (n_samples,)."""
        return self.membership_.max(axis=1)

    @property
    def outlier_reason_(self) -> np.ndarray:
        """Why samples belong nowhere, in words; shape (n_samples,)."""
        names = np.array(self.schema_.names)[self.predictor_.used]
        member = np.asarray(self.membership_)
        second = self.cluster_ids_[np.argsort(-member, axis=1, kind="stable")[:, :2]]
        reasons = np.full(len(member), "", dtype=object)
        for i in np.flatnonzero(member.max(axis=1) < UNSURE):
            reasons[i] = f"between the clusters {' and '.join(map(str, second[i]))}"
        for i in np.flatnonzero(np.asarray(self.outlier_score_) > MAX_OUTLIER):
            reasons[i] = reason_of(int(self.outlier_part_[i]), tuple(names))
        return reasons

    def labels(
        self,
        *,
        min_confidence: float = 0.0,
        max_outlier: float = MAX_OUTLIER,
    ) -> np.ndarray:
        """Return ``labels_`` with -1 for samples that belong nowhere.

        Parameters
        ----------
        min_confidence : float, default=0.0
            Least ``confidence_``, in [0, 1].
        max_outlier : float, default=0.98
            Largest ``outlier_score_``, in [0, 1]. Of clean normal clusters 0.1 % of
            the samples are beyond 0.98, of those with heavy tails 0.6 %.

        Returns
        -------
        ndarray of int64, shape (n_samples,)

        Raises
        ------
        ValueError
            A bound is no number in [0, 1].
        """
        check_is_fitted(self)
        check_share("min_confidence", min_confidence)
        check_share("max_outlier", max_outlier)
        sure = np.asarray(self.confidence_) >= min_confidence
        usual = np.asarray(self.outlier_score_) <= max_outlier
        return np.where(sure & usual, self.labels_, -1)

    def cut(self, k: int, X: Any = None) -> Any:
        """Return the clustering with k clusters out of ``tree_``, without a new fit.

        A cluster that is not divided between two levels has the same number in both:
        where one is divided, its larger part keeps the number, and the other gets one
        that no cluster has had. Below n_clusters, a union has the number of its largest
        part, so that some numbers are left out.

        Parameters
        ----------
        k : int
            From 1 to the number of leaves of the tree; n_clusters gives ``labels_``.
        X : as in fit, optional
            New samples; those of the fit by default.

        Returns
        -------
        ndarray of int64, shape (n_samples,)
            For dask arrays X a dask array, as in `predict`.

        Raises
        ------
        ValueError
            k is not in this range.
        """
        check_is_fitted(self)
        number = self.leaf_numbers(k)
        if X is None:
            return number[self.tree_.labels]
        views = self.schema_.match(X)
        leaves = predict_rows(self.predictor_, views, "leaf", False)
        if isinstance(leaves, np.ndarray):
            return number[leaves]
        return leaves.map_blocks(number.take, dtype=np.int64)

    def leaf_numbers(self, k: int) -> np.ndarray:
        """Return the cluster of every leaf of ``tree_`` at the level of k clusters.

        Raises
        ------
        ValueError
            k is not from 1 to the number of leaves.
        """
        tree = self.tree_
        if not (is_integer(k) and 1 <= k <= tree.n_leaves_):
            more = is_integer(k) and k > tree.n_leaves_
            raise ValueError(
                f"k must be an integer from 1 to {tree.n_leaves_}, the number of "
                f"communities in tree_; got {k!r}."
                + " Fit with a larger n_clusters for more."
                * more
            )
        number = np.zeros(tree.n_leaves_, dtype=np.int64)
        number[tree.labels] = self.labels_
        return tree.renumbered(int(k), number, self.next_cluster_id_)

    def dask_labels(self) -> Any:
        """Return ``labels_`` as a dask array, computed again where the rows lie.

        Returns
        -------
        dask array of int64, shape (n_samples,)
            In the row chunks of the first view.

        Raises
        ------
        ValueError
            The views of the fit were not dask arrays, or the model was loaded.
        """
        check_is_fitted(self)
        if "lazy_labels_" not in vars(self):
            raise ValueError(
                "dask_labels needs a fit on dask arrays in this process; use labels_."
            )
        return self.lazy_labels_
