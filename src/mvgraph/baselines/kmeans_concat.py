"""k-means on the joined, z-scored views: the simplest reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler

from mvgraph.base import Clusterer, Method, Result, Run
from mvgraph.base.predictor import Block, Predictor
from mvgraph.ops.distance import join_features
from mvgraph.views.container import Views
from mvgraph.views.scaling import Scaling, apply_steps, fit_scaling

METHOD = Method(
    name="kmeans-concat",
    family="joined views",
    title="k-means on the joined, z-scored views (best of 10 starts)",
    reference="lloyd1982kmeans",
    cost="O(N K d) per pass",
    memory="O(N d)",
)


@dataclass(frozen=True)
class CentrePredictor(Predictor):
    """Assign every sample to the nearest centre; embed it by its distances to all.

    Parameters
    ----------
    scalings : list of tuple of Scaling
        By view, in the order in which the views are joined.
    centres : ndarray of shape (K, d)
    """

    fields: ClassVar[frozenset[str]] = frozenset(("label", "embedding"))

    scalings: list[tuple[Scaling, ...]]
    centres: np.ndarray

    def block(self, views: Views, wanted: Sequence[str]) -> Block:
        """See Predictor."""
        joined = _scale_and_join(self.scalings, views.select(self.used))
        distances = euclidean_distances(joined, self.centres)
        fields = {"label": np.argmin(distances, axis=1), "embedding": distances}
        return {field: fields[field] for field in wanted}

    def shape_of(self, field: str) -> tuple[Any, int | None]:
        """See Predictor."""
        embedded = field == "embedding"
        return (np.float64, len(self.centres)) if embedded else (np.int64, None)

    def renumber(self, new: np.ndarray) -> CentrePredictor:
        """See Predictor."""
        kept = np.flatnonzero(new >= 0)
        return replace(self, centres=self.centres[kept[np.argsort(new[kept])]])


class KMeansConcat(Clusterer):
    """Cluster the joined, z-scored views with k-means.

    **Solves**  min over labels c and centres m of  sum_i || x_i - m_{c_i} ||^2, where
    x_i joins the z-scored features of all views of sample i [lloyd1982]_.

    Parameters
    ----------
    n_clusters : int
    n_init : int
        Number of k-means++ starts; the best is kept.
    random_state : int, RandomState instance or None

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered by first occurrence.

    Notes
    -----
    Sparse views are scaled but not centred, so that they stay sparse: k-means does not
    depend on a translation. ``transform`` gives the distances to the centres.

    References
    ----------
    .. [lloyd1982] Lloyd, "Least squares quantization in PCM", IEEE Trans. Information
       Theory 28(2), 1982, :doi:`10.1109/TIT.1982.1056489`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.kmeans_concat import KMeansConcat
    >>> X = [np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([[1], [1], [9], [9]])]
    >>> KMeansConcat(n_clusters=2, random_state=0).fit(X).labels_
    array([0, 0, 1, 1])
    """

    predictor = CentrePredictor

    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        scalings = [_fit_scaling(x) for x in views.arrays]
        kmeans = KMeans(
            min(self.n_clusters, run.order.n_distinct),  # fit has warned of fewer rows
            n_init=self.n_init,
            random_state=int(run.rng.integers(2**31)),
        )
        labels = kmeans.fit_predict(_scale_and_join(scalings, views))
        used = np.arange(views.n_views)
        predictor = CentrePredictor(scalings, kmeans.cluster_centers_, used=used)
        return Result(labels, predictor=predictor)


def _fit_scaling(x: Any) -> tuple[Scaling, ...]:
    """Learn the z-score of a view; of a sparse one the deviations alone."""
    if not sp.issparse(x):
        return fit_scaling(x, "zscore")
    scale = StandardScaler(with_mean=False).fit(x).scale_
    return (Scaling("zscore", 0.0, scale),)


def _scale_and_join(scalings: list[tuple[Scaling, ...]], views: Views) -> Any:
    arrays = [x if sp.issparse(x) else np.asarray(x[:]) for x in views.arrays]
    return join_features(list(map(apply_steps, arrays, scalings)))
