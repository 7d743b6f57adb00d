"""Several row-aligned descriptions of the same samples, and what prepares them."""

from mvgraph.views.coerce import as_views
from mvgraph.views.container import Views

__all__ = ["Views", "as_views"]
