"""Spectral embedding of similarities: against dense solvers and loops."""

import numpy as np
import pytest
import scipy.sparse as sp

import naive
from mvgraph.ops.affinity.similarity import (
    joined_neighbor_graph,
    normalise_similarity,
    random_walk_embedding,
    spectral_embedding,
)
from mvgraph.ops.linalg import eigen

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _iterate(monkeypatch):
    monkeypatch.setattr(eigen, "DENSE_SOLVER_MAX", 10)


def blocks(sizes):
    """A graph with one connected block for every size."""
    parts = []
    for n in sizes:
        W = sp.random(n, n, 0.2, random_state=RNG).toarray()
        parts.append(W + W.T + 0.01)
    return sp.block_diag(parts, format="csr")


@pytest.mark.parametrize("kinds", [(np.asarray,) * 2, (sp.csr_matrix, np.asarray)])
def test_neighbour_graph_equals_the_loops(kinds):
    views = [RNG.normal(size=(15, d)) for d in (2, 3)]
    W = joined_neighbor_graph([f(v) for f, v in zip(kinds, views, strict=True)], 4)
    np.testing.assert_array_equal(W.toarray(), naive.joined_neighbor_graph(views, 4))


@pytest.mark.parametrize("sizes", [(120,), (60, 40, 50)])
def test_embedding_spans_the_leading_eigenvectors(sizes):
    W = blocks(sizes)
    U, count = spectral_embedding(W, 4)
    assert count == len(sizes)
    A = normalise_similarity(W).toarray()
    V = np.linalg.eigh(A)[1][:, -4:]
    np.testing.assert_allclose(U @ U.T, V @ V.T, atol=1e-7)
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-8)
    V, count = spectral_embedding(W.toarray(), 4)
    assert count == 1  # not looked for
    np.testing.assert_allclose(U @ U.T, V @ V.T, atol=1e-7)


def test_more_components_than_clusters_have_a_column_each():
    W = blocks((20, 30, 25))
    U, count = spectral_embedding(W, 2)
    assert count == U.shape[1] == 3
    assert ((U != 0).sum(axis=1) == 1).all()


def test_random_walk_embedding_holds_eigenvectors_of_the_walk():
    W = blocks((150,)).toarray()
    U = random_walk_embedding(W, 3)
    PU = (W @ U) / W.sum(axis=1)[:, None]
    w = np.einsum("ij,ij->j", U, PU)
    np.testing.assert_allclose(PU, U * w, atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)


def test_a_sample_without_similarity():
    W = np.ones((4, 4))
    W[3] = W[:, 3] = 0
    assert not normalise_similarity(W)[3].any()
    assert not random_walk_embedding(W, 2)[3].any()
