"""Tools for single-cell objects: results are written back, as in scanpy."""

from mvgraph.tl._choose_k import choose_k
from mvgraph.tl._cluster import cluster
from mvgraph.tl._predict import predict
from mvgraph.tl._rank_features import rank_features

__all__ = ["choose_k", "cluster", "predict", "rank_features"]
