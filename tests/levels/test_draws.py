"""Neighbours among the rows of a draw."""

import numpy as np
import pytest

from mvgraph.graphs.neighbors import Neighbors
from mvgraph.levels.draws import among


@pytest.mark.parametrize("share", [1.0, 0.6, 0.1])
def test_the_nearest_among_some_rows(share):
    rng, n, k = np.random.default_rng(0), 80, 4
    near = Neighbors(rng.integers(n, size=(n, 9)), np.sort(rng.random((n, 9)), axis=1))
    rows = np.sort(rng.permutation(n)[: int(share * n)])
    found = among(near, rows, k)
    for i, row in enumerate(rows):
        kept = np.flatnonzero(np.isin(near.indices[row], rows))[:k]
        lacking = k - len(kept)
        last = kept[-1] if len(kept) else 0
        others = [*near.indices[row][kept], *[row] * lacking]
        far = [*near.distances[row][kept], *[near.distances[row][last]] * lacking]
        assert rows[found.indices[i]].tolist() == others
        assert found.distances[i].tolist() == far
