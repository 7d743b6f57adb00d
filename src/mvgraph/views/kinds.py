"""What was passed as a view, told by what it can do: no package is imported for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = [
    "in_memory",
    "is_annotated",
    "is_dask",
    "is_frame",
    "is_held_frame",
    "is_mudata",
    "is_plain",
    "is_series",
]


def is_plain(value: Any) -> bool:
    """Tell a 2-D NumPy array or sparse matrix, which names neither rows nor columns."""
    return sp.issparse(value) or (type(value) is np.ndarray and value.ndim == 2)


def is_frame(value: Any) -> bool:
    """Tell a data frame of any library, or an Arrow table, from anything else."""
    kind = type(value)  # a lazy frame would work out its columns when asked
    named = hasattr(kind, "columns") or hasattr(kind, "column_names")
    ways = ("to_numpy", "collect_schema", "to_batches")
    return named and any(hasattr(kind, way) for way in ways)


def is_held_frame(value: Any) -> bool:
    """Tell a data frame with an index of its columns, in memory."""
    ways = hasattr(value, "columns"), hasattr(value, "collect")
    return is_frame(value) and ways == (True, False)


def is_series(value: Any) -> bool:
    """Tell a column of polars or pandas."""
    return hasattr(value, "to_numpy") and hasattr(value, "to_list")


def is_annotated(data: Any) -> bool:
    """Tell an AnnData or MuData from anything else."""
    return hasattr(data, "obs_names") and (
        hasattr(data, "mod") or hasattr(data, "obsm")
    )


def is_mudata(data: Any) -> bool:
    """Tell a MuData, which has modalities, from an AnnData."""
    return hasattr(data, "mod")


def is_dask(a: Any) -> bool:
    """Tell dask arrays, by what they can do."""
    return hasattr(a, "__dask_graph__") and hasattr(a, "map_blocks")


def in_memory(a: Any) -> Any:
    """Compute a dask array; return any other array unchanged."""
    return a.compute() if is_dask(a) else a
