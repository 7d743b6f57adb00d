"""The sparse path of MGL against the dense one."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score as ari

from data import planted
from mvgraph import MGL, Views
from mvgraph.engines.memory import MemoryEngine
from mvgraph.graphs.anchors import select_anchors
from mvgraph.graphs.bipartite import view_graphs
from mvgraph.mgl import dense, packing, sparse
from mvgraph.mgl import sparse_block as blocks
from mvgraph.mgl.problem import Parameters, Problem, objective
from mvgraph.ops.distance import squared_distances
from mvgraph.views.rows import RowBlock, ScaledRows
from mvgraph.views.scaling import learn_scalings


def packed(pattern, D, Z, Y):
    order, (pattern, D, Z, Y) = packing.pack(pattern, D, Z, Y)
    return order, np.ones(len(order)), pattern, D, Z, Y


def unpacked(block):
    order, _, *arrays = block
    return [packing.unpack(order, a) for a in arrays]


def both(n_neighbors, n_steps=30, M=12, p=0.7, whole=False):
    """Run the dense and the sparse steps from the same anchors, float64.

    With ``whole`` the support of every row is all anchors.
    """
    views = Views(planted(80, spread=4, noise=2.0)[0])
    anchors = select_anchors(views, "kmeans", M, np.random.default_rng(0))
    graphs = view_graphs(views, anchors, n_neighbors)
    D = np.stack(
        [
            squared_distances(x, a)
            for x, a in zip(views.arrays, anchors.points, strict=True)
        ]
    )
    alpha = float(np.mean([g.alpha.mean() for g in graphs]))
    made = Problem(3, alpha, 0.05, p, 1.1, 0.1)
    s = dense.start(made, D, graphs, 1e-3)
    engine = MemoryEngine(block_rows=17)
    count, a, fit, C, G = engine.start(
        partial(
            blocks.make_block,
            anchors=anchors,
            n_neighbors=n_neighbors,
            dtype=np.float64,
        ),
        ScaledRows(views, learn_scalings(views, "none")),
    )
    fixed = made._replace(alpha=float((a / count).mean()))
    if whole:
        n = len(views)
        block = (
            np.tile(np.arange(M, dtype=np.int32), (n, 1)),
            np.ascontiguousarray(D.swapaxes(0, 1)),
            np.ascontiguousarray(s.Z.swapaxes(0, 1)),
            np.zeros((n, 2, M)),
        )
        engine._blocks = [
            packed(*(a[r] for a in block)) for r in (slice(0, 70), slice(70, n))
        ]
    t = sparse.first_state(fixed, np.ones(2), fit, C, G, 1e-3)
    np.testing.assert_allclose(t.c.g, s.c.g)
    for _ in range(n_steps):
        s = dense.step(made, "identity", s)
        t = sparse.step(fixed, engine, t)
    return (made, s), (fixed, engine, t)


def test_equal_to_the_dense_path_where_the_support_is_everything():
    (made, s), (fixed, engine, t) = both(n_neighbors=5, whole=True)
    idx, zbar, _ = engine.gather(partial(blocks.graph_rows, to_embedding=t.Q))
    np.testing.assert_array_equal(idx, np.tile(np.arange(12), (80, 1)))
    np.testing.assert_allclose(zbar, s.Zbar, atol=1e-9)
    ours, theirs = objective(fixed, t.c), objective(made, s.c)
    for name, value in theirs.items():
        np.testing.assert_allclose(ours[name], value, rtol=1e-6, err_msg=name)


def test_rows_stay_on_the_simplex_of_their_support():
    _, (_, engine, _) = both(n_neighbors=3)
    for idx, D, Z, _ in map(unpacked, engine._blocks):
        assert (Z >= 0).all()
        np.testing.assert_allclose(Z.sum(axis=2), 1, atol=1e-9)
        assert (Z.sum(axis=1)[idx < 0] == 0).all()
        assert (D[:, 0][idx < 0] == 0).all()
        for row in idx:
            used = row[row >= 0]
            assert (np.diff(used) > 0).all()
            assert 3 <= len(used) <= 6


@pytest.mark.parametrize("size", [7, 80, 1000])
def test_blocks_do_not_matter(size):
    views = Views(planted(80, spread=4, noise=2.0)[0])
    anchors = select_anchors(views, "kmeans", 20, np.random.default_rng(0))
    parameters = Parameters(3, 5, 0.05, 1.0, 1e-3, 1.1, 0.1, 200, True)
    source = ScaledRows(views, learn_scalings(views, "zscore"))
    a = sparse.learn_sparse_graphs(MemoryEngine(30), source, anchors, parameters)
    b = sparse.learn_sparse_graphs(MemoryEngine(size), source, anchors, parameters)
    assert abs(a.Z - b.Z).max() < 1e-5
    assert len(a.history) == len(b.history)


def test_an_absent_view_of_a_row_has_no_data_term():
    views = Views(planted(6, spread=4, noise=2.0)[0])
    anchors = select_anchors(views, "kmeans", 4, np.random.default_rng(0))
    mask = np.ones((6, 2), dtype=bool)
    mask[2, 1] = False
    block = RowBlock([views.arrays[0], np.where(mask[:, 1:], views.arrays[1], 0)], mask)
    made, sums = blocks.make_block(block, anchors, 2, np.float64)
    idx, D, Z, _ = unpacked(made)
    assert (D[2, 1] == 0).all()
    np.testing.assert_array_equal(Z[2, 1], Z[2, 0])
    np.testing.assert_array_equal(sums[0], [6, 5])
    assert (idx[2] >= 0).sum() == 2
    weight = packing.unpack(made[0], made[1])
    np.testing.assert_allclose(weight, [1, 1, 0.25, 1, 1, 1])


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_rows_missing_in_a_view_are_clustered_all_the_same(share):
    X, y = planted(150, spread=4, noise=0.7)
    rng = np.random.default_rng(1)
    for v in range(2):
        gone = rng.random(150) < share / 2
        X[v][gone & ~np.isnan(X[1 - v][:, 0])] = np.nan
    model = MGL(3, random_state=0).fit(X)
    assert len(model.labels_) == 150
    assert ari(y, model.labels_) > 0.9
