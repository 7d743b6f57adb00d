import numpy as np
import pytest

from mvgraph.mgl import fft_samples
from mvgraph.mgl.fft_samples import FourierTensor, shrink_along_samples, take_rows
from mvgraph.mgl.method import Recipe
from mvgraph.ops.proximal.tensor import make_basis, shrink_tensor
from pairs import cover_pairs


def smooth(N=101, noise=0.3):
    """A tensor (3, N, 6) with few strong frequencies along samples, and Y."""
    rng = np.random.default_rng(0)
    turns = 2 * np.pi * np.outer(np.arange(N), [0, 3, 7]) / N
    Z = np.einsum("nf,fvm->vnm", np.cos(turns), rng.normal(size=(3, 3, 6)))
    return Z + noise * rng.normal(size=Z.shape), rng.normal(size=Z.shape)


def expected(Z, Y, mu, tau, p):
    return shrink_tensor(Z + Y / mu, tau, p, make_basis("fft-samples", Z.shape))


@pytest.mark.parametrize(
    ("N", "p", "tau", "band", "tau_before"),
    cover_pairs(
        [100, 101],
        [0.1, 0.5, 1.0],
        [0.0, 1e-3, 0.1, 0.3, 1.0, 100.0],
        [1, 5, 64],
        [None, 1e-3, 0.3, 100.0],
    ),
)
def test_as_the_general_prox(N, p, tau, tau_before, band):
    recipe = Recipe(lowest_band=band)
    Z, Y = smooth(N)
    before = None
    if tau_before is not None:
        before, _ = shrink_along_samples(Z, Y, 20.0, tau_before, p, recipe=recipe)
    J, norm = shrink_along_samples(Z, Y, 20.0, tau, p, similar=before, recipe=recipe)
    K, other = expected(Z, Y, 20.0, tau, p)
    np.testing.assert_allclose(take_rows(J, slice(None)), K, atol=1e-10)
    np.testing.assert_allclose(take_rows(J, slice(5, 9)), K[:, 5:9], atol=1e-10)
    assert norm == pytest.approx(other, rel=1e-9)


def test_few_frequencies_stay_a_product_and_many_do_not():
    Z, Y = smooth()
    few, _ = shrink_along_samples(Z, Y, 20.0, 0.3, 1.0)
    assert isinstance(few, FourierTensor)
    assert few.weights.shape == (3, 2 * 3, 6)
    many, _ = shrink_along_samples(Z, Y, 20.0, 0.01, 1.0)
    assert isinstance(many, np.ndarray)


def test_a_zero_tensor_needs_no_transform(monkeypatch):
    Z, Y = smooth()
    monkeypatch.setattr(fft_samples, "_transform", None)
    J, norm = shrink_along_samples(Z, Y, 20.0, 100.0, 0.5)
    assert norm == 0
    assert not take_rows(J, slice(None)).any()


def test_input_is_left_alone():
    Z, Y = smooth()
    before = Z.copy(), Y.copy()
    shrink_along_samples(Z, Y, 20.0, 0.01, 1.0)
    np.testing.assert_array_equal((Z, Y), before)
