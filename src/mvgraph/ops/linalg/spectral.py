"""Spectral embedding of bipartite graphs, and the number of their components."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from mvgraph.ops.arrays import (
    Array,
    Eigenpairs,
    Float,
    Matrix,
    dense,
    is_non_numpy,
    namespace,
    to_numpy,
)
from mvgraph.ops.linalg.gram_eigen import Product, leading_pairs, leading_pairs_of
from mvgraph.ops.parallel import map_rows, ordered, slices

COLUMNS_PER_BLOCK = 256  # of a Gram matrix
ROWS_PER_BLOCK = 250  # that a thread multiplies at a time
#: Up to this size of the smaller side, a dense solver is faster.
DENSE_SOLVER_MAX = 600
#: The same for a transfer cut, whose many eigenvalues near 1 converge slowly.
CUT_DENSE_MAX = 1200
#: Rounding of a sum of singular values, in the rank test.
RANK_TOL = 1e-7


class Embedding(NamedTuple):
    """Solution of the F-step: F = [P; Q], singular values, degrees."""

    P: Array  # (N, K) samples
    Q: Array  # (M, K) anchors
    s: np.ndarray  # (min(K + 1, M),) singular values of H, descending
    dq: Array  # (M,) column degrees
    dp: Array  # (N,) row degrees
    block: np.ndarray | None = None  # start for the embedding of a similar graph


def bipartite_embedding(
    Z: Array, K: int, start: np.ndarray | None = None, tol: float = 1e-10
) -> Embedding:
    """Embed samples and anchors of a bipartite graph (eq. 13, theorem 1).

    Solves  max tr(P' H Q)  s.t.  P'P + Q'Q = I,  H = D_P^-1/2 Z D_Q^-1/2.  With many
    anchors it uses products with H'H in O(N M K) time, with few anchors the matrix H'H
    (M, M) in O(N M^2) time. It never forms an N x N matrix.

    Parameters
    ----------
    Z : array or csr_matrix of shape (N, M)
        Non-negative weights. Anchors without any weight get a zero row in Q.
    K : int, 1 <= K <= M
    start : ndarray, optional
        ``block`` of the embedding of a similar graph, for speed.
    tol : float, default=1e-10
        Residual of the eigenpairs of H'H if they are found by iteration.

    Returns
    -------
    Embedding
        ``s`` is always a NumPy array; the other arrays are on the device of Z.
    """
    if is_non_numpy(Z):
        return _embed_on_device(Z, K)
    dp = np.asarray(Z.sum(axis=1), dtype=np.float64).ravel()
    dq = np.asarray(Z.sum(axis=0), dtype=np.float64).ravel()
    rows, columns = inverse_sqrt(dp), inverse_sqrt(dq)
    R: Matrix = Z
    if sp.issparse(Z) or not np.allclose(rows, 1):
        R = sp.diags(rows) @ Z if sp.issparse(Z) else Z * rows[:, None]
    multiply, gram = _gram_of(R, columns)
    Q, s, block = leading_pairs_of(multiply, gram, Z.shape[1], K, start, tol)
    Q, s = fix_signs(Q), np.sqrt(np.maximum(s, 0))
    P = np.asarray(R @ (columns[:, None] * Q)) / np.maximum(s[:K], 1e-12) / np.sqrt(2)
    return Embedding(P, Q / np.sqrt(2), s, dq, dp, block)


def _gram_of(
    R: Matrix, columns: np.ndarray
) -> tuple[Product, Callable[[], np.ndarray]]:
    """Return functions for H'H X and for H'H itself, H = R diag(columns)."""

    def part(X: np.ndarray, rows: slice) -> np.ndarray:
        return np.asarray((X @ R[rows].T) @ R[rows])

    def multiply(X: np.ndarray) -> np.ndarray:
        X = np.ascontiguousarray((X * columns[:, None]).T)
        if sp.issparse(R):
            product = R.T @ (R @ X.T)
        else:  # a few columns: BLAS is faster from the left
            parts = map_rows(lambda rows: part(X, rows), len(R), ROWS_PER_BLOCK)
            product = np.asarray(sum(parts)).T
        return np.asarray(product * columns[:, None])

    def gram() -> np.ndarray:
        G = dense(R.T @ R) if sp.issparse(R) else _gram(R)
        G *= columns[:, None]
        G *= columns
        return G

    return multiply, gram


def _gram(R: np.ndarray) -> np.ndarray:
    """Compute R'R by pairs of column blocks, each once, on threads."""
    G = np.empty((R.shape[1], R.shape[1]))
    parts = slices(R.shape[1], COLUMNS_PER_BLOCK)

    def fill(pair: tuple[slice, slice]) -> None:
        a, b = pair
        G[a, b] = R[:, a].T @ R[:, b]
        if a != b:
            G[b, a] = G[a, b].T

    pairs = [(a, b) for i, a in enumerate(parts) for b in parts[i:]]
    list(ordered(fill, pairs))
    return G


def _embed_on_device(Z: Array, K: int) -> Embedding:
    """bipartite_embedding in any library of the array API standard."""
    xp = namespace(Z)
    dp, dq = xp.sum(Z, axis=1), xp.sum(Z, axis=0)
    H = Z * inverse_sqrt(dp)[:, None] * inverse_sqrt(dq)[None, :]
    values, vectors = xp.linalg.eigh(H.T @ H)  # ascending
    count = min(K + 1, Z.shape[1])
    Q = xp.flip(vectors[:, -K:], axis=1)
    s = np.sqrt(np.maximum(to_numpy(values)[::-1][:count], 0))
    rows = xp.expand_dims(xp.argmax(xp.abs(Q), axis=0), axis=0)
    largest = xp.take_along_axis(Q, rows, axis=0)
    Q = Q * xp.where(largest < 0, -xp.ones_like(largest), 1.0)
    scale = np.maximum(s[:K], 1e-12) * np.sqrt(2)
    P = (H @ Q) / xp.asarray(scale, dtype=Q.dtype, device=Q.device)
    return Embedding(P, Q / float(np.sqrt(2)), s, dq, dp)


def fix_signs(vectors: np.ndarray) -> np.ndarray:
    """Make the entry of largest magnitude of every column positive."""
    rows = np.argmax(np.abs(vectors), axis=0)
    signs = np.sign(vectors[rows, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1, signs)


def inverse_sqrt(d: Array) -> Array:
    """Compute d^-1/2; 0 where d is 0."""
    xp = namespace(d)
    return xp.where(d > 0, 1 / xp.sqrt(xp.where(d > 0, d, 1.0)), 0.0)


def compare_components(s: np.ndarray, K: int) -> int:
    """Compare the number of components with K through singular values (rank test).

    Parameters
    ----------
    s : ndarray, leading singular values of H, descending, at least K
    K : int

    Returns
    -------
    int
        -1: fewer than K components, 1: more, 0: exactly K.
    """
    if s[:K].sum() < K - RANK_TOL:
        return -1
    if len(s) > K and s[: K + 1].sum() > K + 1 - RANK_TOL:
        return 1
    return 0


def row_normalise(U: np.ndarray) -> np.ndarray:
    """Scale rows to length 1; zero rows stay zero."""
    norms = np.linalg.norm(U, axis=1, keepdims=True)
    return np.asarray(U / np.where(norms > 1e-12, norms, 1))


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


def transfer_cut(
    B: sp.csr_matrix, n_components: int, *, dense_max: int = CUT_DENSE_MAX
) -> Float:
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
    dense_max : int, default=1200
        Up to this size of the smaller side of B, a dense solver is used.

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
    if size <= dense_max:
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
