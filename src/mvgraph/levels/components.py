"""Views whose columns are principal components, with their variances or whitened."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.ops.arrays import Matrix

#: Columns that can be told to be components, at least: by chance, five are in order of
#: their variance once in 120 times.
FEWEST = 5
#: Correlation of two columns, at most, and how much larger than the one before a
#: variance may be: the components may be of more samples than these. Assumed.
CORRELATED, LARGER = 0.3, 1.1


def are_components(x: Matrix, known: np.ndarray) -> bool:
    """Return True if columns do not correlate, and are in order of their variance.

    Or if all variances are equal, as those of whitened components are: another rotation
    of these would say no more, and hide what single columns show.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (n, d)
    known : ndarray of bool, shape (n,)
        Rows that the view has.
    """
    if sp.issparse(x) or x.shape[1] < FEWEST or known.sum() <= x.shape[1]:
        return False
    variances = x[known].var(axis=0, dtype=np.float64)
    falls = variances[1:] <= LARGER * variances[:-1]
    if not falls.all():
        return False
    C = np.corrcoef(x[known].T.astype(np.float64))
    np.fill_diagonal(C, 0)
    return bool(np.abs(C).max() <= CORRELATED)


def scaled_components(x: np.ndarray, known: np.ndarray, n: int) -> np.ndarray:
    """Return the first n columns, centred, the mean variance 1; unknown rows hold 0."""
    y = x[:, :n] - x[known, :n].mean(axis=0)
    y /= np.sqrt(y[known].var(axis=0).mean())
    return np.where(known[:, None], y, 0).astype(np.float32)
