"""Spectral embedding of samples through bipartite graphs with many anchors."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from mvgraph.ops.arrays import Eigenpairs, Float, Matrix, dense
from mvgraph.ops.linalg.gram_eigen import leading_pairs
from mvgraph.ops.linalg.spectral import fix_signs, inverse_sqrt, row_normalise

#: Up to this size of the smaller side, a dense solver is faster.
DENSE_SOLVER_MAX = 600
#: The same for a transfer cut, whose many eigenvalues near 1 converge slowly.
CUT_DENSE_MAX = 1200


def normalised_biadjacency(Z: Matrix, tau: float = 0.0) -> sp.csr_matrix:
    """Return Z D^-1/2 without empty columns, D the column degrees.

    Its product with its transpose is the graph of samples Z D^-1 Z'. ``tau`` times the
    mean degree is added to all degrees: anchors of a few outliers then do not split off
    clusters of their own [joseph2016]_.

    References
    ----------
    .. [joseph2016] Joseph, Yu, "Impact of regularization on spectral clustering",
       Annals of Statistics 44, 2016, :doi:`10.1214/16-AOS1447`.
    """
    degree = np.asarray(Z.sum(axis=0)).ravel()
    used = degree > 0
    mean = degree.sum() / max(used.sum(), 1)
    scale = 1 / np.sqrt(degree[used] + tau * mean)
    return (sp.csr_matrix(Z)[:, used] @ sp.diags(scale)).tocsr()


def left_singular_vectors(
    H: Matrix, n_components: int
) -> tuple[np.ndarray, np.ndarray]:
    """Embed samples by the leading left singular vectors of D^-1/2 H.

    Solves  max tr(U' D^-1/2 H H' D^-1/2 U)  s.t.  U'U = I,  D the degrees of H H',
    through the Gram matrix of the smaller side.

    Parameters
    ----------
    H : csr_matrix of shape (N, M)
        Rows without entries are embedded at the origin.
    n_components : int
        At most min(N, M) columns are returned.

    Returns
    -------
    U : ndarray of shape (N, n)
        Singular vectors times singular values, float32.
    w : ndarray of shape (n,)
        Squared singular values, descending; at most 1.
    """
    H = sp.csr_matrix(H)
    degree = np.asarray(H @ np.asarray(H.sum(axis=0)).ravel()).ravel()
    H = (sp.diags(inverse_sqrt(degree)) @ H).tocsr()
    tall = H.shape[1] <= H.shape[0]
    A = H if tall else H.T.tocsr()
    n = min(n_components, A.shape[1])
    if A.shape[1] <= DENSE_SOLVER_MAX or n >= A.shape[1] - 1:
        G = (A.T @ A).toarray()
        w, V = scipy.linalg.eigh(G, subset_by_index=[len(G) - n, len(G) - 1])
    else:
        w, V = _leading(A, n)
    w, V = np.maximum(w[::-1], 0), fix_signs(V[:, ::-1])
    U = H @ V if tall else V * np.sqrt(w)
    return np.asarray(U, dtype=np.float32), w


def transfer_cut(B: sp.csr_matrix, n_components: int) -> Float:
    """Embed the samples of a bipartite graph by the transfer cut.

    Solves  max tr(Q' H'H Q)  s.t.  Q'Q = I,  H = D_X^-1/2 B D_Y^-1/2,  D the degrees of
    samples and columns, and returns  D_X^-1/2 H Q  with rows of length 1. The trivial
    vector is kept.

    Parameters
    ----------
    B : csr_matrix of shape (N, P)
        Non-negative; rows without entries are embedded at the origin.
    n_components : int
        At most min(N, P) columns are returned.

    Returns
    -------
    ndarray of shape (N, n)
    """
    rows = inverse_sqrt(np.asarray(B.sum(axis=1)).ravel())
    columns = inverse_sqrt(np.asarray(B.sum(axis=0)).ravel())
    H = (sp.diags(rows) @ B @ sp.diags(columns)).tocsr()
    n = min(n_components, B.shape[1])
    tall = H.shape[1] <= H.shape[0]
    A = H if tall else H.T.tocsr()
    size = A.shape[1]
    if size <= CUT_DENSE_MAX:
        G, last = dense(A.T @ A), [max(size - n, 0), size - 1]
        w, V = scipy.linalg.eigh(G, subset_by_index=last)
    else:
        V, w, _ = leading_pairs(A, min(n, size))
        w = w[: V.shape[1]]
    V = fix_signs(V)
    E = H @ V if tall else V * np.sqrt(np.maximum(w, 0))
    return row_normalise(rows[:, None] * E)


def _leading(A: sp.csr_matrix, n: int) -> Eigenpairs:
    """Return the n leading eigenpairs of A'A, ascending, by Lanczos."""
    q = A.shape[1]
    T = A.T.tocsr()
    gram = LinearOperator((q, q), matvec=lambda x: T @ (A @ x), dtype=np.float64)
    # a fixed start that is not orthogonal to an eigenvector by symmetry of the graph
    start = np.random.default_rng(0).random(q) + 0.5
    w, V = eigsh(gram, n, v0=start, ncv=min(q - 1, 2 * n + 20), tol=1e-6, maxiter=3000)
    return w, V
