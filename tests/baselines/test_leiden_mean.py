"""Leiden on the mean of the views' graphs: every view counts equally."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph.baselines.leiden_mean import LeidenMean


@pytest.mark.parametrize("n_clusters", [3, 4])
def test_a_view_counts_once_however_many_columns_it_has(n_clusters):
    (a, b), truth = planted(90)
    settings = {"scaling": "none", "random_state": 0}
    graph = LeidenMean(n_clusters, **settings).fit([a, b]).graph_
    wide = LeidenMean(n_clusters, **settings).fit([np.hstack([a] * 5), b])
    np.testing.assert_allclose(wide.graph_.toarray(), graph.toarray(), atol=1e-12)
    assert wide.n_communities_ == n_clusters
    if n_clusters == 3:
        assert adjusted_rand_score(truth, wide.labels_) == 1


def test_without_a_number_the_communities_are_those_of_modularity():
    X, truth = planted(90)
    free = LeidenMean(2, resolution=1.0, random_state=0).fit(X)
    assert free.n_iter_ == 1
    assert adjusted_rand_score(truth, free.labels_) == 1
