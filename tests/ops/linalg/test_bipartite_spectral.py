"""The transfer cut equals the small dense problem that it solves."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from mvgraph.ops.linalg import bipartite_spectral
from mvgraph.ops.linalg.bipartite_spectral import transfer_cut


@pytest.mark.parametrize("most", [0, 1200])
@pytest.mark.parametrize("shape", [(40, 9), (9, 40)])
def test_transfer_cut_is_that_of_the_dense_problem(monkeypatch, most, shape):
    monkeypatch.setattr(bipartite_spectral, "CUT_DENSE_MAX", most)
    rng = np.random.default_rng(0)
    B = rng.random(shape) * (rng.random(shape) < 0.6) + 1e-3
    W = B.T @ np.diag(1 / B.sum(axis=1)) @ B
    root = np.diag(W.sum(axis=1) ** -0.5)
    R = root @ scipy.linalg.eigh(root @ W @ root)[1][:, ::-1][:, :4]
    E = np.diag(1 / B.sum(axis=1)) @ B @ R
    E /= np.linalg.norm(E, axis=1, keepdims=True)
    found = transfer_cut(sp.csr_matrix(B), 4)
    np.testing.assert_allclose(found @ found.T, E @ E.T, atol=1e-6)


def test_fewer_columns_than_clusters_give_as_many_vectors():
    assert transfer_cut(sp.csr_matrix(np.eye(3)[[0, 1, 2, 2]]), 5).shape == (4, 3)
