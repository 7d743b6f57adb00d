"""Where blocks of rows are stored: in memory, in scratch files, or on a cluster."""

from __future__ import annotations

from typing import Any

from mvgraph.engines.memory import MemoryEngine

__all__ = ["least_bytes", "make_engine", "map_engine"]


def make_engine(engine: Any, memory_limit: int | None, needed: int) -> MemoryEngine:
    """Return the engine that was asked for, or the one that fits.

    Parameters
    ----------
    engine : {"auto", "memory", "chunked", "distributed"}, scheduler address or engine
        ``auto``: in memory, or out of core if ``needed`` exceeds the limit.
    memory_limit : int or None
        Bytes; None: no limit.
    needed : int
        Bytes that the rows take in memory.

    Returns
    -------
    MemoryEngine
        Or a subclass.

    Raises
    ------
    ValueError
        If the name is unknown, or the rows exceed the limit with ``memory``.
    """
    over = memory_limit is not None and needed > memory_limit
    if isinstance(engine, MemoryEngine):
        return engine
    if engine == "memory" and over:
        raise ValueError(
            f"engine='memory' needs {needed} bytes, memory_limit is {memory_limit}; "
            "use engine='chunked' or raise memory_limit."
        )
    if engine == "memory" or (engine == "auto" and not over):
        return MemoryEngine()
    if engine in ("chunked", "auto"):
        from mvgraph.engines.chunked import ChunkedEngine

        return ChunkedEngine(memory_limit or 2**30)
    if engine == "distributed" or "://" in str(engine):
        from mvgraph.engines.distributed import DistributedEngine

        return DistributedEngine(engine if "://" in str(engine) else None)
    raise ValueError(
        "engine must be 'auto', 'memory', 'chunked', 'distributed' or the address of a "
        f"scheduler; got {engine!r}."
    )


def least_bytes(engine: Any, row_bytes: int, n_rows: int, spare: int) -> int:
    """Return the bytes of this process that the state of all rows takes at least.

    Parameters
    ----------
    engine : see make_engine
    row_bytes : int
        Bytes of the state of all rows together.
    n_rows : int
    spare : int
        Bytes that blocks of rows may take at least, where rows are not in memory.
    """
    if engine == "memory" or (isinstance(engine, MemoryEngine) and engine.in_memory):
        return row_bytes
    from mvgraph.engines.chunked import COPIES

    blocks = max(spare, COPIES * -(-row_bytes // n_rows))
    return min(blocks, row_bytes) if engine == "auto" else blocks


def map_engine(engine: Any, in_dask: bool, block_rows: int) -> MemoryEngine:
    """Return the engine for a single pass over all rows.

    Parameters
    ----------
    engine : {"auto", "memory", "distributed"}, address of a scheduler, or engine
        ``auto``: on the workers if the rows are in dask arrays and there is a client,
        else in this process.
    in_dask : bool
        True if all rows are in dask arrays.
    block_rows : int
        Rows per block in this process.

    Returns
    -------
    MemoryEngine
        Or a subclass.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if engine == "auto" and in_dask:
        from mvgraph.engines.distributed import has_client

        engine = "distributed" if has_client() else "memory"
    if engine in ("auto", "memory"):
        return MemoryEngine(block_rows)
    if engine == "chunked":
        raise ValueError(
            "engine='chunked' is not needed: rows are read block by block with any "
            "engine; use engine='memory'."
        )
    return make_engine(engine, None, 0)
