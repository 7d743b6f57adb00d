"""The forecast of the memory that the choice of k takes."""

from __future__ import annotations

from mvgraph.base.cost import Cost, Shape
from mvgraph.inspection.resampling import (
    N_COMPONENTS,
    N_NEIGHBORS,
    SHARE,
    n_neighbors,
)
from mvgraph.ops.linalg.principal import iterates
from mvgraph.ops.parallel import n_threads

__all__ = ["cost_of_choice"]

#: Bytes of an entry of a sparse graph.
ENTRY = 12
#: Vectors of the length of a view's features, where its components are found by
#: products.
VECTORS = 60
#: Bytes of many small arrays.
SMALL = 10_000_000


def cost_of_choice(shape: Shape, n_sampled: int, n_draws: int) -> Cost:
    """Forecast bytes.

    Parameters
    ----------
    shape : Shape
    n_sampled : int
        Rows that are looked at.
    n_draws : int
        Their graphs are held until the end.
    """
    n, v, drawn = n_sampled, shape.v, int(SHARE * n_sampled)
    rows = shape.row_bytes()
    sample = n * sum(rows)
    scaled = sample + min(n_threads(), v) * (3 * n * max(rows) + _vectors(shape, n))
    components = 4 * n * sum(min(N_COMPONENTS, d) for d in shape.features)
    near = 12 * N_NEIGHBORS * drawn * (v + 1)
    entries = 2 * n_neighbors(n)  # of a row of a graph, in both directions
    kept = n_draws * ENTRY * drawn * (min(entries * v, drawn) + entries)
    graphs = 2 * components + near + 2 * ENTRY * drawn * entries * v
    drawing = min(n_threads(), n_draws) * graphs
    copies = 3 * shape.held if shape.sparse else 0  # checked as CSR, hashed
    rest = 16 * sum(shape.features) + 40 * shape.n + copies + SMALL
    return Cost(0, max(scaled, sample + components + kept + drawing) + rest)


def _vectors(shape: Shape, n: int) -> float:
    pairs = zip(shape.stored, shape.features, strict=True)
    iterating = [d for s, d in pairs if iterates(n, d, N_COMPONENTS, s < d)]
    return 8 * VECTORS * max(iterating, default=0)
