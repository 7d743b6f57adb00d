"""Missing rows are filled from neighbours in the other views."""

import numpy as np

from data import planted
from mvgraph.views.missing import impute

N, K = 200, 4
VIEWS, TRUTH = planted(N, K, dims=(5, 8, 3), spread=8)


def test_filled_rows_lie_in_their_cluster():
    mask = np.random.default_rng(1).random((N, 3)) > 0.2
    mask[~mask.any(axis=1)] = True
    holed = [np.where(mask[:, v, None], x, 1e6) for v, x in enumerate(VIEWS)]
    (filled,), known = impute(holed, mask, [holed])
    assert known.all()
    for v, x in enumerate(filled):
        np.testing.assert_array_equal(x[mask[:, v]], VIEWS[v][mask[:, v]])
        centres = np.stack([VIEWS[v][k == TRUTH].mean(axis=0) for k in range(K)])
        near = np.linalg.norm(x[:, None] - centres, axis=2).argmin(axis=1)
        assert (near == TRUTH)[~mask[:, v]].mean() > 0.95


def test_a_row_that_shares_no_view_with_others_stays():
    mask = np.zeros((N, 2), dtype=bool)
    mask[:100, 0], mask[100:, 1] = True, True
    _, known = impute(VIEWS[:2], mask, [VIEWS[:2]])
    np.testing.assert_array_equal(known, mask)
