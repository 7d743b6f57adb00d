"""Exponential tails of distributions of which a part is noise."""

from __future__ import annotations

import numpy as np

#: Tails are exponential beyond the first quantile, with the rate up to the second.
TAIL = (0.75, 0.9)
#: Logarithm of one over the probability of the tail: what is nearer is certain.
BULK = -np.log(1 - TAIL[0])
#: Tails are fitted repeatedly. A tail is at most so many times as long as the median
#: says, where normal and Student distances have 1.2; beyond so many mean excesses, rows
#: are left out of the next fit. So 15 % of noise do not make a tail long. After the
#: first three fits, the quantiles are those that remain of an exponential tail.
TRIMS = 3 * ((1.0, 2.0),) + ((1.0, 3.0), (1.25, 4.0)) + 4 * ((1.5, 5.0),)
#: Tails are longer further out, by so much: chosen so that of generated clusters with
#: normal, uniform and Student tails a third of a percent is beyond a score of 0.98.
LONGER = 1.45


def fit_tails(x: np.ndarray, least: float) -> np.ndarray:
    """Return where the tail of every column begins, and its mean excess.

    What is far beyond a first tail is left out of the next.

    Parameters
    ----------
    x : ndarray of shape (n, parts)
        NaN where a sample lacks a part.
    least : float
        Least mean excess.

    Returns
    -------
    ndarray of shape (parts, 2)
    """
    found = np.array([[0.0, least]] * x.shape[1])
    for i, column in enumerate(x.T):
        kept = every = np.sort(column[~np.isnan(column)])
        share = 1.0
        for longest, trimmed in TRIMS if len(every) else ():
            start, mean = found[i] = _tail(kept, longest, share, least)
            kept = every[: np.searchsorted(every, start + trimmed * mean, "right")]
            if trimmed > TRIMS[0][1]:
                share = 1 - (1 - TAIL[0]) * np.exp(-trimmed)
    return found


def _tail(
    x: np.ndarray, longest: float, share: float, least: float
) -> tuple[float, float]:
    """Fit the tail of a column of which only a share is there."""
    middle, start, end = np.quantile(x, np.array([0.5, *TAIL]) / share)
    mean = (end - start) / np.log((1 - TAIL[0]) / (1 - TAIL[1]))
    most = longest * max((start - middle) / np.log(0.5 / (1 - TAIL[0])), 2 * least)
    return start, max(min(mean, most), least)


def tail_probability(z: np.ndarray) -> np.ndarray:
    """Return the probability of more than z mean excesses beyond the start of a tail.

    One where nothing is known (NaN), and for what is near the middle.
    """
    p = (1 - TAIL[0]) * np.exp(np.minimum(-z / LONGER, BULK))
    return np.where(np.isnan(p), 1.0, p)
