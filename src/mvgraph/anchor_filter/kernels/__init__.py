"""Compiled loops of AnchorFilter."""
