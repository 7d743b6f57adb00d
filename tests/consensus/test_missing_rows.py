"""Complete rows stand for all only where they are like the others."""

import numpy as np

from mvgraph.consensus.missing_rows import complete_rows_suffice

N = 200
TRUTH = np.arange(N) % 4


def test_complete_rows_suffice_unless_a_cluster_lacks_a_view():
    own = [TRUTH, TRUTH]
    at_random = np.ones((N, 2), dtype=bool)
    at_random[:80:2, 1] = False
    assert complete_rows_suffice(at_random, own, 4)
    one_cluster = np.ones((N, 2), dtype=bool)
    one_cluster[TRUTH == 2, 1] = False
    assert not complete_rows_suffice(one_cluster, own, 4)
