"""Fitted models and result files on disk."""
