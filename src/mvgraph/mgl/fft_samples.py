"""Proximal map of the tensor norm in the basis ``fft-samples``: few slices survive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.fft

from mvgraph.mgl.method import DEFAULT, Recipe
from mvgraph.ops.arrays import Array
from mvgraph.ops.parallel import map_rows, ordered, slices
from mvgraph.ops.proximal.tensor import irfft, multiplicity, shrink_thin
from mvgraph.ops.proximal.threshold import power_threshold

LINES_PER_BLOCK = 64  # rows or anchors that a thread processes at a time


class FourierTensor(NamedTuple):
    """A tensor (V, N, M) of few frequencies along N: samples @ weights per view."""

    samples: np.ndarray  # (N, r) cosines and sines
    weights: np.ndarray  # (V, r, M)
    highest: int  # frequency


def take_rows(J: Array, rows: slice) -> Array:
    """Return J[:, rows] of an array or a FourierTensor."""
    if isinstance(J, FourierTensor):
        return np.matmul(J.samples[rows], J.weights)
    return J[:, rows, :]


def shrink_along_samples(
    Z: np.ndarray,
    Y: np.ndarray,
    mu: float,
    tau: float,
    p: float,
    *,
    similar: np.ndarray | FourierTensor | None = None,
    recipe: Recipe = DEFAULT,
) -> tuple[np.ndarray | FourierTensor, float]:
    """Shrink X = Z + Y / mu as shrink_tensor does in the basis ``fft-samples``.

    A slice whose largest singular value is below the threshold of the power becomes
    zero, and most slices do. First, every entry of every slice is at most the sum of
    |X| over samples: if the norm of these sums is below the threshold, J = 0 without an
    FFT. Second, the Frobenius norm of a slice bounds its singular values: only slices
    with a norm above the threshold are processed. These have mostly low frequencies,
    and keeping only the low frequencies of the FFT saves most of the time. J with few
    frequencies is kept as a low-rank product.

    Parameters
    ----------
    Z, Y : ndarray of shape (V, N, M)
    mu : float, > 0
    tau : float, >= 0
    p : float, 0 < p <= 1
    similar : ndarray or FourierTensor, optional
        J of a similar problem, for speed. By default J = 0 is expected.
    recipe : Recipe, optional
        Sizes that are tried first; the result does not depend on them.

    Returns
    -------
    J : ndarray of shape (V, N, M), or FourierTensor
    norm : float
        ||J||_Sp^p.
    """
    V, N, M = Z.shape
    cut = power_threshold(tau * N, p) * (1 - 1e-9)  # but for rounding
    if similar is None and _largest_norm(Z, Y, mu) <= cut:
        return _few_frequencies(
            np.empty(0, dtype=int), np.empty((V, 0, M), complex), N
        ), 0.0
    full = N // 2 + 1
    low = 2 * similar.highest if isinstance(similar, FourierTensor) else 0
    band = (
        full if isinstance(similar, np.ndarray) else min(low + recipe.lowest_band, full)
    )
    A, squares = _lowest(Z, Y, mu, band)
    kept = np.flatnonzero(np.sqrt(squares) > cut)
    many = len(kept) > recipe.max_low_rank_share * N
    if band < full and (many or (len(kept) and kept[-1] >= band)):
        A, _ = _lowest(Z, Y, mu, full)
    twice = multiplicity(N)
    if many:
        norm = float(shrink_thin(A, tau * N, p, 1) @ twice)
        return irfft(A, N, 1), norm
    S = A[:, kept]
    norms = shrink_thin(S, tau * N, p, 1)
    alive = norms > 0
    return _few_frequencies(kept[alive], S[:, alive], N), float(norms @ twice[kept])


def _few_frequencies(frequencies: np.ndarray, S: np.ndarray, N: int) -> FourierTensor:
    """Write the inverse rfft of the slices (V, r, M) as a matrix product."""
    turns = np.outer(np.arange(N), frequencies) % N * (2 * np.pi / N)
    weight = multiplicity(N)[frequencies] / N
    samples = np.hstack([np.cos(turns) * weight, -np.sin(turns) * weight])
    highest = int(frequencies[-1]) if len(frequencies) else 0
    return FourierTensor(samples, np.concatenate([S.real, S.imag], axis=1), highest)


def _largest_norm(Z: np.ndarray, Y: np.ndarray, mu: float) -> float:
    """Bound the singular values of all slices of X = Z + Y / mu from above."""
    from mvgraph.mgl.kernels import steps as _kernels

    def add(rows: slice) -> np.ndarray:
        sums = np.zeros((Z.shape[0], Z.shape[2]))
        _kernels.absolute_sums(Z, Y, 1 / mu, rows.start, rows.stop, sums)
        return sums

    return float(np.linalg.norm(sum(map_rows(add, Z.shape[1], LINES_PER_BLOCK))))


def _lowest(
    Z: np.ndarray, Y: np.ndarray, mu: float, band: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest slices of the FFT of Z + Y / mu, and squared norms of all."""
    V, _, M = Z.shape
    A = np.empty((V, band, M), dtype=complex)
    parts = [(v, m) for v in range(V) for m in slices(M, LINES_PER_BLOCK)]
    squares = ordered(lambda at: _transform(Z, Y, mu, A, *at), parts)
    return A, np.asarray(sum(squares))


def _transform(
    Z: np.ndarray, Y: np.ndarray, mu: float, A: np.ndarray, v: int, m: slice
) -> np.ndarray:
    """Transform some anchors of a view; write the lowest slices to A.

    Returns the squared norms of all slices, of these anchors.
    """
    X = Y[v, :, m] / mu
    X += Z[v, :, m]
    S = scipy.fft.rfft(X, axis=0, overwrite_x=True)
    A[v, :, m] = S[: A.shape[1]]
    s = S.view(np.float64)
    return np.asarray(np.einsum("fm,fm->f", s, s))
