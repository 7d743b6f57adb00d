"""Figures of clusters, with the arguments of scanpy's: thin faces of the displays.

The first argument is an AnnData or MuData with the results of
:func:`mvgraph.tl.cluster`, or a fitted model. ``save="figure.svg"`` writes SVG, PDF or
PNG; text can be edited.
"""

from mvgraph.pl._embedding import embedding
from mvgraph.pl._groups import compare, heatmap, tree, views

__all__ = ["compare", "embedding", "heatmap", "tree", "views"]
