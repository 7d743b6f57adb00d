"""Extreme eigenpairs of sparse symmetric matrices, and the Laplacian of a graph."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from mvgraph.ops.arrays import Eigenpairs
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.linalg.spectral import fix_signs, inverse_sqrt

DENSE_SOLVER_MAX = 300  # up to this size, a dense solver is as fast
#: Where only weak links connect the parts of a graph, eigenvalues are so close to each
#: other that Lanczos needs minutes; after this many restarts another solver is used.
MOST_RESTARTS = 60
LINK_ROUNDING = 1e-13  # links below this share of the largest entry join no components


def laplacian(S: sp.csr_matrix) -> sp.csr_matrix:
    """Return D - S for a symmetric graph."""
    return (sp.diags(np.asarray(S.sum(axis=1)).ravel()) - S).tocsr()


def normalise(S: sp.csr_matrix) -> sp.csr_matrix:
    """Return D^-1/2 S D^-1/2; rows without weight stay zero."""
    S = sp.csr_matrix(S)
    root = inverse_sqrt(np.asarray(S.sum(axis=1)).ravel())
    data = np.repeat(root, np.diff(S.indptr)) * S.data * root[S.indices]
    return sp.csr_matrix((data, S.indices, S.indptr), shape=S.shape)


def bottom_eigenpairs(A: sp.csr_matrix, k: int) -> Eigenpairs:
    """Return the k algebraically smallest eigenvalues, ascending, and eigenvectors.

    Every connected component is solved separately, so that eigenvalue 0 of a graph
    Laplacian is found with its full multiplicity: by shift-invert Lanczos with a sparse
    factorisation, or by a dense solver for small components. If there are more than k
    zeros, large components come first.

    Parameters
    ----------
    A : csr_matrix of shape (n, n), symmetric
    k : int
        At most n pairs are returned.

    Returns
    -------
    values : ndarray of shape (k,)
    vectors : ndarray of shape (n, k)
    """
    values, vectors, sizes = _by_component(A, k, _bottom)
    zero = 1e-12 * max(abs(A.diagonal()).max(), 1e-300)
    order = np.lexsort((-sizes, np.where(abs(values) < zero, 0, values)))[:k]
    return values[order], vectors[:, order]


def top_eigenpairs(
    A: sp.csr_matrix, k: int, bound: float, *, max_restarts: int = MOST_RESTARTS
) -> Eigenpairs:
    """Return the k algebraically largest eigenpairs, descending, by plain Lanczos.

    Parameters and return values are those of :func:`bottom_eigenpairs`. For a
    normalised graph, whose spectrum is in [-1, 1], Lanczos mostly converges in less
    time than a factorisation takes; if it does not, eigenvalues next to ``bound`` are
    found by one.

    Parameters
    ----------
    A, k
        As there.
    bound : float
        A number that no eigenvalue exceeds, the closer the better.
    max_restarts : int, default=60
        Restarts after which Lanczos counts as not converged.
    """
    solve = partial(_top, bound=bound, max_restarts=max_restarts)
    values, vectors, sizes = _by_component(A, k, solve)
    order = np.lexsort((-sizes, -values.round(12)))[:k]
    return values[order], vectors[:, order]


def leading_eigenpairs(A: sp.csr_matrix, k: int) -> Eigenpairs:
    """Return the k eigenpairs of largest magnitude, descending: singular vectors.

    Parameters and return values are those of :func:`bottom_eigenpairs`.
    """
    values, vectors, sizes = _by_component(A, k, _leading)
    order = np.lexsort((-sizes, -abs(values).round(12)))[:k]
    return values[order], vectors[:, order]


def _by_component(
    A: sp.csr_matrix, k: int, solve: Callable[[sp.csr_matrix, int], Eigenpairs]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors of all components, and component sizes.

    The sizes are one per eigenpair: the size of the component that it belongs to.
    """
    count, part = _components(A)
    if count == 1:
        values, vectors = solve(A, min(k, A.shape[0]))
        return values, vectors, np.full(len(values), A.shape[0])
    sizes = np.bincount(part)
    parts = np.split(np.argsort(part, kind="stable"), np.cumsum(sizes)[:-1])
    pairs = [solve(A[rows][:, rows], min(k, len(rows))) for rows in parts]
    values, counts = np.concatenate([w for w, _ in pairs]), [len(w) for w, _ in pairs]
    vectors = np.zeros((A.shape[0], len(values)))
    for rows, (w, V), end in zip(parts, pairs, np.cumsum(counts), strict=True):
        vectors[rows, end - len(w) : end] = V
    return values, vectors, np.repeat(sizes, counts)


