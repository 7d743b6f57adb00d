"""Complete rows stand for all where they are like the others; else rows are filled."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from mvgraph import GraphConsensus, Views
from mvgraph.consensus.missing_rows import complete_rows_suffice, fill_missing_rows
from mvgraph.graphs.representations import (
    NARROW,
    PLAIN,
    informative_rows,
    represent,
    scalings,
)

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


def lacking(views, share, seed):
    """Return views that lack a share of their rows; every sample is in one."""
    gone = np.random.default_rng(seed).random((len(views[0]), len(views))) < share
    gone[gone.all(axis=1)] = False
    return Views(
        [np.where(g[:, None], np.nan, x) for x, g in zip(views, gone.T, strict=True)]
    )


def test_filled_rows_have_the_lengths_of_the_others():
    rng = np.random.default_rng(0)
    widths = (1, NARROW, NARROW + 1, 20)
    views = lacking([rng.normal(size=(N, d)) for d in widths], 0.3, 0)
    rows = informative_rows(views)
    scaled = [represent(views, *way, rows) for way in scalings(views).items()]
    filled, known = fill_missing_rows(scaled, views.mask, rows)
    assert known.all()
    for before, after in zip(scaled, filled, strict=True):
        for v, (x, y) in enumerate(zip(before.arrays, after.arrays, strict=True)):
            np.testing.assert_allclose(y[rows[:, v]], x[rows[:, v]], atol=1e-6)
            if before.name != PLAIN and widths[v] > NARROW:
                np.testing.assert_allclose(np.linalg.norm(y, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(("d", "n_clusters"), [(1, 3), (NARROW, 3), (1, "auto")])
def test_groups_along_one_factor_where_rows_are_missing(d, n_clusters):
    rng = np.random.default_rng(d)
    truth = rng.integers(3, size=300)
    views = []
    for _ in range(3):
        weights = 0.5 + np.abs(rng.normal(size=d))
        noise = rng.normal(scale=0.4, size=(300, d))
        views.append((1.0 + 3.0 * truth)[:, None] * weights + noise)
    model = GraphConsensus(n_clusters, random_state=0).fit(lacking(views, 0.4, d))
    assert adjusted_rand_score(truth, model.labels_) > 0.97
