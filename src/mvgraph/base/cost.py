"""The units in which a method forecasts its cost."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PROBE_FEATURES", "Cost", "Shape"]

PROBE_FEATURES = 32  # of the probe


class Shape(NamedTuple):
    """What the model needs to know of the views."""

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
    """Bytes of rows that an engine can keep elsewhere, of all else, and units."""

    rows: float
    fixed: float
    units: float | None
    most: float | None = None  # units, if it runs all steps it may
