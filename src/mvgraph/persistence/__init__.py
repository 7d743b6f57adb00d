"""Fitted models and result files on disk."""

from mvgraph.persistence.models import load_model

__all__ = ["load_model"]
