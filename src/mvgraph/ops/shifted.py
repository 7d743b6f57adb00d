"""Rows of a sparse matrix minus a low-rank part, which are never formed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from mvgraph.ops.arrays import Float, Int, Matrix, dense
from mvgraph.ops.distance import squared_norms
from mvgraph.ops.parallel import map_rows

PER_BLOCK = 512  # rows that a thread multiplies at a time


class Shifted(NamedTuple):
    """The rows of x - P Q', which are never formed: x may be sparse."""

    x: Matrix  # (n, d)
    P: np.ndarray  # (n, q)
    Q: np.ndarray  # (d, q)

    @classmethod
    def of(cls, x: Matrix | Shifted) -> Shifted:
        """Return the rows of x with nothing subtracted; shifted rows unchanged."""
        if isinstance(x, Shifted):
            return x
        return cls(x, np.zeros((x.shape[0], 0)), np.zeros((x.shape[1], 0)))

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.P)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.Q)

    def times(self, V: np.ndarray) -> np.ndarray:
        """Return the product with V (d, r)."""
        return np.asarray(multiply(self.x, V) - self.P @ (self.Q.T @ V))

    def transposed_times(self, U: Matrix) -> np.ndarray:
        """Return the product of the transpose with U (n, r), dense or sparse."""
        return np.asarray(dense(self.x.T @ U) - self.Q @ (U.T @ self.P).T)

    def rows(self, chosen: Int | slice) -> np.ndarray:
        """Form some of the rows."""
        return np.asarray(dense(self.x[chosen]) - self.P[chosen] @ self.Q.T)

    def take(self, chosen: Int) -> Shifted:
        """Return some of the rows without forming them."""
        return Shifted(self.x[chosen], self.P[chosen], self.Q)

    def squared_norms(self) -> Float:
        """Compute the squared length of every row, clipped at 0."""
        x, P, Q = self
        cross = np.einsum("ij,ij->i", np.asarray(x @ Q), P)
        shift = np.einsum("ij,ij->i", P @ (Q.T @ Q), P)
        return np.asarray(np.maximum(squared_norms(x) - 2 * cross + shift, 0))


def join_shifted(parts: Sequence[Shifted]) -> Shifted:
    """Join the columns of several; sparse if any of them is."""
    arrays = [part.x for part in parts]
    if any(sp.issparse(x) for x in arrays):
        joined = sp.hstack(arrays, format="csr")
    else:
        joined = np.hstack(arrays)
    Q = scipy.linalg.block_diag(*[part.Q for part in parts])
    return Shifted(joined, np.hstack([part.P for part in parts]), Q)


def multiply(x: Matrix, V: np.ndarray) -> np.ndarray:
    """Return x V; rows of dense x are multiplied block by block, on threads."""
    if not isinstance(x, np.ndarray):
        return np.asarray(x @ V)
    parts = map_rows(lambda rows: x[rows] @ V, len(x), PER_BLOCK)
    return np.concatenate(parts)
