"""Tools for single-cell objects: results are written back, as in scanpy."""

from mvgraph.tl._cluster import cluster, predict
from mvgraph.tl._inspect import choose_k, rank_features

__all__ = ["choose_k", "cluster", "predict", "rank_features"]
