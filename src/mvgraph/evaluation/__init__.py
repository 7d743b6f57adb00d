"""How good and how costly a method is."""

from mvgraph.evaluation.forecast import estimate
from mvgraph.evaluation.protocol import compare, evaluate

__all__ = ["compare", "estimate", "evaluate"]
