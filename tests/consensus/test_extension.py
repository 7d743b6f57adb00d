"""From the consensus of a sample to other rows."""

import numpy as np
import scipy.sparse as sp

from mvgraph.consensus.extension import leaves_of


def test_a_row_has_the_leaf_of_its_cluster_that_its_anchors_share_most():
    rng = np.random.default_rng(0)
    clusters = rng.permutation(np.repeat(np.arange(4), 3))
    Z = sp.random(80, 9, 0.4, random_state=0, format="csr", dtype=np.float32)
    shares = rng.random((9, 12)) * (rng.random((9, 12)) < 0.5)
    labels = rng.integers(0, 4, 80)
    found = leaves_of(Z, labels, shares, clusters)
    np.testing.assert_array_equal(clusters[found], labels)
    share = np.where(clusters == labels[:, None], Z @ shares, -1)
    np.testing.assert_array_equal(found, share.argmax(axis=1))
