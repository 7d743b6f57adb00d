"""Readers for multi-view files, bundled digits views, and synthetic sets."""

from mvgraph.datasets._load import Dataset, load

__all__ = ["Dataset", "load"]
