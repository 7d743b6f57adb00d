"""The search for the resolution of a wanted number of communities."""

import numpy as np
import pytest

from mvgraph.baselines._graph_results import MAX_TRIALS, search_resolution


def steps(at):
    """Communities of ten samples: one more at every power of two times ``at``."""

    def find(resolution):
        count = int(np.clip(np.floor(np.log2(resolution / at)) + 1, 1, 10))
        return np.arange(10) % count

    return find


@pytest.mark.parametrize("at", [2.0**-8, 0.3, 1.0, 2.0**9])
def test_the_wanted_number_is_found(at):
    last = search_resolution(steps(at), 4)[-1]
    assert last.n_communities == 4
    np.testing.assert_array_equal(np.unique(last.labels), np.arange(4))


def test_a_number_out_of_reach_ends_after_all_trials():
    trials = search_resolution(lambda r: np.arange(10) % (2 if r < 7 else 6), 3)
    assert len(trials) == MAX_TRIALS
    assert {t.n_communities for t in trials} == {2, 6}


def test_a_given_resolution_is_the_only_trial():
    (only,) = search_resolution(steps(1.0), 4, resolution=1.5)
    assert only.n_communities == 1
