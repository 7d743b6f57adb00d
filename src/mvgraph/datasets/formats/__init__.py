"""Readers: one file format, one module."""
