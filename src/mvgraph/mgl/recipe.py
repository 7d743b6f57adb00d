"""The constants of MGL, and where each comes from."""

from __future__ import annotations

from dataclasses import dataclass


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
    #: Lowest frequencies that are kept before it is known which survive: those of the
    #: published settings do; more are computed where they do not suffice.
    lowest_band: int = 64
    #: With at most this share of frequencies, their sum is faster than an inverse FFT.
    max_low_rank_share: float = 1 / 32
    #: k-means clusters with less than this share of the mean size are no anchors: they
    #: are outliers (``anchors="kmeans"``).
    min_cluster_share: float = 0.5
    #: Starts of k-means for the anchors: the inertia varies little after five.
    anchor_starts: int = 5


DEFAULT = Recipe()
