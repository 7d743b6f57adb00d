"""Samples in the plane, such that those which are linked lie near each other."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp

from mvgraph.graphs.samples import SampleGraph
from mvgraph.ops.hashing import sum_hash
from mvgraph.ops.wording import extra

#: Of the curve that turns distances in the plane into links: as in scanpy.
MIN_DIST, SPREAD = 0.5, 1.0
#: Passes over the links: of up to so many samples, and of more.
MANY, EPOCHS = 10_000, (300, 100)


def layout_2d(graph: SampleGraph, random_state: int = 0) -> np.ndarray:
    """Lay samples out in the plane by UMAP [mcinnes2018]_, from their graph.

    The start is the plane of the two leading principal components of the features.

    Parameters
    ----------
    graph : SampleGraph
        From :func:`mvgraph.graphs.samples.graph_of`.
    random_state : int, default=0

    Returns
    -------
    ndarray of float32, shape (N, 2)
        The same for any order of the rows and any number of threads. The middle of
        the picture is the origin.

    Raises
    ------
    ImportError
        umap-learn is not installed: it comes with ``pip install 'mvgraph[plots]'``.

    Notes
    -----
    Distances within a group say who is near whom; those between groups, and the sizes
    of groups, mean little.

    References
    ----------
    .. [mcinnes2018] McInnes, Healy, Melville, "UMAP: uniform manifold approximation and
       projection for dimension reduction", 2018, :doi:`10.48550/arXiv.1802.03426`.

    Examples
    --------
    >>> import numpy as np
    >>> from mvgraph import Views
    >>> from mvgraph.graphs.layout import layout_2d
    >>> from mvgraph.graphs.samples import sample_graph
    >>> x = np.random.default_rng(0).normal(size=(60, 5))
    >>> layout_2d(sample_graph(Views([x]))).shape
    (60, 2)
    """
    n, links = graph.links.shape[0], graph.links
    order = np.argsort(sum_hash(graph.features, random_state), kind="stable")
    start = _start(graph.features[order], random_state)
    points = start
    if links.nnz:
        W = sp.coo_matrix(links[order][:, order], dtype=np.float32)
        points = _umap(W, start, EPOCHS[n > MANY], random_state)
    points -= (points.max(axis=0) + points.min(axis=0)) / 2
    return points[np.argsort(order)]


def _start(X: np.ndarray, seed: int) -> np.ndarray:
    """Return the first two features in the square from -10 to 10, as UMAP begins."""
    plane = np.zeros((len(X), 2))
    plane[:, : X.shape[1]] = X[:, :2]
    plane /= max(float(np.abs(plane).max()), 1e-300) / 10
    rng = np.random.default_rng(seed)  # equal samples would move as one
    return (plane + rng.normal(scale=1e-4, size=plane.shape)).astype(np.float32)


def _umap(W: sp.coo_matrix, start: np.ndarray, epochs: int, seed: int) -> np.ndarray:
    with (
        extra("the map of the samples", "umap-learn", "plots"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")  # that tensorflow is missing, and the like
        from umap.umap_ import find_ab_params, simplicial_set_embedding
    a, b = find_ab_params(SPREAD, MIN_DIST)
    rng = np.random.RandomState(seed)
    points, _ = simplicial_set_embedding(
        data=start, graph=W, n_components=2, initial_alpha=1.0, a=a, b=b, gamma=1.0,
        negative_sample_rate=5, n_epochs=epochs, init=start, random_state=rng,
        metric="euclidean", metric_kwds={}, densmap=False, densmap_kwds={},
        output_dens=False, parallel=False, verbose=False,
    )  # fmt: skip
    return np.asarray(points)
