"""Probabilities of clusters: how often a label is right."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import data
from mvgraph import GraphConsensus
from mvgraph.consensus.calibration import calibrated, odds
from mvgraph.consensus.method import DEFAULT
from pairs import slow

LINES = [DEFAULT.odds_by_votes, DEFAULT.odds_by_anchors]


@pytest.mark.parametrize("weights", LINES)
@pytest.mark.parametrize("K", [1, 2, 5, 40])
def test_rows_sum_to_one_and_the_label_has_most(weights, K):
    rng = np.random.default_rng(K)
    P = rng.dirichlet(np.full(K, 0.3), 300).astype(np.float32)
    P[:K] = np.eye(K)
    for labels in (P.argmax(axis=1), rng.integers(K, size=300)):
        for agreement in (0.0, 0.3, 0.9, 1.0):
            found = calibrated(P, labels, odds(agreement, weights))
            assert found.dtype == P.dtype
            assert (found >= 0).all()
            np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-5)
            np.testing.assert_array_equal(found.argmax(axis=1), labels)


@pytest.mark.parametrize("weights", LINES)
def test_more_votes_and_more_agreement_make_sure(weights):
    share = np.linspace(0.4, 0.99, 30)
    P = np.column_stack([share, (1 - share) / 3, 2 * (1 - share) / 3])
    label = np.zeros(30, dtype=int)
    sure = np.array(
        [
            calibrated(P, label, odds(agreement, weights))[:, 0]
            for agreement in (0.1, 0.4, 0.7, 0.97)
        ]
    )
    assert (np.diff(sure, axis=1) >= 0).all()
    assert (np.diff(sure, axis=0) >= 0).all()
    ratio = calibrated(P, label, odds(0.97, weights))
    np.testing.assert_allclose(ratio[:, 2] / ratio[:, 1], 2)


@pytest.mark.parametrize("spread", [1.2, *slow(0.8, 3)])
def test_confidence_is_near_the_share_that_is_right(spread):
    X, truth = data.planted(700, k=4, dims=(6, 8), spread=spread)
    model = GraphConsensus(4, random_state=0).fit([x[:500] for x in X])
    new = model.predict_proba([x[500:] for x in X])
    both = np.zeros((4, 4))
    np.add.at(both, (model.labels_, truth[:500]), 1)
    classes = linear_sum_assignment(-both)[1]
    for sure, labels, known in (
        (model.confidence_, model.labels_, truth[:500]),
        (new.max(axis=1), new.argmax(axis=1), truth[500:]),
    ):
        right = classes[labels] == known
        assert abs(sure.mean() - right.mean()) < 0.2
        assert right.mean() < 0.99 or sure.mean() > 0.95
        assert right.all() or sure[right].mean() > sure[~right].mean() + 0.1
