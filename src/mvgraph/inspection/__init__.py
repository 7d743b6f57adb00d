"""How many clusters there are, and what they are made of."""

from mvgraph.inspection.choose_k import ChooseK
from mvgraph.inspection.explanation import explain

__all__ = ["ChooseK", "explain"]
