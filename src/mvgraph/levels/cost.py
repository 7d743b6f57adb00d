"""Forecast of the memory that the search for levels takes."""

from __future__ import annotations

from mvgraph.base.limits import Cost, Shape
from mvgraph.levels.draws import MANY, N_COMPONENTS, N_DRAWS
from mvgraph.levels.search import MAX_SAMPLE
from mvgraph.ops.linalg.principal import iterates
from mvgraph.ops.parallel import n_threads

#: Bytes of an entry of a graph: a float64 and an int32.
ENTRY = 12
#: Vectors of a subspace that iterates, in numbers of samples or features, with their
#: products.
VECTORS = 60
#: Bytes of many small arrays.
SMALL = 10_000_000


def cost_of_search(shape: Shape) -> Cost:
    """Forecast bytes."""
    n, v = min(shape.n, MAX_SAMPLE), shape.v
    rows = shape.row_bytes()
    sample = n * sum(rows)
    scaled = sample + min(n_threads(), v) * (3 * n * max(rows) + _vectors(shape, n))
    components = 4 * n * sum(min(N_COMPONENTS, d) for d in shape.features)
    scores = 4 * components  # of two representations, in double precision
    near = 12 * MANY * n * (v + 1)
    entries = 2 * MANY  # of a row of a graph, in both directions
    graphs = near + 2 * ENTRY * n * entries * v
    drawing = min(n_threads(), N_DRAWS) * graphs
    copies = 3 * shape.held if shape.sparse else 0  # checked as CSR, hashed
    # samples like the data, in double precision; lines that tell clusters apart
    like = 8 * components + 3 * n_threads() * components
    rest = 16 * sum(shape.features) + 40 * shape.n + copies + SMALL
    return Cost(
        0, max(scaled, sample + scores + 3 * components + drawing + like) + rest
    )


def _vectors(shape: Shape, n: int) -> float:
    pairs = zip(shape.stored, shape.features, strict=True)
    iterating = [d for s, d in pairs if iterates(n, d, N_COMPONENTS, s < d)]
    return 8 * VECTORS * max(iterating, default=0)
