"""The units in which a method forecasts its cost."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PROBE_FEATURES", "Cost", "Shape"]

PROBE_FEATURES = 32  # features of the distance whose time is one unit


class Shape(NamedTuple):
    """Sizes of the views."""

    n: int
    features: tuple[int, ...]
    held: int  # bytes of views in private memory; mapped files do not count

    @property
    def v(self) -> int:
        """Number of views."""
        return len(self.features)

    @property
    def width(self) -> float:
        """Cost of a distance in all views, in units."""
        return self.v / 2 + sum(self.features) / PROBE_FEATURES / 2


class Cost(NamedTuple):
    """Forecast of memory (bytes) and time (units of work)."""

    rows: float  # bytes that an engine can store outside of memory
    fixed: float  # all other bytes
    units: float | None
    most: float | None = None  # units with max_iter steps
