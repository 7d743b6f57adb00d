"""SNF: similarity network fusion, and spectral clustering of the fused network."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mvgraph.base import Clusterer, Method, Result, Run, require_memory
from mvgraph.ops.affinity.neighbors import distances_of_rows, rows_to_csr
from mvgraph.ops.affinity.similarity import normalise_similarity, random_walk_embedding
from mvgraph.ops.arrays import Matrix
from mvgraph.ops.distance import nearest_columns, squared_norms
from mvgraph.ops.kmeans import kmeans
from mvgraph.ops.linalg.eigen import leading_eigenvectors
from mvgraph.ops.parallel import map_rows
from mvgraph.views.container import Views
from mvgraph.views.scaling import scaled

METHOD = Method(
    name="snf",
    family="one graph",
    title="Similarity network fusion and spectral clustering",
    reference="wang2014snf",
    cost="O(V N^2 d) + O(V k N^2) per round",
    memory="O(V N^2)",
    needs_n_by_n=True,
)

EPS = np.finfo(float).eps  # least width, as in the published code
ROWS_PER_BLOCK = 256
EIGENVALUE_TOL = 1e-7
COLUMNS_PER_BLOCK = 64  # a block of all rows stays in the cache


class SNF(Clusterer):
    r"""Fuse the similarity networks of all views by diffusion, and cut the result.

    **Iterates** [wang2014]_

    .. math:: P_v \leftarrow S_v \Bigl(\frac{1}{V - 1} \sum_{w \ne v} P_w\Bigr) S_v^T
        + I

    P_v starts as the normalised similarities of view v, densities :math:`w_{ij} =
    \exp(-\rho_{ij}^2 / 2 (\mu \sigma_{ij})^2) / \sigma_{ij}` of the distance rho with a
    width sigma from the mean distance to the ``n_neighbors`` nearest of i and of j;
    S_v keeps the ``n_neighbors`` largest in every row. Spectral clustering of the mean
    of all P_v gives the labels.

    Parameters
    ----------
    n_clusters : int, default=8
        From 2 to the number of samples.
    n_neighbors : int, default=20, at least 1
        Usual values are 10 to 30. S_v counts the sample itself as one of them.
    mu : float, default=0.5
        Share of the width, > 0. Usual values are 0.3 to 0.8.
    max_iter : int, default=20
        Rounds, at least 1; all are done.
    scaling : str, default="auto"
        Rule of :func:`mvgraph.views.scaling.fit_scaling`, applied to every view;
        published: zscore.
    n_init : int, default=10
        Starts of k-means.
    random_state : int, Generator, RandomState or None, default=None
        Seed of k-means.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_samples,)
    graph_ : ndarray of shape (n_samples, n_samples)
        The fused network, symmetric.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Leading eigenvectors of D^-1 W, W the fused network: input of k-means.
    eigengap_ : ndarray of int64, shape (2,) or less
        Numbers of clusters from 2 to 2 n_clusters + 5 that the eigenvalues of the
        network suggest, best first. In our measurements they were too small.

    Notes
    -----
    Time O(V N^2 d), O(V k N^2) per round and O(N^2 K) per step of the eigensolver;
    memory (V + 4) N x N arrays. As the public code, and unlike the paper: a normal
    density instead of exp(-rho^2 / mu sigma), and P_v has no constant diagonal. With
    one view, P_v is diffused along its own S_v. Two duplicates are so similar that they
    are hardly linked to others.

    References
    ----------
    .. [wang2014] Wang, Mezlini, Demir, Fiume, Tu, Brudno, Haibe-Kains, Goldenberg,
       "Similarity network fusion for aggregating data types on a genomic scale",
       Nature Methods 11, 2014, :doi:`10.1038/nmeth.2810`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.baselines.snf import SNF
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat([[0, 0], [9, 9]], 20, axis=0) + rng.normal(size=(40, 2))
    >>> model = SNF(n_clusters=2, n_neighbors=10, random_state=0).fit([X, X**3])
    >>> np.bincount(model.labels_)
    array([20, 20])
    """

    n_neighbors: int = 20
    mu: float = 0.5
    max_iter: int = 20
    scaling: str = "auto"
    n_init: int = 10

    def _fit(self, views: Views, run: Run) -> Result:
        N, V, K = len(views), views.n_views, self.n_clusters
        require_memory(
            (V + 4) * 8 * N**2, "One dense network per view", "use fewer samples."
        )
        k = self.n_neighbors
        networks = [
            density_network(x, min(k, N - 1), self.mu)
            for x in scaled(views, self.scaling).arrays
        ]
        links = [strongest_links(P, min(k, N)) for P in networks]
        W = fuse(networks, links, self.max_iter)
        F = random_walk_embedding(W, K)
        return Result(
            kmeans(F, K, run.rng, n_init=self.n_init).labels,
            embedding=F,
            affinity=W,
            history=[],
            n_iter=self.max_iter,
            extra={"eigengap_": suggest_by_eigengap(W, 2 * K + 5)},
        )


def density_network(x: Matrix, k: int, mu: float) -> np.ndarray:
    """Return normalised similarities of all samples, normal densities of distances.

    Parameters
    ----------
    x : ndarray or csr_matrix of shape (N, d)
    k : int, from 1 to N - 1
        Neighbours whose mean distance is the width at a sample.
    mu : float

    Returns
    -------
    ndarray of shape (N, N)
        (P + P') / 2, the rows of P sum to one.
    """
    x = x.astype(np.float64, copy=False)
    n, norms = x.shape[0], squared_norms(x)
    P, width = np.empty((n, n)), np.empty(n)

    def measure(rows: slice) -> None:
        rho = np.sqrt(distances_of_rows(x, norms, rows))
        itself = np.arange(len(rho)), np.arange(rows.start, rows.stop)
        rho[itself] = np.inf
        width[rows] = nearest_columns(rho, k)[1].mean(axis=1) + EPS
        rho[itself] = 0
        P[rows] = rho

    def weigh(rows: slice) -> None:
        rho = P[rows]
        sigma = (width[rows, None] + width + rho) / 3 + EPS
        rho /= mu * sigma
        rho *= rho
        rho *= -0.5
        np.exp(rho, out=rho)
        rho /= sigma
        rho /= rho.sum(axis=1, keepdims=True)

    map_rows(measure, n, ROWS_PER_BLOCK)
    map_rows(weigh, n, ROWS_PER_BLOCK)
    return _symmetric(P)


def strongest_links(P: np.ndarray, k: int) -> sp.csr_matrix:
    """Keep the k largest entries of every row, and scale rows to sum 1."""
    blocks = map_rows(lambda rows: nearest_columns(-P[rows], k), len(P), ROWS_PER_BLOCK)
    idx, lowest = (np.concatenate(part) for part in zip(*blocks, strict=True))
    return rows_to_csr(idx, lowest / lowest.sum(axis=1, keepdims=True), len(P))


def fuse(
    networks: list[np.ndarray], links: list[sp.csr_matrix], n_rounds: int
) -> np.ndarray:
    """Diffuse the networks along each other's links; return their normalised mean.

    Parameters
    ----------
    networks : list of V ndarray of shape (N, N), symmetric
        Overwritten.
    links : list of V csr_matrix of shape (N, N), rows sum to one
    n_rounds : int

    Returns
    -------
    ndarray of shape (N, N), symmetric
    """
    V = len(networks)
    total, others = np.empty_like(networks[0]), np.empty_like(networks[0])
    for _ in range(n_rounds):
        _add(networks, total)  # of the previous round, for all views
        for P, S in zip(networks, links, strict=True):
            if V > 1:
                np.subtract(total, P, out=others)
                others /= V - 1
            congruence(S, others if V > 1 else P, out=P)
            np.einsum("ii->i", P)[:] += 1
    W = _add(networks, total)
    W /= W.sum(axis=1, keepdims=True)
    W = _symmetric(W)
    np.einsum("ii->i", W)[:] += 0.5
    return W


def _add(networks: list[np.ndarray], out: np.ndarray) -> np.ndarray:
    out[:] = networks[0]
    for P in networks[1:]:
        out += P
    return out


def suggest_by_eigengap(W: np.ndarray, most: int) -> np.ndarray:
    """Return the two numbers of clusters at the largest gaps of the Laplacian.

    The score of c is  |l_{c+1} - l_c| (1 - l_c) / (1 - l_{c+1}),  l the ascending
    eigenvalues of the normalised Laplacian of the network without its diagonal.

    Parameters
    ----------
    W : ndarray of shape (N, N), symmetric
    most : int
        Largest number that is considered, at most N - 1.

    Returns
    -------
    ndarray of int64, shape (2,), or less for less than four samples
    """
    most = min(most, len(W) - 1)
    A = W - np.diag(np.diag(W))
    top = leading_eigenvectors(
        normalise_similarity(A), most + 1, tol=EIGENVALUE_TOL, max_cycles=2
    )[0]
    positive = np.maximum(top, 1e-12)  # 1 - l
    scores = -np.diff(top) * positive[:-1] / positive[1:]
    order = np.argsort(-scores[1:], kind="stable")
    return order[:2] + 2


def _symmetric(P: np.ndarray) -> np.ndarray:
    P = P + P.T
    P /= 2
    return P


def congruence(
    S: sp.csr_matrix, M: np.ndarray, out: np.ndarray | None = None
) -> np.ndarray:
    """Compute S M S' in O(k N^2) time, k non-zeros in a row of S.

    A block of columns at a time, so that the rows that S picks are in the cache.

    Parameters
    ----------
    S : csr_matrix of shape (N, N)
    M : ndarray of shape (N, N), symmetric
    out : ndarray of shape (N, N), optional
        Receives the product; may be M.

    Returns
    -------
    ndarray of shape (N, N)
        Exactly symmetric.
    """
    from mvgraph.ops.kernels import common as _kernels

    n = len(M)
    half = np.empty((n, n))  # (S M)'
    Z = np.empty((n, n)) if out is None else out

    def multiply(first: int, X: np.ndarray) -> np.ndarray:
        product = np.empty((n - first, X.shape[1]))
        _kernels.multiply_rows(S.indptr[first:], S.indices, S.data, X, product)
        return product

    def left(block: slice) -> None:
        half[block] = multiply(0, np.ascontiguousarray(M[block].T)).T

    def right(block: slice) -> None:  # from the diagonal on; the rest is its mirror
        product = multiply(block.start, np.ascontiguousarray(half[:, block]))
        Z[block.start :, block] = product
        Z[block, block.start :] = product.T
        corner = Z[block, block]
        corner[:] = (corner + corner.T) / 2

    map_rows(left, n, COLUMNS_PER_BLOCK)
    map_rows(right, n, COLUMNS_PER_BLOCK)
    return Z
