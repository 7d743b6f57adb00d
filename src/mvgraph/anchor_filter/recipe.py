"""The constants of AnchorFilter, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Every constant of the method that is not a parameter.

    "Ablation" is ``benchmarks/ablation.py``; the others are stated as they are.
    """

    #: Rows from which scalings and anchors are learned: memory beside that of the rows.
    max_sample_rows: int = 100_000
    #: Rows from which principal components are learned: their cost grows with them.
    projection_rows: int = 5_000
    #: Principal components of a view per cluster: K - 1 separate K centres.
    components_per_cluster: int = 4
    #: Anchors per cluster where ``n_anchors`` is None: twice as many as in the paper.
    anchors_per_cluster: int = 10
    #: Share of the samples that is at most as many anchors: two samples an anchor.
    max_anchor_share: float = 0.5
    #: k-means clusters with less than this share of the mean size are no anchors: they
    #: are outliers.
    min_cluster_share: float = 0.5
    #: Starts of k-means for the anchors: the inertia varies little after five.
    anchor_starts: int = 5
    #: Landmarks that the filter goes through: all rows of small data; their products
    #: (L, L) stay at 8 MB.
    landmarks: int = 1_000
    #: Share of the joint graph in Z: clusters that only all views together show are
    #: found in it (ablation).
    joint: float = 0.75
    #: Order t of the filter ((I + T) / 2)^t (ablation: 0 loses .02 to .03).
    order: int = 2
    #: Rows whose embedding is clustered; the others get the nearest centre: the cost of
    #: k-means.
    cut_rows: int = 20_000
    #: Starts of k-means in the spectral cut: as in `graphs.partition`.
    cut_starts: int = 10


DEFAULT = Recipe()
