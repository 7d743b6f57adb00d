"""Quality and cost of methods."""

from mvgraph.evaluation.forecast import estimate
from mvgraph.evaluation.protocol import compare, evaluate

__all__ = ["compare", "estimate", "evaluate"]
