"""Rows that some views lack: both estimators find their clusters."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import AnchorFilter, GraphConsensus, datasets, metrics

N, K = 200, 4
TRUTH = np.arange(N) % K


@pytest.fixture
def blobs():
    return planted(N, K, dims=(5, 8, 3), spread=8, rows="cycled")[0]


def thin(views, v, rows):
    return [np.where(rows[:, None] & (u == v), np.nan, x) for u, x in enumerate(views)]


@pytest.mark.parametrize("Estimator", [GraphConsensus, AnchorFilter])
def test_a_cluster_that_lacks_a_view_is_found(Estimator, blobs):
    labels = Estimator(K, random_state=0).fit(thin(blobs, 1, TRUTH == 2)).labels_
    assert ari(TRUTH, labels) > 0.9


@pytest.mark.parametrize("Estimator", [GraphConsensus, AnchorFilter])
def test_the_bits_of_nan_do_not_matter(Estimator, blobs):
    rows = np.random.default_rng(0).random(N) < 0.3
    X = thin(blobs, 0, rows)
    other = [x.copy() for x in X]
    other[0][rows] = -np.float64(np.nan)
    a, b = (Estimator(K, random_state=0).fit(x) for x in (X, other))
    np.testing.assert_array_equal(a.labels_, b.labels_)
    assert ari(TRUTH, a.labels_) > 0.9


@pytest.mark.parametrize("Estimator", [GraphConsensus, AnchorFilter])
def test_new_rows_may_lack_views(Estimator, blobs):
    model = Estimator(K, random_state=0).fit(blobs)
    rows = np.random.default_rng(0).random(N) < 0.5
    assert ari(TRUTH, model.predict(thin(blobs, 2, rows))) > 0.9


@pytest.mark.shared
def test_both_encodings_of_three_sources_give_the_same_labels(shared_dir):
    names = ("nan_dxn_index", "zero_rows_mask")
    a, b = (
        datasets.load(shared_dir / "data" / f"three_sources_incomplete__{name}.mat")
        for name in names
    )
    first, second = (
        GraphConsensus(6, random_state=0).fit(d.views).labels_ for d in (a, b)
    )
    np.testing.assert_array_equal(first, second)
    assert metrics.accuracy(a.labels, first) > 0.85


def test_a_row_that_lacks_a_view_is_told_by_anchors_alone():
    X, _ = planted(120, dims=(4, 4), spread=3)
    model = GraphConsensus(3, random_state=0).fit(X)
    new = [X[0][:20].copy(), X[1][:20].copy()]
    new[1][:10] = np.nan
    found = model.predict(new)
    alone = [c._replace(discriminant=None) for c in model.predictor_.classifiers]
    model.predictor_ = replace(model.predictor_, classifiers=alone)
    np.testing.assert_array_equal(found[:10], model.predict(new)[:10])
