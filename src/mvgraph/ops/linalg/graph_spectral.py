"""Leading eigenvectors of a normalised graph of samples."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from mvgraph.ops.linalg.spectral import fix_signs, inverse_sqrt

__all__ = ["graph_embedding"]

#: Up to this size, or for more than a sixth of all eigenvectors, a dense solver is
#: faster.
DENSE = 300
TOL = 1e-4


def graph_embedding(W: sp.csr_matrix, n_components: int) -> np.ndarray:
    """Embed the nodes of a graph by the leading eigenvectors of D^-1/2 W D^-1/2.

    Parameters
    ----------
    W : csr_matrix of shape (n, n), symmetric
    n_components : int
        At most n.

    Returns
    -------
    ndarray of shape (n, n_components)
        Orthonormal columns, largest eigenvalue first.
    """
    n = W.shape[0]
    scale = sp.diags(inverse_sqrt(np.asarray(W.sum(axis=1)).ravel()))
    S = (scale @ W @ scale).tocsr()
    q = min(n_components, n)
    if n <= DENSE or q > n // 6:
        U = scipy.linalg.eigh(S.toarray(), subset_by_index=[n - q, n - 1])[1]
    else:
        # a fixed start that no symmetry of the graph can be orthogonal to
        start = np.random.default_rng(0).random(n) + 0.5
        size = min(n - 1, 2 * q + 20)
        U = eigsh(S, q, which="LA", v0=start, ncv=size, tol=TOL, maxiter=5000)[1]
    return fix_signs(U[:, ::-1])
