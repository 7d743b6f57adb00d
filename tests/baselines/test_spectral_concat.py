"""Spectral clustering of joined views: scikit-learn's embedding, split graphs."""

from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import data
from mvgraph.baselines.spectral_concat import SpectralConcat
from mvgraph.ops.linalg.spectral import row_normalise

planted = partial(data.planted, 90, dims=(3, 3), centres="axes")


@pytest.mark.parametrize(("noise", "count"), [(2.0, 1), (0.1, 3)])
def test_planted_clusters_are_found(noise, count):
    X, truth = planted(noise=noise)
    model = SpectralConcat(3, random_state=0).fit(X)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert model.n_components_ == count
    assert model.graph_.shape == (90, 90)


def test_embedding_spans_that_of_scikit_learn():
    X, _ = planted(noise=2.0)
    model = SpectralConcat(3, scaling="none", random_state=0).fit(X)
    from sklearn.manifold import spectral_embedding

    theirs = spectral_embedding(
        model.graph_, n_components=3, drop_first=False, random_state=0
    )
    degree = np.asarray(model.graph_.sum(axis=1))
    theirs = np.linalg.qr(theirs * np.sqrt(degree))[0]  # undo their D^-1/2
    U = row_normalise(theirs)  # the rotation that is left does not change products
    np.testing.assert_allclose(
        model.embedding_ @ model.embedding_.T, U @ U.T, atol=1e-6
    )


def test_more_components_than_clusters_warn():
    X, truth = planted(noise=0.1)
    model = SpectralConcat(2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="3 components"):
        model.fit(X)
    assert model.n_components_ == 3
    assert len(np.unique(model.labels_)) == 2
    for k in range(3):  # no component is torn
        assert len(np.unique(model.labels_[truth == k])) == 1


def test_bad_parameters():
    with pytest.raises(ValueError, match="n_neighbors"):
        SpectralConcat(3, n_neighbors=0).fit(planted()[0])
