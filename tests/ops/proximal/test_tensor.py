import numpy as np
import pytest
import scipy.fft

import naive
from mvgraph.ops.proximal.tensor import BASES, make_basis, shrink_tensor
from pairs import cover_pairs

SHAPES = [(3, 8, 5), (2, 7, 6), (1, 4, 4), (4, 9, 3)]  # odd and even lengths


AXES = {"fft-samples": 1, "fft-anchors": 2}


@pytest.mark.parametrize(
    ("name", "shape", "p"), cover_pairs(list(BASES), SHAPES, [0.3, 1.0])
)
def test_as_full_svds_of_the_full_spectrum(name, shape, p):
    X = np.random.default_rng(0).normal(size=shape)
    axis = AXES[name]
    A = naive.shrink_tensor(
        X, 0.1, p, axis, lambda x: scipy.fft.fft(x, axis=axis), shape[axis]
    )
    J, norm = shrink_tensor(X, 0.1, p, make_basis(name, shape))
    np.testing.assert_allclose(J, scipy.fft.ifft(A, axis=axis).real, atol=1e-8)
    s = np.linalg.svd(np.moveaxis(A, axis, 0), compute_uv=False)
    np.testing.assert_allclose(norm, (s[s > 1e-7] ** p).sum(), rtol=1e-5)


@pytest.mark.parametrize("name", BASES)
def test_minimises_its_problem(name):
    """No point near J has a lower cost (p = 1: the problem is convex)."""
    shape, tau = (3, 6, 4), 0.2
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    transform = make_basis(name, shape)

    def cost(J):
        return tau * shrink_tensor(J, 0.0, 1.0, transform)[1] + ((J - X) ** 2).sum() / 2

    J, _ = shrink_tensor(X, tau, 1.0, transform)
    best = cost(J)
    for size in (1e-3, 1e-1):
        for _ in range(20):
            assert best <= cost(J + size * rng.normal(size=shape)) + 1e-9


@pytest.mark.parametrize("name", BASES)
def test_input_is_left_alone(name):
    X = np.random.default_rng(0).normal(size=(2, 5, 3))
    before = X.copy()
    shrink_tensor(X, 0.3, 0.5, make_basis(name, X.shape))
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("name", BASES)
def test_moreau_identity_of_the_convex_case(name):
    """X = prox of the norm + projection on the ball of the dual norm."""
    X, axis = np.random.default_rng(0).normal(size=(3, 6, 4)), AXES[name]
    J, _ = shrink_tensor(X, 0.4, 1.0, make_basis(name, X.shape))
    rest = np.moveaxis(scipy.fft.fft(X - J, axis=axis), axis, 0)
    largest = np.linalg.svd(rest, compute_uv=False).max()
    assert largest <= 0.4 * X.shape[axis] + 1e-8


def test_unknown_transform():
    with pytest.raises(ValueError, match="basis must be one of"):
        make_basis("dct", (2, 3, 4))


@pytest.mark.parametrize(("name", "other"), [("fft-samples", 2), ("fft-anchors", 1)])
def test_the_transform_commutes_with_the_other_axis_and_with_rotations(name, other):
    rng, axis = np.random.default_rng(0), AXES[name]
    X = rng.normal(size=(3, 8, 5))
    order = rng.permutation(X.shape[other])
    J, _ = shrink_tensor(X, 0.2, 0.5, make_basis(name, X.shape))
    Y = np.roll(np.take(X, order, axis=other), 2, axis=axis)
    K, _ = shrink_tensor(Y, 0.2, 0.5, make_basis(name, X.shape))
    moved = np.roll(np.take(J, order, axis=other), 2, axis=axis)
    np.testing.assert_allclose(K, moved, atol=1e-8)
