"""Refuse an allocation that the machine cannot hold."""

from __future__ import annotations

from mvgraph.ops.memory import free_bytes

__all__ = ["require_memory"]


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Refuse before a large allocation that this machine cannot hold.

    Raises
    ------
    MemoryError
        Names what would be allocated, its size, the memory at hand and the remedy.
    """
    free = free_bytes()
    if free is None:
        return  # unknown: let the allocation itself decide
    if n_bytes > 0.9 * free:
        raise MemoryError(
            f"{what} needs {n_bytes / 1e9:.1f} GB ({int(n_bytes)} bytes) but "
            f"{free / 1e9:.1f} GB are available; {remedy}"
        )
