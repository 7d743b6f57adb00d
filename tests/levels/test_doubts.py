"""A number that may be one too few, or too many, is less certain."""

import numpy as np
import pytest

from mvgraph import ChooseK
from mvgraph.levels.doubts import divided_inside, one_off
from mvgraph.levels.evidence import Evidence
from mvgraph.levels.valleys import Valleys


def evidence(stability, second=0.8, n_rows=600):
    n = len(stability)
    valleys = Valleys(*np.zeros((3, n)), np.full(n, second))
    return Evidence(np.arange(2, n + 2), np.array(stability), {}, n_rows, valleys)


def parted(k, of_each):
    """Return the stability of k clusters, found again, and of two parts of one."""
    return [1.0] * (k - 1) + [(k - 1 + 2 * of_each) / (k + 1)]


@pytest.mark.parametrize("k", [2, 5, 20])
def test_a_next_number_that_is_found_again_is_a_doubt(k):
    assert one_off(evidence(parted(k, 0.8)), k - 2) == 1
    assert one_off(evidence(parted(k, 0.6)), k - 2) == 0
    assert one_off(evidence(parted(k, 0.8)), k - 1) == 0  # the last has no next


@pytest.mark.parametrize("k", [2, 5, 20])
def test_valleys_between_the_clusters_of_the_next_number_make_less_a_doubt(k):
    assert one_off(evidence(parted(k, 0.65), second=0.3), k - 2) == 1
    assert one_off(evidence(parted(k, 0.55), second=0.3), k - 2) == 0
    assert one_off(evidence(parted(k, 0.65), second=0.6), k - 2) == 0
    assert one_off(evidence(parted(k, 0.65), second=0.1, n_rows=150), k - 2) == 0
    # a coarse level beside a finer one is not one that is too small
    assert one_off(evidence(parted(k, 0.65), second=0.3), k - 2, first=False) == 0


def test_two_clusters_without_a_valley_are_a_doubt():
    assert one_off(evidence([1.0, 0.6], second=0.95), 0) == -1
    assert one_off(evidence([1.0, 0.6], second=0.5), 0) == 0


def test_clusters_that_a_valley_divides_are_counted():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(4), 150)
    X = np.eye(4)[truth] * 9 + 0.7 * rng.normal(size=(600, 4))
    for labels, count in ((truth, 0), (truth // 2, 2), (np.maximum(truth - 1, 0), 1)):
        assert divided_inside(labels, X, [X]) == count
    # what is the value of one column says nothing of the others
    X[:, 0] = truth % 2 * 9
    assert divided_inside(truth // 2, X[:, [0, 2]], [X[:, [0, 2]]]) == 0


def test_a_type_beside_a_similar_one_is_not_sure():
    """Four types, of which two are near, are three with a range up to four."""
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(4), (100, 100, 100, 25))
    views = []
    for d in (10, 12):
        centres = 5 * rng.normal(size=(4, d))
        step = rng.normal(size=d)
        centres[3] = centres[2] + 4 * step / np.linalg.norm(step)
        views.append(centres[truth] + rng.normal(size=(len(truth), d)))
    choice = ChooseK(random_state=0).fit(views)
    assert choice.best_k_ == 4 or choice.confidence_ < 0.9
    assert choice.k_range_[1] >= 4
