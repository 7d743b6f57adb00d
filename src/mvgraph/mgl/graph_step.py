"""The joint Z- and Y-step of MGL on a block of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mvgraph.ops.arrays import Array, is_non_numpy, namespace, to_numpy
from mvgraph.ops.proximal.simplex import project_simplex


class RowProblem(NamedTuple):
    """The numbers in the quadratic problem of a row."""

    inverse_g: np.ndarray  # (V,)
    mu: float
    two_alpha: float
    beta_v: float  # beta / V


def update_graphs(
    D: Array,
    J: Array,
    Y: Array,
    Z: Array,
    Zbar: Array,
    dF: Array,
    c: RowProblem,
    first: int = 0,
) -> tuple[Array, Array, Array, np.ndarray]:
    """Project every row on the simplex and update the multiplier (eq. 23, 24).

    Solves, for every row z of every view,  min_z  z'd / g + beta / V z'f
    + alpha ||z||^2 + y'(z - j) + mu / 2 ||z - j||^2  on the simplex; y += mu (z - j).

    Parameters
    ----------
    D, Y, Z : array of shape (V, N, M)
        C-contiguous NumPy arrays Y, Z and Zbar are overwritten.
    Zbar : array of shape (N, M)
    J : array of shape (V, n, M)
        The n rows to update.
    dF : array of shape (n, M)
    c : RowProblem
    first : int, default=0
        First of the rows to update; arrays of other libraries are updated as a whole.

    Returns
    -------
    Z, Y, Zbar : array
    sums : ndarray of shape (n or 1, V + 3)
        Summed over rows: z'd of every view, squared primal and dual residual, ||Z||^2.
    """
    if is_non_numpy(Z):
        return _update_on_device(D, J, Y, Z, dF, c)
    from mvgraph.mgl.kernels import graph_step as _kernels

    sums = np.zeros((len(dF), len(D) + 3))
    J, dF = np.ascontiguousarray(J), np.ascontiguousarray(dF)
    _kernels.update_graphs(D, J, Y, Z, dF, Zbar, first, c, sums)
    return Z, Y, Zbar, sums


def _update_on_device(
    D: Array, J: Array, Y: Array, Z: Array, dF: Array, c: RowProblem
) -> tuple[Array, Array, Array, np.ndarray]:
    """update_graphs view by view, for any array library; returns new arrays."""
    xp, V = namespace(Z), D.shape[0]
    newZ, newY, fits, others = [], [], [], []
    for v in range(V):
        x = c.mu * J[v, ...] - Y[v, ...] - D[v, ...] * float(c.inverse_g[v])
        z = project_simplex((x - c.beta_v * dF) / (c.mu + c.two_alpha))
        gap, change = z - J[v, ...], z - Z[v, ...]
        fits.append(xp.sum(D[v, ...] * z))
        others.append(xp.stack([xp.sum(a * a) for a in (gap, change, z)]))
        newZ.append(z)
        newY.append(Y[v, ...] + c.mu * gap)
    sums = np.concatenate([to_numpy(xp.stack(fits)), to_numpy(sum(others))])
    Z = xp.stack(newZ)
    return Z, xp.stack(newY), xp.mean(Z, axis=0), sums[None]
