"""Readers for multi-view files, bundled digits views, and synthetic sets."""

from mvgraph.datasets._digits import load_digits_views
from mvgraph.datasets._fetch import fetch, registry
from mvgraph.datasets._info import info
from mvgraph.datasets._load import load
from mvgraph.datasets._synthetic import make_ambiguous_views, make_misleading_view
from mvgraph.datasets.layout.report import Dataset, Reading

__all__ = [
    "Dataset",
    "Reading",
    "fetch",
    "info",
    "load",
    "load_digits_views",
    "make_ambiguous_views",
    "make_misleading_view",
    "registry",
]
