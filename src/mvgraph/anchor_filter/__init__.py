"""AnchorFilter: anchor graphs, smoothed along neighbours, whatever the row order."""

from mvgraph.anchor_filter.estimator import AnchorFilter

__all__ = ["AnchorFilter"]
