"""The page of clusters: one file to look at and to hand on."""

from mvgraph.page.write import check_page, write_page

__all__ = ["check_page", "write_page"]
