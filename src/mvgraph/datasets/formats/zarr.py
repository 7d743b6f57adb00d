"""zarr groups, versions 2 and 3: one array a view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.layout.source import Source
from mvgraph.views.lazy import EAGER, ZarrArray

MARKS = (".zgroup", "zarr.json")


def is_zarr(path: Path) -> bool:
    """Tell a folder that is a zarr group."""
    return any((path / mark).is_file() for mark in MARKS)


def read_zarr(path: Path) -> Source:
    """Read the arrays of a group; large ones stay in the file.

    Raises
    ------
    ImportError
        If zarr is not installed.
    """
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            f"{path.name} is a zarr group, which needs zarr: pip install zarr"
        ) from error
    group = zarr.open_group(str(path), mode="r")
    variables: dict[str, Any] = {}
    for name, array in sorted(group.arrays()):
        large = array.ndim == 2 and array.nbytes > EAGER and array.dtype.kind in "buif"
        variables[name] = ZarrArray(path, name) if large else np.asarray(array[...])
    return Source(path, "zarr group", variables, rows_first=True)
