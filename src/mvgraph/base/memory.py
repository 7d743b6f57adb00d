"""A check of the available memory before large allocations."""

from __future__ import annotations

from mvgraph.ops.memory import free_bytes

__all__ = ["require_memory"]


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise an error before an allocation that exceeds the available memory.

    Parameters
    ----------
    n_bytes : float
    what : str
        Start of the message, for example ``"A dense similarity"``.
    remedy : str
        End of the message.

    Raises
    ------
    MemoryError
        The message names the needed and the available memory and the remedy.
    """
    free = free_bytes()
    if free is None:
        return  # unknown: let the allocation itself decide
    if n_bytes > 0.9 * free:
        raise MemoryError(
            f"{what} needs {n_bytes / 1e9:.1f} GB ({int(n_bytes)} bytes) but "
            f"{free / 1e9:.1f} GB are available; {remedy}"
        )
