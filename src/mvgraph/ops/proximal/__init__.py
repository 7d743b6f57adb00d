"""Projections and proximal maps."""
