"""Labels: right on clear clusters, repeatable, and the same in any order of rows."""

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import AnchorFilter, GraphConsensus, methods

ORDER_FREE = [name for name in methods.names() if methods.get(name).order_free]
NOISY, _ = planted(48, spread=4, noise=2.0)


def test_same_seed_same_labels_numbered_by_first_occurrence(name, fit):
    a, b = fit(name, NOISY), fit(name, NOISY)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(*(getattr(m, "view_weights_", 0) for m in (a, b)))
    assert a.labels_.dtype == np.int64
    seen = a.labels_[np.sort(np.unique(a.labels_, return_index=True)[1])]
    np.testing.assert_array_equal(seen, np.arange(len(seen)))


@pytest.mark.parametrize("name", ORDER_FREE)
def test_finds_planted_clusters(name, fit):
    views, y = planted(48, dims=(20, 25), spread=4, noise=0.5)  # room for subspaces
    assert ari(y, fit(name, views).labels_) > 0.9


@pytest.mark.parametrize("name", ORDER_FREE)
def test_permuting_rows_and_views_changes_nothing_but_numbering(name, fit):
    rows = np.random.default_rng(1).permutation(48)
    moved = [x[rows] for x in NOISY]
    if not name.startswith("clr"):  # its view is named by position
        moved.reverse()
    assert ari(fit(name, NOISY).labels_[rows], fit(name, moved).labels_) == 1


@pytest.mark.parametrize("Estimator", [GraphConsensus, AnchorFilter])
def test_fits_in_parallel_are_those_one_by_one(Estimator):
    alone = [Estimator(3, random_state=s).fit(NOISY).labels_ for s in range(2)]
    together = Parallel(2, prefer="threads")(
        delayed(Estimator(3, random_state=s).fit)(NOISY) for s in range(2)
    )
    for labels, model in zip(alone, together, strict=True):
        np.testing.assert_array_equal(labels, model.labels_)
