"""Compiled loops of MGL."""