def _components(A: sp.csr_matrix) -> tuple[int, np.ndarray]:
    links = A.copy()
    top = max(abs(A.data).max(initial=0), 1e-300)
    links.data = (abs(A.data) > LINK_ROUNDING * top) * 1.0
    links.eliminate_zeros()
    count, labels = connected_components(links, directed=False)
    return count, labels


def _dense_eigenpairs(A: sp.csr_matrix, first: int, last: int) -> Eigenpairs:
    """Return eigenpairs first to last, ascending, by a dense solver.

    Where many are equal, LAPACK's solver of some of them fails, or loses a few.
    """
    X = A.toarray()
    with contextlib.suppress(np.linalg.LinAlgError):
        w, V = scipy.linalg.eigh(X, subset_by_index=[first, last])
        if len(w) == last - first + 1:
            return w, V
    w, V = np.linalg.eigh(X)
    return w[first : last + 1], V[:, first : last + 1]


def _bottom(A: sp.csr_matrix, k: int) -> Eigenpairs:
    n = A.shape[0]
    if n <= DENSE_SOLVER_MAX or 3 * k > n:
        return _dense_eigenpairs(A, 0, k - 1)
    solve, shift = _factor_shifted(A)
    inverse = LinearOperator(A.shape, solve, dtype=np.float64)
    try:
        w, V = eigsh(A, k, sigma=-shift, OPinv=inverse, v0=_start(n))
    except ArpackError:
        return _dense_eigenpairs(A, 0, k - 1)
    return w, V


def _factor_shifted(
    A: sp.csr_matrix,
) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
    """Factorise A + shift I with a shift that makes it positive definite."""
    A, identity = A.tocsc(), sp.identity(A.shape[0], format="csc")
    shift = 1e-4 * max(abs(A.diagonal()).mean(), 1e-300)
    while True:
        lu = splu(
            A + shift * identity,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        if (lu.U.diagonal() > 0).all():  # inertia: no eigenvalue below -shift
            return lu.solve, shift
        shift *= 8


def _top(A: sp.csr_matrix, k: int, bound: float, max_restarts: int) -> Eigenpairs:
    n = A.shape[0]
    if n <= DENSE_SOLVER_MAX or 3 * k > n:
        return _dense_eigenpairs(A, n - k, n - 1)
    try:
        w, V = eigsh(A, k, which="LA", v0=_start(n), maxiter=max_restarts)
    except ArpackError:
        w, V = _bottom((bound * sp.identity(n) - A).tocsr(), k)
        return bound - w, V
    return w, V


def _leading(A: sp.csr_matrix, k: int) -> Eigenpairs:
    n = A.shape[0]
    if n <= DENSE_SOLVER_MAX or 3 * k > n:
        return _dense_leading(A, k)
    more = {"ncv": min(n, max(4 * k, 40)), "maxiter": 10 * MOST_RESTARTS}
    try:
        w, V = eigsh(A, k, which="LM", v0=_start(n), **more)
    except ArpackError:
        return _dense_leading(A, k)
    return w, V


def _dense_leading(A: sp.csr_matrix, k: int) -> Eigenpairs:
    values, vectors = np.linalg.eigh(A.toarray())
    order = np.argsort(-abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def _start(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=n)


EIGENVECTOR_TOL = 1e-4
#: Residual and restarts of the block iteration: further vectors differ from these by
#: directions of equal eigenvalues.
BLOCK_TOL, BLOCK_CYCLES = 1e-3, 4


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
    S = normalise(W)
    q = min(n_components, n)
    if n <= DENSE_SOLVER_MAX or q > n // 6:  # there the dense solver is faster
        U = scipy.linalg.eigh(S.toarray(), subset_by_index=[n - q, n - 1])[1]
    else:
        # a fixed start that no symmetry of the graph can be orthogonal to
        start = np.random.default_rng(0).random(n) + 0.5
        more = {"ncv": min(n - 1, 2 * q + 20), "maxiter": MOST_RESTARTS}
        try:
            U = eigsh(S, q, which="LA", v0=start, tol=EIGENVECTOR_TOL, **more)[1]
        except ArpackError:  # a block of vectors finds eigenvalues that nearly coincide
            U = leading_eigenvectors(S, q, tol=BLOCK_TOL, max_cycles=BLOCK_CYCLES)[1]
            U = U[:, ::-1]
    return fix_signs(U[:, ::-1])
