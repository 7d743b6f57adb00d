"""Pictures of results: each class has a small set of data and draws it.

The classes follow scikit-learn's displays: ``from_estimator`` collects the data of a
fit, `mvgraph.bench.figures` that of benchmarks, ``plot(ax=None)`` draws it with
matplotlib (extra ``plots``) and returns self. ``data()`` returns the data as plain
JSON. The HTML report contains the same drawings.
"""

from mvgraph.display._comparison import ComparisonDisplay
from mvgraph.display._curves import ConvergenceDisplay, GrowthDisplay, SweepDisplay
from mvgraph.display._display import FIGURES
from mvgraph.display._embedding import EmbeddingDisplay
from mvgraph.display._features import DotPlotDisplay, HeatmapDisplay
from mvgraph.display._graph import GraphDisplay
from mvgraph.display._levels import ChooseKDisplay, DendrogramDisplay
from mvgraph.display._per_sample import ConfidenceDisplay, SilhouetteDisplay
from mvgraph.display._rows import RanksDisplay, WeightsDisplay
from mvgraph.display._scores import ScoresDisplay, SetScoresDisplay
from mvgraph.display._styles import GROUPS, method_styles
from mvgraph.display._tradeoff import TradeoffDisplay

__all__ = [
    "FIGURES",
    "GROUPS",
    "ChooseKDisplay",
    "ComparisonDisplay",
    "ConfidenceDisplay",
    "ConvergenceDisplay",
    "DendrogramDisplay",
    "DotPlotDisplay",
    "EmbeddingDisplay",
    "GraphDisplay",
    "GrowthDisplay",
    "HeatmapDisplay",
    "RanksDisplay",
    "ScoresDisplay",
    "SetScoresDisplay",
    "SilhouetteDisplay",
    "SweepDisplay",
    "TradeoffDisplay",
    "WeightsDisplay",
    "method_styles",
]
