"""The population stability index of counts, and how large it is by chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, chdtri

#: Index from which a change is moderate, and large: the rule of thumb of banks, as
#: Yurdakul and Naranjo (2020) quote it.
MODERATE, LARGE = 0.1, 0.25
#: Probability that chance alone passes the limit in any of the tests.
CHANCE = 0.01
#: Samples that an empty bin counts as, so that its logarithm is finite.
EMPTY = 0.5
#: Samples per bin that a chi-square law needs on either side: the rule of Cochran.
PER_BIN = 5


class Stability(NamedTuple):
    """Two distributions over bins, compared; arrays of the same shape."""

    psi: np.ndarray  # the index
    chance: np.ndarray  # what chance reaches in one of a hundred reports; inf: unknown
    pvalue: np.ndarray  # of the chi-square test, not corrected

    def at_least(self, limit: float) -> np.ndarray:
        """Return where the index is at least the limit, and beyond chance."""
        return np.asarray(self.psi >= np.maximum(limit, self.chance))


def stability(old: np.ndarray, new: np.ndarray, n_tests: int) -> Stability:
    r"""Compare counts over bins.

    The index is :math:`\sum_b (q_b - p_b) \log (q_b / p_b)` for shares p and q. If both
    are samples of one distribution, it is a chi-square variable of one degree less than
    there are bins, times 1 / n + 1 / m [yurdakul2020]_. With fewer than five samples
    per bin it is not, and nothing can be said.

    Parameters
    ----------
    old, new : ndarray of int, shape (..., bins)
    n_tests : int
        Comparisons that are made at a time.

    References
    ----------
    .. [yurdakul2020] Yurdakul, Naranjo, "Statistical properties of the population
       stability index", Journal of Risk Model Validation 14(4), 2020.
    """
    n, m = (np.maximum(c.sum(axis=-1, keepdims=True), 1) for c in (old, new))
    p, q = np.maximum(old, EMPTY) / n, np.maximum(new, EMPTY) / m
    used = old + new > 0
    index = np.where(used, (q - p) * np.log(q / p), 0).sum(axis=-1)
    free = np.maximum(used.sum(axis=-1) - 1, 1)
    size = (1 / n + 1 / m)[..., 0]
    both = np.sqrt(m / n) * old - np.sqrt(n / m) * new
    square = (both**2 / np.maximum(old + new, 1)).sum(axis=-1)
    chance = chdtri(free, CHANCE / max(n_tests, 1)) * size
    few = np.minimum(n, m)[..., 0] < PER_BIN * (free + 1)
    return Stability(index, np.where(few, np.inf, chance), chdtrc(free, square))
