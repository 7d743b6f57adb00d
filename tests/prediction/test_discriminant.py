import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.covariance import LedoitWolf

from data import planted
from mvgraph import Views
from mvgraph.graphs.anchors import kmeans_anchors
from mvgraph.prediction.anchor_predictor import (
    AnchorClassifier,
    block_votes,
    cluster_memberships,
)
from mvgraph.prediction.discriminant import learn_discriminant, posterior
from mvgraph.views.rows import RowBlock, ScaledRows
from mvgraph.views.scaling import learn_scalings


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("sizes", [(4, 6), (3, 200)])
def test_probabilities_are_those_of_gaussians_with_one_covariance(K, sizes):
    arrays, y = planted(90, K, dims=sizes, spread=1)
    scores = []
    for x in arrays:
        U, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
        t = (U * s)[:, : 4 * K]
        scores.append(t / np.linalg.norm(t) * np.sqrt(len(t)))
    scores = np.hstack(scores)
    means = np.stack([scores[y == k].mean(axis=0) for k in range(K)])
    rest = scores - means[y]
    scale = rest.std(axis=0)
    covariance = LedoitWolf(assume_centered=True).fit(rest / scale).covariance_
    covariance *= np.outer(scale, scale)
    logs = np.column_stack(
        [multivariate_normal(m, covariance).logpdf(scores) for m in means]
    )
    block = RowBlock(arrays, None)
    P = posterior(block, learn_discriminant(block, y, K))
    np.testing.assert_allclose(P, softmax(logs + np.log(np.bincount(y)), 1), atol=1e-6)


@pytest.mark.filterwarnings("error")
def test_clusters_of_one_sample():
    arrays, y = planted(30, spread=4)
    y[:2] = 3, 4
    block = RowBlock(arrays, None)
    assert np.isfinite(posterior(block, learn_discriminant(block, y, 5))).all()


def test_sparse_views_are_dense_ones():
    arrays, y = planted(spread=4)
    blocks = RowBlock(arrays, None), RowBlock([sp.csr_matrix(x) for x in arrays], None)
    P, Q = (posterior(b, learn_discriminant(b, y, 3)) for b in blocks)
    np.testing.assert_allclose(P, Q, atol=1e-9)


def test_a_view_that_a_row_lacks_says_nothing():
    arrays, y = planted(spread=4)
    mask = np.ones((60, 2), dtype=bool)
    mask[:20, 1] = False
    spoilt = [arrays[0], np.where(mask[:, 1:], arrays[1], 1e6)]
    emptied = [arrays[0], np.where(mask[:, 1:], arrays[1], 0)]
    P, Q = (
        posterior(RowBlock(x, mask), learn_discriminant(RowBlock(x, mask), y, 3))
        for x in (spoilt, emptied)
    )
    np.testing.assert_allclose(P, Q, atol=1e-9)
    assert (P.argmax(axis=1) == y).mean() > 0.9


def test_clusters_without_samples_are_never_found():
    arrays, y = planted(spread=4)
    P = posterior(
        RowBlock(arrays, None), learn_discriminant(RowBlock(arrays, None), 2 * y, 6)
    )
    assert P.shape == (60, 6)
    assert (P[:, 1::2] == 0).all()
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_there_must_be_something_to_tell_apart():
    x = [np.eye(4)]
    assert learn_discriminant(RowBlock(x, None), np.zeros(4, dtype=int), 2) is None
    assert learn_discriminant(RowBlock(x, None), np.arange(4), 4) is None
    wide = RowBlock([sp.csr_matrix((4, 10**8))], None)
    assert learn_discriminant(wide, np.arange(4) % 2, 2) is None
    constant = RowBlock([np.ones((6, 2))], None)
    P = posterior(constant, learn_discriminant(constant, np.arange(6) % 2, 2))
    np.testing.assert_allclose(P, 0.5)


def test_new_rows_follow_the_direction_that_tells_clusters_apart():
    """Clusters are long and close: what is near misleads, the discriminant does not."""
    rng = np.random.default_rng(0)
    y = np.arange(600) % 2
    long = np.column_stack([30 * rng.normal(size=600), 4.0 * y - 2])
    views = Views([long + 0.4 * rng.normal(size=long.shape) for _ in range(2)])
    sample, new = views[np.arange(60)], views[np.arange(60, 600)]
    scalings = learn_scalings(sample, "none")
    source = ScaledRows(sample, scalings)
    anchors = kmeans_anchors(sample, 10, rng)
    memberships = cluster_memberships(source, anchors, 5, y[:60], 2)
    near = AnchorClassifier(scalings, anchors, memberships, 5)
    told = learn_discriminant(source.read(slice(0, 60)), y[:60], 2)
    right = {
        name: (block_votes(new, [carrier])[0].argmax(axis=1) == y[60:]).mean()
        for name, carrier in (
            ("near", near),
            ("both", near._replace(discriminant=told)),
        )
    }
    assert right["near"] < 0.9
    assert right["both"] > 0.95
