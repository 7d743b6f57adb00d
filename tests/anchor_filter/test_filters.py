"""The low-pass filter: its laws, and the sums it is computed from."""

import numpy as np
import pytest
from scipy.linalg import svd

from mvgraph.anchor_filter.filters import smooth_graph, smooth_sums


def stochastic(rng, n, m, entries=4):
    """Rows of non-negative numbers that sum to one, few of them not zero."""
    Z = np.zeros((n, m))
    for row in Z:
        row[rng.choice(m, entries, replace=False)] = rng.random(entries)
    return Z / Z.sum(axis=1, keepdims=True)


def problem(seed=0, n=80, L=20, M=9):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 5, n) / 4
    return stochastic(rng, n, L), stochastic(rng, n, M), weight


def average(B, W):
    """T of equation (F1), as a matrix (n, n)."""
    return B @ np.diag(1 / (W @ B)) @ B.T * W


@pytest.mark.parametrize("seed", range(3))
def test_the_filter_is_an_average_with_its_spectrum_between_0_and_1(seed):
    B, _, W = problem(seed)
    T = average(B, W)
    assert (T >= 0).all()
    np.testing.assert_allclose(T.sum(axis=1), 1)
    np.testing.assert_allclose(W[:, None] * T, (W[:, None] * T).T)  # self-adjoint
    w = np.linalg.eigvals(T)
    assert abs(w.imag).max() < 1e-10
    assert w.real.min() > -1e-10
    assert w.real.max() < 1 + 1e-10


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_the_sums_give_the_filtered_graph(order):
    """(F3) is (F2), and the embedding is that of the filtered graph."""
    B, Z, W = problem()
    G = Z
    for _ in range(order):
        G = (G + average(B, W) @ G) / 2
    K, BW = 3, B.T * W
    s = smooth_graph(BW @ B, BW @ Z, (Z.T * W) @ Z, K, order)
    np.testing.assert_allclose(s.keep * Z + B @ s.R, G, atol=1e-12)
    np.testing.assert_allclose(G.sum(axis=1), 1)
    np.testing.assert_allclose(W @ G, W @ Z)  # the degrees of the anchors stay
    H = np.sqrt(W)[:, None] * G / np.sqrt(W @ G)
    U, singular, _ = svd(H, full_matrices=False)
    np.testing.assert_allclose(s.singular, singular[: K + 1], atol=1e-9)
    P = np.sqrt(2 * W)[:, None] * (Z @ s.anchor_map + B @ s.landmark_map)
    np.testing.assert_allclose(abs(np.sum(P * U[:, :K], axis=0)), 1, atol=1e-6)
    labels = np.random.default_rng(1).integers(0, 2, len(Z))
    H = np.eye(2)[labels] * W[:, None]
    np.testing.assert_allclose(smooth_sums(s, B.T @ H, Z.T @ H), G.T @ H)


def test_filtering_never_makes_a_graph_rougher():
    """tr G' W (1 - T) G falls with every step."""
    B, G, W = problem()
    T, rough = average(B, W), []
    for _ in range(6):
        rough.append(np.trace((G.T * W) @ (G - T @ G)))
        G = (G + T @ G) / 2
    assert (np.diff(rough) < 0).all()


def test_a_landmark_without_samples_does_no_harm():
    B, Z, W = problem()
    wide = np.hstack([B, np.zeros((len(B), 1))])
    a, b = (
        smooth_graph((X.T * W) @ X, (X.T * W) @ Z, (Z.T * W) @ Z, 3, 2)
        for X in (B, wide)
    )
    np.testing.assert_allclose(b.R[:-1], a.R)
    np.testing.assert_array_equal(b.R[-1], 0)
