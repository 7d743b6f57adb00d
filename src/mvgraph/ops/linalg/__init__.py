"""Eigenvectors and embeddings."""
