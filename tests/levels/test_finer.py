"""A finer number for which something speaks is listed, and the first is less sure."""

import numpy as np
import pytest

from mvgraph import ChooseK
from mvgraph.levels.choice import is_apart
from mvgraph.levels.doubts import instead
from mvgraph.levels.evidence import Evidence
from mvgraph.levels.finer import ALSO, PEAK, finer_levels, finest_parted, peaks
from mvgraph.levels.valleys import Valleys

NUMBERS = np.arange(2, 22)


def evidence(stability=None, parted=0, n=600):
    """Return stabilities of 2 to 21, and valleys between the clusters of some."""
    J = np.linspace(0.8, 0.6, 20) if stability is None else np.array(stability)
    left = np.where(parted >= NUMBERS, 0.05, 0.95)
    return Evidence(NUMBERS, J, {}, n, Valleys(*np.full((3, 20), 0.3), left))


def with_peak(k, height):
    J = np.linspace(0.8, 0.6, 20)
    J[k == NUMBERS] = J[k - 1 == NUMBERS] + height
    return J


@pytest.mark.parametrize("k", [2, 5, 21])
def test_the_largest_number_that_valleys_part_counts_where_rows_are_many(k):
    assert finest_parted(evidence(parted=k)) == k
    assert finest_parted(evidence(parted=k, n=150)) == 1
    assert finest_parted(evidence()) == 1


@pytest.mark.parametrize("k", [5, 12, 20])
def test_only_peaks_of_some_height_are_peaks(k):
    assert peaks(evidence(with_peak(k, 1.1 * PEAK))) == [k]
    assert peaks(evidence(with_peak(k, 0.9 * PEAK))) == []
    assert peaks(evidence(with_peak(k, 1.1 * PEAK) - 0.4)) == []  # dissolved
    J = with_peak(k, 0.1)
    assert peaks(evidence(J)._replace(valleys=Valleys(*np.ones((4, 20))))) == []


@pytest.mark.parametrize("parted", [0, 4, 9])
@pytest.mark.parametrize("peak", [4, 8, 16])
@pytest.mark.parametrize(
    "levels", [{3: 0.9}, {6: 0.1, 2: 0.1}, {2: 0.5, 9: 0.1, 14: 0}]
)
def test_at_most_two_finer_levels_apart_from_all(levels, peak, parted):
    found = evidence(with_peak(peak, 0.1), parted)
    new = finer_levels(found, levels, None)
    assert len(levels) + len(new) <= 3
    assert all(k > next(iter(levels)) for k in new)
    assert all(sure <= min(ALSO, next(iter(levels.values()))) for sure in new.values())
    both = [*levels, *new]
    assert all(is_apart(k, i) for k in new for i in both if i != k)
    assert set(new) <= {parted, peak}
    assert finer_levels(found, levels, np.array([21])) == {}


def test_a_finer_number_that_valleys_part_is_a_doubt_of_the_first():
    low = np.full(20, 0.5)
    assert instead(evidence(low, parted=7), 1, first=True) == 7
    assert instead(evidence(low, parted=7), 1, first=False) == 3
    assert instead(evidence(low, parted=3), 1, first=True) == 3


def test_a_rare_cluster_beside_a_large_one_leaves_the_number_unsure():
    """Three clusters of 16 : 4 : 1 are three, or two that are not sure."""
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(3), (311, 70, 19))
    centres = rng.normal(size=(3, 30))
    centres *= 6 / np.linalg.norm(centres[0] - centres[1])
    choice = ChooseK(random_state=0).fit([centres[truth] + rng.normal(size=(400, 30))])
    assert choice.best_k_ == 3 or choice.confidence_ < 0.9
    assert choice.k_range_[1] >= 3
