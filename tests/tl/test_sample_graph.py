"""The graph of samples equals the dense product, cut to the nearest neighbours."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from mvgraph.tl._writing import sample_graph


def draw(seed, n=40, m=7, k=3):
    rng = np.random.default_rng(seed)
    Z = np.zeros((n, m))
    for row in Z:
        row[rng.choice(m, k, replace=False)] = rng.random(k)
    return Z


def dense(Z, n_neighbors):
    A = Z @ np.diag(1 / np.maximum(Z.sum(axis=0), 1e-300)) @ Z.T
    np.fill_diagonal(A, 0)
    kept = np.zeros_like(A)
    for i, row in enumerate(A):
        nearest = np.argsort(-row, kind="stable")[:n_neighbors]
        kept[i, nearest] = row[nearest]
    kept = np.maximum(kept, kept.T)
    return kept / kept.max()


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_equals_the_dense_product(seed, n_neighbors):
    Z = draw(seed)
    found = sample_graph(sp.csr_matrix(Z), n_neighbors)
    np.testing.assert_allclose(found.toarray(), dense(Z, n_neighbors), rtol=1e-12)


def test_blocks_change_nothing():
    Z = sp.csr_matrix(draw(0))
    whole = sample_graph(Z, 5)
    assert (whole != sample_graph(Z, 5, entries_per_block=100)).nnz == 0


def test_symmetric_bounded_and_without_diagonal():
    graph = sample_graph(sp.csr_matrix(draw(1, n=200)), 5, samples_per_anchor=4)
    assert (graph != graph.T).nnz == 0
    assert graph.diagonal().max() == 0
    assert graph.nnz <= 2 * 5 * 200
    assert graph.max() == 1
    assert np.diff(graph.indptr).min() > 0  # nobody is alone


def test_empty_rows_and_an_empty_graph():
    Z = draw(0)
    Z[[0, 17, 39]] = 0
    graph = sample_graph(sp.csr_matrix(Z), 3)
    assert np.flatnonzero(np.diff(graph.indptr) == 0).tolist() == [0, 17, 39]
    assert sample_graph(sp.csr_matrix((5, 3)), 2).nnz == 0


@pytest.mark.parametrize("n", [6_000])
def test_linear_in_the_samples(n):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, 20, size=(n, 3))
    Z = sp.csr_matrix(
        (rng.random(3 * n), (np.repeat(np.arange(n), 3), columns.ravel()))
    )
    assert sample_graph(Z, 10).nnz <= 20 * n  # of 3.6e7
