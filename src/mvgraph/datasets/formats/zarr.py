"""zarr groups, versions 2 and 3: one array a view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mvgraph.datasets.formats.limits import check_size, readable
from mvgraph.datasets.layout.source import ReadOptions, Source
from mvgraph.views.lazy import EAGER, FileArray

MARKS = (".zgroup", ".zarray", "zarr.json")


def is_zarr(path: Path) -> bool:
    """Return whether a folder is a zarr group or a single array."""
    return any((path / mark).is_file() for mark in MARKS)


def read_zarr(path: Path, options: ReadOptions) -> Source:
    """Read the arrays of a group, or a single array; large ones stay in the file.

    Raises
    ------
    ImportError
        If zarr is not installed.
    ValueError
        The group is damaged, or an array would not fit into memory.
    """
    try:
        import zarr
    except ImportError as error:
        raise ImportError(
            f"{path.name} is stored in zarr, which needs zarr: pip install zarr"
        ) from error
    variables: dict[str, Any] = {}
    with readable(path, "zarr group or array"):
        group = zarr.open(str(path), mode="r")
        if isinstance(group, zarr.Array):
            check_size(path.name, group.nbytes, options)
            view = {path.stem: np.asarray(group[...])}
            return Source(
                path, "zarr array", view, views=(path.stem,), rows_first=True,
                log=options.log,
            )  # fmt: skip
        for name, array in sorted(group.arrays()):
            plain = array.ndim == 2 and array.dtype.kind in "buif"
            if plain and array.nbytes > EAGER:
                variables[name] = FileArray(path, name, zarr=True)
                continue
            check_size(f"{path.name}: {name}", array.nbytes, options)
            variables[name] = np.asarray(array[...])
        for name in sorted(name for name, _ in group.groups()):
            options.log.leave_out(name, "a group inside the group")
    return Source(path, "zarr group", variables, rows_first=True, log=options.log)
