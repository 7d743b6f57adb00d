"""Samples that a view lacks: presence masks, index lists, zero rows, NaN rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from mvgraph.datasets.layout.source import Source, is_numeric
from mvgraph.views.joining import take_rows

INDEX_NAMES = ("index", "ind", "idx", "indices")
MASK_NAMES = ("ind", "mask", "missingstatus", "missing", "status", "present")


def presence(
    source: Source, matrices: list[Any], index: str | None, mask: str | None
) -> np.ndarray | None:
    """Return which sample each view has, (n_samples, n_views), or None if all.

    An index list goes before a status matrix, which can be stale. Either is used
    only if the rows that it calls absent are empty (all zero or all NaN), unless the
    caller names it.
    """
    shape = (matrices[0].shape[0], len(matrices))
    if index or mask:
        flags = _read(source.get(index or mask or ""), shape)
        if flags is None:
            raise source.error(
                f"{index or mask!r} is neither a {shape[0]} x {shape[1]} matrix of 0"
                " and 1 nor a cell of 1-based sample numbers per view",
                "name another variable",
            )
        source.log.used.add((index or mask or "").partition(".")[0])
        return flags
    free = {k: v for k, v in source.variables.items() if k not in source.log.used}
    for name in _by_trust(free):
        flags = _read(source.variables[name], shape)
        if flags is None:
            continue
        for reading in (flags, ~flags):
            if _is_empty_where_absent(matrices, reading):
                source.log.used.add(name)
                source.log.note(
                    f"{name!r} lists which samples are missing from which view"
                )
                return reading
        warnings.warn(
            f"{source.path.name}: ignored {name!r}, it calls samples absent that have"
            f' values; pass key_map={{"mask": "{name}"}} to use it',
            UserWarning,
            stacklevel=5,
        )
    return None


def blank(matrix: Any, present: np.ndarray) -> Any:
    """Return the matrix as floats with NaN in the rows of absent samples."""
    lost = np.flatnonzero(~present)
    if sparse.issparse(matrix):
        matrix = matrix.tocsr()
    else:  # where the file marks them with NaN itself: keep its bits, and memory
        lost = lost[~np.isnan(matrix[lost]).all(axis=1)]
    if not lost.size:
        return matrix
    return take_rows(matrix, np.where(present, np.arange(len(present)), -1))


def empty_rows(matrix: Any) -> np.ndarray:
    """Return which rows are empty: all zero, or all NaN."""
    if sparse.issparse(matrix):
        held = sparse.csr_matrix(matrix, copy=True)
        held.data = (held.data != 0) & ~np.isnan(held.data)
        held.eliminate_zeros()
        return np.diff(held.indptr) == 0
    return ~((matrix != 0) & (matrix == matrix)).any(axis=1)


def _by_trust(variables: dict[str, Any]) -> list[str]:
    lists = [k for k in variables if k.lower() in INDEX_NAMES]
    lists = [k for k in lists if isinstance(variables[k], list)]
    matrices = [k for k in variables if k.lower() in MASK_NAMES]
    return lists + [k for k in matrices if not isinstance(variables[k], list)]


def _read(value: Any, shape: tuple[int, int]) -> np.ndarray | None:
    """Return presence flags from a 0/1 matrix or a cell of sample numbers."""
    if isinstance(value, list):
        return _from_lists(value, shape)
    if sparse.issparse(value):
        value = value.toarray()
    if not is_numeric(value) or value.ndim != 2 or not np.isin(value, (0, 1)).all():
        return None
    if value.shape != shape:
        value = value.T
    return value.astype(bool) if value.shape == shape else None


def _from_lists(value: list[Any], shape: tuple[int, int]) -> np.ndarray | None:
    flags = np.zeros(shape, dtype=bool)
    if len(value) != shape[1]:
        return None
    for view, numbers in enumerate(value):
        if not is_numeric(numbers) or numbers.size == 0:
            return None
        if numbers.min() < 1 or numbers.max() > shape[0]:
            return None
        flags[numbers.ravel().astype(np.int64) - 1, view] = True
    return flags


def _is_empty_where_absent(matrices: list[Any], flags: np.ndarray) -> bool:
    return all(
        bool(empty_rows(matrix[np.flatnonzero(~present)]).all())
        for matrix, present in zip(
            (m.tocsr() if sparse.issparse(m) else m for m in matrices),
            flags.T,
            strict=True,
        )
    )
