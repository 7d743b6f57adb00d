import numpy as np
import pytest
import scipy.sparse as sp

from mvgraph import Views
from mvgraph.graphs.representations import (
    PLAIN,
    UNIT,
    KnownScores,
    informative_rows,
    reduced_representation,
    represent,
    scalings,
)
from mvgraph.ops.linalg.principal import principal_components, principal_scores
from mvgraph.ops.shifted import Shifted


def scaled(views):
    ways = scalings(views).items()
    return [represent(views, *way, informative_rows(views)) for way in ways]


def formed(x):
    return Shifted.of(x).rows(slice(None))


@pytest.mark.parametrize("shape", [(40, 7), (12, 30), (9, 9)])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_scores_are_those_of_a_singular_value_decomposition(shape, convert):
    x = np.random.default_rng(0).normal(size=shape) + 3
    x[np.abs(x) < 2] = 0
    U, s, _ = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    scores = principal_scores(convert(x), 5)
    np.testing.assert_allclose(np.abs(scores), np.abs(U * s)[:, :5], atol=1e-8)
    found = principal_components(convert(x), 5)
    coef = np.random.default_rng(1).normal(size=(5, 2))
    back = (x - x.mean(axis=0)) @ found.weights(coef)
    np.testing.assert_allclose(back, found.scores @ coef, atol=1e-8)


@pytest.mark.parametrize("shape", [(6, 3), (3, 6)])
def test_weights_of_a_constant_view(shape):
    x = np.full(shape, 2.0)
    w = principal_components(x, 2).weights(np.ones((2, 1)))
    assert np.isfinite(w).all()
    np.testing.assert_allclose((x - 2.0) @ w, 0, atol=1e-12)


def test_rows_that_say_nothing():
    x = np.ones((6, 3))
    x[2] = 0
    z = np.ones((6, 2))
    z[4] = np.nan
    says = informative_rows(Views([x, z, np.zeros((6, 2)), sp.csr_matrix(x)]))
    np.testing.assert_array_equal(~says[:, 0], np.arange(6) == 2)
    np.testing.assert_array_equal(~says[:, 1], np.arange(6) == 4)
    assert says[:, 2].all()
    np.testing.assert_array_equal(says[:, 0], says[:, 3])


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_every_representation_is_finite_at_any_scale(scale):
    rng = np.random.default_rng(0)
    views = Views([rng.normal(size=(30, 20)) * scale, np.ones((30, 2))])
    ways = scaled(views)
    assert len({way.name for way in ways}) == len(ways) == 4
    for way in ways:
        for x in way.arrays:
            assert x.dtype == np.float32
            assert np.isfinite(x).all()


def test_sparse_as_dense():
    x = np.random.default_rng(0).poisson(0.1, size=(40, 60)).astype(float)
    x[:, 0] += 1
    for a, b in zip(scaled(Views([x])), scaled(Views([sp.csr_matrix(x)])), strict=True):
        assert a.name == b.name
        np.testing.assert_allclose(formed(a.arrays[0]), formed(b.arrays[0]), atol=1e-6)


def test_scalings_that_make_no_difference_are_left_out():
    rng = np.random.default_rng(0)
    dense, links = rng.normal(size=(30, 20)), 1.0 * (rng.random((30, 40)) < 0.1)
    assert list(scalings(Views([dense]))) == [PLAIN, UNIT, "centred", "roots"]
    # rows of length 1 are the plain scaling; roots of ones are ones
    assert list(scalings(Views([links]))) == [UNIT, "centred", "tf-idf"]
    assert list(scalings(Views([dense[:, :2]]))) == [UNIT]


def test_some_rows_of_a_representation():
    rng = np.random.default_rng(0)
    views = Views([rng.normal(size=(30, 5)), 1.0 * (rng.random((30, 40)) < 0.1)])
    rows = np.array([3, 7, 29])
    for way in scaled(views):
        for x, part in zip(way.arrays, way.take(rows).arrays, strict=True):
            np.testing.assert_array_equal(formed(part), formed(x)[rows])


def test_scores_that_are_known_are_those_that_are_found():
    rng = np.random.default_rng(0)
    words = sp.random(60, 30, 0.1, "csr", random_state=rng)
    views = Views([rng.normal(size=(60, 8)), words, rng.normal(size=(60, 5))])
    known = KnownScores()
    for kept in ([0, 1, 2], [2, 1], [1]):
        part = views.select(kept)
        rows = informative_rows(part)
        for unit in (False, True):
            plain = reduced_representation(part, rows, 4, unit)
            again = reduced_representation(part, rows, 4, unit, known)
            assert plain.name == again.name
            for x, y in zip(plain.arrays, again.arrays, strict=True):
                np.testing.assert_array_equal(x, y)
