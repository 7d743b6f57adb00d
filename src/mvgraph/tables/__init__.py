"""Columns of every kind as views: chosen, told apart, filled and encoded."""
