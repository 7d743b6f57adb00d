"""Pictures of results: each class has a small table of data and draws it.

The classes follow scikit-learn's displays: ``from_estimator`` or ``from_records``
collects the data, ``plot(ax=None)`` draws it with matplotlib (extra ``plots``) and
returns self. ``data()`` returns the table as plain JSON, from which the HTML report is
drawn.
"""

from mvgraph.display._colours import colour_of
from mvgraph.display._convergence import ConvergenceDisplay
from mvgraph.display._dots import DotPlotDisplay
from mvgraph.display._embedding import EmbeddingDisplay
from mvgraph.display._graph import GraphDisplay
from mvgraph.display._scores import ScoresDisplay
from mvgraph.display._sweep import SweepDisplay

__all__ = [
    "ConvergenceDisplay",
    "DotPlotDisplay",
    "EmbeddingDisplay",
    "GraphDisplay",
    "ScoresDisplay",
    "SweepDisplay",
    "colour_of",
]
