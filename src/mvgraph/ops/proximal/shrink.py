"""Shrinkage of non-negative numbers."""

from mvgraph.ops.namespace import namespace
from mvgraph.ops.typing import Array

__all__ = ["power_threshold", "shrink_power"]


def shrink_power(x: Array, tau: float, p: float, *, n_iter: int = 10) -> Array:
    """Apply generalised soft-thresholding with power p, 0 < p <= 1 [1]_.

    Solves, for every entry x >= 0,  min_{s >= 0}  tau s^p + (s - x)^2 / 2.

    Parameters
    ----------
    x : array of non-negative numbers
    tau : float, >= 0
        Weight of the power.
    p : float, 0 < p <= 1
        1 is soft-thresholding.
    n_iter : int, default=10
        Fixed-point steps; 10 reach rounding error, 4 leave 7e-5 of the cost.

    Returns
    -------
    array of the shape of x

    References
    ----------
    .. [1] Zuo, Meng, Zhang, Feng, Zhang, "A generalized iterated shrinkage algorithm
       for non-convex sparse coding", ICCV 2013, :doi:`10.1109/ICCV.2013.34`.
    """
    xp = namespace(x)
    if p == 1:
        return xp.maximum(x - tau, 0)
    cut = power_threshold(tau, p)
    if cut == 0:  # the weight is zero or underflows
        return xp.asarray(x, copy=True)
    keep = x > cut
    s = kept = xp.where(keep, x, 1.0)
    for _ in range(n_iter):
        s = xp.where(keep, kept - tau * p * s ** (p - 1), 1.0)
    return xp.where(keep, s, 0.0)


def power_threshold(tau: float, p: float) -> float:
    """Return the largest x that shrink_power sets to 0."""
    if p == 1:
        return tau
    base = (2 * tau * (1 - p)) ** (1 / (2 - p))
    return base + tau * p * base ** (p - 1) if base else 0.0
