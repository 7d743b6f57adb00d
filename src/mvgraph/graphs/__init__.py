"""Anchors, anchor graphs, and their partition."""
