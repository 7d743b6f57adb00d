import numpy as np
import pytest
import scipy.fft

import naive
from mvgraph.ops.proximal.tensor import BASES, make_basis, shrink_tensor
from pairs import cover_pairs

SHAPES = [(3, 8, 5), (2, 7, 6), (1, 4, 4), (4, 9, 3)]  # odd and even lengths


def full_transform(name, shape, basis):
    """Return the complex transform over the whole spectrum, axis and scale."""
    V, N, M = shape
    return {
        "fft-samples": (lambda x: scipy.fft.fft(x, axis=1), 1, N),
        "fft-anchors": (lambda x: scipy.fft.fft(x, axis=2), 2, M),
        "views": (lambda x: scipy.fft.fft(x, axis=0), 0, V),
        "identity": (lambda x: x, 2, 1),
        "graph": (lambda x: x @ basis, 2, 1),
    }[name]


def orthogonal(M):
    return np.linalg.qr(np.random.default_rng(1).normal(size=(M, M)))[0]


@pytest.mark.parametrize(
    ("name", "shape", "p"), cover_pairs(list(BASES), SHAPES, [0.3, 1.0])
)
def test_as_full_svds_of_the_full_spectrum(name, shape, p):
    X = np.random.default_rng(0).normal(size=shape)
    basis = orthogonal(shape[2])
    forward, axis, scale = full_transform(name, shape, basis)
    A = naive.shrink_tensor(X, 0.1, p, axis, forward, scale)
    inverse = {
        "fft-samples": lambda a: scipy.fft.ifft(a, axis=1),
        "fft-anchors": lambda a: scipy.fft.ifft(a, axis=2),
        "views": lambda a: scipy.fft.ifft(a, axis=0),
        "identity": lambda a: a,
        "graph": lambda a: a @ basis.T,
    }[name]
    J, norm = shrink_tensor(X, 0.1, p, make_basis(name, shape, basis))
    np.testing.assert_allclose(J, inverse(A).real, atol=1e-8)
    s = np.linalg.svd(np.moveaxis(A, axis, 0), compute_uv=False)
    np.testing.assert_allclose(norm, (s[s > 1e-7] ** p).sum(), rtol=1e-5)


@pytest.mark.parametrize("name", BASES)
def test_minimises_its_problem(name):
    """No point near J has a lower cost (p = 1: the problem is convex)."""
    shape, tau = (3, 6, 4), 0.2
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    transform = make_basis(name, shape, orthogonal(4))

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
    shrink_tensor(X, 0.3, 0.5, make_basis(name, X.shape, np.eye(3)))
    np.testing.assert_array_equal(X, before)


def test_moreau_identity_of_the_convex_case():
    """X = prox of the norm + projection on the ball of the dual norm."""
    X = np.random.default_rng(0).normal(size=(3, 6, 4))
    J, _ = shrink_tensor(X, 0.4, 1.0, make_basis("identity", X.shape))
    rest = np.moveaxis(X - J, 2, 0)
    assert np.linalg.svd(rest, compute_uv=False).max() <= 0.4 + 1e-8


def test_unknown_transform():
    with pytest.raises(ValueError, match="basis must be one of"):
        make_basis("dct", (2, 3, 4))


@pytest.mark.parametrize("name", ["identity", "graph"])
def test_order_free_transforms_commute_with_rows_and_anchors(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 8, 5))
    rows, columns = rng.permutation(8), rng.permutation(5)
    basis = orthogonal(5)
    J, _ = shrink_tensor(X, 0.2, 0.5, make_basis(name, X.shape, basis))
    Y = X[:, rows][:, :, columns]
    K, _ = shrink_tensor(Y, 0.2, 0.5, make_basis(name, X.shape, basis[columns]))
    np.testing.assert_allclose(K, J[:, rows][:, :, columns], atol=1e-8)
