"""A graph of samples is cut to the strongest links of every sample, both ways."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph.tl._writing import strongest_links


@pytest.mark.parametrize("k", [1, 4, 50])
def test_equals_the_dense_choice(k):
    A = np.random.default_rng(0).random((30, 30))
    A[A < 0.5] = 0
    kept = np.zeros_like(A)
    np.fill_diagonal(A, 0)
    for i, row in enumerate(A):
        best = np.argsort(-row, kind="stable")[:k]
        kept[i, best] = row[best]
    kept = np.maximum(kept, kept.T)
    found = strongest_links(sp.csr_matrix(A + 9 * np.eye(30)), k)
    np.testing.assert_allclose(found.toarray(), kept / kept.max())


def test_an_empty_graph_stays_empty():
    assert strongest_links(sp.csr_matrix((5, 5)), 3).nnz == 0
