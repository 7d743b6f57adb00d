"""What a method states of the memory that a fit takes."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Cost", "Shape"]


class Shape(NamedTuple):
    """Sizes of the views."""

    n: int
    features: tuple[int, ...]
    held: int  # bytes of views in private memory; mapped files do not count
    stored: tuple[float, ...]  # values per row of every view: features, or non-zeros
    sparse: bool = False  # whether any view is
    far: bool = False  # whether all rows are in dask arrays
    mappable: int = 0  # bytes of the held views that are dense

    @property
    def v(self) -> int:
        """Number of views."""
        return len(self.features)

    def row_bytes(self) -> tuple[float, ...]:
        """Bytes of a row of every view, as float64 or CSR."""
        per_value = (
            8 if s == d else 12 for s, d in zip(self.stored, self.features, strict=True)
        )
        return tuple(b * s for b, s in zip(per_value, self.stored, strict=True))


class Cost(NamedTuple):
    """Forecast of the bytes of a fit."""

    rows: float  # bytes that an engine can store outside of memory
    fixed: float  # all other bytes
