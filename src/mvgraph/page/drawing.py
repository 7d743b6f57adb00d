"""Which samples a page shows, all or some of every group; and where."""

from __future__ import annotations

import numpy as np

from mvgraph.graphs.layout import layout_2d
from mvgraph.graphs.samples import SampleGraph

#: Fewer samples than this are placed by their two leading components.
FEWEST = 6
#: Samples on a page. More would not be seen on a screen, and the file would be too
#: large for a message.
MOST = 50_000
#: Samples of every group that are shown at least, if it has them.
KEPT = 500


def draw_rows(labels: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows, so that rare groups keep enough to be seen.

    Every group keeps 500 rows, or all that it has; of many groups, each keeps its share
    of `most`. The others are drawn in proportion to the sizes.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Group of every row, -1 for none.
    most : int
        Rows that are drawn, at most.
    rng : Generator

    Returns
    -------
    ndarray of int, ascending

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph.page.drawing import draw_rows
    >>> labels = np.repeat([0, 1], [100, 3])
    >>> rows = draw_rows(labels, 10, np.random.default_rng(0))
    >>> np.bincount(labels[rows]).tolist()
    [7, 3]
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    groups, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    quota = np.minimum(sizes, min(KEPT, most // len(groups)))
    spare, left = most - int(quota.sum()), sizes - quota
    if spare > 0:
        quota = quota + np.floor(left * (spare / max(int(left.sum()), 1))).astype(int)
    order = rng.permutation(n)
    # position of every row among those of its group, in the drawn order
    by_group = np.argsort(codes[order], kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[by_group] = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[place < quota[codes[order]]])


def lay_out(graph: SampleGraph) -> tuple[np.ndarray, str]:
    """Lay the drawn samples out, and say how if that is not by the graph."""
    if len(graph.features) < FEWEST:
        plane = np.zeros((len(graph.features), 2))
        plane[:, : graph.features.shape[1]] = graph.features[:, :2]
        return plane, ""
    try:
        return np.asarray(layout_2d(graph)), ""
    except ImportError as error:
        note = f"The map shows the two leading principal components: {error}."
        return np.asarray(graph.features[:, :2]), note
