"""Proximal map of the tensor Schatten p-norm in several bases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.fft

from mvgraph.ops.arrays import Array, is_non_numpy, namespace, to_numpy
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.proximal.threshold import shrink_power

SLICES_PER_BLOCK = 16  # slices that a thread processes at a time


class Basis(NamedTuple):
    """A linear map along one axis of a tensor (V, N, M), and the slices along it.

    The Schatten norm is the sum of the norms of the slices: the matrices along the
    other two axes. ``scale`` is ||forward(x)||^2 / ||x||^2 (theorem 2: an unnormalised
    FFT of length n_3 multiplies the threshold by n_3).
    """

    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    axis: int  # that the slices are numbered along: 1 samples, 2 anchors
    scale: float
    multiplicity: np.ndarray  # how often each kept slice occurs in the full spectrum


def multiplicity(n: int) -> np.ndarray:
    """Count how often the frequencies that rfft keeps occur in the full spectrum."""
    twice = np.full(n // 2 + 1, 2.0)  # rfft keeps one of every conjugate pair
    twice[0] = 1
    if n % 2 == 0:
        twice[-1] = 1
    return twice


def _rfft(x: Array, axis: int) -> Array:
    """Transform along one axis, on threads for NumPy arrays."""
    if is_non_numpy(x):
        return namespace(x).fft.rfft(x, axis=axis)
    return scipy.fft.rfft(x, axis=axis, workers=-1)


def irfft(x: Array, n: int, axis: int) -> Array:
    """Invert rfft; may overwrite x."""
    if is_non_numpy(x):
        return namespace(x).fft.irfft(x, n=n, axis=axis)
    return scipy.fft.irfft(x, n=n, axis=axis, overwrite_x=True, workers=-1)


BASES = ("fft-samples", "fft-anchors")


def make_basis(name: str, shape: tuple[int, int, int]) -> Basis:
    """Return the basis of that name for tensors of shape (V, N, M).

    Parameters
    ----------
    name : {"fft-samples", "fft-anchors"}
        ``fft-samples``: FFT along samples, slices (M, V); depends on the row order.
        ``fft-anchors``: FFT along anchors, slices (N, V); depends on the anchor order.
    shape : (V, N, M)

    Returns
    -------
    Basis

    Raises
    ------
    ValueError
        If no basis has this name.
    """
    if name not in BASES:
        raise ValueError(f"basis must be one of {BASES}; got {name!r}.")
    axis = 1 + BASES.index(name)
    n = shape[axis]
    return Basis(
        lambda x: _rfft(x, axis), lambda x: irfft(x, n, axis), axis, n, multiplicity(n)
    )


def shrink_tensor(X: Array, tau: float, p: float, basis: Basis) -> tuple[Array, float]:
    """Shrink the singular values of all slices of a tensor in the given basis.

    Solves  min_J  tau ||J||_Sp^p + ||J - X||_F^2 / 2  (theorem 2), where the norm sums
    the p-th powers of the singular values of every slice of forward(J).

    Parameters
    ----------
    X : array of shape (V, N, M)
    tau : float, >= 0
    p : float, 0 < p <= 1
    basis : Basis

    Returns
    -------
    J : array of shape (V, N, M)
    norm : float
        ||J||_Sp^p.
    """
    A = basis.forward(X)
    if is_non_numpy(A):
        A, norms = _shrink_on_device(A, tau * basis.scale, p, basis.axis)
    else:
        norms = shrink_thin(A, tau * basis.scale, p, basis.axis)
    return basis.inverse(A), float(norms @ basis.multiplicity)


def shrink_thin(A: Array, tau: float, p: float, axis: int) -> np.ndarray:
    """Shrink slices with V columns in place, through their V x V Gram matrices.

    Parameters
    ----------
    A : ndarray of shape (V, N, M)
        A tensor in some basis.
    tau, p : float
    axis : {1, 2}
        The axis that the slices are numbered along.

    Returns
    -------
    ndarray
        Sum of the p-th powers of the new singular values of every slice.
    """
    from mvgraph.ops.kernels import proximal as _kernels

    S = A if axis == 1 else A.transpose(0, 2, 1).copy()  # a slice is read as a whole
    V, n_slices, _ = S.shape
    G = np.empty((n_slices, V, V), dtype=A.dtype)
    map_rows(lambda f: _kernels.gram_slices(S[:, f], G[f]), n_slices, SLICES_PER_BLOCK)
    W, t = shrink_filters(G, tau, p)
    map_rows(lambda f: _kernels.apply_slices(S[:, f], W[f]), n_slices, SLICES_PER_BLOCK)
    if axis == 2:
        A[:] = S.transpose(0, 2, 1)
    return np.asarray((t**p).sum(axis=1))


def _shrink_on_device(
    A: Array, tau: float, p: float, axis: int
) -> tuple[Array, np.ndarray]:
    """shrink_thin in any library of the array API standard; returns new slices."""
    xp = namespace(A)
    order = (1, 2, 0) if axis == 1 else (2, 1, 0)  # slices first, views last
    B = xp.permute_dims(A, order)
    W, t = shrink_filters(xp.conj(xp.matrix_transpose(B)) @ B, tau, p)
    norms = to_numpy(xp.sum(t**p, axis=1))
    back = (2, 0, 1) if axis == 1 else (2, 1, 0)
    return xp.permute_dims(B @ W, back), norms


def shrink_filters(G: Array, tau: float, p: float) -> tuple[Array, Array]:
    """Return the filters of slices with Gram matrices G (..., c, c), and new values.

    A slice times its filter has the shrunken singular values.
    """
    xp = namespace(G)
    w, U = xp.linalg.eigh(G)
    s = xp.sqrt(xp.maximum(w, 0))
    t = shrink_power(s, tau, p)
    gain = xp.where(s > 1e-12, t / xp.maximum(s, 1e-300), 0.0)
    return (U * gain[..., None, :]) @ xp.conj(xp.matrix_transpose(U)), t
