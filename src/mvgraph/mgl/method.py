"""The registry record of MGL, its constants, and the memory of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mvgraph.base.limits import Cost, Shape
from mvgraph.base.method import Method
from mvgraph.graphs.anchors import count_anchors

METHOD = Method(
    name="mgl",
    family="tensor",
    title="Multiple graph learning, as published; depends on the order of the rows",
    reference="jiang2021mgl",
    cost="O(N M (d + V)) per pass",
    memory="O(N M V)",
    order_free=False,
    estimator="mvgraph.mgl.estimator:MGL",
    published=True,
    cost_model="cost_of_fit",
)

#: Arrays of N M V numbers in memory at a time: D, Z, J, Y and their copies.
DENSE_ARRAYS = 7


def cost_of_fit(model: Any, shape: Shape, n_clusters: int) -> Cost:
    """Count the bytes of a fit."""
    n, v = shape.n, shape.v
    M = count_anchors(model.n_anchors, n)
    scaled = n * sum(shape.features) * 8 * 2
    return Cost(0, DENSE_ARRAYS * 8 * n * M * v + scaled)


@dataclass(frozen=True)
class Recipe:
    """Every constant of the method that is not a parameter; the paper names none."""

    #: First weight of the rank constraint; far below the data term of any view, it is
    #: doubled until there are K components.
    beta: float = 1e-3
    #: Largest penalty of the ADMM: beyond it, Y / mu is lost in rounding.
    max_mu: float = 1e12
    #: Residual of the F-step: the error of its eigenvalues is about its square.
    embedding_tol: float = 1e-6
    #: Lowest frequencies that are kept before it is known which ones survive: enough
    #: for the published settings; more are computed where they do not suffice.
    lowest_band: int = 64
    #: With at most this share of frequencies, their sum is faster than an inverse FFT.
    max_low_rank_share: float = 1 / 32
    #: k-means clusters with less than this share of the mean size are no anchors: they
    #: are outliers (``anchors="kmeans"``).
    min_cluster_share: float = 0.5
    #: Starts of k-means for the anchors: the inertia varies little after five.
    anchor_starts: int = 5


DEFAULT = Recipe()
