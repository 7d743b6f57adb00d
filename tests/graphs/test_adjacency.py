"""Views that are graphs of the samples."""

import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import Views
from mvgraph.graphs.adjacency import is_adjacency, with_closed_neighborhoods


def citations(n=300, directed=False):
    """Links inside four groups, most of them to samples that are linked already."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 4
    A = np.zeros((n, n))
    for i in range(8, n):
        earlier = np.flatnonzero(y[:i] == y[i])
        A[i, rng.choice(earlier[-8:], min(4, len(earlier[-8:])), replace=False)] = 1
    return A if directed else np.maximum(A, A.T)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_graphs_are_known_by_their_pattern(directed, convert):
    A = citations(directed=directed)
    assert is_adjacency(convert(A))
    order = np.random.default_rng(1).permutation(len(A))
    assert is_adjacency(convert(A[order][:, order]))
    assert not is_adjacency(convert(A[order]))
    assert not is_adjacency(convert(A[:, :-1]))
    assert not is_adjacency(np.ones((20, 20)))
    assert not is_adjacency(np.zeros((20, 20)))


def test_links_count_both_ways_and_every_sample_is_linked_to_itself():
    A = 3 * citations(directed=True)
    A[0] = A[:, 0] = 0
    other = np.random.default_rng(0).normal(size=(len(A), 2))
    views = with_closed_neighborhoods(Views([A, other]))
    linked = views.arrays[0].toarray()
    both = np.maximum(A, A.T)
    np.fill_diagonal(both, np.where(both.any(axis=1), 3, 0))
    np.testing.assert_array_equal(linked, both)
    np.testing.assert_array_equal(views.arrays[1], other)
    shuffled = Views([np.random.default_rng(2).permutation(A), other])
    assert with_closed_neighborhoods(shuffled) is shuffled
