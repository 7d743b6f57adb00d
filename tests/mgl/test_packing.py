"""Packed rows, and the compiled step on them against plain loops."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvgraph.mgl import packing
from mvgraph.ops.proximal.simplex import project_simplex
from pairs import cover_pairs


def patterns(rng, n, s, M):
    """Ascending anchors of every row, -1 after the last; at least one a row."""
    out = np.full((n, s), -1, dtype=np.int32)
    for row in out:
        used = rng.integers(1, s + 1)
        row[:used] = np.sort(rng.choice(M, used, replace=False))
    return out


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 300), s=st.integers(1, 6), seed=st.integers(0, 99))
def test_unpacked_rows_are_the_rows(n, s, seed):
    rng = np.random.default_rng(seed)
    pattern, Z = patterns(rng, n, s, 9), rng.random((n, 2, s))
    order, (packed, packed_Z) = packing.pack(pattern, Z)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    np.testing.assert_array_equal(packing.unpack(order, packed), pattern)
    np.testing.assert_array_equal(packing.unpack(order, packed_Z), Z)
    counts = (pattern[order] >= 0).sum(axis=1)
    assert (np.diff(counts) >= 0).all()
    assert sum(g.size for g in packing.groups(packed_Z)) == Z.size


def test_no_rows():
    order, (packed,) = packing.pack(np.empty((0, 3), dtype=np.int32))
    assert packing.groups(packed) == []
    assert packing.unpack(order, packed).shape == (0, 3)


def plain_step(pattern, D, Z, Y, W, P, Q, inverse_g, mu, alpha, beta_v):
    """Return the step row by row, with all the distances to the embedding."""
    newZ, newY = np.zeros_like(Z), np.zeros_like(Y)
    for i, row in enumerate(pattern):
        j = row[row >= 0]
        u = len(j)
        X = Z[i, :, :u] + Y[i, :, :u] / mu
        J = np.stack([W[a] @ x for a, x in zip(j, X.T, strict=True)], axis=1)
        zbar = Z[i, :, :u].sum(axis=0) / Z[i].sum()
        dF = beta_v * ((zbar @ P[j] - Q[j]) ** 2).sum(axis=1)
        target = mu * J - Y[i, :, :u] - D[i, :, :u] * inverse_g[:, None] - dF
        newZ[i, :, :u] = project_simplex(target / (mu + 2 * alpha))
        newY[i, :, :u] = Y[i, :, :u] + mu * (newZ[i, :, :u] - J)
    return newZ, newY


@pytest.mark.parametrize(
    ("n", "V", "scale"), cover_pairs([1, 63, 64, 200], [1, 3], [1e-3, 1.0, 1e6])
)
def test_a_step_is_that_of_plain_loops(n, V, scale):
    from mvgraph.mgl.kernels.pattern_step import pattern_step
    from mvgraph.mgl.kernels.records import Groups, StepTerms, Sums

    rng = np.random.default_rng(n + V)
    M, s, K, mu, alpha, beta_v = 9, 5, 3, 0.7, 0.2, 0.4
    pattern = patterns(rng, n, s, M)
    here = (pattern >= 0)[:, None] * np.ones((1, V, 1))
    D, Y = here * rng.random((n, V, s)) * scale, here * rng.normal(size=(n, V, s))
    Z = here * rng.random((n, V, s)) * (rng.random((n, V, s)) < 0.7) + 1e-3 * here
    Z /= Z.sum(axis=2, keepdims=True)
    W = rng.normal(size=(M, V, V))
    W += np.swapaxes(W, 1, 2)
    Q = rng.normal(size=(M, K))
    P = Q * rng.random(K)
    inverse_g = rng.random(V)
    wanted = plain_step(pattern, D, Z, Y, W, P, Q, inverse_g, mu, alpha, beta_v)

    weight = rng.random(n)
    order, (pattern_, weight_, *packed) = packing.pack(pattern, weight, D, Z, Y)
    packed = weight_, pattern_, *packed
    new = np.empty_like(Z), np.empty_like(Y)
    pairs = V * (V + 1) // 2
    sums, C, G = np.zeros(V + 3), np.zeros((M, M)), np.zeros((M, pairs))
    v, w = np.triu_indices(V)
    filters, H = np.ascontiguousarray(W[:, v, w].T), P @ Q.T
    qq = (Q**2).sum(axis=1)
    terms = StepTerms(filters, H, qq, inverse_g, mu, 2 * alpha, beta_v, 0.9)
    for *old, nZ, nY in zip(*map(packing.groups, (*packed, *new)), strict=True):
        pattern_step(Groups(*old), terms, nZ, nY, Sums(sums, C, G))

    Z1, Y1 = (packing.unpack(order, a) for a in new)
    for got, plain in zip((Z1, Y1), wanted, strict=True):
        np.testing.assert_allclose(got, plain, atol=1e-9 * max(1, scale))
    assert (Z1[~here.astype(bool)] == 0).all()
    np.testing.assert_allclose(sums[:V], np.einsum("nvs,nvs->v", D, Z1), rtol=1e-9)
    np.testing.assert_allclose(sums[V + 1], ((Z1 - Z) ** 2).sum(), atol=1e-9)
    np.testing.assert_allclose(sums[V + 2], (Z1**2).sum(), rtol=1e-9)
    check_sums(pattern, weight, Z1, Z1 + Y1 / 0.9, C, G)


def check_sums(pattern, weight, Z, X, C, G):
    M, V = len(C), Z.shape[1]
    wide, wide_X = np.zeros((len(Z), M)), np.zeros((len(Z), V, M))
    for i, row in enumerate(pattern):
        used = row >= 0
        wide[i, row[used]] = Z[i, :, used].sum(axis=1) / Z[i].sum()
        wide_X[i][:, row[used]] = X[i][:, used]
    np.testing.assert_allclose(C, np.triu(weight * wide.T @ wide), atol=1e-9)
    v, w = np.triu_indices(V)
    full = np.einsum("nvm,nwm->mvw", wide_X, wide_X)
    largest = max(1, abs(full).max())
    np.testing.assert_allclose(G, full[:, v, w], atol=1e-9 * largest)


def test_thresholds_start_from_any_guess():
    from mvgraph.mgl.kernels import packed_rows

    rng = np.random.default_rng(0)
    x = rng.normal(size=(6, 50)) * 10 ** rng.uniform(-3, 8, size=50)
    wanted = project_simplex(np.ascontiguousarray(x.T)).T
    for guess in (np.zeros_like(x), np.ones_like(x), rng.random(x.shape) - 0.5):
        shifted, t, work = x.copy(), np.empty(50), np.empty((3, 50))
        packed_rows.threshold(shifted, guess, 6, t, *work)
        np.testing.assert_allclose(np.maximum(shifted - t, 0), wanted, atol=1e-12)


STEP = """
import hashlib, numpy as np
from mvgraph import MGL
rng = np.random.default_rng(0)
truth = np.arange(300) % 5
X = [rng.normal(size=(5, d))[truth] + rng.normal(size=(300, d)) for d in (4, 6, 8)]
model = MGL(5, max_iter=12, random_state=0).fit(X)
print(hashlib.md5(model.graph_.data.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_kernels_compiled_now_and_loaded_from_the_cache_give_the_same_bits(tmp_path):
    """Both have to be one compiled form: an inlined and a called one may differ."""
    found = set()
    for cache in ("0", "1", "1"):  # compiled only; compiled and kept; loaded
        env = os.environ | {"MVGRAPH_CACHE": cache, "NUMBA_CACHE_DIR": str(tmp_path)}
        run = [sys.executable, "-W", "ignore", "-c", STEP]
        found.add(subprocess.run(run, env=env, capture_output=True, check=True).stdout)
    assert len(found) == 1
