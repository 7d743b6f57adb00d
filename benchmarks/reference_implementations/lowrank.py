"""RMSC, ETLMSC, CSMSC: augmented Lagrangians with dense or tensor SVDs."""

import numpy as np
import scipy.linalg
from scipy.sparse.linalg import eigs

from reference_implementations.common import (
    kmeans,
    leading,
    median_gaussian,
    normalised,
    project_simplex,
    unit_rows,
)


def chain(X):
    K = median_gaussian(X)
    return K / K.sum(axis=1, keepdims=True)


def cut_chain(P, p, rng):
    """Symmetrise by the stationary distribution; leading eigenvectors; k-means."""
    v0 = np.full(len(P), 1 / len(P))
    pi = np.abs(np.real(eigs(P.T, 1, v0=v0)[1][:, 0]))
    root = np.sqrt(np.maximum(pi / pi.sum(), 1e-12 / len(P)))
    S = P * root[:, None] / root
    U = leading((S + S.T) / 2, p.n_clusters, rng, "LM")
    return kmeans(unit_rows(U), p.n_clusters, rng, p.n_init)


def shrink_singular_values(X, tau):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return (U * np.maximum(s - tau, 0)) @ Vt


def rmsc(X, p, rng):
    chains = np.stack([chain(x) for x in X])
    E, Y = np.zeros_like(chains), np.zeros_like(chains)
    Q, Z = np.zeros_like(chains[0]), np.zeros_like(chains[0])
    mu = p.mu
    for _ in range(p.max_iter):
        B = Q - Z / mu + (chains - E - Y / mu).sum(axis=0)
        P = project_simplex(B / (len(X) + 1))
        Q = shrink_singular_values(P + Z / mu, 1 / mu)
        R = chains - P - Y / mu
        E = np.sign(R) * np.maximum(np.abs(R) - p.error_weight / mu, 0)
        gap = P + E - chains
        Y += mu * gap
        Z += mu * (P - Q)
        mu = min(p.eta * mu, 1e10)
        if np.abs(gap).sum(axis=2).max() < p.tol:
            break
    return cut_chain(P, p, rng)


def etlmsc(X, p, rng):
    T = np.stack([chain(x) for x in X])  # (V, n, n)
    Z, E, Y, mu = np.zeros_like(T), np.zeros_like(T), np.zeros_like(T), p.mu
    for _ in range(p.max_iter):
        Z_old, E_old = Z, E
        Z = shrink_tensor(T - E + Y / mu, 1 / mu)
        F = T - Z + Y / mu
        norms = np.sqrt(np.square(F).sum(axis=(0, 1)))
        E = F * np.maximum(1 - p.error_weight / mu / np.maximum(norms, 1e-300), 0)
        gap = T - Z - E
        Y = Y + mu * gap
        mu = min(p.eta * mu, 1e11)
        changes = (gap, Z - Z_old, E - E_old)
        if max(np.abs(x).max() for x in changes) < p.tol:
            break
    return cut_chain(Z.sum(axis=0), p, rng)


def shrink_tensor(T, tau):
    """FFT along the second sample index, an SVD of every (n, V) slice."""
    slices = np.fft.rfft(T, axis=2).transpose(2, 1, 0)
    U, s, Vh = np.linalg.svd(slices, full_matrices=False)
    slices = (U * np.maximum(s - tau, 0)[:, None]) @ Vh
    return np.fft.irfft(slices.transpose(2, 1, 0), n=T.shape[2], axis=2)


def csmsc(X, p, rng):
    X = [unit_rows(x).T for x in X]
    n, V = X[0].shape[1], len(X)
    C, Y2, eye, mu, before = np.zeros((n, n)), np.zeros((n, n)), np.eye(n), 1e-6, np.inf
    grams = [x.T @ x for x in X]
    inverse = scipy.linalg.inv(sum(grams) + eye)
    E, W, Y1, Y3 = ([np.zeros_like(x) for x in X] for _ in range(4))
    D = [C] * V
    for _ in range(p.max_iter):
        right = -Y2 / mu
        for v, x in enumerate(X):
            known = x + Y1[v] / mu - x @ C
            system = mu * grams[v] + 2 * p.specific_weight * eye
            D[v] = scipy.linalg.solve(
                system, mu * x.T @ (known - E[v]), assume_a="pos", overwrite_a=True
            )
            fitted = x @ D[v]
            E[v] = (known - fitted + W[v] - Y3[v] / mu) / 2
            G = E[v] + Y3[v] / mu
            norms = np.maximum(np.linalg.norm(G, axis=0), 1e-300)
            W[v] = G * np.maximum(1 - 1 / (mu * norms), 0)
            right += x.T @ (x + Y1[v] / mu - fitted - E[v])
        J = shrink_singular_values(C + Y2 / mu, p.common_weight / mu)
        C = inverse @ (right + J)
        gaps = [x - x @ (C + d) for x, d in zip(X, D, strict=True)]
        for v in range(V):
            Y1[v] += mu * (gaps[v] - E[v])
            Y3[v] += mu * (E[v] - W[v])
        Y2 += mu * (C - J)
        mu = min(1.1 * mu, 1e6)
        error = sum(np.square(g).sum() for g in gaps)
        if abs(error - before) < 1e-7:
            break
        before = error
    Z = np.abs(C) + sum(np.abs(d) for d in D) / V
    U = leading(normalised((Z + Z.T) / 2), p.n_clusters, rng)
    U /= np.sqrt((Z + Z.T).sum(axis=1) / 2)[:, None]
    U /= np.linalg.norm(U, axis=0)
    return kmeans(unit_rows(U), p.n_clusters, rng, p.n_init)
