"""Graphs of samples."""
