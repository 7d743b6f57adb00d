"""Leiden on joined views: steered and free numbers of communities."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from data import planted
from mvgraph.baselines._graph_results import MAX_TRIALS
from mvgraph.baselines.leiden_concat import LeidenConcat


@pytest.mark.parametrize("n_clusters", [3, 4, 6])
def test_the_number_of_communities_is_steered(n_clusters):
    X, truth = planted(90)
    model = LeidenConcat(n_clusters, n_neighbors=20, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == model.n_communities_ == n_clusters
    assert model.history_[-1]["resolution"] == model.resolution_
    if n_clusters == 3:
        assert adjusted_rand_score(truth, model.labels_) == 1


def test_a_given_resolution_finds_its_own_number():
    X, _ = planted(90)
    with pytest.warns(ConvergenceWarning, match="not n_clusters=9"):
        few = LeidenConcat(9, resolution=0.2, random_state=0).fit(X)
    many = LeidenConcat(9, resolution=5.0, random_state=0).fit(X)
    assert few.n_communities_ < many.n_communities_
    assert few.n_iter_ == many.n_iter_ == 1
    repeated = LeidenConcat(9, resolution=5.0, random_state=0).fit(X)
    np.testing.assert_array_equal(many.labels_, repeated.labels_)


def test_the_number_out_of_reach_warns():
    X = [np.repeat(np.arange(4.0)[:, None] * 100, 12, axis=0)]  # 4 far groups
    model = LeidenConcat(2, scaling="none", random_state=0)
    with pytest.warns(ConvergenceWarning, match="Leiden found 4"):
        model.fit(X)
    assert model.n_communities_ == 4
    assert model.n_iter_ == MAX_TRIALS


@pytest.mark.parametrize("bad", [{"n_neighbors": 0}, {"resolution": 0.0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        LeidenConcat(3, **bad).fit(planted(90)[0])
