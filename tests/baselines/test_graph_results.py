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
    search = search_resolution(steps(at), 4)
    assert search.best.found == search.trials[-1].found == 4
    np.testing.assert_array_equal(np.unique(search.best.labels), np.arange(4))
    assert search.history[-1] == {
        "resolution": search.best.resolution,
        "n_communities": 4,
    }


def test_a_number_out_of_reach_gives_the_closest_after_all_trials():
    search = search_resolution(lambda r: np.arange(10) % (2 if r < 7 else 6), 3)
    assert len(search.trials) == MAX_TRIALS
    assert search.best.found == 2


def test_a_given_resolution_is_the_only_trial():
    search = search_resolution(steps(1.0), 4, resolution=1.5)
    assert len(search.trials) == 1
    assert search.best.found == 1
