import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
from mvgraph import Views
from mvgraph.graphs import bipartite
from mvgraph.graphs.anchors import select_anchors
from mvgraph.graphs.bipartite import anchor_graph, closed_form_weights, view_graphs
from mvgraph.ops.proximal.simplex import project_simplex


@given(
    arrays(float, (3, 7), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0])),
    st.integers(1, 6),
)
def test_as_the_loops_with_ties_and_equal_distances(D, k):
    Z = anchor_graph(D, k).tocsr().toarray()
    np.testing.assert_allclose(Z, [naive.anchor_weights(d, k) for d in D], atol=1e-12)
    np.testing.assert_allclose(Z.sum(axis=1), 1)


def test_weights_solve_their_problem():
    """z minimises d'z + alpha z'z: it is the projection of -d / (2 alpha)."""
    D = np.random.default_rng(0).random((20, 9))
    graph = anchor_graph(D, 4)
    projected = project_simplex(-D / (2 * graph.alpha[:, None]))
    np.testing.assert_allclose(graph.tocsr().toarray(), projected, atol=1e-10)


def test_exactly_k_neighbours_where_distances_differ():
    D = np.random.default_rng(0).random((20, 9))
    assert (np.diff(anchor_graph(D, 4).tocsr().indptr) == 4).all()


def test_rescaling_the_distances_changes_nothing():
    D = np.random.default_rng(0).random((20, 9))
    a, b = (anchor_graph(D * s, 3).tocsr().toarray() for s in (1, 1e200))
    np.testing.assert_allclose(a, b)


def test_equal_distances_share_the_weight():
    weights, alpha = closed_form_weights(np.full((2, 4), 3.0))
    np.testing.assert_array_equal(weights, np.full((2, 3), 1 / 3))
    np.testing.assert_array_equal(alpha, 0)
    assert closed_form_weights(np.zeros((1, 3)))[0].tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_fewer_anchors_than_neighbours(m):
    Z = anchor_graph(np.random.default_rng(0).random((5, m)), 10).tocsr()
    np.testing.assert_allclose(np.asarray(Z.sum(axis=1)).ravel(), 1)


def test_permuting_rows_and_anchors():
    rng = np.random.default_rng(0)
    D = rng.random((20, 9))
    rows, columns = rng.permutation(20), rng.permutation(9)
    Z = anchor_graph(D, 4).tocsr().toarray()
    moved = anchor_graph(D[rows][:, columns], 4).tocsr().toarray()
    np.testing.assert_allclose(moved, Z[rows][:, columns], atol=1e-15)


def test_blocks_of_rows_join_to_the_whole():
    rng = np.random.default_rng(0)
    views = Views([rng.random((2500, 3)), rng.random((2500, 2))])
    anchors = select_anchors(views, "random", 20, rng)
    for graph, x, points in zip(
        view_graphs(views, anchors, 3), views.arrays, anchors.points, strict=True
    ):
        whole = anchor_graph(naive_distances(x, points), 3)
        np.testing.assert_array_equal(graph.indices, whole.indices)
        np.testing.assert_allclose(graph.weights, whole.weights, atol=1e-9)


def naive_distances(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


@pytest.mark.parametrize("M", [1, 2, 4, 30])
def test_graphs_of_several_numbers_of_neighbours_are_those_of_each(M):
    D = np.random.default_rng(0).random((12, M))
    for k, found in zip(
        (3, 8), bipartite.anchor_graphs(bipartite.Found.of(D, 9), (3, 8)), strict=True
    ):
        alone = bipartite.anchor_graph(D, k)
        np.testing.assert_array_equal(found.indices, alone.indices)
        np.testing.assert_array_equal(found.weights, alone.weights)
        np.testing.assert_array_equal(found.alpha, alone.alpha)
