"""MGL, the model of the paper: multiple graph learning."""

from mvgraph.mgl.estimator import MGL

__all__ = ["MGL"]
