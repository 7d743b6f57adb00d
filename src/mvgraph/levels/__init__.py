"""At which levels the samples fall into groups, and how sure that is."""

from mvgraph.levels.search import Found, Level, find_levels

__all__ = ["Found", "Level", "find_levels"]
