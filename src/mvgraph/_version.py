"""The version, a constant that everything may import."""

__version__ = "0.1.0"
