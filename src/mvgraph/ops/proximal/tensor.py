"""Proximal step of the tensor Schatten p-norm under several transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.fft

from mvgraph.ops.namespace import is_non_numpy, namespace, to_numpy
from mvgraph.ops.parallel import map_rows
from mvgraph.ops.proximal.shrink import shrink_power

__all__ = [
    "TRANSFORMS",
    "Transform",
    "irfft",
    "make_transform",
    "multiplicity",
    "shrink_filters",
    "shrink_tensor",
    "shrink_thin",
]

BLOCK = 16  # slices that a thread works on at a time
Array = Any  # of NumPy or any library of the array API standard


class Transform(NamedTuple):
    """A linear map along one axis of a tensor (V, N, M) and the slices it leaves.

    The Schatten norm is the sum over slices of the norms of the matrices that the
    other two axes span. ``scale`` is ||forward(x)||^2 / ||x||^2 (theorem 2: an
    unnormalised FFT of length n_3 multiplies the threshold by n_3).
    """

    forward: Callable[[Array], Array]
    inverse: Callable[[Array], Array]
    axis: int  # of the slices: 0 views, 1 samples, 2 anchors
    scale: float
    multiplicity: np.ndarray  # how often each kept slice stands in the full spectrum


def _identity(x: Array) -> Array:
    return namespace(x).asarray(x, copy=True)


def _fft(axis: int, n: int) -> Transform:
    return Transform(
        lambda x: _rfft(x, axis), lambda x: irfft(x, n, axis), axis, n, multiplicity(n)
    )


def multiplicity(n: int) -> np.ndarray:
    """Count how often the frequencies that rfft keeps stand in the full spectrum."""
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


def make_transform(name: str, shape: tuple[int, int, int], basis=None) -> Transform:
    """Return the transform of that name for tensors of shape (V, N, M).

    Parameters
    ----------
    name : {"fft-samples", "fft-anchors", "identity", "views", "graph"}
        ``fft-samples``: FFT along samples, slices (M, V); reads the row order.
        ``fft-anchors``: FFT along anchors, slices (N, V); reads the anchor order.
        ``identity``: one slice (N, V) an anchor; order-free.
        ``views``: FFT along views, slices (N, M); reads the order of the views.
        ``graph``: orthogonal ``basis`` along anchors, slices (N, V); order-free.
    shape : (V, N, M)
    basis : array of shape (M, M), for ``graph`` only

    Returns
    -------
    Transform
    """
    V, N, M = shape
    if name == "fft-samples":
        return _fft(1, N)
    if name == "fft-anchors":
        return _fft(2, M)
    if name == "views":
        return _fft(0, V)
    if name == "identity":
        return Transform(_identity, lambda x: x, 2, 1.0, np.ones(M))
    if name == "graph":
        return Transform(lambda x: x @ basis, lambda x: x @ basis.T, 2, 1.0, np.ones(M))
    raise ValueError(f"transform must be one of {TRANSFORMS}; got {name!r}.")


TRANSFORMS = ("fft-samples", "fft-anchors", "identity", "views", "graph")


def shrink_tensor(X: Array, tau: float, p: float, transform: Transform):
    """Shrink the singular values of all slices of the transformed tensor.

    Solves  min_J  tau ||J||_Sp^p + ||J - X||_F^2 / 2  (theorem 2), where the norm sums
    the p-th powers of the singular values of every slice of transform(J).

    Parameters
    ----------
    X : array of shape (V, N, M)
    tau : float, >= 0
    p : float, 0 < p <= 1
    transform : Transform

    Returns
    -------
    J : array of shape (V, N, M)
    norm : float
        ||J||_Sp^p.
    """
    A = transform.forward(X)
    if transform.axis == 0:
        A, norms = _shrink_wide(A, tau * transform.scale, p)
    elif is_non_numpy(A):
        A, norms = _shrink_there(A, tau * transform.scale, p, transform.axis)
    else:
        norms = shrink_thin(A, tau * transform.scale, p, transform.axis)
    return transform.inverse(A), float(norms @ transform.multiplicity)


def shrink_thin(A: Array, tau: float, p: float, axis: int) -> np.ndarray:
    """Shrink slices with V columns in place, through their V x V Gram matrices.

    Parameters
    ----------
    A : ndarray of shape (V, N, M)
        A transformed tensor.
    tau, p : float
    axis : {1, 2}
        Of the slices.

    Returns
    -------
    ndarray
        Sum of the p-th powers of the new singular values of every slice.
    """
    from mvgraph.ops.kernels import tensor as _kernels

    V, n_slices = A.shape[0], A.shape[axis]
    G = np.zeros((n_slices, V, V), dtype=A.dtype)
    if axis == 1:
        map_rows(lambda f: _kernels.gram_slices_rows(A[:, f], G[f]), n_slices, BLOCK)
        W, t = shrink_filters(G, tau, p)
        map_rows(lambda f: _kernels.apply_slices_rows(A[:, f], W[f]), n_slices, BLOCK)
    else:
        _kernels.gram_slices_columns(A, G)
        W, t = shrink_filters(G, tau, p)
        _kernels.apply_slices_columns(A, np.ascontiguousarray(W))
    return (t**p).sum(axis=1)


def _shrink_wide(A: Array, tau: float, p: float) -> tuple[Array, np.ndarray]:
    """Shrink slices (N, M), one a view frequency, through M x M Gram matrices."""
    xp, norms, out = namespace(A), np.empty(A.shape[0]), []
    for f in range(A.shape[0]):
        a = A[f, ...]
        W, t = shrink_filters(xp.conj(a).T @ a, tau, p)
        out.append(a @ W)
        norms[f] = float(xp.sum(t**p))
    return xp.stack(out), norms


def _shrink_there(
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
    """Return W by which slices with Gram matrices G (..., c, c) shrink, and values."""
    xp = namespace(G)
    w, U = xp.linalg.eigh(G)
    s = xp.sqrt(xp.maximum(w, 0))
    t = shrink_power(s, tau, p)
    gain = xp.where(s > 1e-12, t / xp.maximum(s, 1e-300), 0.0)
    return (U * gain[..., None, :]) @ xp.conj(xp.matrix_transpose(U)), t
