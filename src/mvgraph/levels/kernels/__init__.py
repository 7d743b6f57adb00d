"""Compiled loops of the search for levels."""
