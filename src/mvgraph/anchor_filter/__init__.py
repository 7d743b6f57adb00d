"""AnchorFilter: anchor graphs, smoothed along neighbours, in any order of the rows."""

from mvgraph.anchor_filter.estimator import AnchorFilter

__all__ = ["AnchorFilter"]
